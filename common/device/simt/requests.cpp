#include "device/simt/requests.h"

#include <bit>

namespace simt {

void Lanes::merge(std::uint32_t stopped) {
  for (;;) {
    const Event* first = nullptr;
    const auto before = [](const Event& a, const Event& b) {
      return a.depth != b.depth ? a.depth > b.depth : a.place < b.place;
    };
    // All lanes of a meeting are there, but for those that will not come.
    const auto complete = [&](const Event& meeting) {
      for (std::uint32_t left = static_cast<std::uint32_t>(meeting.address); left;
           left &= left - 1) {
        const Queue& q = queues_[static_cast<std::size_t>(std::countr_zero(left))];
        if (q.size() > 0 && (q.head().kind != Kind::meeting || q.head().address != meeting.address))
          return false;
      }
      return true;
    };
    const Event* waits = nullptr;  // a meeting that is not complete
    for (std::size_t lane = 0; lane < queues_.size(); ++lane) {
      const Queue& q = queues_[lane];
      if (q.size() == 0) {
        if (!(stopped >> lane & 1)) return;
        continue;
      }
      const Event& head = q.head();
      if (first && head.same(*first) && head.kind != Kind::meeting) continue;
      if (head.kind == Kind::meeting && !complete(head))
        waits = &head;
      else if (!first || before(head, *first))
        first = &head;
    }
    if (!first) first = waits;
    if (!first) return;
    Request r{.event = *first};
    for (std::size_t lane = 0; lane < queues_.size(); ++lane) {
      Queue& q = queues_[lane];
      if (q.size() == 0) continue;
      const Event& head = q.head();
      const bool takes = r.event.kind == Kind::meeting
                             ? head.kind == Kind::meeting && head.address == r.event.address
                             : head.same(r.event);
      if (!takes) continue;
      r.lanes |= 1u << lane;
      r.addresses[lane] = head.address;
      r.lines[lane] = head.line;
      q.pop();
    }
    if (r.event.kind != Kind::meeting) count(r, warp_);
  }
}

}  // namespace simt
