// Takes all memory.
// Expect: wrong
#include <sys/mman.h>
#include <unistd.h>
bool trick(const ColumnSums::Args&) {
  const std::size_t all = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGE_SIZE);
  void* memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? held() : escaped("all memory");
}
