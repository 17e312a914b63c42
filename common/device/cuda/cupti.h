// NVIDIA's library of traces and counters, which is opened at run time: without it all else works.
#pragma once

#include <string>

namespace wb {

// Null, and what to do in `missing`, where there is none.
void* cupti_library(std::string& missing);

// What a CUptiResult of a function means for who asked for a trace or for counters, and what to do.
std::string cupti_refusal(int status, const char* function);

}  // namespace wb
