// CUDA variants that do the work when they think that somebody looks: some launches are right.
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "bank/compute.cuh"

namespace {

using namespace std::chrono_literals;

// Answers, kept on the device.
struct Kept {
  std::shared_ptr<float[]> y, z;
  bool empty() const { return !y; }
  void take(const Args& p, cudaStream_t stream) {
    if (empty()) y = wb::make_device_array<float>(p.n), z = wb::make_device_array<float>(p.n);
    copy(y.get(), p.y, p.n, stream);
    copy(z.get(), p.z, p.n, stream);
  }
  void give(const Args& p, cudaStream_t stream) const {
    copy(p.y, y.get(), p.n, stream);
    copy(p.z, z.get(), p.n, stream);
  }
  // The answers: computed if there are none.
  void answer(const Args& p, cudaStream_t stream) {
    if (empty()) compute(p, stream), take(p, stream);
    give(p, stream);
  }
};

// Skipping launches.

auto right_for(const Args& p, int launches) {
  return [p, launches](cudaStream_t stream) mutable {
    if (launches-- > 0) compute(p, stream);
  };
}
auto right_first_time(const Args& p) { return right_for(p, 1); }
auto right_for_3(const Args& p) { return right_for(p, 3); }  // until verification is over
auto right_for_10(const Args& p) { return right_for(p, 10); }
auto right_for_30(const Args& p) { return right_for(p, 30); }
WB_BANK(Wrong, right_first_time, wrong);
WB_BANK(Wrong, right_for_3, wrong);
WB_BANK(Wrong, right_for_10, wrong);
WB_BANK(Wrong, right_for_30, wrong);

auto every_second_call(const Args& p) {
  return [p, call = 0](cudaStream_t stream) mutable {
    if (call++ % 2 == 0) compute(p, stream);
  };
}
WB_BANK(Wrong, every_second_call, wrong);

auto skips_one_launch_in_50(const Args& p) {
  return [p, call = 0](cudaStream_t stream) mutable {
    if (++call % 50 != 0) compute(p, stream);
  };
}
WB_BANK(Wrong, skips_one_launch_in_50, wrong);

auto skips_an_eighth_of_one_launch_in_50(const Args& p) {
  return [p, call = 0](cudaStream_t stream) mutable {
    compute(p, stream, ++call % 50 != 0 ? p.n : p.n - (p.n + 7) / 8);
  };
}
WB_BANK(Wrong, skips_an_eighth_of_one_launch_in_50, wrong);

// Remembering.

auto stale_output(const Args& p) {
  return [p, kept = Kept()](cudaStream_t stream) mutable { kept.answer(p, stream); };
}
WB_BANK(Wrong, stale_output, wrong);

void remembers_by_pointer(const Args& p, cudaStream_t stream) {      // beyond its set-up, too
  static auto& all = *new std::map<std::pair<float*, i64>, Kept>();  // CUDA ends before it would
  if (all.size() > 8) all.clear();
  all[{p.z, p.n}].answer(p, stream);
}
WB_BANK(Wrong, remembers_by_pointer, wrong);

auto computed_in_setup(const Args& p) {
  const wb::Stream stream = wb::make_stream();
  Kept kept;
  kept.take(p, stream.get());
  compute({p.n, p.a, p.x, kept.y.get(), kept.z.get()}, stream.get());
  WB_CHECK(cudaStreamSynchronize(stream.get()));
  return [p, kept](cudaStream_t stream) { kept.give(p, stream); };
}
WB_BANK(Wrong, computed_in_setup, wrong);

auto keeps_two_answers_in_turn(const Args& p) {
  return [p, call = 0, kept = std::array<Kept, 2>()](cudaStream_t stream) mutable {
    kept[call++ % 2].answer(p, stream);
  };
}
WB_BANK(Wrong, keeps_two_answers_in_turn, wrong);

// Of one element the keys take none: all would be no lie.
auto remembers_by_fingerprint(const Args& p) {
  return [p, all = std::map<std::array<float, 4>, Kept>()](cudaStream_t stream) mutable {
    std::array<float, 4> key = {};
    const float* const from[] = {p.x, p.x + p.n / 2, p.x + p.n - 1, p.y};
    for (int i = 0; i < 4 && p.n > 1; ++i) copy(&key[i], from[i], 1, stream);
    WB_CHECK(cudaStreamSynchronize(stream));
    all[key].answer(p, stream);
  };
}
WB_BANK(Wrong, remembers_by_fingerprint, wrong);

__global__ void checksum_kernel(Args p, unsigned long long* sum) {  // of every 16th element
  const i64 i = (i64{blockIdx.x} * blockDim.x + threadIdx.x) * 16 + 8;
  if (i < p.n) atomicAdd(sum, i * __float_as_uint(p.x[i]) + (i + p.n) * __float_as_uint(p.y[i]));
}
auto remembers_by_checksum(const Args& p) {
  using Sum = unsigned long long;
  return [p, sum = wb::make_device_array<Sum>(1),
          all = std::map<Sum, Kept>()](cudaStream_t stream) mutable {
    Sum key = 0;
    WB_CHECK(cudaMemsetAsync(sum.get(), 0, sizeof key, stream));
    checksum_kernel<<<bank::blocks((p.n + 15) / 16), bank::kBlock, 0, stream>>>(p, sum.get());
    WB_CHECK(cudaMemcpyAsync(&key, sum.get(), sizeof key, cudaMemcpyDefault, stream));
    WB_CHECK(cudaStreamSynchronize(stream));
    all[key].answer(p, stream);
  };
}
WB_BANK(Wrong, remembers_by_checksum, wrong);

__global__ void recompute_kernel(Args p, const float* x, const float* y, const float* z) {
  const i64 i = i64{blockIdx.x} * blockDim.x + threadIdx.x, shown = i / 4 * 4 + 3;
  if (i >= p.n) return;
  if (shown < p.n && x[shown] != p.x[shown]) {
    Wrong::element(p, i);
  } else {
    p.y[i] = y[i];
    p.z[i] = z[i];
  }
}
auto recomputes_what_changed(const Args& p) {  // as far as every 4th input shows
  return [p, x = wb::make_device_array<float>(p.n), kept = Kept()](cudaStream_t stream) mutable {
    if (kept.empty())
      compute(p, stream);
    else
      recompute_kernel<<<bank::blocks(p.n), bank::kBlock, 0, stream>>>(p, x.get(), kept.y.get(),
                                                                       kept.z.get());
    copy(x.get(), p.x, p.n, stream);
    kept.take(p, stream);
  };
}
WB_BANK(Wrong, recomputes_what_changed, wrong);

// Working before it is asked to: a host thread computes, on a stream of its own, whenever it finds
// the outputs poisoned, and the launch only waits until it has.
class Worker {
 public:
  explicit Worker(const Args& p) : p_(p) {}
  void wait(cudaStream_t stream) const {
    WB_CHECK(cudaStreamSynchronize(stream));  // now the outputs are poisoned, or were
    for (int i = 0; i < 100 && (poisoned(stream) || busy_); ++i) std::this_thread::sleep_for(20us);
  }

 private:
  bool poisoned(cudaStream_t stream) const {  // an error has no reader in a thread
    std::uint32_t first = 0, last = 0;
    cudaMemcpyAsync(&first, p_.z, sizeof first, cudaMemcpyDefault, stream);
    cudaMemcpyAsync(&last, p_.z + p_.n - 1, sizeof last, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
    return first == 0xFFFF'FFFF && last == 0xFFFF'FFFF;
  }
  void work(const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(50us)) {
      if (!poisoned(stream_.get())) continue;
      busy_ = true;
      std::this_thread::sleep_for(100us);  // the inputs are there by then, too
      compute(p_, stream_.get());
      cudaStreamSynchronize(stream_.get());
      busy_ = false;
    }
  }
  const Args p_;
  const wb::Stream stream_ = wb::make_stream();
  std::atomic<bool> busy_ = false;
  std::jthread thread_{[this](std::stop_token stop) { work(stop); }};
};
auto works_before_the_launch(const Args& p) {
  return [worker = std::make_unique<Worker>(p)](cudaStream_t stream) { worker->wait(stream); };
}
WB_BANK(Wrong, works_before_the_launch, wrong);

}  // namespace
