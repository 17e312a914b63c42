// NVIDIA's machine code, as nvdisasm lists it:
//
//   .text._Z6kernelPf:
//           //## File "/a/b.h", line 13 inlined at "/a/c.h", line 20
//           //## File "/a/c.h", line 20
//           /*00c0*/              @!P2 BRA `(.L_x_0) ;
//   .L_x_0:
#include <sstream>
#include <utility>

#include "base/pattern.h"
#include "machine_code/reader.h"

namespace wb::machine_code {

namespace {

// Behind the last instruction stand a jump to itself, where nothing comes, and NOPs.
void drop_padding(Function& function) {
  std::vector<Instruction>& code = function.code;
  while (!code.empty() && code.back().name == "NOP") code.pop_back();
  if (!code.empty() && code.back().jump == code.size() - 1) code.pop_back();
}

}  // namespace

std::vector<Function> read_sass(const std::string& text) {
  Reader reader;
  std::vector<SourceLine> lines;
  bool complete = false;  // `lines` belong to an instruction that has come
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    const std::size_t begin = line.find("/*"), close = line.find("*/"), semicolon = line.find(';');
    if (line.starts_with(".text.") && line.ends_with(":")) {
      reader.begin(line.substr(6, line.size() - 7));
      lines.clear();
    } else if (line.starts_with(".") && line.ends_with(":")) {
      reader.label(line.substr(0, line.size() - 1));
    } else if (line.find("//## File ") != std::string::npos) {
      if (std::exchange(complete, false)) lines.clear();
      const auto found = find_pattern(line, "File \"([^\"]*)\", line (\\d+)");
      if (!found.empty()) lines.push_back(source_line(found[1], found[2]));
    } else if (begin < close && close < semicolon && semicolon != std::string::npos) {
      Instruction instruction{.lines = lines};
      std::string target;
      std::istringstream words(line.substr(close + 2, semicolon - close - 2));
      for (std::string word; words >> word;) {
        if (word.starts_with("`(")) word = target = word.substr(2, word.find(')') - 2);
        if (instruction.name.empty() && word[0] != '@') instruction.name = word;
        instruction.text += (instruction.text.empty() ? "" : " ") + word;
      }
      const bool jumps = instruction.name.starts_with("BRA") || instruction.name == "JMP";
      reader.add(std::move(instruction), jumps ? target : "");
      complete = true;
    }
  }
  std::vector<Function> functions = reader.done();
  for (Function& function : functions) drop_padding(function);
  return functions;
}

}  // namespace wb::machine_code
