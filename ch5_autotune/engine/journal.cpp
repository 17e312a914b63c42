#include "journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"
#include "base/output.h"
#include "model/ceilings.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subject, lesson, backend, device, id, driver, axes, space)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Winner, subject, configuration, date, seconds, fallback_seconds,
                                   search_seconds, trials)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Record, generation, reason, seconds, flops,
                                                registers, occupancy, spent, predicted)

namespace {

using nlohmann::json;

constexpr const char* kStatus[] = {"ok",      "incorrect", "compile-failed", "spills",
                                   "timeout", "crashed",   "dishonest"};

}  // namespace

std::string line_of(const Record& r, const Space& space) {
  json line = r;
  line["configuration"] = space.words(r.configuration);
  line["status"] = name(r.status);
  return wb::dump_json(line) + "\n";
}

Record record_of(const std::string& text, const Space& space) {
  const json line = wb::parse_json(text);
  Record r = line.get<Record>();
  r.configuration = space.parse(wb::text(line.at("configuration"), "configuration"));
  const auto* const status = std::find(std::begin(kStatus), std::end(kStatus), line.at("status"));
  r.status = static_cast<Status>(status - kStatus);
  r.seconds = wb::number(line.at("seconds"), "seconds");
  if (status == std::end(kStatus) || (r.status == Status::ok) != (r.seconds > 0))
    throw std::runtime_error("no such status, or ok and no time");
  return r;
}

const char* name(Status status) { return kStatus[static_cast<int>(status)]; }

const Record* best(const History& history) {
  const Record* found = nullptr;
  for (const Record& r : history)
    if (r.status == Status::ok && (!found || r.seconds < found->seconds)) found = &r;
  return found;
}

Subject load_subject(const std::string& path) {
  const std::string text = wb::read_file(path);
  try {
    return wb::parse_json(text.substr(0, text.find('\n')));
  } catch (const std::exception&) {
    throw wb::Failure(5,
                      path + ": its first line is not that of a journal: mend it, or search anew");
  }
}

Journal load_journal(const std::string& path, const Space& space) {
  Journal journal{load_subject(path)};
  std::istringstream lines(wb::read_file(path));
  std::string line;
  int lost = 0;
  std::getline(lines, line);
  while (std::getline(lines, line)) try {
      journal.history.push_back(record_of(line, space));
    } catch (const std::exception&) {
      lost += !lines.eof();
    }
  if (lost) wb::tell("{} of the lines of {} can't be read and are left out", lost, path);
  return journal;
}

JournalWriter::JournalWriter(std::string path, const Space& space, Journal known)
    : path_(std::move(path)),
      space_(space),
      journal_(std::move(known)),
      text_(wb::dump_json(journal_.subject) + "\n") {
  for (const Record& r : journal_.history) text_ += line_of(r, space_);
  if (journal_.history.empty() && std::filesystem::is_regular_file(path_))
    std::filesystem::rename(path_, path_ + ".old");
  wb::write_atomically(path_, text_);
}

void JournalWriter::add(Record record, bool alone) {
  std::ostringstream found;
  found << std::ifstream(path_).rdbuf();
  if (found.str() != text_ && !alone)
    wb::tell("another program wrote to {}: its lines were removed", path_);
  else if (found.str() != text_) {
    record.status = Status::dishonest;
    record.reason = "it wrote to the journal";
    record.seconds = record.flops = 0;
  }
  const std::string longer = text_ + line_of(record, space_);
  wb::write_atomically(path_, longer);
  text_ = longer;
  journal_.history.push_back(std::move(record));
}

std::optional<Winner> find_winner(const Subject& subject) {
  const std::string path = cache_path(subject, ".json");
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return wb::parse_json(wb::read_file(path)).get<Winner>();
  } catch (const std::exception&) {
    wb::tell("{} can't be read: no winner is known; tune again, or remove it", path);
    return std::nullopt;
  }
}

void save_winner(const Winner& winner) {
  wb::write_atomically(cache_path(winner.subject, ".json"), json(winner).dump(1) + "\n");
}

std::string cache_path(const Subject& subject, const std::string& end) {
  namespace fs = std::filesystem;
  std::string name = fs::path(subject.lesson).filename() / subject.backend / subject.axes;
  for (char& letter : name)
    if (!std::isalnum(letter) && letter != '_') letter = '-';
  const std::size_t key = std::hash<std::string>{}(json(subject).dump());
  return fs::path(wb::ceilings_path({})).parent_path() / "tuned" /
         fmt::format("{}-{:016x}{}", name, key, end);
}

}  // namespace tune
