// The bank's wrong kernels on the emulated GPU: each is caught, and one that leaves its arrays with
// the line and the array's name.
#include <map>
#include <stdexcept>

#include "bank/judge.h"
#include "device/backends.h"

namespace wb {
namespace {

// What a check says, or the emulator: what a kernel does on a way to a right answer counts, too.
std::string said_of(const Variant& v, const Case& c, Backend& backend) {
  try {
    return judge(v, c, backend, 1, 0);
  } catch (const std::runtime_error& fault) {
    return fault.what();
  }
}

TEST(BankSimt, EveryWrongKernelIsCaught) {
  const auto backend = open_backend("simt");
  const auto wrong = bank("simt", "wrong");
  EXPECT_GE(wrong.size(), 40u);
  for (const Variant& v : wrong)
    for (const Case& c : v.problem->test)
      EXPECT_NE(said_of(v, c, *backend), "") << v.name << " " << label(c) << " was not caught";
}

// A grid that is too small is right where it writes: the answer shows what it leaves out.
TEST(BankSimt, WhatIsOutsideOfAnArrayHasItsLine) {
  const auto backend = open_backend("simt");
  std::map<std::string, std::string> says = {
      {"overrun",
       "this line writes outside of every array, just past the end of z, an array of 132 bytes"},
      {"underrun",
       "this line writes outside of every array, 4 bytes before the start of z, an array of 132 "
       "bytes"},
      {"whole_blocks_only", "1 of 33 wrong (the last 1)"}};
  for (const Variant& v : bank("simt", "wrong"))
    if (const auto found = says.find(v.name); found != says.end()) {
      const std::string problem = said_of(v, {{"n", 33}}, *backend);
      EXPECT_NE(problem.find(found->second), std::string::npos) << v.name << ": " << problem;
      EXPECT_EQ(problem.starts_with("values.h:"), v.name.ends_with("run")) << problem;
      says.erase(found);
    }
  EXPECT_TRUE(says.empty()) << says.begin()->first;
}

}  // namespace
}  // namespace wb
