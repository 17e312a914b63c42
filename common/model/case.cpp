#include "wb/problem.h"
#include "wb/variant.h"

namespace wb {

std::string label(const Shape& shape) {
  std::string text;
  auto append = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  for (const char* word : {shape.size, shape.op, shape.dtype})
    if (*word) append(word);
  const std::pair<const char*, i64> extents[] = {
      {"m=", shape.m}, {"n=", shape.n}, {"k=", shape.k}, {"batch=", shape.batch}};
  for (const auto& [key, value] : extents)
    if (value != 0) append(key + std::to_string(value));
  return text.empty() ? "empty" : text;
}

// SplitMix64's finalizer (Steele, Lea, Flood 2014) on a counter: element i costs the same whatever
// was drawn before it, so arrays fill in parallel and any part can be drawn again.
double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return static_cast<double>(z >> 40) * 0x1p-23 - 1.0;
}

std::vector<Variant>& variants() {
  static std::vector<Variant> all;
  return all;
}

std::string_view name(BackendKind kind) { return kind == BackendKind::cuda ? "cuda" : "cpu"; }

}  // namespace wb
