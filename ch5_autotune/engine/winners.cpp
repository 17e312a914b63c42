#include "winners.h"

#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "model/ceilings.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Winner, subject, configuration, strategy, date, seconds,
                                   fallback_seconds, search_seconds, trials)

namespace {

std::string path() { return cache_folder() + "/winners.json"; }

std::vector<Winner> load_winners() {
  std::vector<Winner> winners;
  if (!std::filesystem::exists(path())) return winners;
  int lost = 0;
  try {
    const nlohmann::json all = wb::parse_json(wb::read_file(path()));
    for (const auto& one : all.at("winners")) try {
        winners.push_back(one);
      } catch (const std::exception&) {
        ++lost;
      }
  } catch (const std::exception&) {
    wb::tell("{} can't be read: no winner is known; tune again, or remove it", path());
  }
  if (lost) wb::tell("{} of the winners in {} can't be read and are left out", lost, path());
  return winners;
}

}  // namespace

std::string cache_folder() {
  const auto folder = std::filesystem::path(wb::ceilings_path({})).parent_path() / "tuned";
  std::error_code ignored;  // who writes there says what is wrong
  std::filesystem::create_directories(folder, ignored);
  return folder;
}

std::optional<Winner> find_winner(const Subject& subject) {
  for (const Winner& w : load_winners())
    if (w.subject == subject) return w;
  return std::nullopt;
}

void save_winner(const Winner& winner) {
  std::vector<Winner> winners = load_winners();
  std::erase_if(winners, [&](const Winner& w) { return w.subject == winner.subject; });
  winners.push_back(winner);
  wb::write_atomically(path(), nlohmann::json{{"winners", winners}}.dump(1) + "\n");
}

}  // namespace tune
