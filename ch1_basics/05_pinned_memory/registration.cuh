// Pins memory that exists already, and lets it go again.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "wb/cuda.h"

namespace {

class Registration {
 public:
  // Whole pages are pinned, so the range is rounded outwards to pages.
  Registration(const void* data, wb::i64 bytes) {
    if (bytes == 0) return;  // refused by cudaHostRegister
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t begin = address / page * page;
    const std::uintptr_t end = (address + bytes + page - 1) / page * page;
    void* pages = reinterpret_cast<void*>(begin);
    const cudaError_t status = cudaHostRegister(pages, end - begin, cudaHostRegisterDefault);
    if (status == cudaErrorNotSupported) {
      cudaGetLastError();  // or the next check would report it once more
      throw wb::Unsupported("this system can't pin memory that exists already");
    }
    WB_CHECK(status);
    pages_ = pages;
  }
  ~Registration() {
    if (pages_) cudaHostUnregister(pages_);
  }
  Registration(Registration&& other) noexcept : pages_(std::exchange(other.pages_, nullptr)) {}
  Registration& operator=(Registration&&) = delete;

 private:
  void* pages_ = nullptr;
};

}  // namespace
