// Host memory between pages that nobody may touch, and how much of it there is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace wb {

// To the next multiple, of one at least.
inline std::size_t rounded_up(std::size_t bytes, std::size_t to) {
  return std::max<std::size_t>(1, (bytes + to - 1) / to) * to;
}

// Aligned to 256 bytes. The pages behind begin where `bytes`, rounded up to 256, end; who touches
// them or those before ends the program with SIGSEGV. Throws std::bad_alloc.
void* fenced_memory(std::size_t bytes);
void release_fenced_memory(void* data) noexcept;  // of all three functions

// The same in a file in memory, which a program hands on to those that it starts as their file 3.
// There attach_fenced_memory() finds it again: `place` is what place_of() says of it here.
int shared_file();  // nobody can make it shorter. Throws std::bad_alloc
void* shared_fenced_memory(std::size_t bytes);
std::string place_of(void* shared);
void* attach_fenced_memory(const std::string& place, std::size_t bytes);

// How people call what lies there; for memory of other kinds this does nothing.
void name_memory(void* data, const std::string& name);

// From now on who touches those pages is told so on stderr, in one line, before the program ends.
void explain_faults();

// Bytes of this machine's memory that this process may still take: the groups that it is in (a
// container, a job of Slurm) may have less left than the machine. `root`: where /proc and /sys are.
std::size_t free_memory(const std::string& root = "");

}  // namespace wb
