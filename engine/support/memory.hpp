/// Memory straight from the operating system, and the limit it must respect.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace assay::support {

/// Resident memory of this process in bytes.
std::size_t resident_bytes();

/// Gives what was freed and is not used back to the system.
void return_free_memory();

inline constexpr std::size_t kHugePage = std::size_t{1} << 21;

/// Thrown before an allocation that would break the caller's memory limit.
class MemoryRefused : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "the memory limit leaves no room to grow"; }
};

/// The memory limit of one search. Big tables ask before they grow, so that a
/// growth that would exceed the limit is refused before it happens.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit_bytes = 0) : limit_(limit_bytes) {}

  std::size_t limit() const { return limit_; }

  /// True if `more` bytes may become resident after `freed` bytes are given back.
  bool allows(std::size_t more, std::size_t freed = 0) const;
  /// The same as an exception.
  void require(std::size_t more, std::size_t freed = 0) const {
    if (!allows(more, freed)) throw MemoryRefused();
  }
  /// A huge page becomes resident as a whole: under a low limit one alone would break it.
  bool allows_huge_pages() const { return limit_ == 0 || limit_ >= 32 * kHugePage; }

 private:
  std::size_t limit_;
};

/// Appends to a vector that asks before it doubles. It asks for all of its new
/// room, although the old one is given back: others look at what is resident,
/// and do not see how much of this vector is still to be filled.
template <class Items>
void push(Items& items, const typename Items::value_type& item, const MemoryBudget& budget) {
  if (items.size() == items.capacity()) budget.require(items.capacity() * sizeof(item) * 2);
  items.push_back(item);
}

/// Address space for `most` items, so that growing up to there never copies;
/// memory is taken by use only. A system that does not give so much gives none.
template <class Items>
void reserve_if_possible(Items& items, std::size_t most) {
  if (items.capacity() >= most) return;
  try {
    items.reserve(most);
  } catch (const std::bad_alloc&) {
    // Then it grows as vectors do.
  }
}

/// Zeroed memory, and its only owner. Large blocks are mapped (so that pages
/// never touched cost nothing) and ask for huge pages (random access into
/// gigabytes otherwise spends much of its time on address translation), unless
/// they may not.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes, bool may_be_huge = true);
  Pages(Pages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { release(); }

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }
  void release() noexcept;

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace assay::support
