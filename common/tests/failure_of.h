// How what a test calls gives up.
#pragma once

#include <string>
#include <utility>

#include "base/failure.h"

namespace wb {

// The exit code and the line of the Failure that it throws; 0 and none where it throws no such.
template <class Call> std::pair<int, std::string> failure_of(Call call) {
  try {
    call();
  } catch (const Failure& e) {
    return {e.code, e.what()};
  }
  return {0, ""};
}

}  // namespace wb
