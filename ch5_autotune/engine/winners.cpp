#include "winners.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "build.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Winner, lesson, backend, device, driver, axes, space,
                                   configuration, strategy, date, seconds, fallback_seconds,
                                   search_seconds, trials)

namespace {

using nlohmann::json;

std::string path() { return cache_folder() + "/winners.json"; }

}  // namespace

std::vector<Winner> load_winners() {
  std::vector<Winner> winners;
  if (!std::filesystem::exists(path())) return winners;
  int lost = 0;
  try {
    const json all = wb::parse_json(wb::read_file(path()));
    for (const json& one : all.at("winners")) try {
        winners.push_back(one.get<Winner>());
      } catch (const std::exception&) {
        ++lost;
      }
  } catch (const std::exception&) {
    wb::tell("{} can't be read: no winner is known; tune again, or remove it", path());
  }
  if (lost) wb::tell("{} of the winners in {} can't be read and are left out", lost, path());
  return winners;
}

void save_winner(const Winner& winner) {
  std::vector<Winner> winners = load_winners();
  std::erase_if(winners, [&](const Winner& w) { return w.same_key(winner); });
  winners.push_back(winner);
  wb::write_atomically(path(), json{{"winners", winners}}.dump(1) + "\n");
}

std::optional<Winner> find_winner(const Winner& key) {
  for (Winner& w : load_winners())
    if (w.same_key(key)) return std::move(w);
  return std::nullopt;
}

}  // namespace tune
