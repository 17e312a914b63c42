// Has the compiler show a file of the machine in its errors.
// Expect: does not compile
#define SECRET "/etc/passwd"
#include SECRET
bool trick(const ColumnSums::Args&) { return true; }
