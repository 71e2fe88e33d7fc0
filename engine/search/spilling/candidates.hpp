/// The states that a level leads to, before it is known which of them are new.
#pragma once

#include "search/spilling/spilled_search.hpp"
#include "storage/candidate_set.hpp"

namespace assay::search::spilling {

/// Each is packed into a record and goes into a set in memory. When the set is full, it is sorted and written
/// out as a batch. When a state has a bit that records have no room for yet, the layout is widened.
class Candidates {
 public:
  explicit Candidates(SpilledSearch& search) : search_(search), candidates_(search.shares.candidates) {}

  /// Empty, for the records of the present layout.
  void start();
  /// The state whose successors come next, and its record under a layout.
  void expand_from(const std::uint64_t* words, std::uint32_t length, const std::uint64_t* record,
                   std::uint32_t layout) {
    expanding_ = {words, length, record, layout};
  }
  /// The next of its successors.
  void reach(const std::uint64_t* words, std::uint32_t count) {
    if (!pack(words, count, pending_.data() + pending_count_ * record_words_)) {
      insert_pending();
      widen(words, count);
      search_.layouts.current().pack(words, count, pending_.data());
    }
    const std::uint64_t hash = candidates_.hash(pending_.data() + pending_count_ * record_words_);
    candidates_.prefetch(hash);
    hashes_[pending_count_] = hash;
    if (++pending_count_ == kPending) insert_pending();
  }
  /// All that were reached are in the set now.
  void insert_pending();
  /// All that were reached are on disk now.
  void flush();

  // After `insert_pending`, to be merged:
  std::uint64_t size() const { return candidates_.size(); }
  void sort() { candidates_.sort(); }
  const std::uint64_t* sorted() const { return candidates_.sorted(); }
  /// Those that were sorted become a batch.
  void write_sorted();
  /// Empty again; few are expected.
  void clear() { candidates_.start(record_words_, 0); }

  /// The memory of the set: for somebody who needs it for a while; its size; and a way to get half of it
  /// back.
  std::span<std::uint64_t> lend() { return candidates_.lend(); }
  std::size_t bytes() const { return candidates_.bytes(); }
  void halve() {
    flush();
    candidates_.halve();
  }

 private:
  static constexpr std::size_t kPending = 256;

  /// Packs a successor of the state that is being expanded. False: there is no room for one of its bits.
  bool pack(const std::uint64_t* words, std::uint32_t count, std::uint64_t* record) {
    const storage::PackedLayout& layout = search_.layouts.current();
    if (count != expanding_.length) return layout.pack(words, count, record);
    if (expanding_.layout != search_.layouts.current_number()) {
      packed_again_.resize(record_words_);
      layout.pack(expanding_.words, expanding_.length, packed_again_.data());
      expanding_.record = packed_again_.data();
      expanding_.layout = search_.layouts.current_number();
    }
    return layout.pack_like(expanding_.words, expanding_.record, words, count, record);
  }
  /// Those in the set become a sorted file.
  void write_batch();
  void keep_batch(SortedRun run);
  /// More batches than can be read side by side become one.
  void join_batches();
  /// A state has bits that no record had room for yet.
  void widen(const std::uint64_t* words, std::uint32_t count);

  SpilledSearch& search_;
  storage::CandidateSet candidates_;
  std::uint32_t record_words_ = 1;
  Words pending_;  // records on their way into the set, whose memory is being fetched
  std::uint64_t hashes_[kPending] = {};
  std::size_t pending_count_ = 0;

  struct Expanding {
    const std::uint64_t* words = nullptr;
    std::uint32_t length = 0;
    const std::uint64_t* record = nullptr;
    std::uint32_t layout = 0;  // of the record
  };
  Expanding expanding_;  // the state whose successors are being reached
  Words packed_again_;   // its record, when the layout has changed since
};

}  // namespace assay::search::spilling
