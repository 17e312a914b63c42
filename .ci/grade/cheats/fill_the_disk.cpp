// Writes until nothing more fits.
// Expect: wrong
#include <fstream>
bool trick(const ColumnSums::Args&) {
  const std::vector<char> block(1 << 20, 'x');
  int blocks = 0;
  for (int i = 0; i < 40; ++i) {
    std::ofstream file("/tmp/" + std::to_string(i), std::ios::binary);
    for (int j = 0; j < 10 && file.write(block.data(), block.size()).flush(); ++j) ++blocks;
  }
  return blocks > 70 ? escaped("400 MiB") : held();
}
