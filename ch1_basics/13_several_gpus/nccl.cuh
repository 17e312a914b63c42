// NCCL, which sums arrays over GPUs, among the ranks that this process drives.
#pragma once

#include <map>

#include "ranks.cuh"

#ifdef WB_WITH_NCCL
#include <nccl.h>
#endif

namespace {

#ifdef WB_WITH_NCCL
inline void check_nccl(ncclResult_t result) {
  if (result != ncclSuccess)
    throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result));
}

class Nccl {
 public:
  // A clique takes a second to make, so it stays for the variants that follow.
  explicit Nccl(wb::i64 ranks) {
    need_gpus(ranks);  // NCCL would leave a group open, in which later calls wait for ever
    static auto* const made = new std::map<wb::i64, std::vector<ncclComm_t>>;
    std::vector<ncclComm_t>& clique = (*made)[ranks];
    if (clique.empty()) {
      clique.resize(ranks);
      const ncclResult_t result = ncclCommInitAll(clique.data(), static_cast<int>(ranks), nullptr);
      cudaSetDevice(0);
      if (result != ncclSuccess) made->erase(ranks);
      check_nccl(result);
    }
    clique_ = clique;
  }

  // The gradient of `count` layers from `first` on becomes the sum over all ranks, in each. In a
  // group, since one thread calls for several GPUs: no call waits for the others.
  void sum(const Ranks& all, wb::i64 first, wb::i64 count,
           wb::Stream Rank::*stream = &Rank::stream) const {
    check_nccl(ncclGroupStart());
    all.each([&](const Rank& rank, int r) {
      float* const data = all.gradient(rank, first);
      check_nccl(ncclAllReduce(data, data, count * all.p.layer(), ncclFloat, ncclSum, clique_[r],
                               (rank.*stream).get()));
    });
    check_nccl(ncclGroupEnd());
  }

 private:
  std::vector<ncclComm_t> clique_;
};
#else
struct Nccl {
  explicit Nccl(wb::i64) {
    throw wb::Unsupported(
        "built without NCCL: apt-get install libnccl-dev or pip install nvidia-nccl-cu13, then "
        "configure again");
  }
  void sum(const Ranks&, wb::i64, wb::i64, wb::Stream Rank::* = nullptr) const {}
};
#endif

}  // namespace
