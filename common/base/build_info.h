// What CMake knew when it configured this build.
#pragma once

namespace wb {

const char* source_folder();     // the checkout
const char* workbook_version();  // "0.1.0"

}  // namespace wb
