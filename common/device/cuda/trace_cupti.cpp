#include "device/cuda/trace_cupti.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <unordered_map>

#if __has_include(<cupti.h>)
#include <cupti.h>
#define WB_HAS_CUPTI 1
#endif

#include "device/cuda/cupti.h"
#include "device/cuda/found.h"

namespace wb {

std::string kernel_name(const char* symbol) {
  if (!symbol || !*symbol) return "kernel";
  std::string full = symbol;
  if (full.starts_with("_Z")) {  // else "f" would be taken for the type float
    char* demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
    if (demangled) full = demangled;
    std::free(demangled);
  }

  // Walks to the parameter list; template arguments at any depth are left out.
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < full.size(); ++i) {
    const char c = full[i];
    if (c == '<')
      ++depth;
    else if (c == '>')
      --depth;
    else if (depth > 0)
      continue;
    else if (full.compare(i, kAnonymous.size(), kAnonymous) == 0)
      i += kAnonymous.size() - 1;
    else if (c == '(')
      break;
    else if (c == ' ' || c == ':')
      name.clear();  // a return type or a namespace stood before
    else
      name += c;
  }
  return name.empty() ? full : name;
}

std::string call_name(std::string_view symbol) {
  symbol.remove_prefix(std::min(symbol.find_first_not_of('_'), symbol.size()));
  return std::string(symbol.substr(0, symbol.find('_')));  // before its version and stream mode
}

Activity call_activity(std::string_view call) {
  const auto has = [&](std::string_view part) { return call.find(part) != call.npos; };
  if (has("Malloc") || has("Free") || has("HostAlloc") || has("HostRegister") ||
      has("HostUnregister") || has("MemPool") || has("MemAlloc"))
    return Activity::allocate;
  if (has("Synchronize")) return Activity::wait;
  if (has("Launch") || has("Memset")) return Activity::launch;
  if (has("Memcpy")) return has("Async") ? Activity::launch : Activity::wait;
  return Activity::host;
}

#ifdef WB_HAS_CUPTI
namespace {

struct Cupti {
  std::string missing;
  void* library = cupti_library(missing);
  decltype(&cuptiActivityEnable) enable = find("cuptiActivityEnable");
  decltype(&cuptiActivityDisable) disable = find("cuptiActivityDisable");
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks =
      find("cuptiActivityRegisterCallbacks");
  decltype(&cuptiActivityFlushAll) flush = find("cuptiActivityFlushAll");
  decltype(&cuptiActivityGetNextRecord) next_record = find("cuptiActivityGetNextRecord");
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = find("cuptiActivityGetNumDroppedRecords");
  decltype(&cuptiGetTimestamp) timestamp = find("cuptiGetTimestamp");
  decltype(&cuptiGetCallbackName) callback_name = find("cuptiGetCallbackName");
  CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t) =  // may be absent
      find("cuptiActivityEnableDriverApi", /*needed=*/false);

  Found find(const char* name, bool needed = true) {
    void* const function = library ? dlsym(library, name) : nullptr;
    if (library && !function && needed)
      missing = std::string("CUPTI has no ") + name + ": it is older than this build needs";
    return {function};
  }
};

// Full buffers wait here; CUPTI hands them over on a thread of its own.
struct Buffers {
  std::mutex mutex;
  std::vector<std::pair<std::uint8_t*, std::size_t>> full;
};
Buffers& buffers() {
  static auto* const all = new Buffers;  // CUPTI's thread may outlive static destructors
  return *all;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = 8 << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(4096, *size));
  if (!*buffer) *size = 0;  // CUPTI counts what it drops
  *most_records = 0;        // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  const std::lock_guard lock(buffers().mutex);
  buffers().full.emplace_back(buffer, valid);
}

const Cupti& cupti() {
  static const Cupti library;
  return library;
}

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                                         CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_RUNTIME};

// cuBLAS and cuDNN launch some kernels, and clear what these add to, through the driver alone.
constexpr CUpti_CallbackId kDriverCalls[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
                                             CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2,
                                             CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel};

void set_driver_calls(bool on, bool every) {
  if (!every && cupti().enable_driver_call) {
    for (const CUpti_CallbackId id : kDriverCalls) cupti().enable_driver_call(id, on);
  } else if (on) {
    cupti().enable(CUPTI_ACTIVITY_KIND_DRIVER);
  } else {
    cupti().disable(CUPTI_ACTIVITY_KIND_DRIVER);
  }
}

struct Call {  // a CUDA call on the host
  std::uint64_t start, end;
  std::uint32_t correlation, thread, id;
  bool driver;
};
struct Work {  // a kernel, copy or memset on the device
  std::uint64_t start, end;
  std::uint32_t correlation, device, stream;
  Activity activity;
  std::string name;
  int launch = -1;  // index of its launch window
};
struct Records {
  std::vector<Call> calls;
  std::vector<Work> works;
  std::size_t lost = 0;
};

Activity copy_activity(int kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return Activity::to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return Activity::to_host;
    default: return Activity::copy;
  }
}

// Newer releases append fields to these records and keep what stands before, so the oldest layout
// that CUDA 12.0 and later headers share reads them all.
void read_record(const CUpti_Activity* record, Records& out) {
  static std::unordered_map<const char*, std::string> names;  // CUPTI keeps names at one address
  const auto add = [&](const auto* r, Activity activity, std::string name) {
    if (r->start == 0 || r->end == 0)
      ++out.lost;
    else
      out.works.push_back({r->start, r->end, r->correlationId, r->deviceId, r->streamId, activity,
                           std::move(name)});
  };
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* r = reinterpret_cast<const CUpti_ActivityKernel8*>(record);
      std::string& name = names[r->name];
      if (name.empty()) name = kernel_name(r->name);
      add(r, name.starts_with("nccl") ? Activity::copy : Activity::compute, name);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* r = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      const Activity activity = copy_activity(r->copyKind);
      add(r, activity,
          activity == Activity::copy ? "copy" : std::string("copy ") + wb::name(activity));
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      add(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record), Activity::copy,
          "copy to peer");
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      add(reinterpret_cast<const CUpti_ActivityMemset4*>(record), Activity::copy, "memset");
      break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto* r = reinterpret_cast<const CUpti_ActivityAPI*>(record);
      out.calls.push_back({r->start, r->end, r->correlationId, r->threadId, r->cbid,
                           r->kind == CUPTI_ACTIVITY_KIND_DRIVER});
      break;
    }
    default: break;
  }
}

// Everything that was delivered since the last call. Frees the buffers.
Records take_records() {
  Records records;
  std::vector<std::pair<std::uint8_t*, std::size_t>> full;
  {
    const std::lock_guard lock(buffers().mutex);
    full.swap(buffers().full);
  }
  for (const auto& [buffer, valid] : full) {
    CUpti_Activity* record = nullptr;
    while (valid > 0 && cupti().next_record(buffer, valid, &record) == CUPTI_SUCCESS)
      read_record(record, records);
    std::free(buffer);
  }
  return records;
}

// Drops driver calls that a runtime call made: they lie inside it, on the same thread.
void drop_nested(std::vector<Call>& calls) {
  std::ranges::sort(calls, {}, [](const Call& call) { return std::pair(call.start, call.driver); });
  std::map<std::uint32_t, std::uint64_t> runtime_until;  // by thread
  std::erase_if(calls, [&](const Call& call) {
    std::uint64_t& until = runtime_until[call.thread];
    if (call.driver) return call.end <= until;
    until = std::max(until, call.end);
    return false;
  });
}

std::string api_name(const Call& call) {
  const char* symbol = nullptr;
  const CUpti_CallbackDomain domain =
      call.driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  if (cupti().callback_name(domain, call.id, &symbol) != CUPTI_SUCCESS || !symbol)
    return "CUDA call";
  return symbol;
}

// From the first to the last moment of something, in nanoseconds; {~0, 0}: nothing.
using Extent = std::pair<std::uint64_t, std::uint64_t>;

// Of each launch's work on the device, which gets its launch: calls belong to launches by time, and
// device records to calls by correlation. `unknown` names work that no call is known of.
std::vector<Extent> extents_of(Records& records, const std::vector<LaunchWindow>& launches,
                               std::string& unknown) {
  std::unordered_map<std::uint32_t, int> launch_of;
  for (const Call& call : records.calls) {
    const auto after = std::ranges::upper_bound(launches, call.start, {}, &LaunchWindow::start);
    const int index = static_cast<int>(after - launches.begin()) - 1;
    const bool inside = index >= 0 && call.start <= launches[index].end;
    int& launch = launch_of.try_emplace(call.correlation, -1).first->second;
    if (inside) launch = index;
  }
  std::vector<Extent> extents(launches.size(), {~0ull, 0});
  for (Work& work : records.works) {
    const auto found = launch_of.find(work.correlation);
    if (found == launch_of.end()) {
      unknown = work.name;
      continue;
    }
    work.launch = found->second;
    if (work.launch < 0) continue;
    auto& [start, end] = extents[work.launch];
    start = std::min(start, work.start);
    end = std::max(end, work.end);
  }
  return extents;
}

// What happened in `pass`: work by streams, calls by threads.
std::vector<Interval> intervals_of(Records& records, const Extent& pass, bool launches_only) {
  std::vector<Interval> intervals;
  std::map<std::uint32_t, int> streams, threads;  // to lanes 0, 1, ... in order of appearance
  const auto add = [&](auto& lanes, std::uint32_t key, std::uint64_t from, std::uint64_t to,
                       Activity activity, std::string name, std::uint32_t device = 0) {
    from = std::clamp(from, pass.first, pass.second), to = std::clamp(to, pass.first, pass.second);
    if (to <= from) return;
    const int lane = lanes.try_emplace(key, static_cast<int>(lanes.size())).first->second;
    intervals.push_back({1e-9 * static_cast<double>(from - pass.first),
                         1e-9 * static_cast<double>(to - pass.first), activity, std::move(name),
                         lane, static_cast<int>(std::min<std::uint32_t>(device, kMostRanks - 1))});
  };
  std::ranges::sort(records.works, {}, &Work::start);
  for (Work& work : records.works)
    if (work.launch >= 0 || !launches_only)
      add(streams, work.stream, work.start, work.end, work.activity, std::move(work.name),
          work.device);
  drop_nested(records.calls);
  for (const Call& call : records.calls) {
    const std::string symbol = api_name(call), name = call_name(symbol);
    const Activity activity = call_activity(name);
    // The runtime's own bookkeeping around <<<>>> is no call that anybody wrote.
    if (symbol.starts_with("__cuda") && activity != Activity::launch) continue;
    add(threads, call.thread, call.start, call.end, activity, name);
  }
  return intervals;
}

}  // namespace

CuptiTracer::CuptiTracer(bool every_call) : missing_(cupti().missing), every_call_(every_call) {
  if (!missing_.empty()) return;
  static const CUptiResult registered = cupti().register_callbacks(give_buffer, take_buffer);
  CUptiResult status = registered;
  for (const CUpti_ActivityKind kind : kKinds)
    if (status == CUPTI_SUCCESS) status = cupti().enable(kind);
  if (status == CUPTI_SUCCESS) {
    set_driver_calls(true, every_call_);
  } else {
    missing_ = cupti_refusal(status, "cuptiActivityEnable");
    for (const CUpti_ActivityKind kind : kKinds) cupti().disable(kind);
  }
}

CuptiTracer::~CuptiTracer() {
  if (!missing_.empty()) return;
  for (const CUpti_ActivityKind kind : kKinds) cupti().disable(kind);
  set_driver_calls(false, every_call_);
  cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  take_records();
}

std::uint64_t CuptiTracer::now() const {
  std::uint64_t time = 0;
  cupti().timestamp(&time);
  return time;
}

Trace CuptiTracer::collect(const std::vector<LaunchWindow>& launches, bool steady,
                           bool launches_only) {
  Trace trace;
  trace.iterations = static_cast<int>(launches.size()) - (steady ? 2 : 0);
  const auto without = [&](const std::string& why) {
    trace.missing = why;
    return trace;
  };
  if (trace.iterations < 1) return without("a traced pass needs at least one launch");
  const CUptiResult status = cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (status != CUPTI_SUCCESS) return without(cupti_refusal(status, "cuptiActivityFlushAll"));
  Records records = take_records();
  std::size_t dropped = 0;
  cupti().dropped(nullptr, 0, &dropped);
  dropped += records.lost;
  if (dropped > 0)
    return without("CUPTI lost " + std::to_string(dropped) +
                   " activity records, so the trace is not whole: trace fewer iterations (--fast)");

  std::string unknown;  // work without a call; a time per launch could be too short
  const std::vector<Extent> extent = extents_of(records, launches, unknown);
  if (launches_only && !unknown.empty())
    return without("CUPTI could not tell which call caused some of the work (" + unknown + ")");
  if (std::ranges::none_of(extent, [](auto& e) { return e.second > 0; }))
    return without("CUPTI saw no work on the device in the launches");

  Extent pass{launches.front().start, launches.back().end};
  for (const Extent& launch : extent) pass.second = std::max(pass.second, launch.second);
  if (steady) {
    pass = {extent[1].first, extent.back().first};
    if (extent[1].second == 0 || extent.back().second == 0 || pass.second <= pass.first)
      return without("CUPTI saw no work on the device in some of the launches");
  }
  trace.wall = 1e-9 * static_cast<double>(pass.second - pass.first);
  for (std::size_t i = steady ? 1 : 0; unknown.empty() && i < extent.size() - (steady ? 1 : 0); ++i)
    if (extent[i].second > 0)
      trace.device_seconds.push_back(1e-9 *
                                     static_cast<double>(extent[i].second - extent[i].first));
  trace.intervals = intervals_of(records, pass, launches_only);
  return trace;
}

#else  // no CUPTI headers at build time

CuptiTracer::CuptiTracer(bool every_call) : every_call_(every_call) { cupti_library(missing_); }
CuptiTracer::~CuptiTracer() = default;
std::uint64_t CuptiTracer::now() const { return 0; }
Trace CuptiTracer::collect(const std::vector<LaunchWindow>&, bool, bool) {
  Trace trace;
  trace.missing = missing_;
  return trace;
}
#endif

}  // namespace wb
