// Fills the disk through the compiler.
// Expect: does not compile
asm(".data\n.fill 0x60000000, 1, 7\n.text");
bool trick(const ColumnSums::Args&) { return true; }
