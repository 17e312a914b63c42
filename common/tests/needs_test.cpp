// What a variant needs of a device: refused before it is set up, and said in a table that is made
// of the same words.
#include "model/needs.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/failure.h"
#include "base/files.h"
#include "device/backends.h"
#include "measure/trial.h"
#include "pages/gpus.h"
#include "queued_backend.h"

namespace wb {
namespace {

namespace fs = std::filesystem;

constexpr Abilities kT4{75, 64}, kA100{80, 163}, kH100{90, 227}, kRtx50{120, 99};
const Case kPlain{{"n", 1}}, kBf16{{"n", 1}, {"dtype", "bf16"}}, kFp32{{"dtype", "fp32"}};

TEST(Needs, AreWhatADeviceLacks) {
  EXPECT_EQ(lacks(kT4, "", kPlain), "");
  EXPECT_EQ(lacks(kA100, "8.0", kPlain), "");
  EXPECT_EQ(lacks(kT4, "8.0", kPlain), "needs compute capability 8.0 or later; this GPU has 7.5");
  EXPECT_EQ(lacks(kRtx50, "9.0", kPlain), "") << "12.0 is later, not less";
  EXPECT_EQ(lacks(kH100, "9.0 alone", kPlain), "");
  EXPECT_EQ(lacks(kRtx50, "9.0 alone", kPlain),
            "needs compute capability 9.0, and no later one; this GPU has 12.0");
  EXPECT_EQ(lacks(kRtx50, "99 KiB", kPlain), "");
  EXPECT_EQ(lacks(kRtx50, "100 KiB", kPlain),
            "needs 100 KiB of shared memory per block; this GPU has 99");
  EXPECT_EQ(lacks({}, "9.0 alone, 128 KiB", kPlain), "") << "a CPU";
}

TEST(Needs, AreWhatABuildLacks) {
  const Abilities for_80{90, 227, 800}, for_90{90, 227, 900}, for_90a{90, 227, 901};
  EXPECT_EQ(lacks(for_80, "8.0", kPlain), "");
  EXPECT_EQ(lacks(for_80, "9.0", kPlain),
            "needs code for compute capability 9.0; this build's is for 8.0: run cmake "
            "-DWB_CUDA_ARCHITECTURES=90 build/cuda, then start again");
  EXPECT_EQ(lacks(for_90, "9.0", kPlain), "");
  EXPECT_EQ(lacks(for_90, "9.0 alone", kPlain),
            "needs code for compute capability 9.0a; this build's is for 9.0: run cmake "
            "-DWB_CUDA_ARCHITECTURES=90a build/cuda, then start again");
  EXPECT_EQ(lacks(for_90a, "9.0 alone, 128 KiB", kPlain), "");
}

TEST(Needs, MayBeOfSomeCases) {
  const std::string needs = "8.0 for bf16, 128 KiB for fp32";
  EXPECT_EQ(lacks(kT4, needs, kPlain), "");
  EXPECT_EQ(lacks(kT4, needs, kBf16),
            "bf16 needs compute capability 8.0 or later; this GPU has 7.5");
  EXPECT_EQ(lacks(kRtx50, needs, kBf16), "");
  EXPECT_EQ(lacks(kRtx50, needs, kFp32),
            "fp32 needs 128 KiB of shared memory per block; this GPU has 99");
}

TEST(Needs, OfAnotherFormAreErrors) {
  for (const char* text : {"8", "sm_80", "8.0 bf16", ",8.0", "8.0 alone for", "KiB", "0 KiB",
                           "128 KiB alone", "9.0a", "99999 KiB"})
    EXPECT_THROW(lacks(kH100, text, kPlain), std::runtime_error) << text;
}

class OldGpu : public QueuedBackend {
  Abilities abilities() const override { return kT4; }
};

struct Nothing {
  static constexpr Case bench[] = {{{"n", 1}}}, test[] = {{{"n", 1}}};
  struct Args {
    float* y;
  };
  static Args bind(Binder& io, const Case& c) { return {io.out<float>("y", c["n"])}; }
  static Cost cost(const Args&) { return {}; }
  static Tolerance tolerance(const Args&) { return {}; }
  static void reference(const Args& p) { *p.y = 1; }
};

TEST(Needs, AreAskedForBeforeTheSetUp) {
  OldGpu gpu;
  int made = 0;
  Variant variant{&problem_of<Nothing>("probe"), "optimized", "cpu", [&](const void*) -> Launch {
                    ++made;
                    return [](void*) {};
                  }};
  Data data(*variant.problem, Nothing::bench[0], gpu, 1);
  Trial(variant, data, gpu);
  EXPECT_EQ(made, 1);
  variant.needs = "8.0";
  try {
    Trial(variant, data, gpu);
    ADD_FAILURE() << "it was set up";
  } catch (const Unsupported& why) {
    EXPECT_STREQ(why.what(), "needs compute capability 8.0 or later; this GPU has 7.5");
  }
  EXPECT_EQ(made, 1);
}

// A folder with some sources, which goes with the test.
struct Tree {
  const fs::path top = fs::path(testing::TempDir()) / "needs_test";
  Tree() { fs::remove_all(top); }
  ~Tree() { fs::remove_all(top); }
  void write(const std::string& file, const std::string& needs) const {
    fs::create_directories((top / file).parent_path());
    write_atomically((top / file).string(), "}\nWB_NEEDS(\"" + needs + "\");\n");
  }
};

TEST(Needs, MakeATable) {
  const Tree tree;
  tree.write("ch1_x/01_sum/optimized.cu", "8.0 for bf16");
  tree.write("ch1_x/01_sum/baseline.cu", "8.0 for bf16");
  tree.write("ch1_x/01_sum/all_shapes/all_shapes.cu", "9.0 alone");
  tree.write("ch2_y/02_gemm/step1_tile.cu", "9.0, 128 KiB for fp32");
  const std::string begin = "# GPUs\n<!-- needs -->\n", end = "<!-- end needs -->\nThe end.\n";
  const std::string page = pages::with_gpu_table(begin + "stale\n" + end, "MACHINES.md", tree.top);
  EXPECT_EQ(page, begin +
                      "\n| lesson | variants | need | T4 (7.5) | A100 (8.0) | A10, RTX 30 (8.6) | "
                      "L4, RTX 40 (8.9) | H100, H200 (9.0) | RTX 50 (12.0) |\n"
                      "|---|---|---|---|---|---|---|---|---|\n"
                      "| [ch1_x/01_sum](../ch1_x/01_sum/README.md) | baseline, optimized | 8.0 for "
                      "bf16 | not bf16 | yes | yes "
                      "| yes | yes | yes |\n"
                      "| [ch1_x/01_sum](../ch1_x/01_sum/README.md) | all_shapes | 9.0 alone | no | "
                      "no | no | no | yes | no |\n"
                      "| [ch2_y/02_gemm](../ch2_y/02_gemm/README.md) | step1_tile | 9.0, 128 KiB "
                      "for fp32 | no | no | no | no | "
                      "yes | not fp32 |\n\n" +
                      end);
  EXPECT_EQ(pages::with_gpu_table(page, "MACHINES.md", tree.top), page) << "not stable";
  EXPECT_THROW(pages::with_gpu_table("# GPUs\n", "MACHINES.md", tree.top), Failure);
  tree.write("ch2_y/02_gemm/step2.cu", "a Hopper");
  EXPECT_THROW(pages::gpu_table(tree.top), std::runtime_error);
}

}  // namespace
}  // namespace wb
