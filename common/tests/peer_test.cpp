// The protocol of peers, with scripts in place of PyTorch; and pytorch.py, with a stand-in for it.
#include "measure/peer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/build_info.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "has.h"
#include "model/results.h"
#include "model/row.h"
#include "report/table.h"
#include "report_rows.h"

namespace wb {
namespace {

Row key(int n, const char* backend = "cpu", const char* cache = "cold") {
  Row c;
  c.lesson = "c/02_a", c.backend = backend, c.axes = {{"n", n}, {"op", "x"}}, c.cache = cache;
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
    return std::make_unique<Peer>(script_, "c/02_a", patience);
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
print('{"peer": "Echo 1.0", "knows": ["a", "x"], "variants": {"echo": "Echo"}}', flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["case"] == {"n": 0, "op": "x"}:
        answer = {"skipped": "nothing to do"}
    elif request["case"] == {"n": 1, "op": "x"}:
        answer = {"seconds": "soon"}
    elif request["case"] == {"n": 2, "op": "x"}:
        sys.exit(1)
    else:
        answer = {"seconds": request["budget"] / 2, "timer": str(request["accelerator"]) + request["cache"] + str(request["records"])}
    print(json.dumps(answer), flush=True)
)";

TEST_F(PeerTest, AnswersOneRequestAfterTheOther) {
  const auto peer = start(kEcho);
  for (const double budget : {0.5, 0.25}) {
    const Peer::Sample sample = peer->sample(key(7, "cpu", "hot"), budget);
    EXPECT_EQ(sample.seconds, budget / 2);
    EXPECT_EQ(sample.timer, "FalsehotFalse");
  }
  EXPECT_EQ(peer->sample(key(7), 1, /*records=*/true).timer, "FalsecoldTrue");
}

TEST_F(PeerTest, PutsItsRowsBesideWhatItKnows) {
  const auto peer = start(R"(
import json, os, sys
print(json.dumps({"peer": "Two 1.0", "knows": [os.path.basename(sys.argv[1])[3:], "x"],
                  "variants": {"two": "Two", "two_fast": "Two, in haste"}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"seconds": len(request["variant"] + request["operation"])}), flush=True)
)");
  const std::vector<Row> rows = peer->beside(key(7));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].variant + ": " + rows[1].peer, "two_fast: Two, in haste");
  EXPECT_EQ(rows[1].note, "Two 1.0");
  EXPECT_EQ(rows[1].axes, key(7).axes);
  for (const Row& row : rows)
    EXPECT_EQ(peer->sample(row, 0.1).seconds, static_cast<double>(row.variant.size() + 1));
  Row other = key(7);
  other.axes = {{"n", 7}, {"op", "y"}};
  EXPECT_TRUE(peer->beside(other).empty());
  other.axes = {{"n", 7}};  // then the lesson's name says it
  EXPECT_EQ(peer->beside(other).size(), 2u);
  other.lesson = "c/03_b";
  EXPECT_TRUE(peer->beside(other).empty());
}

TEST_F(PeerTest, RefusalsAndNonsenseLeaveOneLine) {
  const auto peer = start(kEcho);
  EXPECT_EQ(why(*peer, 0), "nothing to do");
  EXPECT_NE(why(*peer, 1), "");
  EXPECT_EQ(why(*peer, 7), "");  // it goes on
  EXPECT_TRUE(has(why(*peer, 2), "ended without an answer"));
  EXPECT_NE(why(*peer, 7), "");  // gone, and that does not end this program
}

TEST_F(PeerTest, OneThatHangsIsEndedWithAllItStarted) {
  // Its child is deaf to what asks it to end, and holds the pipe.
  const std::string child = script_ + ".child";
  const auto peer = start(R"(
import subprocess, sys, time
child = subprocess.Popen(["sh", "-c", "trap '' TERM INT; sleep 100"])
open(sys.argv[0] + ".child", "w").write(str(child.pid))
print('{"peer": "Sleeper 1.0", "knows": [], "variants": {}}', flush=True)
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
print('{"peer": "Mortal 1.0", "knows": [], "variants": {}}', flush=True)
sys.stdin.readline()
print('{"seconds": 1.0', end="", flush=True)
os.kill(os.getpid(), 9)
)");
  EXPECT_TRUE(has(why(*peer, 1), "answer cannot be read"));
  EXPECT_TRUE(has(why(*peer, 1), "ended without an answer"));
}

TEST_F(PeerTest, SaysWhatIsMissing) {
  EXPECT_THROW(start("print('{\"missing\": \"PyTorch is not installed\"}')"), Unsupported);
  EXPECT_THROW(start("this is no Python"), Unsupported);
  EXPECT_THROW(start("print('{\"peer\": \"Shy 1.0\"}')"), Unsupported);
}

// What stands in the lessons' folders loads, and each peer finds its own there.
TEST_F(PeerTest, LessonsSayWhatTheyAreInAPeer) {
  const Scratch scratch;
  const auto write = [&](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(scratch.file(file)).parent_path());
    write_atomically(scratch.file(file), text);
  };
  write("torch-7.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 7.1+cpu\n");
  // As torch does: what it finds is the library, not the peer next to pytorch.py.
  write("torch/__init__.py",
        "import triton\n"
        "triton.__version__\n"
        "from unittest.mock import MagicMock\n"
        "def __getattr__(name): return MagicMock()\n");
  write("torch/nn/__init__.py", "");
  write("torch/nn/functional.py", "def __getattr__(name): return len\n");
  write("torch/nn/attention/__init__.py", "def __getattr__(name): return len\n");
  write("torch/nn/attention/bias.py", "def __getattr__(name): return len\n");
  write("triton/__init__.py",
        "from unittest.mock import MagicMock\n"
        "__version__ = '9.3'\n"
        "def __getattr__(name): return MagicMock()\n");
  write("triton/language.py", "def __getattr__(name): return len\n");
  ::setenv("PYTHONPATH", scratch.file("").c_str(), 1);
  namespace fs = std::filesystem;
  std::map<std::string, int> lessons;
  const std::map<std::string, std::string> versions{{"pytorch", "PyTorch 7.1"},
                                                    {"triton", "Triton 9.3"}};
  for (fs::recursive_directory_iterator at(WB_SOURCE_DIR), end; at != end; ++at) {
    const std::string name = at->path().filename(), lesson = at->path().parent_path();
    if (name[0] == '.' || name == "build" || name == "common") at.disable_recursion_pending();
    const std::string kind = at->path().stem();
    if (name != kind + ".py" || !versions.contains(kind)) continue;
    Process peer({"python3", Peer::script(kind), lesson});
    const auto hello = peer.read_line(60);
    ASSERT_TRUE(hello) << lesson;
    EXPECT_TRUE(has(*hello, "\"peer\": \"" + versions.at(kind) + "\", \"knows\": [\"")) << lesson;
    ++lessons[kind];
    // One of its names is asked for: the lesson's, or a word of its cases.
    if (fs::path(lesson).parent_path() == WB_SOURCE_DIR) continue;  // a chapter's
    std::string asked = '"' + lesson.substr(lesson.find('_', lesson.rfind('/')) + 1) + '"';
    for (const auto& file : fs::directory_iterator(lesson))
      if (file.path().extension() == ".h") asked += read_file(file.path().string());
    const nlohmann::json known = parse_json(*hello).at("knows");
    EXPECT_TRUE(
        std::any_of(known.begin(), known.end(),
                    [&](const auto& name) { return asked.find(name.dump()) != std::string::npos; }))
        << lesson << ": no case asks for one of " << known;
  }
  EXPECT_EQ(versions.size(), peer_names().size());
  for (const auto& [kind, version] : versions) EXPECT_GE(lessons[kind], 3) << kind;
  const Outcome none = run_process({"python3", Peer::script("pytorch"), scratch.file("none")}, 60);
  EXPECT_TRUE(has(none.output, R"("knows": [])"));
  const Outcome version = run_process({"python3", Peer::script("pytorch"), "--version"}, 60);
  EXPECT_EQ(version.output, "PyTorch 7.1\n");
  ::unsetenv("PYTHONPATH");
}

TEST(PeerRows, GetAColumnWithAStatusInWords) {
  Results results = make_results();
  results.rows.resize(2);  // 1 ms and 0.1 ms
  results.rows.push_back(make_row("ch1_x/01_sum", "jax", 1.1e-4));
  results.rows.back().peer = "JAX";
  results = from_json(to_json(results), "file");
  const std::string table = in_text(report::case_table(report::side_by_side(results)[0], results));
  EXPECT_TRUE(has(table, "vs jax"));
  EXPECT_TRUE(has(table, "0.11x - needs work"));
  EXPECT_TRUE(has(table, "1.10x *** ahead"));
  EXPECT_TRUE(has(in_text(report::summary_table(results, report::Called::by_path_and_title)),
                  "1.10x *** ahead"));

  // With two of them the faster counts, and one without a speed does not.
  results.rows.push_back(make_row("ch1_x/01_sum", "jax_pallas", 0.6e-4));
  results.rows.back().peer = "Pallas";
  const std::string both =
      in_text(report::summary_table(results, report::Called::by_path_and_title));
  EXPECT_TRUE(has(both, "0.6x + good"));
  results.rows.back().samples.clear();
  EXPECT_TRUE(has(in_text(report::summary_table(results, report::Called::by_path_and_title)),
                  "1.10x *** ahead"));

  const auto word = [](double ratio, const char* verdict) {
    return report::format_peer({.ratio = ratio, .low = ratio, .high = ratio, .verdict = verdict});
  };
  EXPECT_EQ(word(1.02, "same"), "1.02x ++ excellent");
  EXPECT_EQ(word(0.8, "slower"), "0.8x ++ excellent");
  EXPECT_EQ(word(0.79, "slower"), "0.79x + good");
  EXPECT_EQ(word(0.5, "slower"), "0.5x + good");
  EXPECT_EQ(word(0.49, "slower"), "0.49x ~ fair");
  EXPECT_EQ(word(0.19, "slower"), "0.19x - needs work");
}

}  // namespace
}  // namespace wb
