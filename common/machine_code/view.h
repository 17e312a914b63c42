// The machine code of a variant, or of two next to each other, as a page: what is counted, then the
// instructions next to their source lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine_code/loops.h"
#include "report/document.h"

namespace wb::machine_code {

struct Shown {
  std::string variant{};  // "optimized"
  std::string file{};     // of its source, as people call it, and what it is compiled for
  Form form = Form::sass;
  Function function{};  // without code where the variant has none of its own
  std::optional<Range> loop{};
  std::optional<Function> ptx{};  // is listed in the place of the above
  std::optional<Usage> usage{};
  std::vector<std::string> others{};  // names of the file's other functions
};

struct View {
  // The line that a reader knows among those of an instruction, and its text.
  std::function<SourceLine(const Instruction&)> line;
  std::function<std::string(const SourceLine&)> text;
  bool whole = false;  // all of the function; else its loop, where it has one
  bool every = false;  // instruction; else a long listing is summed up by source lines
};

// `width`: columns of a terminal, report::Style::kUnlimited for a page. Two stand side by side from
// 120 on.
report::Document document(const std::vector<Shown>& shown, const View& view, std::size_t width);

}  // namespace wb::machine_code
