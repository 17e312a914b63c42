// Out of memory, a failed capture and a device that is lost in mid-run: one clear line, the
// documented exit code, results of the rest kept, no hang. Runs the program bank_failing.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "device/backend.h"
#include "device/backends.h"
#include "model/results.h"

namespace wb {
namespace {

struct Outcome {
  int code = -1;
  std::string errors;
  Results results;
  const Row* find(const std::string& variant) const {
    for (const Row& row : results.rows)
      if (row.variant == variant) return &row;
    return nullptr;
  }
};

Outcome run(const std::string& variants) {
  const std::string stem = testing::TempDir() + "failing." + std::to_string(::getpid());
  const std::string command =
      "timeout 120 " WB_FAILING " --backend=cuda --quiet --variant=" + variants +
      " --benchmark_repetitions=3 --benchmark_out=" + stem + ".json >/dev/null 2>" + stem +
      ".errors";
  Outcome outcome;
  outcome.code = WEXITSTATUS(std::system(command.c_str()));
  outcome.errors = read_file(stem + ".errors");
  if (std::filesystem::exists(stem + ".json")) outcome.results = load_results(stem + ".json");
  for (const char* end : {".json", ".errors"}) std::filesystem::remove(stem + end);
  return outcome;
}

class Failing : public testing::Test {
 protected:
  void SetUp() override {
    try {
      open_backend("cuda");
    } catch (const std::exception& e) {
      if (std::getenv("WB_REQUIRE_GPU")) FAIL() << e.what();
      GTEST_SKIP() << e.what();
    }
  }
};

TEST_F(Failing, OutOfMemorySkipsTheRowAndSaysWhatToDo) {
  const Outcome both = run("right,out_of_memory");
  EXPECT_EQ(both.code, 0);
  ASSERT_TRUE(both.find("out_of_memory") && both.find("right"));
  EXPECT_TRUE(has_speed(*both.find("right")));
  const std::string& why = both.find("out_of_memory")->reason;
  EXPECT_NE(why.find("out of memory on the device"), std::string::npos) << why;
  EXPECT_NE(why.find("choose a smaller case (--size, --axis)"), std::string::npos) << why;
  EXPECT_EQ(run("out_of_memory").code, 3);
}

TEST_F(Failing, AFailedCaptureCostsItsOwnRow) {
  const Outcome both = run("right,capture_fails");
  EXPECT_EQ(both.code, 1);
  ASSERT_TRUE(both.find("capture_fails") && both.find("right"));
  EXPECT_TRUE(has_speed(*both.find("right")));
  EXPECT_EQ(both.find("capture_fails")->status, Status::failed);
  const std::string& why = both.find("capture_fails")->reason;
  EXPECT_NE(why.find("cudaErrorStreamCapture"), std::string::npos) << why;
}

TEST_F(Failing, ALostDeviceEndsTheRunWithWhatWasMeasured) {
  const Outcome lost = run("right,loses_device");
  EXPECT_EQ(lost.code, 4);
  EXPECT_NE(lost.results.failure_reason.find("the device was lost in loses_device"),
            std::string::npos)
      << lost.errors;
  ASSERT_TRUE(lost.find("loses_device") && lost.find("right"));
  EXPECT_EQ(lost.find("loses_device")->status, Status::failed);
  const Row& right = *lost.find("right");  // set up, and then not reached any more
  EXPECT_TRUE(has_speed(right) || right.reason.starts_with("not run: the device was lost"));
}

}  // namespace
}  // namespace wb
