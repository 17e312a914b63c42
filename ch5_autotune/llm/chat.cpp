#include "chat.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "base/failure.h"
#include "base/journal.h"
#include "base/json.h"
#include "base/output.h"
#include "base/process.h"

#ifdef WB_WITH_CURL
#include <curl/curl.h>
#endif

namespace tune {
namespace {

std::string of_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

#ifdef WB_WITH_CURL
struct Answer {
  std::string text;
  std::size_t most;
};

std::size_t take(char* data, std::size_t, std::size_t bytes, void* to) {
  Answer& answer = *static_cast<Answer*>(to);
  if (answer.text.size() + bytes > answer.most) return 0;  // ends the transfer
  answer.text.append(data, bytes);
  return bytes;
}

// Called about once a second.
int interrupted(void*, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  try {
    wb::throw_if_interrupted();
    return 0;
  } catch (const wb::Failure&) {
    return 1;
  }
}

// The body of the answer.
std::string post(const Endpoint& endpoint, const std::string& body, double seconds,
                 std::size_t bytes) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, curl_slist_free_all);
  const auto header = [&](const std::string& line) {
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  };
  header("Content-Type: application/json");
  if (!endpoint.key.empty()) header("Authorization: Bearer " + endpoint.key);
  const std::string path = "/chat/completions";
  std::string url = endpoint.url;
  while (url.ends_with('/')) url.pop_back();
  if (!url.ends_with(path)) url += path;
  Answer answer{"", bytes};
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(curl.get(), option, value);
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_POSTFIELDS, body.c_str());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(1000 * seconds));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);  // the key goes where the user said, and nowhere else
#if LIBCURL_VERSION_NUM >= 0x075500
  set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
  set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  set(CURLOPT_XFERINFOFUNCTION, interrupted);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_WRITEFUNCTION, take);
  set(CURLOPT_WRITEDATA, &answer);
  const CURLcode code = curl_easy_perform(curl.get());
  wb::throw_if_interrupted();
  if (code == CURLE_WRITE_ERROR)
    throw std::runtime_error(fmt::format("it answers with more than {} KiB", bytes >> 10));
  if (code == CURLE_OPERATION_TIMEDOUT)
    throw std::runtime_error(fmt::format("no answer within {:g} s", seconds));
  if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  // Such an answer may contain the key, so it is not shown.
  if (status != 200)
    throw std::runtime_error(fmt::format("it answers with status {}{}", status,
                                         status == 401 || status == 403 ? ": is WB_LLM_KEY right?"
                                         : status == 404
                                             ? ": are WB_LLM_URL and WB_LLM_MODEL right?"
                                             : ""));
  return answer.text;
}
#else
std::string post(const Endpoint&, const std::string&, double, std::size_t) {
  throw std::runtime_error(
      "this build has no libcurl: apt-get install libcurl4-openssl-dev, then build again");
}
#endif

}  // namespace

std::optional<Endpoint> endpoint_of_environment() {
  Endpoint e{of_environment("WB_LLM_URL"), of_environment("WB_LLM_MODEL"),
             of_environment("WB_LLM_KEY")};
  return e.url.empty() ? std::nullopt : std::optional(e);
}

std::string ask(const Endpoint& endpoint, const std::string& task, const std::string& question,
                double seconds, std::size_t bytes) {
  if (endpoint.key != wb::clean(endpoint.key))
    throw std::runtime_error("WB_LLM_KEY has a control character in it");
  nlohmann::json body = {
      {"messages",
       {{{"role", "system"}, {"content", task}}, {{"role", "user"}, {"content", question}}}},
      {"response_format", {{"type", "json_object"}}}};
  if (!endpoint.model.empty()) body["model"] = endpoint.model;
  const std::string answer = post(endpoint, wb::dump_json(body), seconds, bytes);
  try {
    const nlohmann::json chat = wb::parse_json(answer);
    return wb::text(chat.at("choices").at(0).at("message").at("content"), "content");
  } catch (const std::exception&) {
    throw std::runtime_error("what it answers is no answer of a chat");
  }
}

std::vector<std::string> recorded_answers(const std::string& path) {
  std::vector<std::string> answers;
  wb::read_journal(path, [&](const nlohmann::json& line) {
    answers.push_back(wb::text(line.at("answer"), "answer"));
  });
  return answers;
}

}  // namespace tune
