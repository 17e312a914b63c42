#include "device/simt/known.h"

#include <tuple>

#include "device/simt/machine.h"

namespace simt {

void Known::add(std::uint64_t key, const Moment& moment) {
  const auto order = [](const Moment& m) { return std::tuple(m.epoch, m.releases, m.meeting); };
  if (!moments_) moments_ = std::make_unique<decltype(moments_)::element_type>();
  Moment& own = (*moments_)[key];
  if (order(own) < order(moment)) own = moment;
}

void Known::add(std::uint32_t block, std::uint16_t thread, const Moment& moment) {
  add(key(block, kMany), {moment.epoch});
  add(key(block, thread), moment);
}

void Known::add(const Known& other) {
  if (other.empty()) return;
  for (const auto& [key, moment] : *other.moments_) add(key, moment);
}

bool Known::covers(std::uint32_t block, const Access& access) const {
  if (empty()) return false;
  const Moment* const last = find(block, kMany);
  if (!last || access.epoch > last->epoch) return false;
  if (access.epoch < last->epoch) return true;
  const Moment* const own = find(block, access.thread);
  if (own && own->epoch == access.epoch && access.releases <= own->releases) return true;
  if (access.warp == kManyWarps) return false;
  for (int lane = 0; lane < kWarp; ++lane) {
    const Moment* const m = find(block, static_cast<std::uint16_t>(access.warp * kWarp + lane));
    if (m && m->epoch == access.epoch && access.meeting < m->meeting) return true;
  }
  return false;
}

}  // namespace simt
