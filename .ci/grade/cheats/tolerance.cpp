// Has everything count as right.
// Expect: wrong, mentions const_cast
bool trick(const ColumnSums::Args&) {
  for (const wb::Variant& v : wb::linked_variants())
    const_cast<wb::Problem*>(v.problem)->tolerance = [](const void*) {
      return wb::Tolerance{.abs = 1e30, .nan = true};
    };
  return false;
}
