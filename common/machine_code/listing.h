// Machine code as disassemblers list it: functions, their instructions, and the source line that
// each instruction was made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wb::machine_code {

struct SourceLine {
  std::string file;  // as the compiler was told, without "/../"
  int number = 0;
  std::string function{};  // as the linker calls it, where the listing says it
  bool operator==(const SourceLine&) const = default;
};

struct Instruction {
  std::string text{};                 // "@!P0 LDG.E.128 R4, desc[UR4][R2.64]"
  std::string name{};                 // "LDG.E.128"
  std::vector<SourceLine> lines{};    // where it comes from; then where that was inlined, and so on
  std::optional<std::size_t> jump{};  // the instruction of its function that it may go on with
};

struct Function {
  std::string symbol{};  // as the linker calls it
  std::string name{};    // for people: "multiply<4>"
  std::vector<Instruction> code{};
};

// How a listing is written. Its readers throw std::runtime_error, a line, for one that holds no
// function, and for one that ends in the middle of a function.
enum class Form { sass, x86 };
std::vector<Function> read_sass(const std::string& text);  // of `nvdisasm -gi -c`
std::vector<Function> read_ptx(const std::string& text);   // of `nvcc -ptx -lineinfo`: its lines
// Of `objdump -d -r -l --inlines -M intel --no-show-raw-insn`.
std::vector<Function> read_x86(const std::string& text);

// "multiply<4>" of "void (anonymous namespace)::multiply<4>(long, float const*)", which a linker
// calls "_ZN12_GLOBAL__N_18multiplyILi4EEEvlPKf".
std::string short_name(const std::string& symbol);

// The registers of a thread, and bytes in memory, as `cuobjdump -res-usage` tells of a function.
struct Usage {
  int registers = 0;
  int stack = 0;   // of a thread: arrays, and variables that have no register
  int shared = 0;  // of a block, as far as the compiler knows it
};
std::optional<Usage> read_usage(const std::string& text, const std::string& symbol);

}  // namespace wb::machine_code
