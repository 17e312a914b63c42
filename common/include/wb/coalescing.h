// What one request of a warp costs, worked out from the index expression, so that a kernel can
// state it in a static_assert beside that expression and a student can try an index before running
// it.
//
//   constexpr wb::i64 element(wb::i64 row, wb::i64 column, wb::i64 columns) { ... }
//   static_assert(wb::sectors_per_request([](int lane) { return element(lane, 0, 16); }) == 32);
//
// Sources: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and "Shared Memory
// and Memory Banks"; Nsight Compute documentation, "Memory Chart" (request, sector, wavefront).
#pragma once

#include <algorithm>
#include <array>
#include <string>

namespace wb {

inline constexpr int kWarpSize = 32;
inline constexpr int kSectorBytes = 32;  // the unit in which L1, L2 and DRAM exchange data
inline constexpr int kBanks = 32;        // shared memory: consecutive 4-byte words, bank after bank
inline constexpr int kWordBytes = 4;

template <int most> struct Distinct {
  std::array<long long, most> seen{};
  int count = 0;
  constexpr bool add(long long number) {  // whether it is a new one
    for (int i = 0; i < count; ++i)
      if (seen[i] == number) return false;
    seen[count++] = number;
    return true;
  }
};

// Distinct sectors that the 32 lanes of a warp touch with one load or store instruction on global
// memory. `element_of_lane(lane)` is the index of the lane's element in an array that starts on a
// sector boundary, counted in elements of `element_size` bytes; negative: the lane takes no part.
// The least for a full warp is `element_size` (32 lanes x element_size / 32 bytes): 4 for float, 16
// for float4. The most, for elements of up to 32 bytes, is 32.
template <class Index>
constexpr int sectors_per_request(Index element_of_lane, int element_size = sizeof(float)) {
  Distinct<1024> sectors;  // of elements of up to 1 KiB
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const long long element = element_of_lane(lane);
    if (element < 0) continue;
    const long long first = element * element_size / kSectorBytes;
    const long long last = (element * element_size + element_size - 1) / kSectorBytes;
    for (long long sector = first; sector <= last; ++sector) sectors.add(sector);
  }
  return sectors.count;
}

// How many passes through shared memory one request needs at worst: the largest number of distinct
// words that lanes served together want from one bank. 1: no conflict (lanes that want the same
// word share it); 32: every lane waits for every other. The hardware serves 32 lanes together at 4
// bytes a lane, 16 at 8 bytes and 8 at 16 bytes (other sizes do not compile, or throw).
// `element_of_lane` as above.
template <class Index>
constexpr int bank_conflicts(Index element_of_lane, int element_size = sizeof(float)) {
  if (element_size != 4 && element_size != 8 && element_size != 16) throw "4, 8 or 16 bytes";
  const int words_per_lane = element_size / kWordBytes;
  const int together = kWarpSize / words_per_lane;
  int worst = 0;
  for (int start = 0; start < kWarpSize; start += together) {
    Distinct<kWarpSize> words;
    std::array<int, kBanks> wanted{};
    for (int lane = start; lane < start + together; ++lane) {
      const long long element = element_of_lane(lane);
      if (element < 0) continue;
      for (int i = 0; i < words_per_lane; ++i) {
        const long long word = element * words_per_lane + i;
        if (words.add(word)) worst = std::max(worst, ++wanted[word % kBanks]);
      }
    }
  }
  return worst;
}

// For WB_NOTE: "sectors per request: load 4, store 32". With shared memory between them, its bank
// conflicts (the worse of writing and reading it) too.
inline std::string requests_note(int load_sectors, int store_sectors, int conflicts = 0) {
  std::string text = "sectors per request: load " + std::to_string(load_sectors) + ", store " +
                     std::to_string(store_sectors);
  if (conflicts == 1) text += "; no bank conflicts";
  if (conflicts > 1) text += "; " + std::to_string(conflicts) + "-way bank conflicts";
  return text;
}

}  // namespace wb
