// What CMake knew when it configured this build.
#pragma once

#include <string>
#include <vector>

namespace wb {

// What the rest of the harness needs to know of a kind of device. It is said once, in
// cmake/wb_backends.cmake.
struct Traits {
  bool accelerator = false;  // beside the host: memory of its own behind a link, work in a queue
  bool small_cases = false;  // takes the cases that lessons have for a CPU
  bool untimed = false;      // its answers count and its times do not
  double steps = 0;          // that the tests of an exercise may take, see Backend; 0: any number
};
struct KnownBackend {
  std::string name, extension;  // the latter of the files of its variants
  Traits traits;
};

const char* source_folder();                 // the checkout
const char* workbook_version();              // "0.1.0"
std::vector<KnownBackend> known_backends();  // of the sources, in this build or not
std::vector<std::string> peer_names();       // the files of common/peer

}  // namespace wb
