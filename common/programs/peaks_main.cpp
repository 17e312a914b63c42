// Measures what this machine can do and keeps it in the user's cache folder.
#include <cstdio>
#include <filesystem>
#include <span>

#include "base/clock.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/output.h"
#include "device/backends.h"
#include "programs/threads.h"
#include "report/table.h"

namespace {

using namespace wb;

constexpr const char* kHelp =
    "Measures memory, cache, arithmetic and link ceilings.\n"
    "  --backend=NAME   auto takes the GPU where one answers\n"
    "  --force   measure again even when there are figures, and print them\n"
    "  --again   measure again, and keep what is better of old and new\n"
    "  --known   say what is known, one line per backend, and measure nothing\n"
    "Exit codes: 0, 2 usage, 3 no device, 5 no place to keep them";

enum class Mode { missing, again, force };

void measure(Backend& backend, Mode mode) {
  const DeviceId device = backend.device();
  const auto known = mode == Mode::force ? std::nullopt : load_ceilings(device);
  if (known && mode == Mode::missing) return;
  const std::string file = ceilings_path(device);
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
  try {
    check_writable(file);  // fails now rather than after a minute
  } catch (const std::exception& e) {
    throw Failure(5, std::string(e.what()) + "; XDG_CACHE_HOME names another folder");
  }
  std::fprintf(stderr, "measuring the ceilings of %s ...\n", device.name.c_str());
  Ceilings ceilings = backend_info(backend.name()).measure_ceilings(backend);
  ceilings.device = device;
  ceilings.date = today();
  if (known) {
    Ceilings better = *known;
    std::string raised;
    for (const std::string& key : better.raise(ceilings))
      raised += (raised.empty() ? "" : ", ") + key + " " +
                report::format_ceiling(key, known->get(key)) + " -> " +
                report::format_ceiling(key, better.get(key));
    tell("ceilings of {} measured again: {}", device.name,
         raised.empty() ? "none is higher" : raised);
    ceilings.values = better.values;
  }
  save_ceilings(ceilings);
  if (mode == Mode::force)
    put(report::as_text(report::ceilings_report(ceilings), report::Style::text));
}

void say_what_is_known(const BackendInfo& info) {
  std::string found = "not measured yet";
  try {
    if (const auto ceilings = load_ceilings(info.open()->device()))
      found = "measured on " + ceilings->date;
  } catch (const std::exception& e) {
    found = e.what();
  }
  std::printf("%s: %s\n", info.name, found.c_str());
}

// Of the backend that is named, or of all that answer.
void measure_all(const std::string& wanted, Mode mode) {
  if (wanted != "auto") return measure(*open_backend(wanted), mode);
  for (const BackendInfo& info : backends()) {
    std::unique_ptr<Backend> backend;
    try {
      backend = info.open();
    } catch (const std::exception& e) {
      if (!info.traits.accelerator) throw;
      std::fprintf(stderr, "no ceilings of a GPU: %s\n", e.what());
    }
    if (backend) measure(*backend, mode);
  }
}

int run(std::span<char*> arguments) {
  std::string backend = "auto";
  Mode mode = Mode::missing;
  bool known = false;
  for (const std::string argument : arguments) {
    if (argument == "--help") return std::puts(kHelp), 0;
    if (argument.starts_with("--backend="))
      backend = argument.substr(argument.find('=') + 1);
    else if (argument == "--force" || argument == "--again")
      mode = argument == "--force" ? Mode::force : Mode::again;
    else if (argument == "--known")
      known = true;
    else
      throw Failure(2, "unknown argument " + argument + "; see --help");
  }
  if (!known) return measure_all(backend, mode), 0;
  for (const BackendInfo& info : backends()) say_what_is_known(info);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  let_threads_spin_briefly(argv);
  open_output();
  try {
    return close_output(run(std::span(argv, argc).subspan(1)));
  } catch (const std::exception& e) {
    tell("peaks: {}", one_line(e, 800));
    return close_output(exit_code(e, 3));
  }
}
