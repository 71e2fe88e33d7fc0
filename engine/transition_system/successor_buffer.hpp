/// The owner of the memory into which a system writes successors.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

class SuccessorBuffer {
 public:
  explicit SuccessorBuffer(const assay_recorder* recorder = nullptr) {
    buffer_.grow = &grow;
    buffer_.recorder = recorder;
  }
  SuccessorBuffer(const SuccessorBuffer&) = delete;
  SuccessorBuffer& operator=(const SuccessorBuffer&) = delete;
  ~SuccessorBuffer() {
    std::free(buffer_.words);
    std::free(buffer_.successors);
    std::free(buffer_.scratch);
  }

  /// Empty again, for the next state.
  assay_buffer* cleared() {
    buffer_.words_used = 0;
    buffer_.count = 0;
    return &buffer_;
  }
  std::uint32_t count() const { return buffer_.count; }
  const assay_successor& operator[](std::uint32_t i) const { return buffer_.successors[i]; }
  const std::uint64_t* words(const assay_successor& successor) const {
    return buffer_.words + successor.first_word;
  }
  StateView state(const assay_successor& successor) const { return {words(successor), successor.word_count}; }
  std::size_t bytes() const {
    return std::size_t{buffer_.words_capacity} * sizeof(std::uint64_t) +
           std::size_t{buffer_.capacity} * sizeof(assay_successor);
  }

 private:
  template <class T>
  static void enlarge(T*& items, std::uint32_t& capacity, std::uint32_t used, std::uint32_t more) {
    const std::uint64_t needed = std::uint64_t{used} + more;
    if (needed <= capacity) return;
    const std::uint64_t wanted = std::max<std::uint64_t>(needed, std::uint64_t{capacity} * 2);
    if (wanted > 0xFFFFFFFFull) throw std::bad_alloc();
    void* moved = std::realloc(items, wanted * sizeof(T));
    if (moved == nullptr) throw std::bad_alloc();
    items = static_cast<T*>(moved);
    capacity = static_cast<std::uint32_t>(wanted);
  }
  static void grow(assay_buffer* buffer, std::uint32_t more_words, std::uint32_t more_successors) {
    enlarge(buffer->words, buffer->words_capacity, buffer->words_used, std::max(more_words, 64u));
    enlarge(buffer->successors, buffer->capacity, buffer->count, std::max(more_successors, 16u));
  }

  assay_buffer buffer_{};
};

}  // namespace assay::transition_system
