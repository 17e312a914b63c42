// NCCL, which sums arrays over GPUs, among the ranks that this process drives.
#pragma once

#include <bit>
#include <map>

#include "ranks.cuh"

#ifdef WB_WITH_NCCL
#include <nccl.h>
#endif

namespace {

// How many blocks an all-reduce needs in order to finish during the backward pass. A layer has
// width^2 numbers of 4 bytes, and width^2 * batch * 4 FLOP to hide them: so the link has to carry
// FLOP/s over batch, in bytes per second, whatever the width. What to turn for another machine:
constexpr double kFlops = 50e12;        // of the products
constexpr double kBlockRate = 16e9;     // bytes per second that a block of NCCL's carries
inline int few_blocks(wb::i64 batch) {  // a power of two, twice as many as needed or more
  const double needed = kFlops / static_cast<double>(batch) / kBlockRate;
  return std::bit_ceil(static_cast<unsigned>(std::min(2 * needed, 31.0)) + 1);
}

#ifdef WB_WITH_NCCL
inline void check_nccl(ncclResult_t result) {
  if (result != ncclSuccess)
    throw std::runtime_error(std::string("NCCL: ") + ncclGetErrorString(result));
}

class Nccl {
 public:
  // `blocks`: that each of NCCL's kernels may have at most, or 0, as many as it likes.
  // A clique takes a second to make, so it stays for the variants that follow.
  explicit Nccl(wb::i64 ranks, int blocks = 0) {
    need_gpus(ranks);  // NCCL would leave a group open, in which later calls wait for ever
    static auto* const made = new std::map<std::pair<wb::i64, int>, std::vector<ncclComm_t>>;
    std::vector<ncclComm_t>& clique = (*made)[{ranks, blocks}];
    if (clique.empty()) {
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      if (blocks > 0) config.maxCTAs = blocks;
      ncclUniqueId id;
      check_nccl(ncclGetUniqueId(&id));
      std::vector<ncclComm_t> fresh(ranks);
      check_nccl(ncclGroupStart());
      for (int r = 0; r < ranks; ++r) {
        cudaSetDevice(r);
        ncclCommInitRankConfig(&fresh[r], static_cast<int>(ranks), id, r, &config);
      }
      const ncclResult_t result = ncclGroupEnd();  // also says what was wrong with one of them
      cudaSetDevice(0);
      check_nccl(result);
      clique = fresh;
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
  explicit Nccl(wb::i64, int = 0) {
    throw wb::Unsupported(
        "built without NCCL: apt-get install libnccl-dev or pip install nvidia-nccl-cu13, then "
        "configure again");
  }
  void sum(const Ranks&, wb::i64, wb::i64, wb::Stream Rank::* = nullptr) const {}
};
#endif

}  // namespace
