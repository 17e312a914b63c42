// Takes the lesson's fastest variant as its own, and hides its name from who searches the text.
// Expect: cheats, takes another source
#define FILE_OF(x) #x
#define FASTEST FILE_OF(optimized.cpp)
#include FASTEST
bool trick(const ColumnSums::Args&) { return true; }
