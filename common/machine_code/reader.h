// What the readers of all forms share: functions in the making, whose jumps find their labels when
// a function is complete.
#pragma once

#include <map>

#include "machine_code/listing.h"

namespace wb::machine_code {

class Reader {
 public:
  void begin(const std::string& symbol);  // of a function; ends the one before
  void label(const std::string& name);    // stands in front of the next instruction
  // `target`: the label that it may jump to, or nothing. Outside of a function it is left out.
  void add(Instruction instruction, const std::string& target);
  // The last one leads out of the function, to a symbol of that name.
  void leads_to(const std::string& symbol);
  void end();
  std::vector<Function> done();  // throws std::runtime_error where there is no function
  bool inside() const { return open_; }

 private:
  std::vector<Function> functions_;
  std::vector<std::string> jumps_;  // of the function that is open, an entry an instruction
  std::map<std::string, std::size_t> labels_;
  bool open_ = false;
};

SourceLine source_line(const std::string& file, const std::string& number,
                       const std::string& function = "");

}  // namespace wb::machine_code
