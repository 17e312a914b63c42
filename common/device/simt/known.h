// What a thread knows of others by atomics and fences: up to which moment what
// they did is ordered before what it does. A release (a fence, or an atomic
// that releases) ends a part of its thread's life, and the parts are counted;
// so what follows a release is not covered by it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "device/simt/shadow.h"

namespace simt {

struct Moment {
  std::uint32_t epoch = 0;     // what its block did in earlier epochs is covered
  std::uint32_t meeting = 0;   // in this epoch: what the warp did before this meeting,
  std::uint32_t releases = 0;  // and what the thread did in this part of its life, or before
};

class Known {
 public:
  bool empty() const { return !moments_; }
  void clear() { moments_.reset(); }
  // Of a thread of a block, by their linear indices.
  void add(std::uint32_t block, std::uint16_t thread, const Moment& moment);
  void add(const Known& other);
  bool covers(std::uint32_t block, const Access& access) const;

 private:
  static std::uint64_t key(std::uint32_t block, std::uint16_t thread) {
    return std::uint64_t{block} << 16 | thread;
  }
  void add(std::uint64_t key, const Moment& moment);
  const Moment* find(std::uint32_t block, std::uint16_t thread) const {
    const auto found = moments_->find(key(block, thread));
    return found == moments_->end() ? nullptr : &found->second;
  }
  // Of thread kMany: its block's last epoch. Null: nothing, which is all that most threads know.
  std::unique_ptr<std::unordered_map<std::uint64_t, Moment>> moments_;
};

}  // namespace simt
