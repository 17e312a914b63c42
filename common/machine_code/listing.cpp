#include "machine_code/listing.h"

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/pattern.h"
#include "machine_code/reader.h"

namespace wb::machine_code {

std::string short_name(const std::string& symbol) {
  char* demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  std::string name = demangled ? demangled : symbol;
  std::free(demangled);
  name = replace_pattern(name, "\\(anonymous namespace\\)::| \\[clone [^\\]]*\\]", "");
  // Neither its type, which stands in front, nor its parameters; both are outside of <> and {}.
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (name.compare(i, 8, "operator") == 0) break;  // whose own name has such signs
    if (depth == 0 && c == '(') return name.substr(begin, i - begin);
    if (depth == 0 && c == ' ') begin = i + 1;
    depth += (c == '<' || c == '{' || c == '(') - (c == '>' || c == '}' || c == ')');
  }
  return name.substr(begin);
}

SourceLine source_line(const std::string& file, const std::string& number,
                       const std::string& function) {
  return {std::filesystem::path(file).lexically_normal().string(), std::atoi(number.c_str()),
          function};
}

std::optional<Usage> read_usage(const std::string& text, const std::string& symbol) {
  const std::size_t at = text.find("Function " + symbol + ":");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t next = text.find("Function ", at + 1);
  const auto found = find_pattern(text.substr(at, next == std::string::npos ? next : next - at),
                                  "REG:(\\d+) STACK:(\\d+) SHARED:(\\d+)");
  if (found.empty()) return std::nullopt;
  return Usage{std::stoi(found[1]), std::stoi(found[2]), std::stoi(found[3])};
}

void Reader::begin(const std::string& symbol) {
  end();
  functions_.push_back({symbol, short_name(symbol), {}});
  open_ = true;
}

void Reader::label(const std::string& name) {
  if (open_) labels_[name] = functions_.back().code.size();
}

void Reader::add(Instruction instruction, const std::string& target) {
  if (!open_) return;
  functions_.back().code.push_back(std::move(instruction));
  jumps_.push_back(target);
}

void Reader::leads_to(const std::string& symbol) {
  if (!open_ || functions_.back().code.empty()) return;
  Instruction& last = functions_.back().code.back();
  if (last.name != "call" && !last.name.starts_with("j")) return;
  last.text = last.name + " " + short_name(symbol);
  jumps_.back().clear();
}

void Reader::end() {
  if (!open_) return;
  Function& function = functions_.back();
  for (std::size_t i = 0; i < jumps_.size(); ++i) {
    if (jumps_[i].empty()) continue;
    const auto found = labels_.find(jumps_[i]);
    if (found == labels_.end() || found->second >= function.code.size())
      throw std::runtime_error("the listing ends in the middle of " + function.name + ", before " +
                               jumps_[i]);
    function.code[i].jump = found->second;
  }
  if (function.code.empty()) functions_.pop_back();
  jumps_.clear();
  labels_.clear();
  open_ = false;
}

std::vector<Function> Reader::done() {
  end();
  if (functions_.empty()) throw std::runtime_error("the listing has no function");
  return std::move(functions_);
}

}  // namespace wb::machine_code
