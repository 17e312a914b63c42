#include "build.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "base/build_info.h"
#include "base/process.h"

namespace tune {

#ifndef WB_WITH_CUDA
void compile_cuda(const std::string&, std::vector<std::string>, const Limits&, const std::string&) {
  throw std::runtime_error("this build has no CUDA");
}
Limits cuda_limits() { throw std::runtime_error("this build has no CUDA"); }
#endif

Limits limits_of(const std::string& backend) {
  const std::vector<wb::KnownBackend> all = wb::known_backends();
  const auto known =
      std::ranges::find_if(all, [&](const wb::KnownBackend& b) { return b.name == backend; });
  if (known == all.end() || known->traits.untimed)
    throw std::invalid_argument(fmt::format("nothing is tuned for the backend '{}'", backend));
  if (known->traits.accelerator) return cuda_limits();
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  Limits limits{.cores = static_cast<int>(std::thread::hardware_concurrency()),
                .vector_bytes = 16,
                .l2_bytes = bytes > 0 ? static_cast<double>(bytes) : 512 << 10};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx")) limits.vector_bytes = 32;
  if (__builtin_cpu_supports("avx512f")) limits.vector_bytes = 64;
#endif
  return limits;
}

std::string first_error(const std::string& said) {
  const std::size_t error = said.find("error"), end = said.find('\n', error + 1);
  const std::size_t begin = error == said.npos ? 0 : said.rfind('\n', error) + 1;  // npos + 1 is 0
  return said.substr(begin, end - begin);
}

void compile(const std::string& source, const std::string& macros, const Limits& limits,
             const std::string& object) {
  const std::string checkout = wb::source_folder(), path = checkout + "/" + source;
  std::vector<std::string> options = {"-std=c++20", "-I" + checkout + "/common/include"};
  for (const std::string& macro : wb::split_words(macros)) options.push_back("-D" + macro);
  if (source.ends_with(".cu")) return compile_cuda(path, options, limits, object);
  std::vector<std::string> command = wb::split_words(WB_COMPILER " -shared -fPIC");
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {path, "-o", object});
  const wb::Outcome outcome = wb::run_process(command, kCompileLimit);
  if (!outcome.fine())
    throw std::runtime_error(outcome.timed_out
                                 ? fmt::format("not compiled within {:g} s", kCompileLimit)
                                 : first_error(outcome.errors));
}

}  // namespace tune
