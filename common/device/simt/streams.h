// Streams: what is on one waits, and is done in an order that streams and events allow.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/simt/include/simt_runtime.h"

struct simt_event {
  int recorded = 0, done = 0;  // how often
};

namespace simt {

struct Work {
  std::function<void()> run = {};
  simt_event* records = nullptr;
  simt_event* waits_for = nullptr;
  int turn = 0;  // of the event
};

}  // namespace simt

struct simt_graph {
  std::vector<simt::Work> work;  // in the order of their capture, which is one that is allowed
};
struct simt_stream {
  std::deque<simt::Work> work;
  bool blocking = true;
  std::shared_ptr<simt_graph> capture;
};

namespace simt {

simt_stream& stream_of(cudaStream_t stream);  // null: the default one
void add(cudaStream_t to, Work work);         // to its stream, or to the graph that captures it
extern cudaError_t last_error;
// What a call returns that fails. The first reason since the last one was taken is kept.
cudaError_t failed(cudaError_t error, const std::string& why);

}  // namespace simt
