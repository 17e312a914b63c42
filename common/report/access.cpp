#include "report/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "wb/coalescing.h"

namespace wb::report {

namespace {

std::string how_many(int n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

char mark(int word) {
  if (word == AccessGrid::kSeveral) return '*';
  if (word < 0) return word == AccessGrid::kUnused ? '.' : ' ';
  return "0123456789abcdefghijklmnopqrstuv"[word];
}

}  // namespace

AccessGrid grid_of(const Access& access) {
  constexpr long kRow = 128;
  AccessGrid g;
  std::map<long, AccessGrid::Row> rows;
  std::set<long> sectors, bytes;
  std::map<long, int> lanes_of_word;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const long begin = access.at[lane];
    if (begin == Access::kIdle) continue;
    ++g.lanes;
    for (long byte = begin; byte < begin + access.bytes; ++byte) {
      bytes.insert(byte), sectors.insert(byte / kSectorBytes);
      if (byte % kWordBytes && byte > begin) continue;  // its word is known
      const auto [at, is_new] = rows.try_emplace(byte / kRow);
      if (is_new) at->second.begin = byte / kRow * kRow, at->second.words.fill(g.kNothing);
      int& word = at->second.words[byte % kRow / kWordBytes];
      word = word == g.kNothing ? lane : g.kSeveral;
      ++g.lanes_of_bank[byte / kWordBytes % kBanks];
      g.on_one = std::max(g.on_one, ++lanes_of_word[byte / kWordBytes]);
    }
  }
  g.sectors = static_cast<int>(sectors.size()), g.used = static_cast<int>(bytes.size());
  g.passes = std::max(1, access.bytes / kWordBytes);
  // Lanes that want less than a word are served as if they wanted all of it.
  const int size = g.passes * kWordBytes;
  const auto word = [&](int lane) { return access.at[lane] < 0 ? -1 : access.at[lane] / size; };
  g.conflict = bank_conflicts(word, size);
  for (auto& [number, row] : rows) {
    for (long i = 0; !access.shared && i < 32; ++i)
      if (row.words[i] == g.kNothing && sectors.count((row.begin + i * kWordBytes) / kSectorBytes))
        row.words[i] = g.kUnused;
    g.rows.push_back(row);
  }
  if (g.rows.size() > g.kMost) {
    g.left_out = g.rows.size() - g.kFirst - g.kLast;
    g.rows.erase(g.rows.begin() + g.kFirst, g.rows.end() - g.kLast);
  }
  return g;
}

double excess(const Access& access) {
  const AccessGrid g = grid_of(access);
  if (access.verb == Access::changes) return g.on_one;
  if (access.shared) return g.conflict;
  const int least = (g.used + kSectorBytes - 1) / kSectorBytes;
  return static_cast<double>(g.sectors) / least;
}

std::string sentence(const Access& access) {
  const AccessGrid g = grid_of(access);
  constexpr const char* kPlural[] = {"read", "write", "change"};
  const std::string who = fmt::format("{} {} ", how_many(g.lanes, "lane"),
                                      g.lanes == 1 ? kVerbs[access.verb] : kPlural[access.verb]);
  const std::string where = access.shared ? "shared memory" : how_many(g.sectors, "sector");
  if (access.verb == Access::changes)
    return who + where + " atomically: " +
           (g.on_one == 1 ? "no two the same word"
                          : fmt::format("up to {} the same word, one after the other", g.on_one));
  if (access.shared) {
    const std::string least = how_many(g.passes, "cycle");
    if (g.conflict <= 1) return who + where + " in " + least + ": no bank conflict";
    return fmt::format("{}{} in {}, where {} would do: a {}-way bank conflict", who, where,
                       how_many(g.conflict * g.passes, "cycle"), g.passes, g.conflict);
  }
  const int moved = g.sectors * kSectorBytes;
  std::string used = g.sectors == 1 ? fmt::format("{} of its 32 bytes", g.used)
                     : g.used % g.sectors == 0
                         ? fmt::format("{} of each 32 bytes", g.used / g.sectors)
                         : fmt::format("{} of {} bytes", g.used, moved);
  if (g.used == moved) used = g.sectors == 1 ? "all of its bytes" : "all of their bytes";
  return who + where + ": " + used + " are used";
}

std::string draw_access(const Access& access, bool colour) {
  const AccessGrid g = grid_of(access);
  const int width = 10;
  std::string out;
  if (access.shared) {
    out += fmt::format("{:>{}} ", "bank", width);
    for (int bank = 0; bank < kBanks; bank += 4) out += fmt::format("{:<8}", bank);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  const auto cell = [&](int word) {
    std::string text(1, mark(word));
    if (!colour || word == g.kNothing) return text;
    return (word == g.kUnused ? "\033[33m" : "\033[34m") + text + "\033[0m";
  };
  for (std::size_t r = 0; r < g.rows.size(); ++r) {
    if (g.left_out && r == g.kFirst)
      out += fmt::format("{:>{}} {} more like these\n", "...", width, g.left_out);
    const AccessGrid::Row& row = g.rows[r];
    std::string line = fmt::format("{:>{}} ", row.begin, width);
    for (int i = 0; i < 32; ++i) {
      const bool begins = !access.shared && i % 8 == 0, ends = !access.shared && i % 8 == 7;
      line += (begins ? "[" : "") + cell(row.words[i]) + (ends ? "]" : " ");
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  if (access.shared) {  // numbers from top to bottom, or 32 of them would not fit
    const int most = *std::ranges::max_element(g.lanes_of_bank);
    for (int unit = most >= 10 ? 10 : 1; unit > 0; unit /= 10) {
      std::string line = fmt::format("{:>{}} ", unit == 1 ? "lanes" : "", width);
      for (const int n : g.lanes_of_bank)
        line += fmt::format("{} ", n == 0      ? unit == 1 ? "." : " "
                                   : n >= unit ? std::to_string(n / unit % 10)
                                               : " ");
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
  }
  std::string legend = access.shared ? "A row is 128 bytes: a word of each bank"
                                     : "A row is 128 bytes: 4 sectors of 8 words";
  const auto any = [&](auto is) {
    return std::ranges::any_of(g.rows,
                               [&](const auto& row) { return std::ranges::any_of(row.words, is); });
  };
  if (any([](int word) { return word > 9; })) legend += "; a to v are lanes 10 to 31";
  if (any([](int word) { return word == AccessGrid::kSeveral; })) legend += "; * several lanes";
  if (any([](int word) { return word == AccessGrid::kUnused; })) legend += "; . not used";
  return out + legend + "\n";
}

std::string access_svg(const std::vector<AccessPanel>& panels, const std::string& command) {
  if (!in_path("python3"))
    throw Failure(2, "python3 draws the picture and is not installed: apt-get install python3");
  nlohmann::json all = {{"command", command}};
  for (const AccessPanel& p : panels) {
    const AccessGrid g = grid_of(p.access);
    nlohmann::json rows;
    for (const AccessGrid::Row& row : g.rows) rows.push_back({row.begin, row.words});
    all["panels"].push_back({{"title", p.title},
                             {"code", p.code},
                             {"sentence", sentence(p.access)},
                             {"shared", p.access.shared},
                             {"conflict", g.conflict > 1},
                             {"rows", rows},
                             {"left_out", g.left_out},
                             {"first", g.kFirst},
                             {"lanes_of_bank", g.lanes_of_bank}});
  }
  const Scratch scratch;
  write_atomically(scratch.file("panels"), dump_json(all));
  const Outcome drawn = run_process(
      {"python3", std::string(source_folder()) + "/common/pages/access.py", scratch.file("panels")},
      60);
  if (!drawn.fine())
    throw std::runtime_error("common/pages/access.py failed: " + drawn.errors.substr(0, 300));
  return drawn.output;
}

}  // namespace wb::report
