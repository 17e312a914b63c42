// Copies that run in the background (cp.async): each is done when its thread waits for it.
#include <cstring>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/calls.h"
#include "device/simt/faults.h"

namespace simt {

namespace {

void set_pending(const void* data, std::size_t bytes, bool pending) {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  if (Memory* r = shared_at(at))
    Cells::set(r->cells.pending(), at - r->begin, at - r->begin + bytes, pending);
}
void do_copy(const Copy& c) {
  set_pending(c.to, c.bytes + c.zeros, false);
  std::memcpy(c.to, c.from, c.bytes);
  std::memset(static_cast<char*>(c.to) + c.bytes, 0, c.zeros);
  access(c.to, c.bytes + c.zeros, true, false, {c.pc});  // for others it is written now
}
}  // namespace

void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros, const void* pc) {
  const Unwatched unwatched;
  if (!pc) pc = __builtin_return_address(0);
  const From own{pc, SIMT_FROM.frame};
  const std::size_t all = bytes + zeros;
  if ((all != 4 && all != 8 && all != 16) || zeros > all)
    fail(
        pc,
        "this asynchronous copy has {} bytes, of which {} are zeros: a GPU copies 4, 8 or 16 bytes",
        all, zeros);
  if (!shared_at(reinterpret_cast<std::uintptr_t>(to), kGuard))
    fail(pc, "this asynchronous copy writes to an address that is not in shared memory");
  if (bytes) access(from, bytes, false, false, own);
  access(to, bytes + zeros, true, false, {own.pc, own.frame, own.alignment, from});
  if (self->copies.empty()) self->copies.emplace_back();
  self->copies.back().push_back({to, from, bytes, zeros, pc});
  set_pending(to, bytes + zeros, true);
}
void commit_copies() {
  const Unwatched unwatched;
  if (self->copies.empty()) self->copies.emplace_back();
  self->copies.emplace_back();
}
void wait_for_copies(int but) {
  const Unwatched unwatched;
  auto& all = self->copies;
  // The last list is open: `but` commits in front of it may go on.
  const int closed = static_cast<int>(all.size()) - 1;
  for (int i = 0; i < closed - but; ++i) {
    for (const Copy& c : all.front()) do_copy(c);
    all.erase(all.begin());
  }
}

}  // namespace simt
