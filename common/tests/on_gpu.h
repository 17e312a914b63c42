// For tests that need a GPU: without one they are skipped with the reason, and under
// WB_REQUIRE_GPU=1 they fail.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "device/backends.h"

namespace wb {

class OnGpu : public testing::Test {
 protected:
  void SetUp() override {
    try {
      backend_ = make_cuda_backend();
    } catch (const std::exception& e) {
      if (std::getenv("WB_REQUIRE_GPU")) FAIL() << e.what();
      GTEST_SKIP() << e.what();
    }
  }
  std::unique_ptr<Backend> backend_;
};

}  // namespace wb
