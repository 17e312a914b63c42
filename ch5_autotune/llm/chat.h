// A question to a language model, through a chat endpoint with OpenAI's interface on a local or a
// remote server.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tune {

struct Endpoint {
  std::string url, model, key;  // key: never printed, never written down
};
// WB_LLM_URL ("http://localhost:8000/v1"), WB_LLM_MODEL and WB_LLM_KEY; none without the first.
// Two addresses are those of no server: kStandIn means stand_in(), and kRecorded with a file's path
// the answers in it, in order.
constexpr const char* kStandIn = "stand-in";
constexpr const char* kRecorded = "recorded:";
std::optional<Endpoint> endpoint_of_environment();

// Returns the model's answer. Throws std::runtime_error with one line that names the fault: no
// connection, another status than 200, no answer within `seconds`, an answer of more than `bytes`,
// or one that is not a chat's.
std::string ask(const Endpoint& endpoint, const std::string& task, const std::string& question,
                double seconds = 120, std::size_t bytes = 256 << 10);

// The answers of such a file, which WB_LLM_RECORD names while a model is asked: a journal
// (base/journal.h) with a line {"question": "...", "answer": "..."} for each. Throws what
// wb::read_journal() throws.
std::vector<std::string> recorded_answers(const std::string& path);

}  // namespace tune
