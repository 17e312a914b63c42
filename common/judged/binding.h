// The arrays of a case in a process that is not trusted, and perhaps a variant.
#pragma once

#include <nlohmann/json.hpp>

#include "judged/remote.h"
#include "measure/arrays.h"

namespace wb::judged {

class Binding {
 public:
  // Throws RunEnded where the process asks for other arrays than the lesson.
  Binding(Remote& remote, const Problem& problem, const Data& data);
  ~Binding();
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  // As Remote, about this case.
  void ask(const char* what, nlohmann::json request, const Remote::Read& read) const;
  void tell(const char* what, const nlohmann::json& request) const;

 private:
  void drop() const;

  Remote& remote_;
  int id_;
};

}  // namespace wb::judged
