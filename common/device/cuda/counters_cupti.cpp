#include "device/cuda/counters_cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#define WB_HAS_RANGE_PROFILER 1
#endif

#include "device/cuda/cupti.h"
#include "device/cuda/found.h"
#include "wb/cuda.h"
#include "wb/variant.h"

namespace wb {
namespace {

// What is counted under which name, in which unit: those of one event add up.
struct Metric {
  Hardware event;
  const char* name;
  double unit = 1;
  const char* other = nullptr;  // its name on chips that lack the first; kNone: it is 0 there
};
constexpr const char* kNone = "";  // for they have no such instruction
constexpr Metric kMetrics[] = {
    {Hardware::instructions, "smsp__inst_issued.sum"},
    {Hardware::dram_read, "dram__bytes_read.sum", 1, "dram__bytes_op_read.sum"},
    {Hardware::dram_written, "dram__bytes_write.sum", 1, "dram__bytes_op_write.sum"},
    {Hardware::l2_bytes, "lts__t_sectors_srcunit_tex.sum", 32},
    {Hardware::l2_hit_rate, "lts__t_sector_hit_rate.pct", 0.01},
    {Hardware::load_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {Hardware::load_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {Hardware::store_requests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {Hardware::store_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    // Of instructions that all threads skip nothing is a request; ldmatrix and stmatrix are apart.
    {Hardware::shared_requests, "smsp__inst_executed_op_shared_ld_pred_on_any.sum"},
    {Hardware::shared_requests, "smsp__inst_executed_op_shared_st_pred_on_any.sum"},
    {Hardware::shared_requests, "smsp__inst_executed_op_ldsm_pred_on_any.sum"},
    {Hardware::shared_requests, "smsp__inst_executed_op_shared_stsm_pred_on_any.sum", 1, kNone},
    {Hardware::shared_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {Hardware::shared_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {Hardware::local_bytes, "l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum"},
    {Hardware::local_bytes, "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"},
    {Hardware::occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active", 0.01},
    {Hardware::tensor_active, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     0.01}};

// What a warp does in a cycle in which it exists: "selected" is issuing.
constexpr const char* kWarpStates[] = {"selected",
                                       "barrier",
                                       "branch_resolving",
                                       "dispatch_stall",
                                       "drain",
                                       "gmma",
                                       "imc_miss",
                                       "lg_throttle",
                                       "long_scoreboard",
                                       "membar",
                                       "mio_throttle",
                                       "misc",
                                       "no_instruction",
                                       "math_pipe_throttle",
                                       "not_selected",
                                       "short_scoreboard",
                                       "sleeping",
                                       "tex_throttle",
                                       "wait"};
std::string metric_of(const std::string& state) {
  return "smsp__warps_issue_stalled_" + state + ".sum";
}

}  // namespace

std::vector<std::string> wanted_metrics() {
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) {
    names.emplace_back(metric.name);
    if (metric.other && *metric.other) names.emplace_back(metric.other);
  }
  for (const char* state : kWarpStates) names.push_back(metric_of(state));
  return names;
}

HardwareCounts counts_of_metrics(const std::map<std::string, double>& values) {
  HardwareCounts counts;
  std::set<Hardware> lacking;
  for (const Metric& metric : kMetrics) {
    auto value = values.find(metric.name);
    if (value == values.end() && metric.other) {
      if (!*metric.other) continue;
      value = values.find(metric.other);
    }
    if (value == values.end() || !std::isfinite(value->second))
      lacking.insert(metric.event);
    else
      counts.events[metric.event] += value->second * metric.unit;
  }
  for (const Hardware event : lacking) counts.events.erase(event);
  double all = 0;
  for (std::string state : kWarpStates) {
    const auto value = values.find(metric_of(state));
    if (value == values.end() || !(value->second > 0)) continue;
    all += value->second;
    std::ranges::replace(state, '_', ' ');
    if (state != "selected") counts.stalls[state] = value->second;
  }
  for (auto& [state, cycles] : counts.stalls) cycles /= all;
  return counts;
}

#ifdef WB_HAS_RANGE_PROFILER
namespace {

// Throws Unsupported with what CUPTI says. `result`: of the type of the function.
template <class Function, class Params> void call(const char* name, Params& params) {
  std::string missing;
  void* const library = cupti_library(missing);
  if (!library) throw Unsupported(missing);
  Function* const function = Found{dlsym(library, name)};
  if (!function) throw Unsupported(std::string("CUPTI has no ") + name + ": it takes CUDA 12.6");
  if (const CUptiResult status = function(&params); status != CUPTI_SUCCESS)
    throw Unsupported(cupti_refusal(status, name));
}
#define WB_PARAMS(type, params)      \
  CUpti_##type##_Params params = {}; \
  params.structSize = CUpti_##type##_Params_STRUCT_SIZE
#define WB_CUPTI(function, params) call<decltype(function)>(#function, params)

// The half that knows names, and needs no GPU.
class Host {
 public:
  explicit Host(const std::string& chip) {
    WB_PARAMS(Profiler_Host_Initialize, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip.c_str();
    WB_CUPTI(cuptiProfilerHostInitialize, p);
    host_ = p.pHostObject;
    for (const std::string& metric : wanted_metrics()) {
      WB_PARAMS(Profiler_Host_GetMetricProperties, known);
      known.pHostObject = host_;
      known.pMetricName = metric.c_str();
      try {
        WB_CUPTI(cuptiProfilerHostGetMetricProperties, known);
        names_.push_back(metric);
      } catch (const Unsupported&) {  // on this chip, by this name
        lacking_.push_back(metric);
      }
    }
    for (const std::string& name : names_) metrics_.push_back(name.c_str());
  }
  Host(const Host&) = delete;
  ~Host() {
    WB_PARAMS(Profiler_Host_Deinitialize, p);
    p.pHostObject = host_;
    try {
      WB_CUPTI(cuptiProfilerHostDeinitialize, p);
    } catch (const Unsupported&) {  // there is nobody to tell
    }
  }

  std::vector<const char*>& metrics() { return metrics_; }
  const std::vector<std::string>& lacking() const { return lacking_; }

  // Which counter counts in which pass. All metrics at once: those that are added later get passes
  // of their own.
  std::vector<std::uint8_t> plan() {
    WB_PARAMS(Profiler_Host_ConfigAddMetrics, add);
    add.pHostObject = host_;
    add.ppMetricNames = metrics_.data();
    add.numMetrics = metrics_.size();
    WB_CUPTI(cuptiProfilerHostConfigAddMetrics, add);
    WB_PARAMS(Profiler_Host_GetConfigImageSize, size);
    size.pHostObject = host_;
    WB_CUPTI(cuptiProfilerHostGetConfigImageSize, size);
    std::vector<std::uint8_t> image(size.configImageSize);
    WB_PARAMS(Profiler_Host_GetConfigImage, get);
    get.pHostObject = host_;
    get.pConfigImage = image.data();
    get.configImageSize = image.size();
    WB_CUPTI(cuptiProfilerHostGetConfigImage, get);
    return image;
  }

  std::map<std::string, double> values(const std::vector<std::uint8_t>& counted) {
    std::vector<double> values(metrics_.size());
    WB_PARAMS(Profiler_Host_EvaluateToGpuValues, p);
    p.pHostObject = host_;
    p.pCounterDataImage = counted.data();
    p.counterDataImageSize = counted.size();
    p.ppMetricNames = metrics_.data();
    p.numMetrics = metrics_.size();
    p.pMetricValues = values.data();
    WB_CUPTI(cuptiProfilerHostEvaluateToGpuValues, p);
    std::map<std::string, double> by_name;
    for (std::size_t i = 0; i < values.size(); ++i) by_name[names_[i]] = values[i];
    return by_name;
  }

 private:
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> names_, lacking_;
  std::vector<const char*> metrics_;  // names_ as CUPTI takes them
};

// The half that counts, in the current context, while it lives.
class Target {
 public:
  Target() {
    WB_PARAMS(Profiler_Initialize, all);
    WB_CUPTI(cuptiProfilerInitialize, all);
    WB_PARAMS(RangeProfiler_Enable, p);
    int (*const current)(CUcontext*) = Found{driver_function("cuCtxGetCurrent")};
    if (current) current(&p.ctx);
    WB_CUPTI(cuptiRangeProfilerEnable, p);
    object_ = p.pRangeProfilerObject;
  }
  Target(const Target&) = delete;
  ~Target() {
    WB_PARAMS(RangeProfiler_Disable, p);
    p.pRangeProfilerObject = object_;
    try {
      WB_CUPTI(cuptiRangeProfilerDisable, p);
    } catch (const Unsupported&) {  // there is nobody to tell
    }
  }

  std::vector<std::uint8_t> count(std::vector<const char*>& metrics,
                                  const std::vector<std::uint8_t>& plan,
                                  const std::function<void()>& prepare,
                                  const std::function<void()>& launch) {
    WB_PARAMS(RangeProfiler_GetCounterDataSize, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = metrics.data();
    size.numMetrics = metrics.size();
    size.maxNumOfRanges = size.maxNumRangeTreeNodes = 1;
    WB_CUPTI(cuptiRangeProfilerGetCounterDataSize, size);
    std::vector<std::uint8_t> counted(size.counterDataSize);
    WB_PARAMS(RangeProfiler_CounterDataImage_Initialize, image);
    image.pRangeProfilerObject = object_;
    image.pCounterData = counted.data();
    image.counterDataSize = counted.size();
    WB_CUPTI(cuptiRangeProfilerCounterDataImageInitialize, image);
    WB_PARAMS(RangeProfiler_SetConfig, set);
    set.pRangeProfilerObject = object_;
    set.pConfig = plan.data();
    set.configSize = plan.size();
    set.pCounterDataImage = counted.data();
    set.counterDataImageSize = counted.size();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = set.minNestingLevel = 1;
    WB_CUPTI(cuptiRangeProfilerSetConfig, set);

    constexpr int kMostPasses = 100;
    bool done = false;
    for (int pass = 0; !done; ++pass) {
      if (pass == kMostPasses) throw Unsupported("CUPTI asks for ever more passes");
      prepare();
      done = one_pass(launch);
    }
    WB_PARAMS(RangeProfiler_DecodeData, decode);
    decode.pRangeProfilerObject = object_;
    WB_CUPTI(cuptiRangeProfilerDecodeData, decode);
    if (decode.numOfRangeDropped > 0) throw Unsupported("CUPTI dropped what it counted");
    return counted;
  }

 private:
  // Whether it was the last one.
  bool one_pass(const std::function<void()>& launch) {
    WB_PARAMS(RangeProfiler_Start, start);
    WB_PARAMS(RangeProfiler_PushRange, push);
    WB_PARAMS(RangeProfiler_PopRange, pop);
    WB_PARAMS(RangeProfiler_Stop, stop);
    start.pRangeProfilerObject = push.pRangeProfilerObject = object_;
    pop.pRangeProfilerObject = stop.pRangeProfilerObject = object_;
    push.pRangeName = "launch";
    WB_CUPTI(cuptiRangeProfilerStart, start);
    WB_CUPTI(cuptiRangeProfilerPushRange, push);
    launch();
    WB_CUPTI(cuptiRangeProfilerPopRange, pop);
    WB_CUPTI(cuptiRangeProfilerStop, stop);
    return stop.isAllPassSubmitted != 0;
  }

  CUpti_RangeProfiler_Object* object_ = nullptr;
};

std::string chip_name() {
  int device = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_PARAMS(Device_GetChipName, p);
  p.deviceIndex = static_cast<std::size_t>(device);
  WB_CUPTI(cuptiDeviceGetChipName, p);
  return p.pChipName;
}

}  // namespace

HardwareCounts count_on_gpu(const std::function<void()>& prepare,
                            const std::function<void()>& launch) {
  try {
    Target target;  // first: it says whether we may
    static Host host(chip_name());
    static const std::vector<std::uint8_t> plan = host.plan();
    return counts_of_metrics(host.values(target.count(host.metrics(), plan, prepare, launch)));
  } catch (const Unsupported& why) {
    return {.missing = why.what()};
  }
}

std::vector<std::string> lacking_metrics(const std::string& chip) { return Host(chip).lacking(); }

#else
HardwareCounts count_on_gpu(const std::function<void()>&, const std::function<void()>&) {
  return {.missing = "counters take CUPTI of CUDA 12.6 or later, and this build has an older one"};
}
std::vector<std::string> lacking_metrics(const std::string&) {
  throw Unsupported("built without CUPTI's range profiler");
}
#endif

}  // namespace wb
