// Where a place of this program is in its sources.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

extern "C" char __executable_start, _end;  // by the linker

namespace simt {

// A place is a number of bytes behind the begin of the program.
inline std::uint32_t place_of(const void* pc) {
  return static_cast<std::uint32_t>(static_cast<const char*>(pc) - &__executable_start);
}

// Of an instruction so many bytes behind the program's begin, or just in front of it, as a return
// address is: "optimized.cu:42". Of what was inlined there, the innermost file that is a lesson's.
std::string line_of(std::uint32_t place);
std::vector<std::string> lines_of(const std::vector<std::uint32_t>& places);

inline bool in_program(std::uintptr_t at) {  // with its constants and variables
  return at >= reinterpret_cast<std::uintptr_t>(&__executable_start) &&
         at < reinterpret_cast<std::uintptr_t>(&_end);
}

}  // namespace simt
