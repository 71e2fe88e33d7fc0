#include "transition_system/foreign/call_stack.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "transition_system/foreign/image.hpp"

namespace assay::transition_system::foreign::call_stack {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGuardBytes = std::uint64_t{1} << 20;  // below the stack
/// Cleared after each call, a tenth of a microsecond. Deeper pages cost a signal and two calls of the system each;
/// what the C library takes for printing a number fits in.
constexpr std::uint64_t kShallowBytes = 2 * kPage;
constexpr std::uint64_t kDeepEnd = kStackBase + kStackBytes - kShallowBytes;

std::uint8_t* pointer(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

bool is_out_of_reach = false;  // the deep part, but for the pages from `lowest_reached` on
std::uint64_t lowest_reached = kDeepEnd;
bool clears = false;

}  // namespace

void map() {
  void* const begin = pointer(kStackBase - kGuardBytes);
  void* const at = mmap(begin, kGuardBytes + kStackBytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
  if (at != begin) throw std::runtime_error("embedded C needs addresses that are in use in this process");
  mprotect(pointer(kStackBase), kStackBytes, PROT_READ | PROT_WRITE);
}

void* top() { return pointer(kStackBase + kStackBytes - 64); }

void prepare(bool is_empty) {
  clears = is_empty;
  if (is_empty == is_out_of_reach) return;
  madvise(pointer(kStackBase), kStackBytes, MADV_DONTNEED);
  mprotect(pointer(kStackBase), kDeepEnd - kStackBase, is_empty ? PROT_NONE : PROT_READ | PROT_WRITE);
  is_out_of_reach = is_empty;
}

bool reach(const void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (!is_out_of_reach || at < kStackBase || at >= lowest_reached) return false;
  // Everything up to what is within reach already: a large array is often jumped over.
  const std::uint64_t page = at / kPage * kPage;
  if (mprotect(pointer(page), lowest_reached - page, PROT_READ | PROT_WRITE) != 0) return false;
  lowest_reached = page;
  return true;
}

bool is_below(const void* address) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return at >= kStackBase - kGuardBytes && at < kStackBase;
}

void clear() {
  if (!clears) return;
  std::memset(pointer(kDeepEnd), 0, kShallowBytes);
  if (lowest_reached == kDeepEnd) return;
  madvise(pointer(lowest_reached), kDeepEnd - lowest_reached, MADV_DONTNEED);
  mprotect(pointer(lowest_reached), kDeepEnd - lowest_reached, PROT_NONE);
  lowest_reached = kDeepEnd;
}

}  // namespace assay::transition_system::foreign::call_stack
