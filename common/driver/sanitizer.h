// What compute-sanitizer, a tool of the CUDA Toolkit, says of an exercise whose test has failed.
#pragma once

#include <string>
#include <vector>

namespace wb {

// The first finding of a report that names a line of a kernel, as one line of text:
// "exercise.cu:31: Invalid __global__ read of size 4 bytes by thread (31,0,0) in block (0,0,0), out
// of bounds"; "exercise.cu:13: Race reported between Write access and Read access at
// exercise.cu:14". Empty without one.
std::string first_finding(const std::string& report);

// Runs `test`, a program and its arguments, under memcheck, and where that finds nothing and
// `shared` memory is used, under racecheck: a minute at most each. The first finding; empty where
// the tool finds nothing, takes longer or is not installed.
std::string sanitize(const std::vector<std::string>& launcher, const std::vector<std::string>& test,
                     bool shared);

}  // namespace wb
