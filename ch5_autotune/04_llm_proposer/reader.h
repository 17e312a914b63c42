// One pass over the bytes of an answer, and nothing allocated.
#pragma once

#include <vector>

#include "answers.h"

// Which parameter has this name; -1: none. Looks at one after the other.
struct Listed {
  const std::vector<tune::Parameter>& parameters = space().parameters();
  int operator()(std::string_view name) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].name == name) return static_cast<int>(i);
    return -1;
  }
};

// It knows the legal configurations before any answer comes. `Names` finds a parameter by its name.
template <class Names> class Reader {
 public:
  Reader() : legal_(kConfigurations, 0), parameters_(space().parameters()) {
    for (const tune::Configuration& c : space().all()) legal_[number(c)] = 1;
  }

  // The configuration's number, or one of these.
  int read(std::string_view text) const {
    const char *at = text.data(), *const end = at + text.size();
    const auto blanks = [&] {
      while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) ++at;
    };
    const auto eat = [&](char c) {
      blanks();
      return at < end && *at == c ? (++at, true) : false;
    };
    int places[8], found = 0;  // found: a bit for each parameter
    bool known = true;
    if (!eat('{')) return kMalformed;
    for (std::size_t field = 0; field < parameters_.size(); ++field) {
      if ((field && !eat(',')) || !eat('"')) return kMalformed;
      const char* const name = at;
      while (at < end && *at != '"') ++at;
      const int i = names_(std::string_view(name, at - name));
      if (i < 0 || found >> i & 1 || !eat('"') || !eat(':')) return kMalformed;
      found |= 1 << i;
      blanks();
      long long value;
      if (!integer(at, end, value)) return kMalformed;
      const std::vector<int>& values = parameters_[i].values;
      std::size_t place = 0;
      while (place < values.size() && values[place] != value) ++place;
      places[i] = static_cast<int>(place);
      known = known && place < values.size();
    }
    if (!eat('}')) return kMalformed;
    blanks();
    if (at != end) return kMalformed;
    if (!known) return kIllegal;
    int n = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      n = n * static_cast<int>(parameters_[i].values.size()) + places[i];
    return legal_[n] ? n : kIllegal;
  }

 private:
  // An integer as JSON writes it, of at most 18 digits. The caller checks the characters after it.
  static bool integer(const char*& at, const char* end, long long& value) {
    const bool negative = at < end && *at == '-';
    at += negative;
    const char* const first = at;
    unsigned long long size = 0;  // of 19 digits, too, which are one too many
    for (; at < end && *at >= '0' && *at <= '9' && at - first < 19; ++at)
      size = 10 * size + static_cast<unsigned long long>(*at - '0');
    const auto digits = at - first;
    if (digits == 0 || digits > 18 || (*first == '0' && digits > 1)) return false;
    value = negative ? -static_cast<long long>(size) : static_cast<long long>(size);
    return true;
  }

  std::vector<std::uint8_t> legal_;  // by number
  const std::vector<tune::Parameter>& parameters_;
  const Names names_{};
};
