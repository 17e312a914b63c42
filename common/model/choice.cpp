#include "model/choice.h"

namespace wb {

std::vector<std::string> arguments(const Choice& choice) {
  const Choice usual;
  std::vector<std::string> words = {"--backend=" + choice.backend};
  for (const std::string& axis : choice.axes) words.push_back("--axis=" + axis);
  const auto add = [&](const char* flag, const std::string& value, const std::string& same) {
    if (value != same) words.push_back(flag + value);
  };
  add("--cache=", choice.cache, usual.cache);
  add("--seed=", std::to_string(choice.seed), std::to_string(usual.seed));
  add("--unlisted=", std::to_string(choice.unlisted), "0");
  add("--sweep=", choice.sweep, "");
  add("--peer=", choice.peer, "");
  if (choice.fast) words.push_back("--fast");
  if (choice.survey) words.push_back("--survey");
  if (choice.first) words.push_back("--first");
  if (choice.counters) words.push_back("--counters");
  if (choice.allow_suspect) words.push_back("--allow-suspect");
  add("--variant=", choice.variant, "");
  return words;
}

}  // namespace wb
