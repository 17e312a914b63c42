// The emulated GPU as a device: host memory between closed pages, one stream, the emulator's
// faults.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/clock.h"
#include "device/backends.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "device/simt/include/cuda_runtime.h"
#include "device/simt/memory.h"
#include "wb/cuda.h"

namespace wb {

namespace {
[[noreturn]] void throw_fault(const std::string& fault) {
  if (simt::steps.too_many()) throw TooLong(simt::steps.done);
  throw std::runtime_error(fault);
}
}  // namespace

void check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  const std::string fault = cudaGetErrorString(status);
  simt::take_fault();
  if (status == cudaErrorLaunchFailure) throw_fault(fault);
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " +
                           fault);
}

void allow_shared(const void* kernel, i64 bytes) {
  if (simt_set_function_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(bytes)) == cudaSuccess)
    return;
  cudaGetLastError();
  throw Unsupported("needs " + std::to_string(bytes) +
                    " bytes of shared memory per block; this GPU has " +
                    std::to_string(simt::kSharedOptIn));
}

void* driver_function(const char*) { return nullptr; }

namespace {

class SimtBackend : public Backend {
 public:
  SimtBackend() : host_(make_cpu_backend()) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream", __FILE__, __LINE__);
    simt::begin_seed();
  }
  ~SimtBackend() override { cudaStreamDestroy(stream_); }

  const char* name() const override { return "simt"; }
  DeviceId device() const override {
    DeviceId id = host_->device();
    id.backend = "simt", id.name = id.id = "emulated GPU";
    return id;
  }
  Abilities abilities() const override { return {80, simt::kSharedOptIn >> 10, 800}; }
  std::size_t free_bytes(Space space) const override { return host_->free_bytes(space) / 16; }

  void* allocate(std::size_t bytes, Space space) override {
    void* data = host_->allocate(bytes, space);
    // What a kernel must not touch is no array: pageable memory of the host.
    if (space != Space::pageable) simt::add_array(data, bytes, false);
    if (space == Space::pinned) check(cudaHostRegister(data, bytes, 0), "pin", __FILE__, __LINE__);
    return data;
  }
  void release(void* data, Space space) noexcept override {
    simt::drain();
    simt::remove_array(data);
    if (space == Space::pinned) cudaHostUnregister(data);
    host_->release(data, space);
  }
  void* share(std::size_t bytes, Space space) override {
    void* data = host_->share(bytes, space);
    simt::add_array(data, bytes, true);
    return data;
  }
  std::string place(void* shared, Space space) override { return host_->place(shared, space); }
  void* attach(const std::string& place, std::size_t bytes, Space space) override {
    void* data = host_->attach(place, bytes, space);
    simt::add_array(data, bytes, true);
    return data;
  }
  void outline(void* array, std::size_t bytes, const std::string& name) override {
    simt::outline_array(array, bytes, name);
  }

  void upload(void* to, const void* from, std::size_t bytes, Space space) override {
    simt::drain();
    host_->upload(to, from, bytes, space);
    simt::set_defined(to, bytes, true);
  }
  void download(void* to, const void* from, std::size_t bytes, Space space) override {
    simt::drain();
    host_->download(to, from, bytes, space);
  }
  void* stream() override { return stream_; }
  void copy(void* to, const void* from, std::size_t bytes, Space space) override {
    finish(stream_);
    host_->copy(to, from, bytes, space);
    simt::set_defined(to, bytes, true);
  }
  // A pattern that an output has before a launch is nothing that a kernel may read.
  void fill(void* data, int byte, std::size_t bytes, Space space) override {
    finish(stream_);
    host_->fill(data, byte, bytes, space);
    simt::set_defined(data, bytes, byte == 0);
  }
  void hold(double) override {}
  void evict(std::span<const Region>) override {}
  void pick(std::span<const Region> places, std::byte* to, std::size_t stride) override {
    finish(stream_);
    host_->pick(places, to, stride);
  }
  void synchronize_stream() override { finish(stream_); }
  void synchronize() override {
    simt::drain();
    tell();
  }
  std::string left_running() override {
    const bool left = simt::streams_have_work();
    simt::drain();
    return left ? "work on a stream that it does not wait for" : "";
  }

  void time(const Launch& launch, Clock, Cache, std::span<const Region>) override {
    const double start = seconds();
    simt::begin_counts();
    std::vector<LineCounts> lines;
    try {
      launch(stream_);
      finish(stream_);
      lines = simt::end_counts();
    } catch (...) {
      simt::end_counts();
      throw;
    }
    taken_.seconds.push_back(seconds() - start);
    Counters<double> counters = counters_of(total(lines));
    counters[Counter::calls] = simt::counted_calls;
    for (std::size_t i = 0; i < counters.size(); ++i)
      taken_.counters.at(i).push_back(counters.at(i));
    taken_.lines = std::move(lines);
  }
  void taken(Times& times) override { times.add(std::exchange(taken_, {})); }
  Trace trace(const Launch& launch, const Steps& steps, Clock, Cache, int iterations) override {
    if (steps.before) steps.before();
    Trace trace;
    trace.iterations = iterations;
    const double start = seconds();
    for (int i = 0; i < iterations; ++i) {
      const double begin = seconds() - start;
      launch(stream_);
      finish(stream_);
      trace.intervals.push_back({begin, seconds() - start, Activity::compute, "run", 0});
    }
    trace.wall = seconds() - start;
    return trace;
  }
  void disturb(bool) override {}  // orders are drawn anyway
  void limit_steps(double most) override {
    if (simt::steps.too_many()) simt::drain(), simt::take_fault();  // what is left of that launch
    simt::steps = {.most = static_cast<std::uint64_t>(most)};
  }

 private:
  void tell() {
    if (const std::string fault = simt::take_fault(); !fault.empty()) throw_fault(fault);
  }
  void finish(cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    tell();
    simt::steps.made = 0;
  }
  std::unique_ptr<Backend> host_;
  cudaStream_t stream_ = nullptr;
  Times taken_;
};

}  // namespace

std::unique_ptr<Backend> make_simt_backend() { return std::make_unique<SimtBackend>(); }

}  // namespace wb
