#include "machine_code/loops.h"

#include <algorithm>
#include <tuple>

#include "base/pattern.h"

namespace wb::machine_code {

namespace {

struct Rule {
  const char* name;  // a pattern of the instruction's
  Kind kind;
  int width;  // where the name says none
};
// The first that fits counts.
constexpr Rule kSass[] = {{"^[FDH]FMA", Kind::fma, 32},
                          {"^[A-Z0-9]*MMA\\b", Kind::tensor, 0},
                          {"^LDGSTS", Kind::copy, 32},
                          {"^(UTMALDG|UBLKCP)", Kind::copy, 0},
                          {"^LDG?\\b.*STRONG", Kind::flag, 0},
                          {"^LDG?\\b", Kind::load, 32},
                          {"^STG?\\b", Kind::store, 32},
                          {"^UTMASTG", Kind::store, 0},
                          {"^LDSM?\\b", Kind::shared_load, 32},
                          {"^STSM?\\b", Kind::shared_store, 32},
                          {"^LDL\\b", Kind::stack_load, 32},
                          {"^STL\\b", Kind::stack_store, 32},
                          {"^(ATOM|RED\\b|REDG|UTMAREDG)", Kind::atomic, 0},
                          {"^(BAR|SYNCS|UCGABAR)", Kind::barrier, 0}};

// "LDG.E.128", "LDS.U8", "LDSM.16.M88.4": four tiles, of each a register for a thread.
int sass_width(const std::string& name, int otherwise) {
  if (name.starts_with("DFMA")) return 64;
  const auto tiles = find_pattern(name, "M88\\.(\\d)");
  if (!tiles.empty()) return 32 * std::stoi(tiles[1]);
  const auto bits = find_pattern(name, "\\.[US]?(8|16|64|128|256)\\b(?!.*M88)");
  return bits.empty() ? otherwise : std::stoi(bits[1]);
}

Tally sass(const Instruction& instruction) {
  const std::string& name = instruction.name;
  // HFMA2 with zeros is how a constant is set.
  if (name.starts_with("HFMA2") && instruction.text.find("-RZ, RZ") != std::string::npos) return {};
  static std::map<std::string, Tally> known;  // a kernel has thousands of few names
  const auto [at, is_new] = known.try_emplace(name);
  if (is_new)
    for (const Rule& rule : kSass)
      if (!find_pattern(name, rule.name).empty()) {
        at->second = {{rule.kind, {{rule.width ? sass_width(name, rule.width) : 0, 1}}}};
        break;
      }
  return at->second;
}

// Of "ZMMWORD PTR [rax]", or of an instruction on registers.
int x86_width(const std::string& text) {
  constexpr std::pair<const char*, int> widths[] = {
      {"^ZMM|zmm", 512}, {"^YMM|ymm", 256}, {"^XMM|xmm", 128}, {"^Q", 64}, {"^D", 32}, {"^W", 16}};
  for (const auto& [pattern, bits] : widths)
    if (!find_pattern(text, pattern).empty()) return bits;
  return 8;
}

Tally x86(const Instruction& instruction) {
  const std::string& name = instruction.name;
  const std::string operands = instruction.text.substr(instruction.text.find(name) + name.size());
  const auto is = [&](const char* pattern) { return !find_pattern(name, pattern).empty(); };
  Tally tally;
  if (is("^vfn?m(add|sub)"))
    tally[Kind::fma][is("ss$") ? 32 : is("sd$") ? 64 : x86_width(operands)] = 1;
  if (is("^(tdp|vdpbf16|vpdp)")) tally[Kind::tensor][0] = 1;
  const auto memory = find_pattern(operands, "(\\w+) (PTR|BCST) (\\w\\w:)?\\[(rsp|rbp-)?");
  if (memory.empty() || is("^(lea|nop|prefetch)")) return tally;
  const int width = x86_width(memory[1]);
  if (instruction.text.starts_with("lock") || name == "xchg") return {{Kind::atomic, {{width, 1}}}};
  // Most instructions write their first operand, and few of these do not read it.
  const bool writes = operands.find('[') < operands.find(',') &&
                      !is("^(cmp|test|bt$|v?u?comis|call|jmp|push|i?mul|i?div)");
  const bool stack = !memory[4].empty();
  if (writes) tally[stack ? Kind::stack_store : Kind::store][width] = 1;
  if (!writes || !is("^(v?p?mov|v?p?extr|vp?compress|vp?scatter|set|v?st)"))
    tally[stack ? Kind::stack_load : Kind::load][width] = 1;
  return tally;
}

double work(const Tally& tally) {
  constexpr double kTiles = 1024, kOther = 0.25;  // bytes that one instruction stands for
  double bytes = 0;
  for (const auto& [kind, widths] : tally)
    for (const auto& [width, n] : widths) {
      const bool loads = kind == Kind::fma || kind == Kind::load || kind == Kind::shared_load ||
                         kind == Kind::copy;
      const bool waits = kind == Kind::flag || kind == Kind::barrier;
      const bool tiles = kind == Kind::tensor || (loads && width == 0);
      bytes += n * (waits ? 0 : tiles ? kTiles : loads ? width / 8.0 : kOther);
    }
  return bytes;
}

// Texts and memory are a host's business, which no loop of a variant waits for.
bool calls_library(const Instruction& instruction) {
  return instruction.text.starts_with("call std::") ||
         instruction.text.starts_with("call operator ");
}

// Whether an instruction can be followed by the next one.
bool goes_on(const Instruction& instruction) {
  const std::string& name = instruction.name;
  if (name == "jmp" || name == "ret") return false;
  const bool always = instruction.text.starts_with(name) &&
                      instruction.text.find(',') == std::string::npos;  // it has no condition
  return !(always && (name == "EXIT" || name.starts_with("BRA")));
}

// Whether an instruction is reached from the first without another one.
bool is_reached(const Function& function, std::size_t goal, std::size_t without) {
  std::vector<bool> seen(function.code.size());
  std::vector<std::size_t> next{0};
  while (!next.empty()) {
    const std::size_t at = next.back();
    next.pop_back();
    if (at >= seen.size() || at == without || seen[at]) continue;
    seen[at] = true;
    if (goes_on(function.code[at])) next.push_back(at + 1);
    if (function.code[at].jump) next.push_back(*function.code[at].jump);
  }
  return seen[goal];
}

}  // namespace

std::vector<Range> loops_of(const Function& function) {
  std::map<std::size_t, std::size_t> last;  // of a loop that begins there
  for (std::size_t i = 0; i < function.code.size(); ++i)
    if (const auto to = function.code[i].jump; to && *to <= i && !is_reached(function, i, *to))
      last[*to] = i;
  std::vector<Range> loops;
  for (const auto& [first, end] : last) loops.push_back({first, end});
  return loops;
}

Tally tally(Form form, const Function& function, const Range& range,
            const std::vector<Range>& without) {
  Tally sum;
  for (std::size_t i = range.first; i <= range.last; ++i) {
    if (std::ranges::any_of(without, [i](auto& r) { return r.holds({i, i}); })) continue;
    const Instruction& instruction = function.code[i];
    for (const auto& [kind, widths] : form == Form::x86 ? x86(instruction) : sass(instruction))
      for (const auto& [width, n] : widths) sum[kind][width] += n;
  }
  return sum;
}

Hottest hottest(Form form, const std::vector<Function>& functions,
                const std::function<bool(const Instruction&)>& own) {
  Hottest best;
  std::tuple<int, double> most{};
  for (const Function& function : functions) {
    const std::vector<Range> loops = loops_of(function);
    const auto look_at = [&](const Range& range, bool is_loop) {
      constexpr double kRounds = 8;  // of an inner loop, for one of the outer
      std::vector<Range> inner;
      double rounds = 1;
      for (const Range& other : loops)
        if (is_loop && range.holds(other) && !other.holds(range))
          inner.push_back(other);
        else if (other.holds(range) && !range.holds(other))
          rounds *= kRounds;
      const auto begin = function.code.begin() + static_cast<std::ptrdiff_t>(range.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(range.size());
      const double bytes = work(tally(form, function, range, inner));
      if (is_loop && (bytes == 0 || std::any_of(begin, end, calls_library))) return;
      const bool is_own = std::any_of(begin, end, own);
      const std::tuple now{2 * (is_own && is_loop) + (is_own || is_loop),
                           rounds * bytes * bytes / static_cast<double>(range.size())};
      if (best.function && now <= most) return;
      most = now;
      best = {&function, is_loop ? std::optional(range) : std::nullopt};
    };
    look_at({0, function.code.size() - 1}, false);
    for (const Range& loop : loops) look_at(loop, true);
  }
  return best;
}

}  // namespace wb::machine_code
