// What is known of each four bytes that kernels may touch: who wrote and read them last, and which
// of them hold something. Time is counted in epochs: the part of a block between two barriers is
// one, and a number never comes again.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
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
  std::uint8_t defined = 0;  // a bit for each byte
  std::uint8_t pending = 0;  // these are still to come, by a copy in the background
};

// Cells of an array; memory that nothing has touched costs nothing.
class Cells {
 public:
  Cells() = default;
  explicit Cells(std::size_t bytes) {
    const std::size_t size = ((bytes + 3) / 4 + 1) * sizeof(Cell);
    void* all = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    cells_ = {static_cast<Cell*>(all), Unmap{size}};
  }
  Cell& operator[](std::size_t word) { return cells_[word]; }
  // Cell::defined or Cell::pending of bytes from `begin` to `end`.
  void set(std::uint8_t Cell::*mask, std::size_t begin, std::size_t end, bool on) {
    for (std::size_t i = begin; i < end; ++i) {
      std::uint8_t& bits = cells_[i / 4].*mask;
      const auto bit = static_cast<std::uint8_t>(1 << i % 4);
      bits = static_cast<std::uint8_t>(on ? bits | bit : bits & ~bit);
    }
  }

 private:
  struct Unmap {
    std::size_t size;
    void operator()(Cell* cells) const { ::munmap(cells, size); }
  };
  std::unique_ptr<Cell[], Unmap> cells_;
};

}  // namespace simt
