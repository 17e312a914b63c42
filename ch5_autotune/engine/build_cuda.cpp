// Candidates in CUDA: NVRTC compiles them for the GPU that is here. The documentation of its
// options: docs.nvidia.com/cuda/nvrtc.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <fstream>
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

// The figure in front of `words`, of the kernel that has most: "Used 168 registers".
int most(const std::string& log, const std::string& words) {
  int found = 0;
  for (std::size_t at = log.find(words); at != std::string::npos; at = log.find(words, at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(log[begin - 1]))) --begin;
    if (begin < at) found = std::max(found, std::stoi(log.substr(begin, at - begin)));
  }
  return found;
}

std::string first_error(const std::string& log) {
  const std::size_t error = log.find("error");
  if (error == std::string::npos) return log.substr(0, log.find('\n'));
  const std::size_t begin = log.rfind('\n', error) + 1;  // npos + 1 is 0
  return log.substr(begin, log.find('\n', error) - begin);
}

}  // namespace

Resources compile_cuda(const std::string& source, const std::vector<std::string>& options,
                       const Limits& limits, const std::string& object) {
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, wb::read_file(source).c_str(), source.c_str(), 0, nullptr,
                           nullptr));
  const std::unique_ptr<nvrtcProgram, void (*)(nvrtcProgram*)> owner(
      &program, [](nvrtcProgram* p) { nvrtcDestroyProgram(p); });
  std::vector<std::string> all = options;
  // What only one generation has (wgmma) is in its own variant of the architecture.
  all.push_back(
      fmt::format("--gpu-architecture=sm_{}{}", limits.compute, limits.compute >= 90 ? "a" : ""));
  for (const char* folder : {WB_CUDA_INCLUDES}) all.push_back(std::string("-I") + folder);
  all.push_back("-I" + source.substr(0, source.rfind('/')));
  all.push_back("--ptxas-options=-v");
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor));
  if (major >= 13) all.push_back("--no-cache");  // which has no assembler that says registers
  std::vector<const char*> pointers;
  for (const std::string& option : all) pointers.push_back(option.c_str());
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
  return {.registers = most(log, " registers"), .spilled = most(log, " bytes spill stores")};
}

Limits cuda_limits() {
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(status));
  const auto ask = [&](cudaDeviceAttr attribute) {
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
  };
  Limits limits;
  limits.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
  limits.shared_bytes = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits.shared_bytes_all = ask(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  limits.registers = ask(cudaDevAttrMaxRegistersPerMultiprocessor);
  limits.threads = ask(cudaDevAttrMaxThreadsPerMultiProcessor);
  limits.compute =
      10 * ask(cudaDevAttrComputeCapabilityMajor) + ask(cudaDevAttrComputeCapabilityMinor);
  limits.l2_bytes = ask(cudaDevAttrL2CacheSize);
  return limits;
}

}  // namespace tune
