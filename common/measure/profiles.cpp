#include "wb/profiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace wb {
namespace {

// Where a row's outlier is: often where code begins, pivots or ends.
i64 place_of(double chance, i64 row) {
  const auto any = static_cast<i64>((chance + 1) / 2 * static_cast<double>(row));
  switch (static_cast<int>(std::abs(chance) * 1000) % 5) {
    case 0: return 0;
    case 1: return row / 2;
    case 2: return row - 1;
    case 3: return any / 32 * 32;  // the first of a vector, or of a block
    default: return any;
  }
}

}  // namespace

Fill profiled(std::string_view profile, Type type, const Profiled& how, std::uint64_t salt) {
  const auto* const found = std::ranges::find(kProfiles, profile);
  if (profile == "rounding")
    return [=](i64 index, std::uint64_t seed) {
      const double u = uniform(seed ^ salt, static_cast<std::uint64_t>(index));
      return std::ldexp(u, static_cast<int>(index * 5 % 17) - 8);
    };
  if (found == std::end(kProfiles))
    throw std::invalid_argument("unknown profile " + std::string(profile));
  const double normal = type == Type::f16 ? 0x1p-14 : 0x1p-126;  // the smallest
  const double step = how.step, side = how.reach < 0 ? -1 : 1, reach = std::abs(how.reach);
  const double within = std::min(reach, 1.0);  // for profiles that say nothing by their size
  const double spread = std::min(1.0, std::max(reach * 0x1p-12, 16 * step));
  const auto stepped = [=](double v) { return std::floor(v / step) * step; };
  const i64 length = std::max<i64>(how.row, 1), late = how.late;
  // The last draw of each decides what it is, for draws are changed (base/draws.h).
  return [=, profile = *found](i64 index, std::uint64_t seed) -> double {
    const std::string_view name = profile;
    seed ^= (salt + 1) * 0xd1342543de82ef95u;
    const i64 i = std::max<i64>(index - late, 0), row = i / length, at = i % length;
    const double of_row = uniform(seed + 1, static_cast<std::uint64_t>(row));
    if (name == "constant") return stepped(side * reach * of_row);
    const double chance = uniform(seed + 2, static_cast<std::uint64_t>(index));
    const double u = uniform(seed, static_cast<std::uint64_t>(index)), size = std::abs(u);
    if (name == "outlier")
      return stepped(at == place_of(of_row, length)
                         ? std::copysign(reach * (0.5 + size / 2), of_row)
                         : u * 0x1p-10);
    if (name == "offset") return stepped(side * std::copysign(0.75 * reach, of_row) + spread * u);
    if (name == "below")
      return stepped(-side * ((chance < -0.5 ? reach - 2 * spread : reach / 2) + spread * size));
    if (name == "denormal") return u * normal;
    if (name == "signs") return stepped(reach * (at % 2 ? -1 : 1) * (0.5 + size / 4));
    if (name == "sorted") {
      const double rising = (static_cast<double>(at) + (u + 1) / 2) / static_cast<double>(length);
      return stepped(within * (rising * 2 - 1) * (of_row < 0 ? -1 : 1));
    }
    // inf: of four rows one is so altogether, one up to its middle, one here and there.
    const bool hidden =
        row % 4 == 0 || (row % 4 == 1 && at < length / 2) || (row % 4 == 2 && chance < -0.5);
    return hidden ? -std::numeric_limits<double>::infinity() : within * u;
  };
}

}  // namespace wb
