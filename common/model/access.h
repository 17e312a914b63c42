// One request of a warp as it was made: which lane asks for which bytes. For pictures.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace wb {

struct Access {
  enum Verb { reads, writes, changes };  // changes: an atomic operation
  static constexpr long kIdle = -1;
  Verb verb = reads;
  bool shared = false;  // shared memory; else global memory
  int bytes = 4;        // that each lane asks for
  // Where these begin, for each lane, or kIdle: bytes behind the begin of the array in shared
  // memory, or behind the first of the 128 bytes in which the lowest of them lies.
  std::array<long, 32> at{};
  bool operator==(const Access&) const = default;
};
inline constexpr const char* kVerbs[] = {"reads", "writes", "changes"};

nlohmann::json json_of(const std::vector<Access>& accesses);
std::vector<Access> accesses_from(const nlohmann::json& accesses);  // or std::runtime_error

}  // namespace wb
