// Candidates in CUDA: NVRTC compiles them for the GPU that is here. The documentation of its
// options: docs.nvidia.com/cuda/nvrtc.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <memory>
#include <stdexcept>

#include "base/files.h"
#include "build.h"

namespace tune {
namespace {

void check(nvrtcResult result) {
  if (result != NVRTC_SUCCESS)
    throw std::runtime_error(fmt::format("NVRTC: {}", nvrtcGetErrorString(result)));
}

}  // namespace

void compile_cuda(const std::string& source, std::vector<std::string> options, const Limits& limits,
                  const std::string& object) {
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, wb::read_file(source).c_str(), source.c_str(), 0, nullptr,
                           nullptr));
  const std::unique_ptr<nvrtcProgram, void (*)(nvrtcProgram*)> owner(
      &program, [](nvrtcProgram* p) { nvrtcDestroyProgram(p); });
  // What only one generation has (wgmma) is in its own variant of the architecture.
  options.push_back(
      fmt::format("--gpu-architecture=sm_{}{}", limits.compute, limits.compute >= 90 ? "a" : ""));
  for (const char* folder : {WB_CUDA_INCLUDES}) options.push_back(std::string("-I") + folder);
  options.push_back("-I" + source.substr(0, source.rfind('/')));
  options.push_back("--device-as-default-execution-space");
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const nvrtcResult result =
      nvrtcCompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
  std::size_t size = 0;
  check(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  check(nvrtcGetProgramLog(program, log.data()));
  if (result == NVRTC_ERROR_COMPILATION) throw std::runtime_error(first_error(log));
  check(result);
  check(nvrtcGetCUBINSize(program, &size));
  std::string cubin(size, '\0');
  check(nvrtcGetCUBIN(program, cubin.data()));
  wb::write_atomically(object, cubin);
}

Limits cuda_limits() {
  int device = 0;
  cudaDeviceProp is{};
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&is, device);
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
  return {.multiprocessors = is.multiProcessorCount,
          .shared_bytes = static_cast<int>(is.sharedMemPerBlockOptin),
          .shared_bytes_all = static_cast<int>(is.sharedMemPerMultiprocessor),
          .registers = is.regsPerMultiprocessor,
          .threads = is.maxThreadsPerMultiProcessor,
          .compute = 10 * is.major + is.minor,
          .l2_bytes = static_cast<double>(is.l2CacheSize)};
}

}  // namespace tune
