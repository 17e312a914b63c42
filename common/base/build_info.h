// What CMake knew when it configured this build.
#pragma once

#include <string>
#include <vector>

namespace wb {

const char* source_folder();               // the checkout
const char* workbook_version();            // "0.1.0"
std::vector<std::string> backend_names();  // that the sources know, in this build or not
std::vector<std::string> peer_names();     // the files of common/peer

}  // namespace wb
