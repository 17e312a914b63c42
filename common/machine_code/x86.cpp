// Machine code of x86-64, as objdump lists it:
//
//   0000000000000000 <_Z3addPf>:
//   _ZN1A3oneEf():
//   /a/b.h:26 (discriminator 2)
//   inlined by /a/b.cpp:62 (_Z3addPf)
//         23:	jle    6b0 <_Z3addPf+0x6b0>
//   			24: R_X86_64_PLT32	memset-0x4
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/pattern.h"
#include "machine_code/reader.h"

namespace wb::machine_code {

namespace {

struct Lines {
  std::vector<SourceLine> all;
  std::string function;   // of the first
  bool complete = false;  // they belong to an instruction that has come

  // Where only the inlining has changed, the first stays.
  bool take(const std::string& line) {
    const auto inlined = find_pattern(line, "^inlined by (.*):(\\d+) .*\\((.*)\\)$");
    const auto plain = inlined.empty() ? find_pattern(line, "^(/?[^ ].*):(\\d+)( .discr.*)?$")
                                       : std::vector<std::string>{};
    if (inlined.empty() && plain.empty()) return false;
    if (std::exchange(complete, false)) all.resize(plain.empty() && !all.empty() ? 1 : 0);
    all.push_back(plain.empty() ? source_line(inlined[1], inlined[2], inlined[3])
                                : source_line(plain[1], plain[2], function));
    return true;
  }
};

}  // namespace

std::vector<Function> read_x86(const std::string& text) {
  if (text.find("file format elf64-x86-64") == std::string::npos)
    throw std::runtime_error("asm reads the machine code of x86-64 alone, and this is another's");
  Reader reader;
  Lines lines;
  std::string symbol;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    const std::size_t tab = line.find(":\t");
    if (line.starts_with("\t\t\t")) {  // what the linker puts in
      const auto found = find_pattern(line, "R_X86_64_P\\w*32\t([^+-]*)");
      if (!found.empty()) reader.leads_to(found[1]);
    } else if (line.starts_with(" ") && tab != std::string::npos) {
      const std::string address =
          line.substr(line.find_first_not_of(' '), tab - line.find_first_not_of(' '));
      Instruction instruction{.lines = lines.all};
      std::istringstream words(line.substr(tab + 2, line.find('#') - tab - 2));
      for (std::string word; words >> word;) {
        const bool prefix = word == "rep" || word == "lock" || word == "notrack" || word == "bnd";
        if (instruction.name.empty() && !prefix) instruction.name = word;
        instruction.text += (instruction.text.empty() ? "" : " ") + word;
      }
      std::string target;
      const auto found =
          find_pattern(instruction.text, "^j\\w+ ([0-9a-f]+) <([^+>]*)(\\+0x[0-9a-f]+)?>$");
      if (!found.empty() && found[2] == symbol) {
        target = found[1];
        instruction.text = instruction.name + " " + target;
      }
      reader.label(address);
      reader.add(std::move(instruction), target);
      lines.complete = true;
    } else if (const auto found = find_pattern(line, "^[0-9a-f]+ <(.*)>:$"); !found.empty()) {
      symbol = found[1];
      lines = {};
      reader.begin(symbol);
    } else if (line.ends_with("():")) {
      lines.function = line.substr(0, line.size() - 3);
    } else {
      lines.take(line);
    }
  }
  return reader.done();
}

}  // namespace wb::machine_code
