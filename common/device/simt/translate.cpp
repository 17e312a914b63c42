// translate < PREPROCESSED > C++: what g++ cannot read of CUDA C++ becomes calls of
// cuda_runtime.h.
//
//   kernel<T><<<grid, block, bytes, stream>>>(a, b)   simt::launch([=](auto... v) {
//   kernel<T>(v...); },
//                                                       simt::Config(grid, block, bytes, stream),
//                                                       a, b)
//   __shared__ float tile[32][33];           static struct { ... float tile[32][33]; ... }
//   simt_of_tile;
//                                            static auto& tile = simt_of_tile.tile;
//                                            simt::shared(tile);
//   extern __shared__ float dynamic[];       float* const dynamic = ...
//   threadIdx.x                              simt::thread_index().x
//   asm volatile("..." : "=r"(x) : "r"(y))   simt::ptx("...", {simt::out(x)}, {simt::in(y)})
//
// Lines stay where they are, so the compiler, and whoever asks for the line of an address, name
// those of the lesson. It knows tokens and brackets and no more of the grammar.
#include <cctype>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Tokens = std::vector<std::string>;

bool is_word(const std::string& token) {
  return std::isalnum(static_cast<unsigned char>(token[0])) || token[0] == '_';
}
bool is_space(const std::string& token) {
  return std::isspace(static_cast<unsigned char>(token[0])) || token[0] == '#';
}

// Words, numbers, literals, runs of white space, lines of the preprocessor ("# 12 ..."), and single
// characters but for <<<, >>>, -> and ::.
Tokens split(std::string_view text) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const bool new_line = i == 0 || text[i - 1] == '\n';
    if (c == '#' && new_line) {
      end = text.find('\n', i);
    } else if (std::isspace(c)) {
      while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) &&
             !(text[end - 1] == '\n' && text[end] == '#'))
        ++end;
    } else if (c == 'R' && text.substr(i, 2) == "R\"") {
      const std::size_t open = text.find('(', i);
      const std::string close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
      end = text.find(close, open) + close.size();
    } else if (std::isalpha(c) || c == '_') {
      while (end < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    } else if (std::isdigit(c)) {  // 0xFFFF'FFFFu; of 1e-5f the sign is a token of its own
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                   text[end] == '.' || text[end] == '\''))
        ++end;
    } else if (c == '"' || c == '\'') {
      for (; end < text.size() && static_cast<unsigned char>(text[end]) != c; ++end)
        if (text[end] == '\\') ++end;
      ++end;
    } else {
      for (const std::string_view both : {"<<<", ">>>", "->", "::"})
        if (text.substr(i, both.size()) == both) end = i + both.size();
    }
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

class Translator {
 public:
  explicit Translator(Tokens tokens) : t_(std::move(tokens)) {}

  Tokens result() {
    bool skip = false;
    for (at_ = 0; at_ < t_.size(); ++at_) {
      const std::string& token = t_[at_];
      if (token[0] == '#')  // # 12 "file": the headers of the system and of the emulator are C++
        skip = token.find("/device/simt/") != std::string::npos ||
               token.find("\"/usr/") != std::string::npos;
      if (skip) continue;
      if (token == "<<<")
        launch();
      else if (token == "__shared__")
        shared();
      else if (token == "__global__")
        kernel();
      else if (token == "asm")
        assembly();
      else if (const auto found = built_in_.find(token);
               found != built_in_.end() && t_[before(at_)] != "." && t_[before(at_)] != "->")
        t_[at_] = found->second;
    }
    return std::move(t_);
  }

 private:
  std::size_t next(std::size_t i) const {  // the next one that is no space
    do ++i;
    while (i < t_.size() && is_space(t_[i]));
    return i;
  }
  std::size_t before(std::size_t i) const {
    do --i;
    while (i > 0 && is_space(t_[i]));
    return i;
  }
  std::size_t closing(std::size_t open) const {  // of ( [ {
    int depth = 0;
    for (std::size_t i = open; i < t_.size(); ++i) {
      if (t_[i] == "(" || t_[i] == "[" || t_[i] == "{") ++depth;
      if (t_[i] == ")" || t_[i] == "]" || t_[i] == "}") --depth;
      if (depth == 0) return i;
    }
    return t_.size() - 1;
  }
  std::size_t opening(std::size_t close) const {  // of ) or >
    const std::string more = t_[close], less = more == ")" ? "(" : "<";
    int depth = 0;
    for (std::size_t i = close;; --i) {
      if (t_[i] == more || (more == ">" && t_[i] == ")")) ++depth;
      if (t_[i] == less || (more == ">" && t_[i] == "(")) --depth;
      if (depth == 0 || i == 0) return i;
    }
  }
  // The expression that ends in front of `i`: name, a::name, name<...> or (...).
  std::size_t begin_of_callee(std::size_t i) const {
    i = before(i);
    if (t_[i] == ")") return opening(i);
    if (t_[i] == ">") i = before(opening(i));
    if (t_[i] == "template") i = before(i);
    while (t_[before(i)] == "::" || t_[before(i)] == ".") {
      i = before(i);
      if (is_word(t_[before(i)])) i = before(i);
    }
    return i;
  }

  void launch() {
    const std::size_t begin = begin_of_callee(at_);
    std::size_t end = at_;
    while (t_[end] != ">>>") ++end;
    const std::size_t open = next(end);
    const bool none = next(open) == closing(open);
    t_[begin] = "simt::launch([=]([[maybe_unused]] auto... simt_values) { (" + t_[begin];
    t_[at_] = ")(simt_values...); }, simt::Config(";
    t_[end] = none ? ")" : "), ";
    t_[open] = "";
  }

  // A kernel that may be launched by its address tells what arguments it takes, behind its end.
  void kernel() {
    const bool is_template = at_ > 0 && t_[before(at_)] == ">";
    t_[at_] = "";
    std::size_t open = next(at_);
    while (t_[open] != "(" && open + 1 < t_.size()) open = next(open);
    const std::size_t end = closing(open), brace = next(end);
    if (is_template || t_[brace] != "{") return;
    const std::string& name = t_[before(open)];
    t_[closing(brace)] += " [[maybe_unused]] static const bool simt_of_" + name +
                          " = simt::known_kernel(" + name + ");";
  }

  // [alignas(16)] TYPE a[4], b; behind __shared__: each variable gets memory in front and behind
  // that belongs to nobody.
  void shared() {
    const bool dynamic = t_[before(at_)] == "extern";
    struct Variable {
      std::size_t name, end;  // tokens: its own, and the , or ; behind it
    };
    std::vector<Variable> all;
    std::size_t name = 0;
    std::size_t end = at_;
    int angles = 0;
    std::size_t bracket = 0;  // of the dynamic array
    for (std::size_t i = next(at_); i < t_.size(); i = next(i)) {
      if (t_[i] == "<") ++angles;
      if (t_[i] == ">") --angles;
      if (t_[i] == "(" || t_[i] == "{") {
        i = closing(i);
      } else if (t_[i] == "[") {
        bracket = i;
        i = closing(i);
      } else if (angles == 0 && (t_[i] == "," || t_[i] == ";")) {
        all.push_back({name, i});
        end = i;
        if (t_[i] == ";") break;
      } else if (is_word(t_[i])) {
        name = i;
      }
    }
    if (dynamic) {  // extern __shared__ TYPE name[];
      t_[before(at_)] = "";
      t_[at_] = "";
      const std::size_t own = before(bracket);
      t_[own] = "* const " + t_[own] + " = simt::dynamic_shared()";
      for (std::size_t i = bracket; i < end; ++i)
        if (!is_space(t_[i])) t_[i] = "";
      for (std::size_t i = at_; i < own; ++i)  // what aligns it: the memory is aligned to 1024
        if (t_[i] == "alignas" || t_[i] == "__align__" || t_[i] == "__attribute__") {
          const std::size_t close = closing(next(i));
          for (std::size_t j = i; j <= close; ++j)
            if (!is_space(t_[j])) t_[j] = "";
        }
      return;
    }
    std::string type;
    for (std::size_t i = next(at_); i < all.front().name; ++i)
      type += is_space(t_[i]) ? " " : std::exchange(t_[i], "");
    t_[at_] = "";
    bool is_static = t_[before(at_)] == "static";
    for (const Variable& v : all) {
      const std::string own = t_[v.name];
      t_[v.name] = std::string(std::exchange(is_static, false) ? "" : "static ") +
                   "struct alignas(128) { char front[simt::kGuard]; " + type + own;
      t_[v.end] = "; char behind[simt::kGuard]; } simt_of_" + own +
                  "; [[maybe_unused]] static auto& " + own + " = simt_of_" + own + "." + own +
                  "; simt::shared(" + own + ");";
    }
  }

  // asm [volatile] ( "text" [: outputs [: inputs [: clobbers]]] )
  void assembly() {
    std::size_t open = next(at_);
    while (t_[open] == "volatile" || t_[open] == "__volatile__" || t_[open] == "goto") {
      t_[open] = "";
      open = next(open);
    }
    if (t_[open] != "(") return;
    const std::size_t close = closing(open);
    const std::size_t line = at_;
    t_[line] = "simt::ptx";
    int part = 0;
    for (std::size_t i = next(open); i < close; i = next(i)) {
      if (t_[i] == ":" || t_[i] == "::") {
        const int step = t_[i] == ":" ? 1 : 2;
        t_[i] = "";
        for (int k = 0; k < step; ++k) {
          if (part == 1 || part == 2) t_[i] += "}";
          if (++part <= 2) t_[i] += ", {";
        }
      } else if (part == 1 || part == 2) {
        if (t_[i][0] == '"') {
          t_[i] = (part == 1 ? (t_[i][1] == '+' ? "simt::in_out" : "simt::out") : "simt::in") +
                  std::string();
          i = closing(next(i));
        }
      } else if (part == 3) {
        t_[i] = "";
      }
    }
    t_[close] = (part == 1 ? "}, {})" : part == 2 ? "})" : part == 0 ? ", {}, {})" : ")");
    at_ = close;
  }

  const std::map<std::string, std::string> built_in_ = {{"threadIdx", "simt::thread_index()"},
                                                        {"blockIdx", "simt::block_index()"},
                                                        {"blockDim", "simt::block_size()"},
                                                        {"gridDim", "simt::grid_size()"}};
  Tokens t_;
  std::size_t at_ = 0;
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  for (const std::string& token : Translator(split(text)).result()) std::cout << token;
  return std::cout.flush() ? 0 : 1;
}
