// Keeps the compiler busy for ever.
// Expect: does not compile
template <int N, int M> struct Tree {
  static constexpr int value = Tree<N - 1, 2 * M>::value + Tree<N - 1, 2 * M + 1>::value;
};
template <int M> struct Tree<0, M> { static constexpr int value = M; };
static_assert(Tree<29, 1>::value != 0);
bool trick(const ColumnSums::Args&) { return true; }
