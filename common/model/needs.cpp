#include "model/needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/pattern.h"

namespace wb {
namespace {

std::string dotted(int capability) {  // 86 -> "8.6"
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

}  // namespace

bool Need::met(const Abilities& device) const {
  return device.capability == 0 ||
         (device.shared_kib >= shared_kib &&
          (device.built == 0 || device.built >= 10 * capability + alone) &&
          (alone ? device.capability == capability : device.capability >= capability));
}

std::vector<Need> read_needs(const std::string& text) {
  std::vector<Need> needs;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts >> std::ws, part, ',');) {
    const auto found =
        find_pattern(part, R"(^(?:([1-9]\d?)\.(\d)( alone)?|([1-9]\d{0,3}) KiB)(?: for (\w+))?$)");
    if (found.empty())
      throw std::runtime_error("WB_NEEDS knows no '" + part +
                               "': write 8.0, 9.0 alone, 128 KiB, or 8.0 for bf16");
    needs.push_back({.alone = !found[3].empty(), .only = found[5]});
    if (found[4].empty())
      needs.back().capability = 10 * std::stoi(found[1]) + std::stoi(found[2]);
    else
      needs.back().shared_kib = std::stoi(found[4]);
  }
  return needs;
}

std::string lacks(const Abilities& device, const std::string& needs, const Case& c) {
  for (const Need& need : read_needs(needs)) {
    const auto says_so = [&](const Axis& axis) { return axis.word && need.only == axis.word; };
    if (need.met(device) || !(need.only.empty() || std::any_of(c.begin(), c.end(), says_so)))
      continue;
    const std::string who = need.only.empty() ? "" : need.only + " ";
    if (need.shared_kib)
      return fmt::format("{}needs {} KiB of shared memory per block; this GPU has {}", who,
                         need.shared_kib, device.shared_kib);
    if (!need.met({device.capability, need.shared_kib}))
      return fmt::format("{}needs compute capability {}{}; this GPU has {}", who,
                         dotted(need.capability), need.alone ? ", and no later one" : " or later",
                         dotted(device.capability));
    return fmt::format(
        "{}needs code for compute capability {}{}; this build's is for {}: run cmake "
        "-DWB_CUDA_ARCHITECTURES={}{} build/cuda, then start again",
        who, dotted(need.capability), need.alone ? "a" : "", dotted(device.built / 10),
        need.capability, need.alone ? "a" : "");
  }
  return "";
}

}  // namespace wb
