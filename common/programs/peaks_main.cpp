// Measures what this machine can do and keeps it in the user's cache folder.
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "device/backends.h"
#include "programs/threads.h"
#include "report/table.h"

namespace {

constexpr const char* kHelp =
    "Measures memory, cache, arithmetic and link ceilings.\n"
    "  --backend=auto|cpu|cuda\n"
    "  --force   measure again even when there are figures, and print them\n"
    "  --known   say what is known, a line a backend, and measure nothing\n"
    "Exit codes: 0, 2 usage, 3 no device, 5 no place to keep them";

void measure(wb::Backend& backend, bool force) {
  const wb::DeviceId device = backend.device();
  if (!force && wb::load_ceilings(device)) return;
  const std::string file = wb::ceilings_path(device);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  try {
    wb::check_writable(file);  // fails now rather than after a minute
  } catch (const std::exception& e) {
    throw wb::Failure(5, std::string(e.what()) + "; XDG_CACHE_HOME names another folder");
  }
  std::fprintf(stderr, "measuring the ceilings of %s ...\n", device.name.c_str());
  wb::Ceilings ceilings = wb::backend_info(backend.name()).measure_ceilings(backend);
  ceilings.device = device;
  ceilings.date = wb::today();
  wb::save_ceilings(ceilings);
  if (force) std::printf("%s\n", wb::ceilings_table(ceilings).c_str());
}

void say_what_is_known(const wb::BackendInfo& info) {
  std::string found = "not measured yet";
  try {
    if (const auto ceilings = wb::load_ceilings(info.open()->device()))
      found = "measured on " + ceilings->date;
  } catch (const std::exception& e) {
    found = e.what();
  }
  std::printf("%s: %s\n", info.name, found.c_str());
}

// Of the backend that is named, or of all that answer.
void measure_all(const std::string& wanted, bool force) {
  if (wanted != "auto") wb::backend_info(wanted);  // throws for one that is not here
  for (const wb::BackendInfo& info : wb::backends()) {
    if (wanted == info.name || (wanted == "auto" && !info.traits.accelerator)) {
      measure(*wb::open_backend(info.name), force);
    } else if (wanted == "auto") {
      std::unique_ptr<wb::Backend> backend;
      try {
        backend = info.open();
      } catch (const std::exception& e) {
        std::fprintf(stderr, "no ceilings of a GPU: %s\n", e.what());
      }
      if (backend) measure(*backend, force);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  wb::let_threads_spin_briefly(argv);
  std::string backend = "auto";
  bool force = false, known = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help") {
      std::puts(kHelp);
      return 0;
    }
    if (argument == "--force") {
      force = true;
    } else if (argument == "--known") {
      known = true;
    } else if (argument.starts_with("--backend=")) {
      backend = argument.substr(argument.find('=') + 1);
    } else {
      std::fprintf(stderr, "peaks: unknown argument %s; see --help\n", argv[i]);
      return 2;
    }
  }
  try {
    if (known)
      for (const wb::BackendInfo& info : wb::backends()) say_what_is_known(info);
    else
      measure_all(backend, force);
    return 0;
  } catch (const wb::Failure& e) {
    std::fprintf(stderr, "peaks: %s\n", e.what());
    return e.code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "peaks: %s\n", e.what());
    return 3;
  }
}
