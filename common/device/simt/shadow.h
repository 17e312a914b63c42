// What is known of each four bytes that kernels may touch: who wrote and read them last, and which
// of them hold something. Time is counted in epochs: the part of a block between two barriers is
// one, and a number never comes again.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace simt {

constexpr std::uint16_t kMany = 0xFFFF;  // threads
constexpr std::uint8_t kManyWarps = 0xFF;

struct Access {
  std::uint32_t epoch = 0, place = 0;  // place: of the instruction, behind the program's begin
  std::uint32_t meeting : 24 = 0;      // of the warp: how often its lanes had met
  std::uint32_t releases : 8 = 0;      // of the thread, see known.h
  std::uint16_t thread = 0;            // of the block
  std::uint8_t warp = 0;
  std::uint8_t bytes : 4 = 0;  // a bit each
  std::uint8_t atomic : 1 = 0;
  std::uint8_t many_blocks : 1 = 0;  // have read it in this launch
};

struct Cell {
  Access write, read;
};

// Cells of an array, and which of its bytes hold something; what nothing has touched costs nothing.
class Cells {
 public:
  using Mask = std::uint8_t;  // of four bytes, a bit each
  Cells() = default;
  explicit Cells(std::size_t bytes) : words_((bytes + 3) / 4 + 1) {
    const std::size_t size = words_ * (sizeof(Cell) + 2 * sizeof(Mask));
    void* all = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    cells_ = {static_cast<Cell*>(all), Unmap{size}};
  }
  Cell& operator[](std::size_t word) { return cells_[word]; }
  Mask* defined() { return reinterpret_cast<Mask*>(cells_.get() + words_); }
  Mask* pending() { return defined() + words_; }  // still to come, by a copy in the background
  // Sets one of them for the bytes from `begin` to `end`.
  static void set(Mask* mask, std::size_t begin, std::size_t end, bool on) {
    const auto one = [&](std::size_t at) {
      const auto bit = static_cast<Mask>(1 << at % 4);
      mask[at / 4] = static_cast<Mask>(on ? mask[at / 4] | bit : mask[at / 4] & ~bit);
    };
    while (begin < end && begin % 4) one(begin++);
    while (begin < end && end % 4) one(--end);
    std::memset(mask + begin / 4, on ? 0xF : 0, (end - begin) / 4);
  }
  void forget(std::size_t bytes) {  // the first ones
    const std::size_t words = (bytes + 3) / 4;
    std::fill_n(cells_.get(), words, Cell{});
    std::memset(defined(), 0, words);
    std::memset(pending(), 0, words);
  }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(Cell* cells) const { ::munmap(cells, size); }
  };
  std::size_t words_ = 0;
  std::unique_ptr<Cell[], Unmap> cells_;
};

}  // namespace simt
