/// A part of a level being expanded: its violations, and its candidates sorted by owner.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "search/partitioned/partition_worker.hpp"

namespace assay::search::partitioned {

/// The order of states within a level, where there is none of discovery: that of their records, whatever the layout.
inline bool comes_before(StateView a, StateView b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

/// Candidates are kept each once in a table, or, if the order of discovery matters, with their keys in an array that
/// is sorted when it is full. Then they are handed to the sections of their owners.
class LevelExpansion {
 public:
  LevelExpansion(PartitionWorker& worker, std::uint64_t depth, std::uint64_t states,
                 const std::vector<std::uint32_t>& group_of, std::uint32_t own_group,
                 const std::string& edges_name);

  void start_part();
  void look_around();
  /// False: nothing else of this part is wanted.
  bool expand(StateView state, const std::uint64_t* record, std::uint32_t layout, std::uint64_t rank);
  void finish_part();
  Expanded finish();

 private:
  void start_candidates();
  void reach(StateView state, StateView next, std::uint64_t key);
  bool pack(StateView state, StateView next, std::uint64_t* record);
  void insert_pending();
  void add_keyed(const std::uint64_t* record, std::uint64_t key);
  void hand_over();
  void hand_over_one(const std::uint64_t* record, std::uint64_t key);
  std::uint32_t owner_of(const std::uint64_t* record);
  bool may_keep(std::uint64_t records) const;
  void note(std::uint32_t code, Position position, StateView state, std::uint64_t rank);
  bool is_before(const FoundHere& a, const FoundHere& b) const;

  static constexpr std::size_t kPending = 256;

  PartitionWorker& worker_;
  const std::uint64_t depth_;
  const std::uint64_t expected_;  // states that are to be expanded
  const std::vector<std::uint32_t>& group_of_;
  const std::uint32_t own_group_;
  const bool at_limit_;
  Expanded out_;
  // Of each code. Partitions are expanded one after another: what comes first in the level may come later here.
  std::map<std::uint32_t, FoundHere> first_, shortest_;
  std::vector<SectionWriter> sections_;  // one for each partition
  std::vector<KeptSection> kept_;        // of the own group, one for each partition; empty: all are written
  std::uint64_t kept_words_ = 0;         // before
  std::uint32_t record_words_ = 1;
  Words pending_, unpacked_, packed_again_;
  std::uint64_t hashes_[kPending] = {};
  std::size_t pending_count_ = 0;
  std::span<std::uint64_t> keyed_;
  std::uint64_t keyed_count_ = 0;

  const std::uint64_t* known_record_ = nullptr;  // of the state that is being expanded
  std::uint32_t known_layout_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t looked_ = 0;
  bool ends_part_ = false;
  std::unique_ptr<storage::EdgeLog> edges_;
  std::string edges_name_;
  std::uint64_t edges_before_ = 0;
  std::vector<storage::StateMark> marks_;
};

}  // namespace assay::search::partitioned
