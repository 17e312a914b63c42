// Kernels over two arrays on the emulated GPU, and what it says of them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "wb/cuda.h"

constexpr int kThreads = 128, kCount = 4 * kThreads;

// Two arrays of kCount floats: x holds 0, 1, 2 ..., y holds nothing.
class Launches : public testing::Test {
 protected:
  Launches() {
    cudaMalloc(&x_, kCount * sizeof(float));
    cudaMalloc(&y_, kCount * sizeof(float));
    std::vector<float> start(kCount);
    for (int i = 0; i < kCount; ++i) start[i] = static_cast<float>(i);
    cudaMemcpy(x_, start.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  }
  ~Launches() override {
    simt::take_fault();
    cudaFree(x_), cudaFree(y_);
  }
  static std::string fault() {
    cudaDeviceSynchronize();
    return simt::take_fault();
  }
  // Whether the next fault is this one, in a line of the test's file that ends in "// wrong".
  static testing::AssertionResult tells(const char* what, const char* path) {
    const std::string text = fault(),
                      file = std::string(path).substr(std::string(path).rfind('/') + 1) + ":";
    std::string line;
    if (text.starts_with(file)) {
      std::ifstream source(path);
      for (int i = std::stoi(text.substr(file.size())); i > 0; --i) std::getline(source, line);
    }
    if (text.find(what) != std::string::npos && line.ends_with("// wrong"))
      return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "it says \"" << text << "\", not: " << what << "\nof the line:" << line;
  }
  std::vector<float> result() const {
    std::vector<float> y(kCount);
    cudaMemcpy(y.data(), y_, kCount * sizeof(float), cudaMemcpyDeviceToHost);
    return y;
  }
  float *x_, *y_;
};
