#include "search/partitioned/level_expansion.hpp"

#include <algorithm>

namespace assay::search::partitioned {
namespace {

constexpr std::uint64_t kLookEvery = 64;  // states
constexpr std::size_t kKeptShare = 16;    // of the memory, what is kept as it is takes one part at most

}  // namespace

LevelExpansion::LevelExpansion(PartitionWorker& worker, std::uint64_t depth, std::uint64_t states,
                               const std::vector<std::uint32_t>& group_of, std::uint32_t own_group,
                               const std::string& edges_name)
    : worker_(worker),
      depth_(depth),
      expected_(states),
      group_of_(group_of),
      own_group_(own_group),
      at_limit_(worker.options_.depth_limit != 0 && depth >= worker.options_.depth_limit),
      sections_(worker.partitions_),
      unpacked_(std::size_t{worker.system_.max_words()} + 1),
      edges_name_(edges_name) {
  std::uint32_t groups = 0;
  for (const std::uint32_t group : group_of) groups = std::max(groups, group + 1);
  out_.blocks.resize(groups);
  if (worker.logs_edges_)
    edges_ = std::make_unique<storage::EdgeLog>(worker.path_of(edges_name), DiskFile::Mode::kCreate);
  start_candidates();
}

void LevelExpansion::start_candidates() {
  const storage::PackedLayout& layout = worker_.layouts_.current();
  record_words_ = layout.record_words();
  pending_.resize(kPending * record_words_);
  pending_count_ = 0;
  if (worker_.in_order_) {
    keyed_ = worker_.candidates_.lend();
    keyed_count_ = 0;
  } else {
    worker_.candidates_.start(record_words_, expected_);
  }
  for (std::uint32_t i = 0; i < worker_.partitions_; ++i)
    sections_[i] = SectionWriter(i, worker_.in_order_, layout);
}

void LevelExpansion::start_part() {
  ends_part_ = false;
  edges_before_ = edges_ == nullptr ? 0 : edges_->words();
}

void LevelExpansion::finish_part() {
  if (edges_ != nullptr)
    out_.edges.push_back(
        {edges_name_, edges_before_ * sizeof(std::uint32_t), edges_->words() - edges_before_});
}

void LevelExpansion::look_around() {
  if (++looked_ % kLookEvery != 0) return;
  worker_.control_.report(out_.states, out_.transitions, depth_, 0);
}

bool LevelExpansion::expand(StateView state, const std::uint64_t* record, std::uint32_t layout,
                            std::uint64_t rank) {
  known_record_ = record;
  known_layout_ = layout;
  sequence_ = 0;
  marks_.clear();
  const Expansion::End end = worker_.expansion_(
      state, at_limit_, [&](std::uint32_t code, Position position) { note(code, position, state, rank); },
      [&](Position position, StateView next) {
        reach(state, next, rank << 32 | number_of(position));
        if (edges_ != nullptr) marks_.push_back(storage::StateMark::of(next.data(), next.size()));
        ++out_.transitions;
        return true;
      });
  out_.cut = out_.cut || end == Expansion::End::kCut;
  ++out_.states;
  if (edges_ != nullptr) edges_->add(marks_);
  return !ends_part_;
}

void LevelExpansion::note(std::uint32_t code, Position position, StateView state, std::uint64_t rank) {
  ++out_.violation_count;
  const std::uint64_t length = depth_ + (position == Finding::kAtState ? 0 : 1);
  // A step that violates ends one level further down than a state that does: only the latter ends the search.
  if (length == depth_ && worker_.options_.stop_at_first_violation) ends_part_ = true;
  FoundHere found{code, number_of(position), length, rank, sequence_++, Words(state.begin(), state.end())};
  const auto [first, is_new] = first_.try_emplace(code, found);
  if (!is_new && is_before(found, first->second)) first->second = found;
  const auto [shortest, is_only] = shortest_.try_emplace(code, found);
  if (is_only) return;
  const std::uint64_t known = shortest->second.path_length;
  if (length < known || (length == known && is_before(found, shortest->second)))
    shortest->second = std::move(found);
}

bool LevelExpansion::is_before(const FoundHere& a, const FoundHere& b) const {
  if (a.state == b.state) return a.sequence < b.sequence;
  return worker_.in_order_ ? a.rank < b.rank : comes_before(a.state, b.state);
}

bool LevelExpansion::pack(StateView state, StateView next, std::uint64_t* record) {
  const storage::PackedLayout& layout = worker_.layouts_.current();
  if (next.size() != state.size()) return layout.pack(next.data(), length_of(next), record);
  if (known_layout_ != worker_.layouts_.current_number()) {
    packed_again_.resize(record_words_);
    layout.pack(state.data(), length_of(state), packed_again_.data());
    known_record_ = packed_again_.data();
    known_layout_ = worker_.layouts_.current_number();
  }
  return layout.pack_like(state.data(), known_record_, next.data(), length_of(next), record);
}

void LevelExpansion::reach(StateView state, StateView next, std::uint64_t key) {
  if (!pack(state, next, pending_.data() + pending_count_ * record_words_)) {
    insert_pending();
    hand_over();
    worker_.widen_to(
        worker_.layouts_.current().widened(next.data(), length_of(next), worker_.system_.parts_met() != 0));
    start_candidates();
    worker_.layouts_.current().pack(next.data(), length_of(next), pending_.data());
  }
  std::uint64_t* const record = pending_.data() + pending_count_ * record_words_;
  if (worker_.in_order_) {
    add_keyed(record, key);
    return;
  }
  const std::uint64_t hash = worker_.candidates_.hash(record);
  worker_.candidates_.prefetch(hash);
  hashes_[pending_count_] = hash;
  if (++pending_count_ == kPending) insert_pending();
}

void LevelExpansion::insert_pending() {
  for (std::size_t i = 0; i < pending_count_; ++i) {
    const std::uint64_t* const record = pending_.data() + i * record_words_;
    while (!worker_.candidates_.add(record, hashes_[i])) {
      hand_over();
      worker_.candidates_.start(record_words_, ~std::uint64_t{0} / 4);
    }
  }
  pending_count_ = 0;
}

void LevelExpansion::add_keyed(const std::uint64_t* record, std::uint64_t key) {
  const std::size_t words = record_words_ + 1;
  if ((keyed_count_ + 1) * words > keyed_.size()) hand_over();
  std::uint64_t* const at = keyed_.data() + keyed_count_++ * words;
  std::copy_n(record, record_words_, at);
  at[record_words_] = key;
}

bool LevelExpansion::may_keep(std::uint64_t records) const {
  const std::uint64_t words = kept_words_ + records * (record_words_ + (worker_.in_order_ ? 1 : 0));
  return words <= spilling::memory_limit(worker_.options_) / kKeptShare / sizeof(std::uint64_t);
}

void LevelExpansion::hand_over() {
  const std::uint64_t records = worker_.in_order_ ? keyed_count_ : worker_.candidates_.size();
  kept_.clear();
  if (may_keep(records)) {
    kept_.resize(worker_.partitions_);
    for (std::uint32_t i = 0; i < worker_.partitions_; ++i)
      kept_[i] = {i, worker_.layouts_.current_number(), worker_.in_order_, {}};
  }
  if (worker_.in_order_) {
    const std::uint32_t words = record_words_ + 1;
    storage::sort_records(keyed_.data(), keyed_count_, words);
    for (std::uint64_t i = 0; i < keyed_count_; ++i) {
      const std::uint64_t* const at = keyed_.data() + i * words;
      // Of equal records the first has the least key.
      if (i > 0 && storage::compare_records(at - words, at, record_words_) == 0) continue;
      hand_over_one(at, at[record_words_]);
    }
    keyed_count_ = 0;
  } else {
    worker_.candidates_.sort();
    const std::uint64_t* record = worker_.candidates_.sorted();
    for (std::uint64_t i = 0; i < worker_.candidates_.size(); ++i, record += record_words_)
      hand_over_one(record, 0);
  }
  for (std::uint32_t i = 0; i < worker_.partitions_; ++i) sections_[i].finish(out_.blocks[group_of_[i]]);
  for (KeptSection& section : kept_) {
    kept_words_ += section.words.size();
    if (!section.words.empty()) out_.kept.push_back(std::move(section));
  }
}

std::uint32_t LevelExpansion::owner_of(const std::uint64_t* record) {
  if (!worker_.in_order_) return worker_.ownership().of(record);
  const std::uint32_t length = worker_.layouts_.current().unpack(record, unpacked_.data());
  return worker_.owner_of({unpacked_.data(), length});
}

void LevelExpansion::hand_over_one(const std::uint64_t* record, std::uint64_t key) {
  ++out_.candidates;
  const std::uint32_t owner = owner_of(record);
  if (kept_.empty() || group_of_[owner] != own_group_) {
    sections_[owner].append(record, key);
    return;
  }
  Words& words = kept_[owner].words;
  words.insert(words.end(), record, record + record_words_);
  if (worker_.in_order_) words.push_back(key);
}

Expanded LevelExpansion::finish() {
  insert_pending();
  hand_over();
  if (edges_ != nullptr) edges_->flush();
  for (auto& [code, found] : first_) out_.found.push_back(std::move(found));
  for (auto& [code, found] : shortest_) out_.found.push_back(std::move(found));
  worker_.control_.report(out_.states, out_.transitions, depth_, 0);
  return std::move(out_);
}

}  // namespace assay::search::partitioned
