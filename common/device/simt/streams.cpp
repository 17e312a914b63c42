#include "device/simt/streams.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "device/simt/counts.h"

namespace simt {

cudaError_t last_error = cudaSuccess;

namespace {

simt_stream null_stream;
std::vector<simt_stream*> streams = {&null_stream};
std::map<simt_event*, std::shared_ptr<simt_graph>> captured_in;
std::string last_fault, untaken;
std::minstd_rand draws(1);

bool ready(const simt_stream& s) {
  return !s.work.empty() &&
         (!s.work.front().waits_for || s.work.front().waits_for->done >= s.work.front().turn);
}

// The next of one stream that has something to do: drawn. False where none has.
bool advance() {
  std::vector<simt_stream*> able;
  for (simt_stream* s : streams)
    if (ready(*s)) able.push_back(s);
  if (able.empty()) return false;
  simt_stream& s = *able[draws() % able.size()];
  Work work = std::move(s.work.front());
  s.work.pop_front();
  if (work.run && untaken.empty()) work.run();
  if (work.records) work.records->done = std::max(work.records->done, work.turn);
  return true;
}

void drain(const simt_stream& s) {
  while (!s.work.empty())
    if (!advance()) {
      for (simt_stream* each : streams) each->work.clear();
      failed(cudaErrorLaunchFailure, "the streams wait for each other forever");
      return;
    }
}
void drain_blocking() {
  for (simt_stream* s : streams)
    if (s->blocking) drain(*s);
}

}  // namespace

simt_stream& stream_of(cudaStream_t s) { return s ? *s : null_stream; }

void add(cudaStream_t to, Work work) {
  simt_stream& s = stream_of(to);
  if (work.run) ++simt::counted_calls;
  if (s.capture) {
    if (work.records) captured_in[work.records] = s.capture;
    s.capture->work.push_back(std::move(work));
    return;
  }
  // The default stream comes after all that blocking streams have, and before what they get next.
  if (&s == &null_stream) drain_blocking();
  s.work.push_back(std::move(work));
  if (&s == &null_stream) drain(s);
  while (draws() % 2 && advance()) {
  }
}

cudaError_t failed(cudaError_t error, const std::string& why) {
  last_error = error;
  if (last_fault.empty()) last_fault = why;
  if (untaken.empty()) untaken = why;
  return error;
}

void drain() {
  for (std::size_t i = 0; i < streams.size(); ++i) drain(*streams[i]);
}

bool streams_have_work() {
  return std::any_of(streams.begin(), streams.end(), [](const auto* s) {
    return std::any_of(s->work.begin(), s->work.end(), [](const Work& w) { return bool(w.run); });
  });
}

std::string take_fault() {
  last_error = cudaSuccess;
  last_fault.clear();
  return std::exchange(untaken, "");
}

}  // namespace simt

using namespace simt;

// ---- errors

const char* cudaGetErrorName(cudaError_t e) {
#define SIMT_NAME(NAME, NUMBER) \
  if (e == NUMBER) return #NAME;
  SIMT_ERRORS(SIMT_NAME)
  return "cudaError";
}
const char* cudaGetErrorString(cudaError_t e) {
  return e != cudaSuccess && !last_fault.empty() ? last_fault.c_str() : cudaGetErrorName(e);
}
cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }
cudaError_t cudaPeekAtLastError() { return last_error; }

// ---- streams and events

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  streams.push_back(*stream = new simt_stream);
  (*stream)->blocking = !(flags & cudaStreamNonBlocking);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  drain(*stream);
  std::erase(streams, stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  drain(stream_of(stream));
  return last_error;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  advance();
  return stream_of(stream).work.empty() ? last_error : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  // An event of a capture draws the stream into it.
  if (const auto found = captured_in.find(event); found != captured_in.end()) {
    stream_of(stream).capture = found->second;
    return cudaSuccess;
  }
  if (event->recorded) add(stream, {.waits_for = event, .turn = event->recorded});
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  simt::drain();
  return last_error;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new simt_event;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  simt::drain();
  captured_in.erase(event);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  add(stream, {.records = event, .turn = ++event->recorded});
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  while (event->done < event->recorded)
    if (!advance())
      return failed(cudaErrorLaunchFailure, "the streams wait for each other forever");
  return last_error;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  advance();
  return event->done < event->recorded ? cudaErrorNotReady : last_error;
}

// ---- captures

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!stream)
    return failed(cudaErrorStreamCaptureUnsupported, "the default stream can't be captured");
  stream->capture = std::make_shared<simt_graph>();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const auto capture = stream->capture;
  *graph = new simt_graph(*capture);
  for (simt_stream* s : streams)
    if (s->capture == capture) s->capture.reset();
  std::erase_if(captured_in, [&](const auto& each) { return each.second == capture; });
  return cudaSuccess;
}
