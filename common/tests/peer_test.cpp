// The protocol of peers, with scripts in place of PyTorch.
#include "measure/peer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/process.h"
#include "model/results.h"
#include "model/row.h"
#include "report/table.h"
#include "report_rows.h"

namespace wb {
namespace {

Row key(int n, const char* backend = "cpu", const char* cache = "cold") {
  Row c;
  c.lesson = "a", c.backend = backend, c.axes = {{"n", n}, {"op", "x"}}, c.cache = cache;
  return c;
}

class PeerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!in_path("python3")) GTEST_SKIP() << "no python3 here";
  }
  void TearDown() override { std::filesystem::remove(script_); }

  std::unique_ptr<Peer> start(const std::string& program, double patience = 60) {
    write_atomically(script_, program);
    return std::make_unique<Peer>(script_, patience);
  }
  // What it says instead of a sample; "" when it gives one.
  static std::string why(Peer& peer, int n) {
    try {
      peer.sample(key(n), 0.1);
    } catch (const Unsupported& e) {
      return e.what();
    }
    return "";
  }
  // Not a zombie either that nobody has waited for yet.
  static bool alive(const std::string& stat) {
    std::ifstream file(stat);
    std::string text;
    return std::getline(file, text) && text.find(") Z") == std::string::npos;
  }
  std::string script_ = testing::TempDir() + "peer." + std::to_string(::getpid()) + ".py";
};

const char* kEcho = R"(
import json, sys
print('{"peer": "Echo 1.0", "knows": ["a", "relu"]}', flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["case"] == {"n": 0, "op": "x"}:
        answer = {"skipped": "nothing to do"}
    elif request["case"] == {"n": 1, "op": "x"}:
        answer = {"seconds": "soon"}
    elif request["case"] == {"n": 2, "op": "x"}:
        sys.exit(1)
    else:
        answer = {"seconds": request["budget"] / 2, "timer": request["backend"] + request["cache"] + str(request["records"])}
    print(json.dumps(answer), flush=True)
)";

TEST_F(PeerTest, AnswersOneRequestAfterTheOther) {
  const auto peer = start(kEcho);
  EXPECT_EQ(peer->version(), "Echo 1.0");
  EXPECT_TRUE(peer->knows("a", ""));
  EXPECT_TRUE(peer->knows("b", "relu"));
  EXPECT_FALSE(peer->knows("b", "gelu"));
  for (const double budget : {0.5, 0.25}) {
    const Peer::Sample sample = peer->sample(key(7, "cuda", "hot"), budget);
    EXPECT_EQ(sample.seconds, budget / 2);
    EXPECT_EQ(sample.timer, "cudahotFalse");
  }
  EXPECT_EQ(peer->sample(key(7), 1, /*records=*/true).timer, "cpucoldTrue");
}

TEST_F(PeerTest, HasVariants) {
  EXPECT_EQ(start(kEcho)->variants(), std::vector<std::string>{"pytorch"});
  const auto peer = start(R"(
import json, sys
print('{"peer": "Two 1.0", "variants": ["pytorch", "pytorch_compile"]}', flush=True)
for line in sys.stdin:
    print(json.dumps({"seconds": len(json.loads(line)["variant"])}), flush=True)
)");
  ASSERT_EQ(peer->variants().size(), 2u);
  for (const std::string& variant : peer->variants()) {
    Row row = key(7);
    row.variant = variant;
    EXPECT_EQ(peer->sample(row, 0.1).seconds, static_cast<double>(variant.size()));
  }
}

TEST_F(PeerTest, RefusalsAndNonsenseLeaveOneLine) {
  const auto peer = start(kEcho);
  EXPECT_EQ(why(*peer, 0), "nothing to do");
  EXPECT_NE(why(*peer, 1), "");
  EXPECT_EQ(why(*peer, 7), "");  // it goes on
  EXPECT_NE(why(*peer, 2).find("ended without an answer"), std::string::npos);
  EXPECT_NE(why(*peer, 7), "");  // gone, and that does not end this program
}

TEST_F(PeerTest, OneThatHangsIsEndedWithAllItStarted) {
  // Its child is deaf to what asks it to end, and holds the pipe.
  const std::string child = script_ + ".child";
  const auto peer = start(R"(
import subprocess, sys, time
child = subprocess.Popen(["sh", "-c", "trap '' TERM INT; sleep 100"])
open(sys.argv[0] + ".child", "w").write(str(child.pid))
print('{"peer": "Sleeper 1.0"}', flush=True)
time.sleep(100)
)",
                          2.4);
  EXPECT_EQ(why(*peer, 1), "the peer gave no answer in 2.5 s");
  EXPECT_NE(why(*peer, 1), "");
  const std::string status = "/proc/" + read_file(child) + "/stat";
  std::filesystem::remove(child);
  for (int i = 0; i < 100 && alive(status); ++i) ::usleep(20000);
  EXPECT_FALSE(alive(status));
  EXPECT_THROW(start("import time; time.sleep(100)", 0.2), Unsupported);
}

TEST_F(PeerTest, OneThatDiesInTheMiddleOfALineLeavesOneLine) {
  const auto peer = start(R"(
import os, sys
print('{"peer": "Mortal 1.0"}', flush=True)
sys.stdin.readline()
print('{"seconds": 1.0', end="", flush=True)
os.kill(os.getpid(), 9)
)");
  EXPECT_NE(why(*peer, 1).find("answer is of no use"), std::string::npos);
  EXPECT_NE(why(*peer, 1).find("ended without an answer"), std::string::npos);
}

TEST_F(PeerTest, SaysWhatIsMissing) {
  EXPECT_THROW(start("print('{\"missing\": \"PyTorch is not installed\"}')"), Unsupported);
  EXPECT_THROW(start("this is no Python"), Unsupported);
}

TEST(PeerRows, GetAColumnWithAStatusInWords) {
  Results results = make_results();
  results.rows.resize(2);  // 1 ms and 0.1 ms
  results.rows.push_back(make_row("ch1_x/01_sum", "pytorch", 1.1e-4));
  const std::string table = case_table(side_by_side(results)[0], results, Style::text);
  EXPECT_NE(table.find("vs pytorch"), std::string::npos) << table;
  EXPECT_NE(table.find("0.11x - needs work"), std::string::npos) << table;
  EXPECT_NE(table.find("1.10x *** ahead"), std::string::npos) << table;
  EXPECT_NE(summary_table(results, Style::text).find("1.10x *** ahead"), std::string::npos);

  // With two of them the faster counts, and one without a speed does not.
  results.rows.push_back(make_row("ch1_x/01_sum", "pytorch_compile", 0.6e-4));
  const std::string both = summary_table(results, Style::text);
  EXPECT_NE(both.find("0.6x + good"), std::string::npos) << both;
  results.rows.back().samples.clear();
  EXPECT_NE(summary_table(results, Style::text).find("1.10x *** ahead"), std::string::npos);

  const auto word = [](double ratio, const char* verdict) {
    return status({.ratio = ratio, .low = ratio, .high = ratio, .verdict = verdict});
  };
  EXPECT_EQ(word(1.02, "same"), "++ excellent");
  EXPECT_EQ(word(0.8, "slower"), "++ excellent");
  EXPECT_EQ(word(0.79, "slower"), "+ good");
  EXPECT_EQ(word(0.5, "slower"), "+ good");
  EXPECT_EQ(word(0.49, "slower"), "~ fair");
  EXPECT_EQ(word(0.19, "slower"), "- needs work");
}

}  // namespace
}  // namespace wb
