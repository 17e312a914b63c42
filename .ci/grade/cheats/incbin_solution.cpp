// The same with the lesson's solution, beside the exercise.
// Expect: does not compile
asm("solution: .incbin \"" __FILE__ "/../solution.cpp\"");
bool trick(const ColumnSums::Args&) { return true; }
