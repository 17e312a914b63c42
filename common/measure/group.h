// A case, and the rows that are compared on it: the variants of a lesson, and perhaps a peer.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "measure/options.h"
#include "measure/peer.h"
#include "measure/trial.h"
#include "model/row.h"

namespace wb {

// A row while it is measured.
struct Entry {
  const Variant* variant;
  Row row;
  Peer* peer = nullptr;  // takes the samples instead of the variant
  Data* data = nullptr;  // one of its group's
  std::unique_ptr<Trial> trial = nullptr;
  int samples = 0;   // that will be taken; known after its answers were checked
  int slowed = 0;    // samples that shared the core with somebody else in all turns
  int reported = 0;  // samples that Google Benchmark has
};

struct Group {
  Case axes;
  std::vector<Entry> entries;
  std::map<const Problem*, std::unique_ptr<Data>> data = {};  // nearly always of one problem
  int rounds = 0;                                             // of samples, one of each entry
  std::vector<double> memory = {};  // bytes/s, what memory delivered: one figure a sample
};

// Nothing has gone wrong with it so far.
inline bool runs(const Entry& entry) { return entry.row.status == Status::ok; }

// Two variants of one name and backend would be taken for each other: throws Failure, code 2.
void check_names(const Registry& registry);

// The cases and variants that the options choose, baseline first; if none, Failure, code 2 or 3.
std::vector<Group> make_groups(const Registry& registry, const Options& options,
                               const Backend& backend, Peer* peer);

}  // namespace wb
