#include "judged/new_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wb::judged {

namespace {

// What a change touches, with its value elsewhere: so far away, from 0 to 2, in a ring.
std::vector<Answers::Element> draw_again(const Answers& answers, const Answers::InputChange& change,
                                         double away) {
  const Redraw other(change.draw, away);
  std::vector<Answers::Element> elements;
  for (const Answers::Element& e : change.inputs)
    elements.push_back(answers.draw(e.array, e.index, answers.seed()));
  return elements;
}

}  // namespace

void draw_new_inputs(const Answers& answers, bool whole, std::mt19937_64& random,
                     NewInputs& drawn) {
  constexpr std::size_t kMost = 64;  // elements that a single value may touch
  const std::vector<Answers::Array>& arrays = answers.arrays();
  const auto below = [&](auto end) {
    return static_cast<i64>(random() % static_cast<std::uint64_t>(end));
  };
  drawn.whole = false;
  drawn.elements.clear();
  const std::uint64_t seed = random();
  std::vector<std::size_t> inputs, loose;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].spec.role == Role::out || arrays[i].bytes == 0) continue;
    inputs.push_back(i);
    if (!arrays[i].spec.fill) loose.push_back(i);
  }
  if (inputs.empty()) return;
  if (!whole) {
    std::vector<const Answers::InputChange*> changes;
    for (const Answers::InputChange& change : answers.changes())
      if (arrays[change.inputs[0].array].spec.fill && change.inputs.size() <= kMost)
        changes.push_back(&change);
    if (loose.empty() && changes.empty()) return;
    if (const i64 chosen = below(loose.size() + changes.size()); chosen < std::ssize(changes)) {
      drawn.elements = draw_again(answers, *changes[chosen], std::ldexp(below(1 << 24) + 0.5, -23));
    } else {
      const std::size_t i = loose[chosen - changes.size()];
      drawn.elements = {answers.draw(i, below(arrays[i].spec.count), seed)};
    }
    return;
  }
  drawn.whole = true;
  drawn.contents.resize(arrays.size());
  for (const std::size_t i : inputs) {
    drawn.contents[i].resize(arrays[i].bytes);
    answers.draw(i, seed, drawn.contents[i].data());
  }
  const std::size_t i = inputs[below(inputs.size())], size = arrays[i].spec.element_size;
  Answers::Element last = answers.draw(i, below(arrays[i].spec.count), seed);
  std::memcpy(drawn.contents[i].data() + last.index * size, arrays[i].before(last.index), size);
  drawn.elements = {last};
}

}  // namespace wb::judged
