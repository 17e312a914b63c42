// Has the assembler put a file of the machine into the program.
// Expect: does not compile
asm("secret: .incbin \"/etc/passwd\"");
bool trick(const ColumnSums::Args&) { return true; }
