// Ends well, in the middle of the work.
// Expect: crashes
bool trick(const ColumnSums::Args&) { std::_Exit(0); }
