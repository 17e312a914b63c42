// The CPU as a device with a queue: what is put on its stream is done when somebody waits for it,
// as late as any GPU may be.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/backends.h"

namespace wb {

class QueuedBackend : public Backend {
 public:
  const char* name() const override { return cpu_->name(); }
  DeviceId device() const override { return cpu_->device(); }
  std::size_t free_bytes(Space space) const override { return cpu_->free_bytes(space); }

  void* allocate(std::size_t bytes, Space space) override { return cpu_->allocate(bytes, space); }
  void release(void* data, Space space) noexcept override {  // waits for the device, as CUDA's
    synchronize_stream();
    cpu_->release(data, space);
  }
  void* share(std::size_t bytes, Space space) override { return cpu_->share(bytes, space); }
  std::string place(void* shared, Space space) override { return cpu_->place(shared, space); }
  void* attach(const std::string& place, std::size_t bytes, Space space) override {
    return cpu_->attach(place, bytes, space);
  }

  void upload(void* to, const void* from, std::size_t bytes, Space space) override {
    synchronize_stream();
    cpu_->upload(to, from, bytes, space);
  }
  void download(void* to, const void* from, std::size_t bytes, Space space) override {
    synchronize_stream();
    cpu_->download(to, from, bytes, space);
  }

  void* stream() override { return cpu_->stream(); }
  void copy(void* to, const void* from, std::size_t bytes, Space space) override {
    queue_.push_back([=, this] { cpu_->copy(to, from, bytes, space); });
  }
  void fill(void* data, int byte, std::size_t bytes, Space space) override {
    queue_.push_back([=, this] { cpu_->fill(data, byte, bytes, space); });
  }
  void hold(double) override {}
  void evict(std::span<const Region>) override {}
  void pick(std::span<const Region> places, std::byte* to, std::size_t stride) override {
    queue_.push_back([=, this, own = std::vector(places.begin(), places.end())] {
      cpu_->pick(own, to, stride);
    });
  }
  void synchronize_stream() override {
    for (const auto& work : std::exchange(queue_, {})) work();
  }
  void synchronize() override { synchronize_stream(); }
  std::string left_running() override { return ""; }

  void time(const Launch& launch, Clock clock, Cache cache, std::span<const Region> r) override {
    synchronize_stream();
    cpu_->time(launch, clock, cache, r);
  }
  void taken(Times& times) override { cpu_->taken(times); }
  Trace trace(const Launch& launch, const Steps& steps, Clock clock, Cache cache, int n) override {
    synchronize_stream();
    return cpu_->trace(launch, steps, clock, cache, n);
  }
  void disturb(bool) override {}

 private:
  const std::unique_ptr<Backend> cpu_ = make_cpu_backend();
  std::vector<std::function<void()>> queue_;
};

}  // namespace wb
