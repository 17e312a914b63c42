// The other end of remote.h: a lesson program that runs its variants as it is told.
#pragma once

#include <string>

#include "wb/variant.h"

namespace wb::judged {

// How an array that bind() asks for is known on both sides.
std::string describe(const ArraySpec& spec);

// Answers requests on standard input, a socket, until it is closed; what variants print and read
// does not get there. A GPU waits `hold` seconds before a launch whose answers count, so that what
// comes from another stream is lost (see Trial::verify). Returns the exit code.
int serve(const Registry& registry, const std::string& backend, double hold = 0.02);

}  // namespace wb::judged
