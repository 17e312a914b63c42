#include "device/simt/lines.h"

#include <unistd.h>

#include <cstdio>
#include <map>

extern "C" char __executable_start, _end;  // by the linker

namespace simt {

std::string line_of(std::uint32_t place) {
  static std::map<std::uint32_t, std::string> known;
  if (const auto found = known.find(place); found != known.end()) return found->second;
  char command[160];
  std::snprintf(command, sizeof command, "addr2line -i -e /proc/%ld/exe %#lx 2> /dev/null",
                static_cast<long>(::getpid()), static_cast<unsigned long>(place) - 1);
  std::string best;
  if (FILE* pipe = ::popen(command, "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, pipe)) {
      std::string text = line;
      text.erase(text.find_last_not_of(" \n") + 1);
      text = text.substr(0, text.find(" (discriminator"));
      const bool ours = text.find("/simt/include/") == std::string::npos &&
                        text.find("/usr/") == std::string::npos && text[0] != '?';
      text = text.substr(text.rfind('/') + 1);
      if (best.empty() && ours) best = text;
    }
    ::pclose(pipe);
  }
  if (best.empty()) best = "a kernel";
  return known[place] = best;
}

bool in_program(const void* address) {
  const auto* at = static_cast<const char*>(address);
  return at >= &__executable_start && at < &_end;
}

}  // namespace simt
