#include "device/simt/calls.h"

#include <algorithm>
#include <string_view>

#include "device/simt/access.h"
#include "device/simt/block.h"
#include "device/simt/counts.h"
#include "device/simt/faults.h"
#include "device/simt/lines.h"

namespace simt {

Index thread_index() noexcept { return self->index; }
Index block_index() noexcept { return block->index; }
Size block_size() noexcept { return grid->threads; }
Size grid_size() noexcept { return grid->blocks; }
int lane_index() noexcept { return self->linear % kWarp; }
int linear_thread() noexcept { return self->linear; }

void unknown_instruction(const char* text, const void* pc) {
  const Unwatched unwatched;
  const std::string_view all = text;
  fail(pc, "needs a GPU: the emulator does not know the instruction \"{}\"",
       all.substr(0, std::min<std::size_t>(all.find(' '), 60)));
}

std::uint32_t shared_address(const void* data) noexcept { return place_of(data); }
void* shared_pointer(std::uint32_t address) noexcept { return &__executable_start + address; }
void reads(const void* data, std::size_t bytes, const void* pc) {
  access(data, bytes, false, false, {pc, SIMT_FROM.frame});
}

}  // namespace simt
