// A question to a language model behind an OpenAI-compatible chat endpoint: a local server or a
// remote one.
#pragma once

#include <optional>
#include <string>

namespace tune {

struct Endpoint {
  std::string url, model, key;  // key: never printed, never written down
};
// WB_LLM_URL ("http://localhost:8000/v1"), WB_LLM_MODEL and WB_LLM_KEY; none without the first.
std::optional<Endpoint> endpoint_of_environment();

// What the model answers. Throws std::runtime_error with one line that says what went wrong: no
// connection, another status than 200, no answer within `seconds`, one of more than `bytes`, one
// that is no answer of a chat.
std::string ask(const Endpoint& endpoint, const std::string& task, const std::string& question,
                double seconds = 120, std::size_t bytes = 256 << 10);

}  // namespace tune
