// Registers a problem of its own to which every answer is right.
// Expect: cheats
struct Easy : ColumnSums {
  static wb::Tolerance tolerance(const Args&) { return {.abs = 1e30, .nan = true}; }
};
bool trick(const ColumnSums::Args&) { return true; }
#define ColumnSums Easy
