// A search in sentences and tables.
#pragma once

#include <optional>

#include "../engine/journal.h"
#include "report/document.h"

namespace tune {

// The winner, the ties, the failures, and when the search has paid for itself.
wb::report::Document found(const Journal& journal, const Space& space,
                           const std::optional<Winner>& winner);

// The choices: for each parameter its values, the default among them, and its meaning.
wb::report::Sentences parameters(const Space& space);

// Every trial: when, what, how fast; what is wrong with one that has no time.
wb::report::Table trials(const Journal& journal, const Space& space);

}  // namespace tune
