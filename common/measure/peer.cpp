#include "measure/peer.h"

#include <fmt/format.h>

#include "base/build_info.h"
#include "base/json.h"
#include "base/output.h"
#include "device/backends.h"
#include "model/case_text.h"

namespace wb {

namespace {

using nlohmann::json;

// What `read` takes from the next answer. Throws Unsupported with what the peer says against it.
template <class Read> auto answer(Process& process, double limit, Read read) {
  const auto line = process.read_line(limit);
  if (process.timed_out())
    throw Unsupported(fmt::format("the peer gave no answer in {:g} s", limit));
  if (!line) throw Unsupported("the peer ended without an answer: is python3 installed?");
  try {
    const json answer = parse_json(*line);
    for (const char* why : {"missing", "skipped"})
      if (answer.contains(why)) throw Unsupported(answer.at(why).get<std::string>());
    return read(answer);
  } catch (const Unsupported&) {
    throw;
  } catch (const std::exception& e) {
    throw Unsupported("the peer's answer cannot be read: " + one_line(e));
  }
}

// What a case's axis "op" says, else the lesson's name: "gemm" of ch1_x/02_gemm.
std::string operation(const Row& row) {
  const std::string op = row.axes.word("op");
  const std::size_t name =
      row.lesson.find_first_not_of("0123456789_", row.lesson.find_last_of('/') + 1);
  return op.empty() && name != std::string::npos ? row.lesson.substr(name) : op;
}

}  // namespace

std::string Peer::script(const std::string& name) {
  return std::string(source_folder()) + "/common/peer/" + name + ".py";
}

Peer::Peer(const std::string& script, const std::string& lesson, double patience)
    : patience_(patience),
      process_({"python3", script, std::string(source_folder()) + "/" + lesson}) {
  answer(process_, patience_, [&](const json& hello) {
    version_ = hello.at("peer");
    known_ = hello.at("knows");
    variants_ = hello.at("variants");
  });
}

std::vector<Row> Peer::beside(Row row) const {
  std::vector<Row> rows;
  if (!known_.contains(operation(row))) return rows;
  row.note = version_;
  for (const auto& [variant, called] : variants_) {
    row.variant = variant, row.peer = called;
    rows.push_back(row);
  }
  return rows;
}

Peer::Sample Peer::sample(const Row& row, double budget, bool records) {
  process_.write_line(dump_json({{"operation", operation(row)},
                                 {"variant", row.variant},
                                 {"case", as_json(row.axes)},
                                 {"accelerator", backend_info(row.backend).traits.accelerator},
                                 {"cache", row.cache},
                                 {"budget", budget},
                                 {"records", records}}));  // one that ended gives no answer
  return answer(process_, budget + patience_, [](const json& sample) {
    const double seconds = sample.at("seconds");
    if (!(seconds > 0)) throw Unsupported("the peer measured no time");
    return Sample{seconds, sample.value("timer", "events")};
  });
}

}  // namespace wb
