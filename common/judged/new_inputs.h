// Inputs that no launch has had before, for exercises: one that keeps its answers, or the inputs
// too, to compute again only what has changed, gains nothing by it and is seen to do so. Only after
// a launch, one of some that are chosen in secret, is the reference asked what was right.
#pragma once

#include "measure/versions.h"

namespace wb::judged {

// Not `whole`: one value is drawn again, with all that a Fill makes of it; none where there is no
// input, or each depends on thousands of values.
void draw_new_inputs(const Answers& answers, bool whole, std::mt19937_64& random, NewInputs& drawn);

}  // namespace wb::judged
