// CUDA variants whose work is on another stream, or comes when the call has returned.
#include <chrono>
#include <thread>

#include "bank/compute.cuh"

namespace {

using namespace std::chrono_literals;

void sleep_on_host(void*) { std::this_thread::sleep_for(20ms); }

auto side_stream(const Args& p) {  // never joined to the stream under test
  return [p, side = wb::make_stream()](cudaStream_t) { compute(p, side.get()); };
}
WB_BANK(Wrong, side_stream, wrong);

void default_stream(const Args& p, cudaStream_t) { compute(p, nullptr); }
WB_BANK(Wrong, default_stream, wrong);

// Waits for the stream under test, which does not wait for it: right data, but not yet there when
// the stream is done. Some 20 ms of other work in front make that certain.
auto forked_not_joined(const Args& p) {
  return [p, side = wb::make_stream(), fork = wb::make_event()](cudaStream_t stream) {
    wait_for(side.get(), stream, fork);
    delay(20, side.get());
    compute(p, side.get());
  };
}
WB_BANK(Wrong, forked_not_joined, wrong);

auto behind_a_callback(const Args& p) {  // of the host, which takes its time, on a side stream
  return [p, side = wb::make_stream(), fork = wb::make_event()](cudaStream_t stream) {
    wait_for(side.get(), stream, fork);
    WB_CHECK(cudaLaunchHostFunc(side.get(), sleep_on_host, nullptr));
    compute(p, side.get());
  };
}
WB_BANK(Wrong, behind_a_callback, wrong);

auto thread_after_a_sleep(const Args& p) {  // that of one launch is joined in the next
  return [p, worker = std::jthread()](cudaStream_t stream) mutable {
    worker = std::jthread([p, stream] {
      std::this_thread::sleep_for(20ms);
      compute(p, stream);
    });
  };
}
WB_BANK(Wrong, thread_after_a_sleep, wrong);

auto spoilt_later(const Args& p) {
  return [p, side = wb::make_stream(), fork = wb::make_event()](cudaStream_t stream) {
    compute(p, stream);
    wait_for(side.get(), stream, fork);
    delay(10, side.get());
    WB_CHECK(cudaMemsetAsync(p.z, 0, p.n * sizeof(float), side.get()));
  };
}
WB_BANK(Wrong, spoilt_later, wrong);

auto leaves_a_kernel_running(const Args& p) {  // right, and slows down what comes next
  return [p, side = wb::make_stream(), fork = wb::make_event()](cudaStream_t stream) {
    compute(p, stream);
    wait_for(side.get(), stream, fork);
    delay(20, side.get());
  };
}
WB_BANK(Wrong, leaves_a_kernel_running, wrong);

}  // namespace
