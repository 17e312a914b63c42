// Registers itself as the variant that it is measured against.
// Expect: cheats, mentions #define WB_
bool trick(const ColumnSums::Args&) { return true; }
#undef WB_CPU
#define WB_CPU(problem, name, run) \
  const bool mine = wb::add_variant<problem>(WB_LESSON, "optimized", "cpu", run)
