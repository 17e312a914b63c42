// Host memory between pages that nobody may touch, and looking at memory and threads from outside.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "device/backend.h"

namespace wb {

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

// As Backend::pick(). The kernel reads them, so that pages whose contents somebody makes up when
// they are touched give an error: throws std::runtime_error.
void read_without_faults(std::span<const Place> places, std::byte* to, std::size_t stride);

// Bytes of this machine's memory that this process may still take: the groups that it is in (a
// container, a job of Slurm) may have less left than the machine. `root`: where /proc and /sys are.
std::size_t free_memory(const std::string& root = "");

// Of this process, beside the thread that asks.
int other_running_threads();     // which run, or wait for a core; 0 where nobody knows
double other_threads_seconds();  // for which cores have worked for them up to now

}  // namespace wb
