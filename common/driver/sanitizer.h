// What compute-sanitizer, a tool of the CUDA Toolkit, says of an exercise whose test has failed.
#pragma once

#include <string>
#include <vector>

namespace wb::driver {

// The first finding of a report that is about a kernel, with the lines that belong to it:
// "Invalid __global__ read of size 4 bytes\n  at kernel(int *)+0x70 in /home/me/exercise.cu:31\n by
// thread (31,0,0) in block (0,0,0)\n ...". Empty without one.
std::string first_finding(const std::string& report);

// Runs `test`, a program and its arguments, under memcheck, and where that finds nothing and
// `shared` memory is used, under racecheck: a minute at most each. The first finding; empty where
// the tool finds nothing, takes longer or is not installed.
std::string sanitize(const std::vector<std::string>& launcher, const std::vector<std::string>& test,
                     bool shared);

}  // namespace wb::driver
