// Changes against step 2: one launch, which reads x once and writes nothing in between.
//
//   collapse  axes of size 1 are dropped, and neighbours that are both kept or both reduced are one
//             group. (0,1), (1,2) and (2,3) of four axes are plain columns, (outer, reduced,
//             inner), and rows; (0,2) is left as four groups ([plan.h](../reduce_axes/plan.h))
//   kernel    rows where the innermost group is reduced, columns where it is kept: neighbouring
//             threads read neighbours in memory, 16 bytes each, either way
//   walk      the address of a step follows from its number, by one multiplication and a shift per
//             group after the first: no array is moved for it
//   fill      columns: a block takes fewer of them, down to 128 bytes of a row, until most
//             multiprocessors have one. Where these are too few, and in long rows, several blocks
//             share results; the last one done combines the values of all
//   at once   a row that 1024 threads can load at once has a block, without a loop
//   odd rows  begin or end within 16 bytes: loads are aligned all the same, and masked. If results
//             are few and short, loads take one element each, and a block has a whole result in
//             flight at once
//
// How many loads: by Little's law a multiprocessor of an H200 needs tens of KiB in flight. One
// block of 512 threads with eight loads of 16 bytes has 64 KiB, and so have two with four.
//
// Predict: x of the first case is 268 MB. How long does reading it take? Which of the fp32 cases
// of this size should be slowest, if any?
#include "../reduce_axes/axes.cuh"
#include "arrays.cuh"

namespace {

auto make(const MultiAxis::Args& p) {
  Plan plan;
  with_arrays(p, [&](auto op, auto a) {
    plan = plan_on_device<decltype(op), std::remove_pointer_t<decltype(a.y)>>(p.shape, p.x);
  });
  return [p, reduction = Reduction(plan)](cudaStream_t stream) {
    with_arrays(
        p, [&](auto op, auto a) { reduction.run(op, a.x, a.y, p.op == Operation::mean, stream); });
  };
}

std::string note(const MultiAxis::Args& p) {
  std::string text = "no results";
  with_arrays(p, [&](auto op, auto a) {
    text = plan_on_device<decltype(op), std::remove_pointer_t<decltype(a.y)>>(p.shape, p.x).text();
  });
  return text;
}

}  // namespace

WB_CUDA(MultiAxis, optimized, make);
WB_CASE_NOTE(MultiAxis, note);
