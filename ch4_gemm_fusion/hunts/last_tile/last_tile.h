// The product of 01_sgemm, at sizes with few and with many tiles along k.
#pragma once

#include "../../01_sgemm/sgemm.h"

struct LastTile : Sgemm {
  static constexpr wb::Case test[] = {
      {{"m", 1}, {"n", 1}, {"k", 1}},    {{"m", 31}, {"n", 33}, {"k", 17}},
      {{"m", 32}, {"n", 32}, {"k", 48}}, {{"m", 33}, {"n", 31}, {"k", 127}},
      {{"m", 2}, {"n", 3}, {"k", 1031}}, {{"m", 5}, {"n", 7}, {"k", 0}}};
};
