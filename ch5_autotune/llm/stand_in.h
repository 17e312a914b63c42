// A stand-in for a language model: rules, and no model. It reads the question (proposals.h) as a
// model would, as text, and answers in the same form. So tests and examples need no endpoint, and
// the same question with the same seed has the same answer on every machine.
#pragma once

#include <cstdint>
#include <string>

namespace tune {

// {"configurations": [...]}, as many as the question asks for, or fewer if it finds no others. All
// that it knows about the search is this text:
//   told no times     it draws each value by chance, those in the middle of a list more often
//   told times        it draws fast values more often
//   told refusals     it avoids what was refused, and what asks for more of the same resource
// That more stages take more shared memory, and the like, are rules of its own (kRules).
std::string stand_in(const std::string& question, std::uint64_t seed);

}  // namespace tune
