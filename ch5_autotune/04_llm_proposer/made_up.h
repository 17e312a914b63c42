// A space, and answers that a model may give about it: good ones, and the kinds of wrong ones.
#pragma once

#include <random>
#include <string>

#include "../engine/space.h"
#include "wb/problem.h"

constexpr wb::i64 kWidth = 160;  // bytes for an answer
constexpr int kConfigurations = 8 * 8 * 4 * 4 * 5 * 5;

inline const tune::Space& space() {
  static const tune::Space space = [] {
    const std::vector<int> tile = {32, 64, 96, 128, 160, 192, 224, 256};
    tune::Space s;
    s.add("BM", tile, 128).add("BN", tile, 128).add("BK", {16, 32, 64, 128}, 64);
    s.add("WARPS", {2, 4, 8, 16}, 8).add("STAGES", {2, 3, 4, 5, 6}, 3);
    s.add("GROUP", {1, 2, 4, 8, 16}, 8);
    s.require("shared memory", [](const tune::Values& v) {
      return (v["BM"] + v["BN"]) * v["BK"] * 2 * v["STAGES"] <= 232448;
    });
    return s;
  }();
  return space;
}

// Its place among all, legal or not.
inline int number(const tune::Configuration& c) {
  int n = 0;
  for (std::size_t i = 0; i < c.size(); ++i)
    n = n * static_cast<int>(space().parameters()[i].values.size()) + c[i];
  return n;
}

enum class Kind { good, again, value, huge, no_integer, names, around, nested, cut };

inline Kind kind_of(std::uint64_t seed, wb::i64 index) {
  const std::uint64_t r = std::mt19937_64(seed * 31 + static_cast<std::uint64_t>(index))() % 16;
  return r < 7 ? Kind::good : r < 9 ? Kind::again : static_cast<Kind>(r - 7);
}

inline std::string made_up(std::uint64_t seed, wb::i64 index) {
  const Kind kind = kind_of(seed, index);
  const wb::i64 drawn = kind == Kind::again ? index / 2 : index;
  std::mt19937_64 values(seed * 37 + static_cast<std::uint64_t>(drawn));
  std::mt19937_64 random(seed * 41 + static_cast<std::uint64_t>(index));
  const auto one_of = [&](std::initializer_list<const char*> texts) {
    return std::string(texts.begin()[random() % texts.size()]);
  };
  std::vector<std::pair<std::string, std::string>> fields;
  for (const tune::Parameter& p : space().parameters())
    fields.emplace_back(p.name, std::to_string(p.values[values() % p.values.size()]));
  std::shuffle(fields.begin(), fields.end(), random);
  auto& [name, value] = fields[random() % fields.size()];
  if (kind == Kind::value) value = one_of({"0", "100", "-64", "1000"});
  if (kind == Kind::huge)  // the first is the value itself in 32 bits
    value = random() % 2 ? std::to_string(std::stoll(value) + (1ll << 32)) : std::string(31, '9');
  if (kind == Kind::no_integer)
    value = one_of({"null", "true", "[64]", "\"64\"", "1e2"}) + one_of({"", "", ".0"});
  if (kind == Kind::no_integer && random() % 2)
    value = fields[0].second + one_of({".0", "e0", ".", "f", " 4"});
  if (kind == Kind::names && random() % 2)
    name = one_of({"bm", "B", "TILE", ""});
  else if (kind == Kind::names)
    name = fields[0].first == name ? fields[1].first : fields[0].first;
  if (kind == Kind::names && random() % 4 == 0) fields.push_back(fields[random() % 6]);
  const std::string blank = one_of({"", " ", "\n "});
  std::string text = "{" + blank;
  for (std::size_t i = 0; i < fields.size(); ++i)
    text += (i ? "," + blank : "") + "\"" + fields[i].first + "\":" + blank + fields[i].second;
  text += blank + "}";
  if (kind == Kind::around)
    text = random() % 2 ? one_of({"Sure: ", "```json\n", "[", ","}) + text
                        : text + one_of({" is best.", "}", ",", "{}", "\n```", "0"});
  if (kind == Kind::nested)
    text =
        one_of({"[", "{\"configuration\":", "[[", "[{\"a\":["}) + text + one_of({"]", "}", "]]"});
  if (kind == Kind::cut) text.resize(random() % text.size());
  return text;
}

// One byte of it; those of an answer are asked for in turn.
inline std::uint8_t letter_of(std::uint64_t seed, wb::i64 index, wb::i64 at) {
  thread_local std::uint64_t known_seed = 0;
  thread_local wb::i64 known = -1;
  thread_local std::string text;
  if (known != index || known_seed != seed)
    text = made_up(seed, index), known = index, known_seed = seed;
  return at < static_cast<wb::i64>(text.size()) ? static_cast<std::uint8_t>(text[at]) : 0;
}
