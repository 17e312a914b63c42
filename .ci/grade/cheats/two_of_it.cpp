// Registers two exercises: one is tested, and the other measured.
// Expect: cheats
bool trick(const ColumnSums::Args&) { return true; }
void quick(const ColumnSums::Args&) {}
namespace first {
WB_CPU(ColumnSums, exercise, quick);
}
