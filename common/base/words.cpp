#include "base/words.h"

#include "base/failure.h"

namespace wb {

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false;  // a word; it may be empty: ''
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < line.size()) c = line[++i];
      words.back() += c;
    }
  }
  if (quote) throw Failure(2, "no closing " + std::string(1, quote) + " in: " + line);
  return words;
}

}  // namespace wb
