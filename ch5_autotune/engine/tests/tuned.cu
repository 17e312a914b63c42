#include "../candidate_cuda.h"
#include "twice.h"

namespace {

auto make(const Twice::Args& p) {
  const tune::Choice choice =
      tune::choose(WB_BACKEND, p.other ? wb::Case{{"n", p.n}, {"other", 1}} : wb::Case{{"n", p.n}});
  const tune::Kernel kernel(choice, "twice");
  const unsigned block = choice["BLOCK"];
  kernel.prepare(block, 0);
  return [=](cudaStream_t stream) {
    const long n = p.n;
    if (n > 0) kernel.launch((n + block - 1) / block, block, 0, stream, n, p.x, p.y);
  };
}

tune::Space space(const wb::Case& c, const tune::Limits&) {
  tune::Space space;
  if (c.get("other", 0)) space.add("OTHER", {0, 1}, 0);
  space.add("KIND", {0, 1, 2, 3, 4, 5, 7, 9}, 0).add("BLOCK", {32, 64, 256, 1024}, 32);
  space.require("the wrong ones have blocks of 256",
                [](const tune::Values& v) { return v["KIND"] == 0 || v["BLOCK"] == 256; });
  return space;
}

}  // namespace

WB_CUDA(Twice, tuned, make);
WB_TUNABLE("candidate.cu", space, nullptr);
