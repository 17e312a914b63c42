// cp.async: a copy that is done at the wait for it.
#pragma once

#include "cuda_runtime.h"

SIMT_INLINE void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes,
                                         std::size_t zeros = 0) {
  simt::copy_later(to, from, bytes - zeros, zeros);
}
SIMT_INLINE void __pipeline_commit() { simt::commit_copies(); }
SIMT_INLINE void __pipeline_wait_prior(int but) { simt::wait_for_copies(but); }
