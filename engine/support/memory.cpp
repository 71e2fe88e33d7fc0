#include "support/memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace assay::support {
namespace {

constexpr std::size_t kMapFrom = std::size_t{1} << 18;
// Below this the price of reading the resident size is not worth paying; the
// monitor of the search sees such growth anyway.
constexpr std::size_t kAskFrom = std::size_t{1} << 20;

}  // namespace

std::size_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long total = 0, resident = 0;
  const int read = std::fscanf(file, "%lu %lu", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

void return_free_memory() { malloc_trim(0); }

bool MemoryBudget::allows(std::size_t more, std::size_t freed) const {
  if (limit_ == 0 || more <= freed || more - freed < kAskFrom) return true;
  return resident_bytes() + (more - freed) <= limit_;
}

Pages::Pages(std::size_t bytes, bool may_be_huge) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes < kMapFrom) {
    data_ = std::calloc(1, bytes);
    if (data_ == nullptr) throw std::bad_alloc();
    return;
  }
  void* data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (may_be_huge && bytes >= 2 * kHugePage) madvise(data, bytes, MADV_HUGEPAGE);
#endif
  data_ = data;
}

void Pages::release() noexcept {
  if (data_ == nullptr) return;
  if (bytes_ < kMapFrom) {
    std::free(data_);
  } else {
    munmap(data_, bytes_);
  }
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace assay::support
