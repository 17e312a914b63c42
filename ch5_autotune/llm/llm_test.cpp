// The proposer that asks a language model, against a real HTTP server that this test starts.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "../engine/proposer.h"
#include "base/files.h"
#include "base/json.h"
#include "chat.h"
#include "proposals.h"
#include "stand_in.h"

namespace {

using namespace tune;

constexpr const char* kKey = "a-key-that-nobody-sees";

// Answers each request with what `reply` makes of it, one at a time.
class Server {
 public:
  struct Reply {
    int status = 200;
    std::string body = {};
    double wait = 0;  // seconds before it
  };
  explicit Server(std::function<Reply(const std::string& request)> reply)
      : reply_(std::move(reply)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    ::shutdown(socket_, SHUT_RDWR);  // accept() ends
    thread_.join();
    ::close(socket_);
  }
  std::string url() const { return fmt::format("http://127.0.0.1:{}/v1", port_); }
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (int client; (client = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(client)) {
      std::string request;
      char buffer[4096];
      const auto whole = [&] {
        const std::size_t end = request.find("\r\n\r\n");
        const std::size_t length = request.find("Content-Length: ");
        return end != std::string::npos &&
               (length == std::string::npos ||
                request.size() >= end + 4 + std::stoul(request.substr(length + 16)));
      };
      for (long got; !whole() && (got = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
        request.append(buffer, static_cast<std::size_t>(got));
        if (request.find("Expect: 100-continue") != std::string::npos && !whole())
          ::send(client, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
      }
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request);
      }
      const Reply reply = reply_(request);
      std::this_thread::sleep_for(std::chrono::duration<double>(reply.wait));
      const std::string answer =
          fmt::format("HTTP/1.1 {} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
                      reply.status, reply.body.size(), reply.body);
      for (std::size_t sent = 0; sent < answer.size();) {
        const long now = ::send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (now <= 0) break;
        sent += static_cast<std::size_t>(now);
      }
    }
  }

  const std::function<Reply(const std::string&)> reply_;
  const int socket_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

// A chat's answer with this content.
std::string chat(const std::string& content) {
  return wb::dump_json(
      {{"choices", {{{"message", {{"role", "assistant"}, {"content", content}}}}}}});
}

std::string trouble(const Endpoint& endpoint, double seconds = 10) {
  try {
    return "it answers: " + ask(endpoint, "task", "question", seconds);
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(std::string(e.what()).find(kKey), std::string::npos) << "shows the key";
    return e.what();
  }
}

class LlmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!WB_WITH_CURL) GTEST_SKIP() << "this build has no libcurl";
    space_.add("BM", {64, 128, 256}, 64).add("STAGES", {2, 3, 4}, 2);
    space_.require("too much shared memory",
                   [](const Values& v) { return v["BM"] * v["STAGES"] <= 768; });
  }
  void TearDown() override {
    for (const char* name : {"WB_LLM_URL", "WB_LLM_MODEL", "WB_LLM_KEY", "WB_LLM_RECORD"})
      unsetenv(name);
  }
  Proposer proposer(const Server& server) {
    setenv("WB_LLM_URL", server.url().c_str(), 1);
    setenv("WB_LLM_MODEL", "a-model", 1);
    setenv("WB_LLM_KEY", kKey, 1);
    return make_proposer("llm", {.space = &space_, .seed = 1, .briefing = "on a GPU of the test"});
  }
  Record tried(const std::string& words, double seconds, Status status = Status::ok,
               const std::string& reason = "") {
    return {.configuration = space_.parse(words),
            .status = status,
            .seconds = seconds,
            .reason = reason};
  }
  Space space_;
};

TEST_F(LlmTest, ProposesWhatTheModelAnswers) {
  const Server server([](const std::string&) {
    return Server::Reply{.body = chat(R"({"configurations": [{"BM": 128, "STAGES": 3},
                                                             {"STAGES": 2, "BM": 256}]})")};
  });
  const auto llm = proposer(server);
  const History history = {tried("BM=64 STAGES=2", 7.5e-5),
                           tried("BM=64 STAGES=3", 0, Status::spills, "a thread spills 8 bytes")};
  EXPECT_EQ(llm.next(history), (std::vector<Configuration>{{1, 1}, {2, 0}}));
  const std::string request = server.requests().at(0);
  EXPECT_TRUE(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
  EXPECT_NE(request.find(std::string("Authorization: Bearer ") + kKey), std::string::npos);
  const auto body = wb::parse_json(request.substr(request.find("\r\n\r\n") + 4));
  EXPECT_EQ(body.at("model"), "a-model");
  const std::string question = body.at("messages").at(1).at("content");
  for (const char* part :
       {"on a GPU of the test", "BM=64,128,256 STAGES=2,3,4", "75 us: BM=64 STAGES=2", "BM=64: 75;",
        "spills (a thread spills 8 bytes): BM=64 STAGES=3"})
    EXPECT_NE(question.find(part), std::string::npos) << part << "\nnot in\n" << question;
  EXPECT_EQ(request.substr(request.find("\r\n\r\n")).find(kKey), std::string::npos);
}

TEST_F(LlmTest, WhatIsRefusedIsCountedAndToldBack) {
  const Server server([](const std::string& request) {
    if (request.find("were refused") == std::string::npos)
      return Server::Reply{.body = chat(R"({"configurations": [
        {"BM": 256, "STAGES": 4}, {"BM": 100, "STAGES": 2}, {"BM": 64, "STAGES": 2},
        {"BM": 128}, {"BM": 128, "STAGES": 2.5}]})")};
    return Server::Reply{.body = chat(R"({"configurations": [{"BM": 128, "STAGES": 3},
                                                             {"BM": 128, "STAGES": 3}]})")};
  });
  const auto llm = proposer(server);
  const History history = {tried("BM=64 STAGES=2", 1e-5)};
  EXPECT_EQ(llm.next(history), (std::vector<Configuration>{{1, 1}}));
  ASSERT_EQ(server.requests().size(), 2u);
  for (const char* reason : {"too much shared memory", "BM has no such value",
                             "it was tried before", "STAGES is missing", "STAGES is no integer"})
    EXPECT_NE(server.requests()[1].find(reason), std::string::npos) << reason;
  EXPECT_EQ(llm.note(),
            "The model's proposals: 1 accepted, 2 malformed, 2 illegal, 1 repeated, 1 tried.");
}

TEST_F(LlmTest, EveryTroubleIsOneLineWithoutTheKey) {
  Server::Reply reply;
  const Server server([&](const std::string&) { return reply; });
  const Endpoint endpoint{server.url(), "m", kKey};
  reply = {.body = chat("yes")};
  EXPECT_EQ(trouble(endpoint), "it answers: yes");
  reply = {.status = 401, .body = std::string("wrong key ") + kKey};
  EXPECT_EQ(trouble(endpoint), "it answers with status 401: is WB_LLM_KEY right?");
  reply = {.status = 500, .body = kKey};
  EXPECT_EQ(trouble(endpoint), "it answers with status 500");
  reply = {.status = 302, .body = ""};
  EXPECT_EQ(trouble(endpoint), "it answers with status 302");
  reply = {.body = chat(std::string(1 << 20, 'x'))};
  EXPECT_EQ(trouble(endpoint), "it answers with more than 256 KiB");
  for (const std::string& body :
       {std::string("no JSON"), std::string("{}"), std::string(R"({"choices": []})"),
        std::string(R"({"choices": [{"message": {"content": 7}}]})"), std::string(100'000, '[')}) {
    reply = {.body = body};
    EXPECT_EQ(trouble(endpoint), "what it answers is no answer of a chat");
  }
  reply = {.body = chat("late"), .wait = 1};
  EXPECT_EQ(trouble(endpoint, 0.2), "no answer within 0.2 s");
  EXPECT_EQ(trouble({"file:///etc/hostname", "m", kKey}).find("it answers"), std::string::npos);
  EXPECT_EQ(trouble({server.url(), "m", "a\r\nX-Header: b"}),
            "WB_LLM_KEY has a control character in it");
}

TEST_F(LlmTest, EvolutionaryServesWhereTheEndpointIsOfNoUse) {
  const Server server([](const std::string&) { return Server::Reply{.status = 500}; });
  const auto llm = proposer(server);
  const auto otherwise = make_proposer("evolutionary", {.space = &space_, .seed = 1});
  History history;
  for (int generation = 0; generation < 4; ++generation) {
    const auto next = llm.next(history);
    EXPECT_EQ(next, otherwise.next(history));
    for (const Configuration& c : next)
      history.push_back({.configuration = c, .seconds = 1e-6, .generation = generation});
  }
  EXPECT_EQ(server.requests().size(), 3u) << "it gives up";
  EXPECT_EQ(history.size(), space_.all().size());
  EXPECT_NE(llm.note().find("The strategy evolutionary was used 4 times. The last trouble with the "
                            "endpoint: it answers with status 500."),
            std::string::npos)
      << llm.note();
}

TEST_F(LlmTest, WithoutAnEndpointItSaysSo) {
  const auto llm = make_proposer("llm", {.space = &space_, .seed = 1});
  EXPECT_EQ(llm.next({}), make_proposer("evolutionary", {.space = &space_, .seed = 1}).next({}));
  EXPECT_EQ(llm.note(), "WB_LLM_URL is not set, so the strategy evolutionary was used.");
}

std::string verdicts(const std::string& answer, const Space& space) {
  std::set<Configuration> asked;
  std::string all;
  for (const Proposal& p : read_proposals(answer, space, {{0, 0}}, asked)) {
    all += std::string(all.empty() ? "" : " ") + name(p.verdict);
    EXPECT_EQ(p.reason.empty(), p.verdict == Verdict::accepted);
    EXPECT_LT(p.reason.size(), 400u);
  }
  return all;
}

TEST_F(LlmTest, AnswersAreReadStrictly) {
  const auto one = [&](const std::string& c) {
    return verdicts("{\"configurations\": [" + c + "]}", space_);
  };
  EXPECT_EQ(one(R"({"BM": 128, "STAGES": 3})"), "accepted");
  EXPECT_EQ(one(R"({"BM": 128, "STAGES": 3}, {"STAGES": 3, "BM": 128})"), "accepted repeated");
  EXPECT_EQ(one(R"({"BM": 64, "STAGES": 2})"), "tried");
  EXPECT_EQ(one(R"({"BM": 256, "STAGES": 4})"), "illegal");
  // Of 19 digits, too, some of which do not fit into 64 bits.
  for (const char* value : {"99999999999", "-64", "0", "4294967360", "9223372036854775807",
                            "9999999999999999999", "-9223372036854775808"})
    EXPECT_EQ(one(fmt::format(R"({{"BM": {}, "STAGES": 3}})", value)), "illegal") << value;
  for (const char* value :
       {"\"64\"", "64.0", "6.4e1", "64.5", "064", "64f", "64 4", "null", "true", "[64]", "{}",
        "-9999999999999999999", "1000000000000000000000000000000"})
    EXPECT_EQ(one(fmt::format(R"({{"BM": {}, "STAGES": 3}})", value)), "malformed") << value;
  for (const char* c : {"7", "[]", "{}", R"({"BM": 64})", R"({"BM": 64, "STAGES": 3, "X": 1})",
                        R"({"BM": 128, "BM": 64, "STAGES": 3})", R"({"bm": 64, "STAGES": 3})"})
    EXPECT_EQ(one(c), "malformed") << c;
  for (const char* answer :
       {"", "Sure! {\"configurations\": []}", "```json\n{\"configurations\": []}\n```",
        "{\"configurations\": [}", "{\"configurations\": {}}", "[]", "null",
        "{\"configurations\": [], \"why\": 1}", "{\"configurations\": []} and more"})
    EXPECT_EQ(verdicts(answer, space_), "malformed") << answer;
  EXPECT_EQ(verdicts("{\"configurations\": []}", space_), "");
  EXPECT_EQ(verdicts(std::string(50'000, '['), space_), "malformed");
  std::string many = "7";
  for (int i = 0; i < 5000; ++i) many += ",7";
  std::set<Configuration> asked;
  EXPECT_EQ(read_proposals("{\"configurations\": [" + many + "]}", space_, {}, asked).size(), 64u);
}

// The stand-in: what it answers to a question, in words.
std::vector<std::string> answers(const Space& space, const std::string& question,
                                 std::uint64_t seed = 1) {
  std::set<Configuration> asked;
  std::vector<std::string> all;
  for (const Proposal& p : read_proposals(stand_in(question, seed), space, {}, asked)) {
    EXPECT_NE(p.verdict, Verdict::malformed) << p.reason;
    EXPECT_NE(p.verdict, Verdict::repeated) << p.reason;
    all.push_back(space.words(p.configuration));
  }
  return all;
}

std::size_t count(const std::vector<std::string>& all, const std::string& part) {
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const std::string& a) { return a.find(part) != a.npos; }));
}

TEST_F(LlmTest, TheStandInAnswersTheSameToTheSame) {
  const std::string text = question({.space = &space_}, {}, 4, {});
  EXPECT_EQ(answers(space_, text).size(), 4u);
  EXPECT_EQ(stand_in(text, 1), stand_in(text, 1));
  EXPECT_NE(stand_in(text, 1), stand_in(text, 2));
  EXPECT_EQ(answers(space_, question({.space = &space_}, {}, 100, {})).size(), 9u)
      << "all there are";
  for (const char* other : {"", "\n", "Propose 8", "Parameters and their values:\n",
                            "Parameters and their values:\nBM= =\n{\nLeast time\nPropose -3 of"})
    EXPECT_EQ(stand_in(other, 1), "{\"configurations\": []}") << other;
}

TEST_F(LlmTest, TheStandInDrawsFastValuesMoreOften) {
  const History history = {tried("BM=64 STAGES=2", 1e-4), tried("BM=128 STAGES=2", 2e-4),
                           tried("BM=256 STAGES=2", 3e-4), tried("BM=64 STAGES=3", 5e-5)};
  std::size_t fast = 0, blind = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    fast += count(answers(space_, question({.space = &space_}, history, 1, {}), seed), "BM=64");
    blind += count(answers(space_, question({.space = &space_}, {}, 1, {}), seed), "BM=64");
    for (const Record& r : history)
      EXPECT_EQ(count(answers(space_, question({.space = &space_}, history, 8, {}), seed),
                      space_.words(r.configuration)),
                0u);
  }
  EXPECT_GT(fast, 190u);
  EXPECT_LT(blind, 100u);
}

// "More shared memory" is more of every parameter that takes some; another reason is taken for that
// configuration alone.
TEST_F(LlmTest, TheStandInAvoidsWhatAsksForMoreOfTheSame) {
  const auto all = [&](const std::string& reason) {
    return answers(space_,
                   question({.space = &space_}, {}, 9, {R"({"BM":128,"STAGES":3}: )" + reason}));
  };
  EXPECT_EQ(all("more shared memory than a block may have").size(), 5u);
  EXPECT_EQ(count(all("more shared memory than a block may have"), "BM=256 STAGES=4"), 0u);
  EXPECT_EQ(all("it was tried before").size(), 8u);
  EXPECT_EQ(count(all("it was tried before"), "BM=128 STAGES=3"), 0u);
}

TEST_F(LlmTest, TheStandInServesASearchWithAndWithoutAServer) {
  const Server server([](const std::string& request) {
    const auto body = wb::parse_json(request.substr(request.find("\r\n\r\n") + 4));
    return Server::Reply{.body = chat(stand_in(body.at("messages").at(1).at("content"), 7))};
  });
  const auto search = [&](const Proposer& llm) {
    History history;
    while (history.size() < space_.all().size())
      for (const Configuration& c : llm.next(history))
        history.push_back({.configuration = c, .seconds = 1e-6 * (1 + c[0] + c[1])});
    return history.size();
  };
  const auto served = proposer(server);
  EXPECT_EQ(search(served), space_.all().size());
  EXPECT_GE(server.requests().size(), 1u);
  EXPECT_TRUE(served.note().starts_with("The model's proposals: ")) << served.note();
  setenv("WB_LLM_URL", kStandIn, 1);
  const auto here = make_proposer("llm", {.space = &space_, .seed = 1});
  EXPECT_EQ(search(here), space_.all().size());
  EXPECT_TRUE(here.note().starts_with("The proposals of the stand-in (rules, not a model): "))
      << here.note();
}

// The replayed search is the same, without the stand-in; what follows is evolution's.
TEST_F(LlmTest, ASearchIsRecordedAndReplayed) {
  const wb::Scratch scratch;
  const std::string file = scratch.file("answers.jsonl");
  const auto search = [&](const std::string& url) {
    setenv("WB_LLM_URL", url.c_str(), 1);
    const auto llm = make_proposer("llm", {.space = &space_, .seed = 1});
    std::vector<std::vector<Configuration>> turns = {llm.next({})};
    turns.push_back(llm.next({tried("BM=64 STAGES=2", 1e-5)}));
    return std::pair(turns, llm.note());
  };
  setenv("WB_LLM_RECORD", file.c_str(), 1);
  const auto [first, said] = search(kStandIn);
  unsetenv("WB_LLM_RECORD");
  EXPECT_EQ(recorded_answers(file).size(), 2u);
  const std::string text = wb::read_file(file);
  EXPECT_NE(text.find("Propose 8 configurations"), std::string::npos) << "the questions, too";
  const auto [again, replayed] = search(kRecorded + file);
  EXPECT_EQ(again, first);
  EXPECT_TRUE(replayed.starts_with("The model's proposals: ")) << replayed;

  const Proposer ended = make_proposer("llm", {.space = &space_, .seed = 1});
  for (int turn = 0; turn < 3; ++turn) EXPECT_FALSE(ended.next({}).empty());
  EXPECT_NE(ended.note().find("no more answers are recorded"), std::string::npos) << ended.note();
  setenv("WB_LLM_URL", (kRecorded + scratch.file("none")).c_str(), 1);
  EXPECT_THROW(make_proposer("llm", {.space = &space_}), std::exception);
}

}  // namespace
