#include "journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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

json line_of(const Record& r, const Space& space) {
  json line = r;
  line["configuration"] = space.words(r.configuration);
  line["status"] = name(r.status);
  return line;
}

Record record_of(const json& line, const Space& space) {
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
  const json header = wb::read_journal(path, {});
  try {
    return header;
  } catch (const json::exception&) {
    throw wb::Failure(5, path + " is no journal of a search: its first line has not all fields");
  }
}

Journal load_journal(const std::string& path, const Space& space) {
  Journal journal{load_subject(path)};
  wb::read_journal(path,
                   [&](const json& line) { journal.history.push_back(record_of(line, space)); });
  return journal;
}

JournalWriter::JournalWriter(const std::string& path, const Space& space, const Subject& subject,
                             bool resume)
    : space_(space), journal_{subject}, file_(path) {
  const auto take = [&](const json& line) { journal_.history.push_back(record_of(line, space)); };
  resume ? file_.resume(subject, take) : file_.begin(subject);
}

void JournalWriter::add(Record record, bool alone) {
  if (file_.mend()) {
    if (alone) {
      record.status = Status::dishonest;
      record.reason = "it wrote to the journal";
      record.seconds = record.flops = 0;
    } else {
      wb::tell("another program wrote to the journal: its lines were removed");
    }
  }
  file_.add(line_of(record, space_));
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
