#include "journal.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Record, generation, reason, by, seconds, flops,
                                                registers, occupancy, spent, compile_seconds,
                                                predicted)

namespace {

using nlohmann::json;

std::string line_of(const Record& r, const Space& space) {
  json line = r;
  line["configuration"] = space.words(r.configuration);
  line["status"] = name(r.status);
  return wb::dump_json(line) + "\n";
}

Record record_of(const json& line, const Space& space) {
  Record r = line.get<Record>();
  r.configuration = space.parse(wb::text(line.at("configuration"), "configuration"));
  r.status = status_of(wb::text(line.at("status"), "status"));
  r.seconds = wb::number(line.at("seconds"), "seconds");
  if ((r.status == Status::ok) != (r.seconds > 0)) throw std::runtime_error("ok, but no time");
  return r;
}

}  // namespace

Subject load_subject(const std::string& path) {
  const std::string text = wb::read_file(path);
  try {
    return wb::parse_json(text.substr(0, text.find('\n'))).get<Subject>();
  } catch (const std::exception&) {
    throw wb::Failure(5, path + " is no journal of a search: name another file");
  }
}

Journal load_journal(const std::string& path, const Space& space, const Subject* wanted) {
  Journal journal{load_subject(path)};
  if (wanted && journal.subject != *wanted)
    throw wb::Failure(
        2, fmt::format("{} is of {} {} on {}, or of another space or driver: search "
                       "anew without --resume",
                       path, journal.subject.lesson, journal.subject.axes, journal.subject.device));
  const std::string text = wb::read_file(path);
  for (std::size_t at = text.find('\n'); at + 1 < text.size() && at != std::string::npos;) {
    const std::size_t end = text.find('\n', at + 1);
    try {
      journal.history.push_back(
          record_of(wb::parse_json(text.substr(at + 1, end - at - 1)), space));
    } catch (const std::exception&) {
      if (end != std::string::npos) ++journal.lost;
    }
    at = end;
  }
  return journal;
}

JournalWriter::JournalWriter(std::string path, const Space& space, const Journal& known)
    : path_(std::move(path)), space_(space), text_(wb::dump_json(known.subject) + "\n") {
  for (const Record& r : known.history) text_ += line_of(r, space_);
  if (known.history.empty() && std::filesystem::is_regular_file(path_))
    std::filesystem::rename(path_, path_ + ".old");
  wb::write_atomically(path_, text_);
}

void JournalWriter::add(const Record& record) {
  const std::string longer = text_ + line_of(record, space_);
  try {
    wb::write_atomically(path_, longer);
  } catch (const std::exception& e) {
    throw wb::Failure(5, fmt::format("{}: make room, then go on with --resume; the trials before "
                                     "are in {}",
                                     e.what(), path_));
  }
  text_ = longer;
}

bool JournalWriter::meddled() {
  try {
    if (wb::read_file(path_) == text_) return false;
  } catch (const std::exception&) {  // gone
  }
  wb::write_atomically(path_, text_);
  return true;
}

}  // namespace tune
