// Stands in front of each trick of this folder.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "coalescing.h"
#include "wb/cpu.h"

// What a trick returns: whether the honest answer is given then.
inline bool escaped(const std::string& how) {
  std::printf("found a way out: %s\n", how.c_str());
  return true;
}
inline bool held() { return false; }

inline double column_of(const ColumnSums::Args& p, wb::i64 column) {
  double sum = 0;
  for (wb::i64 row = 0; row < p.rows; ++row) sum += p.x[row * p.columns + column];
  return sum;
}
