/// The walk itself, for one purpose and one implementation of the field.
///
/// Included by one file for each implementation: files are compiled for the
/// instructions that a processor may or may not have.
#pragma once

#include "evidence/walk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "evidence/bits.hpp"
#include "evidence/content_hash.hpp"
#include "evidence/ranked_graph.hpp"
#include "evidence/varint_reader.hpp"
#include "support/memory.hpp"
#include "transition_system/successor_buffer.hpp"

namespace assay::evidence {

using transition_system::SuccessorBuffer;
using transition_system::TransitionSystem;

inline std::string plural(std::uint64_t count, const std::string& what) {
  const bool ends_in_y = what.back() == 'y';
  return std::to_string(count) + " " +
         (count == 1  ? what
          : ends_in_y ? what.substr(0, what.size() - 1) + "ies"
                      : what + "s");
}

/// Two products over everything seen: equal, apart from a tiny probability,
/// exactly if every reference is right.
template <class Mark>
class Products {
 public:
  void refer(Mark mark, std::uint64_t number) { referred_ = referred_ * (mark + Mark(number)); }
  /// A factor as often as it is referred to: once for each bit of that number,
  /// in the product that is squared so many times in the end.
  void visit(Mark mark, std::uint64_t number, std::uint64_t times) {
    const Mark factor = mark + Mark(number);
    for (; times != 0; times &= times - 1) {
      Mark& product = visited_[static_cast<std::size_t>(std::countr_zero(times))];
      product = product * factor;
    }
  }
  std::string referred() const { return bytes_of(referred_); }
  std::string visited() const {
    Mark product(1);
    for (std::size_t bit = visited_.size(); bit-- > 0;) product = product * product * visited_[bit];
    return bytes_of(product);
  }

 private:
  static std::string bytes_of(Mark product) {
    const support::ElementWords words = product.words();
    return std::string(reinterpret_cast<const char*>(words.data()), sizeof words);
  }
  static std::array<Mark, 64> ones() {
    std::array<Mark, 64> result;
    result.fill(Mark(1));
    return result;
  }

  Mark referred_{1};
  std::array<Mark, 64> visited_ = ones();
};

/// The content of a state, for the maps below: its mark, and its rank where there are any.
struct Fingerprint {
  support::ElementWords mark;
  std::uint32_t rank = 0;

  friend bool operator==(const Fingerprint& a, const Fingerprint& b) {
    return a.mark == b.mark && a.rank == b.rank;
  }
};

/// The map FP from numbers to fingerprints. A number is known from its first
/// mention on, by an entry or by a visit.
class FingerprintMap {
 public:
  explicit FingerprintMap(bool drop_after_last) : drops_(drop_after_last) {}

  struct Claim {
    Fingerprint fingerprint;
    std::uint64_t state = kNoNumber;  // whose entry mentioned it first
    std::uint32_t position = 0;
    bool visited = false;
    std::uint64_t claimed = 0;  // references, according to the script
    std::uint64_t found = 0;
  };

  /// Null, or the claim that this one contradicts.
  const Claim* refer(std::uint64_t number, const Fingerprint& fingerprint, std::uint64_t state,
                     std::uint32_t position) {
    const auto [at, is_new] = map_.try_emplace(number, Claim{fingerprint, state, position});
    peak_ = std::max(peak_, map_.size());
    Claim& claim = at->second;
    if (!(claim.fingerprint == fingerprint)) {
      if (claim.visited) return &claim;
      // Which of the two is wrong shows when the state is visited.
      disputed_.try_emplace(number, Claim{fingerprint, state, position});
    }
    ++claim.found;
    drop_if_done(at);
    return nullptr;
  }
  const Claim* visit(std::uint64_t number, const Fingerprint& fingerprint, std::uint64_t references) {
    const auto [at, is_new] = map_.try_emplace(number, Claim{fingerprint});
    peak_ = std::max(peak_, map_.size());
    Claim& claim = at->second;
    if (!(claim.fingerprint == fingerprint)) return &claim;
    if (const auto other = disputed_.find(number); other != disputed_.end()) return &other->second;
    claim.visited = true;
    claim.claimed = references;
    drop_if_done(at);
    return nullptr;
  }
  std::optional<WrongCount> wrong_count() const {
    std::optional<WrongCount> first;
    for (const auto& [number, claim] : map_) {
      if (claim.claimed == claim.found || (first && first->state < number)) continue;
      first = WrongCount{number, claim.claimed, claim.found};
    }
    return first;
  }
  std::size_t peak() const { return peak_; }
  std::size_t bytes() const { return map_.size() * (sizeof(Claim) + 40); }

 private:
  using Map = std::unordered_map<std::uint64_t, Claim>;

  void drop_if_done(Map::iterator at) {
    if (drops_ && at->second.visited && at->second.found == at->second.claimed) map_.erase(at);
  }

  const bool drops_;
  Map map_;
  Map disputed_;  // by number: the first entry that contradicts an earlier one before the state was visited
  std::size_t peak_ = 0;
};

/// The same for a script whose references have no numbers: a map from what states are to who visits them and who
/// refers to them. Whether something is wrong shows when all were visited.
class ContentMap {
 public:
  struct Claim {
    std::uint64_t number = kNoNumber;  // under which it was visited first
    std::uint64_t state = kNoNumber;   // whose entry referred to it first
    std::uint32_t position = 0;
    std::uint64_t claimed = 0;  // references, according to the script
    std::uint64_t found = 0;
  };
  struct Hash {
    std::size_t operator()(const Fingerprint& of) const { return of.mark[0] + of.rank; }  // marks are random
  };
  using Map = std::unordered_map<Fingerprint, Claim, Hash>;

  void refer(const Fingerprint& content, std::uint64_t state, std::uint32_t position) {
    Claim& claim = map_[content];
    if (claim.found++ == 0) {
      claim.state = state;
      claim.position = position;
    }
  }
  void visit(const Fingerprint& content, std::uint64_t number, std::uint64_t references) {
    Claim& claim = map_[content];
    if (claim.number == kNoNumber) claim.number = number;
    claim.claimed += references;
  }
  /// What was referred to first of all that was never visited, or null.
  const Map::value_type* missing() const {
    const Map::value_type* first = nullptr;
    for (const Map::value_type& known : map_) {
      const Claim& claim = known.second;
      if (claim.number != kNoNumber) continue;
      if (first == nullptr ||
          std::pair(claim.state, claim.position) < std::pair(first->second.state, first->second.position))
        first = &known;
    }
    return first;
  }
  /// The first visit of a state with that mark, whatever its rank, or null.
  const Map::value_type* visited(const support::ElementWords& mark) const {
    const Map::value_type* first = nullptr;
    for (const Map::value_type& known : map_) {
      if (known.first.mark != mark || known.second.number == kNoNumber) continue;
      if (first == nullptr || known.second.number < first->second.number) first = &known;
    }
    return first;
  }
  std::optional<WrongCount> wrong_count() const {
    std::optional<WrongCount> first;
    for (const auto& [content, claim] : map_) {
      if (claim.claimed == claim.found || claim.number == kNoNumber) continue;
      if (!first || claim.number < first->state) first = WrongCount{claim.number, claim.claimed, claim.found};
    }
    return first;
  }
  std::size_t size() const { return map_.size(); }
  std::size_t bytes() const { return map_.size() * (sizeof(Map::value_type) + 40); }

 private:
  Map map_;
};

template <Purpose purpose, class Mark, bool kRanked>
class WalkFor final : public Walk {
  static constexpr bool kAuthenticates = purpose == Purpose::kAuthenticate;
  static constexpr bool kExplains = purpose == Purpose::kExplain;
  static constexpr bool kChecksAll = purpose != Purpose::kTrust;
  static constexpr bool kReadsIds = kChecksAll && !kRanked;
  static constexpr int kLongestSubtreeVarint = 7;
  // That a path may grow by before anybody looks at its memory.
  static constexpr std::uint64_t kStepsUnlooked = 1024;

 public:
  WalkFor(const TransitionSystem& system, const WalkOptions& options)
      : system_(system),
        options_(options),
        max_words_(system.max_words()),
        has_state_checks_(system.has_state_checks()),
        has_step_checks_(kChecksAll && system.has_step_checks()),
        has_moves_(!kRanked && options.moves),
        follows_moves_(has_moves_ && !kChecksAll && system.follows_one_process()),
        hash_(options.secrets, kChecksAll ? system.max_words() : 0, kRanked),
        acceptance_(system, options.ranking ? options.ranking->question : transition_system::CycleQuestion{}),
        map_(options.drop_after_last),
        path_(kRanked),
        words_(std::size_t{system.max_words()} + 1) {}

  void begin(std::string_view start, std::uint64_t first_state, std::vector<Interval> holes) override {
    numbering_ = Numbering(first_state, std::move(holes));
    VarintReader section(start.data(), start.size());
    const auto read = [&] {
      std::uint64_t value = 0;
      if (!section.read(value)) throw Rejected("the start of a frame is not a list of numbers");
      return value;
    };
    const std::uint64_t length = read();
    facts_.path_length = length;
    std::uint32_t violation = 0;
    std::uint32_t count = system_.initial(words_.data(), &violation);
    require_length(count);
    Mark mark = kChecksAll ? hash_.mark(words_.data(), count) : Mark();
    std::uint32_t rank = initial_rank();  // of the state that the path has come to
    const auto read_rank = [&]() -> std::uint32_t {
      if constexpr (!kRanked) return 0;
      const std::int64_t after = std::int64_t{rank} - unfolded(read());
      if (after < 0 || after >= static_cast<std::int64_t>(kRankEnd))
        throw Rejected("the start of a frame has a rank that no state can have");
      return static_cast<std::uint32_t>(after);
    };
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t taken = read();
      const std::uint32_t taken_rank = read_rank();
      const std::uint64_t remaining_count = read();
      system_.successors({words_.data(), count}, buffer_.cleared());
      const std::uint32_t successors = buffer_.count();
      if (taken >= successors || remaining_count >= successors) {
        throw Rejected("the initialization path of a frame takes step number " + std::to_string(taken) +
                       " in a state with " + plural(successors, "successor"));
      }
      remaining_.clear();
      std::uint64_t position = taken;
      for (std::uint64_t r = 0; r < remaining_count; ++r) {
        position += read() + 1;
        if (position >= successors) throw Rejected("the start of a frame names a child that does not exist");
        remaining_.push_back({static_cast<std::uint32_t>(position), read_rank()});
      }
      path_.enter_outside(kReadsIds ? successors : 0, {static_cast<std::uint32_t>(taken), taken_rank},
                          remaining_);
      for (std::size_t r = remaining_.size(); r-- > 0;) {
        (void)child(remaining_[r].position);
        push_child(remaining_[r].position, count, mark);
      }
      (void)child(static_cast<std::uint32_t>(taken));
      go_to_child(static_cast<std::uint32_t>(taken), count, mark);
      mark = next_.mark;
      count = next_.length;
      rank = taken_rank;
      require_memory();
    }
    if (!section.at_end()) throw Rejected("the start of a frame is longer than its path");
    next_ = {length > 0 || first_state == 0, count, mark};
  }

  bool frame(const FrameView& sections) override {
    const auto reader = [](std::string_view section) { return VarintReader(section.data(), section.size()); };
    Entries entries{Bits(sections.bits, sections.entries), reader(sections.ids), reader(sections.counts),
                    reader(sections.supplement)};
    const bool lists_subgraphs = !kRanked && !has_moves_ && !sections.supplement.empty();
    frame_first_ = numbering_.next();
    const std::uint64_t references_before = facts_.references;
    for (std::uint32_t i = 0; i < sections.states; ++i) {
      if (is_finished()) {
        throw Rejected("the script has more states than it leads to: nothing is left to visit at state " +
                       std::to_string(numbering_.next()) + ", where the frame still has " +
                       plural(sections.states - i, "state"));
      }
      const std::uint64_t number = numbering_.next(), entries_before = facts_.entries;
      if (!(follows_moves_ ? visit_by_moves(entries) : visit(entries))) return false;
      if (lists_subgraphs) require_listed(entries.supplement, number, facts_.entries - entries_before);
    }
    if (!entries.supplement.at_end()) {
      throw Rejected(kRanked      ? "a frame has more excesses than entries"
                     : has_moves_ ? "a frame has more moves than entries"
                                  : "Subgraphs lists more states than a frame has");
    }
    if (entries.bits.left() > 0) {
      throw Rejected(plural(entries.bits.left(), "entry") + " of a frame belong to no state");
    }
    if constexpr (kChecksAll) {
      if (!entries.ids.at_end() || !entries.counts.at_end())
        throw Rejected("a frame has more numbers than its entries need");
    }
    if (facts_.references - references_before != sections.references) {
      throw Rejected("a frame has another number of references than the index says");
    }
    if constexpr (kExplains && kRanked) {
      if (is_finished()) look_for_missing();
    }
    return true;
  }

  /// The list Subgraphs says how many entries each state has, and how many its subtree: the former shows here, and
  /// then the latter follows from the script alone.
  static void require_listed(VarintReader& subgraphs, std::uint64_t number, std::uint64_t entries) {
    std::uint64_t listed = 0, size = 0;
    if (!subgraphs.read(listed) || !subgraphs.read(size, kLongestSubtreeVarint)) {
      throw Rejected("Subgraphs does not list state " + std::to_string(number));
    }
    if (listed != entries) {
      throw Rejected("Subgraphs lists " + std::to_string(listed) + " entries for state " +
                     std::to_string(number) + ", which has " + std::to_string(entries));
    }
  }

  std::string position() const override { return path_.as_section(initial_rank()); }
  bool is_finished() const override { return !next_.is_known && pending_.empty(); }

  WalkFacts facts() const override {
    WalkFacts facts = facts_;
    facts.referred = products_.referred();
    facts.visited = products_.visited();
    facts.map_entries = kRanked ? contents_.size() : map_.peak();
    return facts;
  }
  std::pair<std::uint64_t, std::uint64_t> progress() const override {
    return {facts_.states, facts_.entries};
  }
  const std::optional<WalkViolation>& violation() const override { return violation_; }
  const std::optional<Discrepancy>& discrepancy() const override { return discrepancy_; }
  std::optional<WrongCount> wrong_count() const override {
    return kRanked ? contents_.wrong_count() : map_.wrong_count();
  }

 private:
  /// What is left to read of a frame.
  struct Entries {
    Bits bits;
    VarintReader ids, counts, supplement;
  };

  std::uint32_t initial_rank() const { return kRanked ? options_.ranking->initial_rank : 0; }

  void require_length(std::uint32_t count) const {
    if (count > max_words_) [[unlikely]]
      refuse_length(count);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_length(std::uint32_t count) const {
    throw std::runtime_error("the model wrote a state of " + std::to_string(count) +
                             " words but promised at most " + std::to_string(max_words_));
  }
  void require_memory() const {
    if (options_.memory_limit_bytes == 0) return;
    const std::size_t maps = map_.bytes() + contents_.bytes();
    if (pending_.bytes() + path_.bytes() + buffer_.bytes() + maps > options_.memory_limit_bytes) {
      throw support::MemoryRefused();
    }
  }

  const assay_successor& child(std::uint32_t position) const {
    const assay_successor& successor = buffer_[position];
    if (successor.has_state == 0) throw Rejected("the script follows a step that ends in an error");
    require_length(successor.word_count);
    return successor;
  }
  /// Of a successor of the state in `words_`, which has that many words and that mark.
  [[gnu::always_inline]] Mark mark_of_child(const assay_successor& successor, std::uint32_t count,
                                            const Mark& parent) {
    if constexpr (!kChecksAll) return Mark();
    return hash_.mark_of_similar(parent, words_.data(), count, buffer_.words(successor),
                                 successor.word_count);
  }
  /// Keeps a child of the state in `words_` for later.
  void push_child(std::uint32_t position, std::uint32_t count, const Mark& parent) {
    const assay_successor& successor = buffer_[position];
    pending_.push(buffer_.words(successor), successor.word_count, mark_of_child(successor, count, parent));
  }
  /// Puts a child of the state in `words_` in its place: it is visited next.
  [[gnu::always_inline]] void go_to_child(std::uint32_t position, std::uint32_t count, const Mark& parent) {
    const assay_successor& successor = buffer_[position];
    next_ = {true, successor.word_count, mark_of_child(successor, count, parent)};
    copy_words(words_.data(), buffer_.words(successor), successor.word_count);
  }

  bool violated(std::uint32_t code) {
    violation_ = WalkViolation{code, path_.positions()};
    return false;
  }
  /// While the entries of the violating state are read, it is the innermost of the path.
  bool violated_by_step(std::uint32_t code, std::uint32_t position) {
    violated(code);
    violation_->path.back() = position;
    return false;
  }

  /// Puts the next state into `words_` and checks it alone. False: a property fails.
  [[gnu::always_inline]] bool arrive(std::uint64_t number) {
    if (!next_.is_known) next_.length = pending_.pop(words_.data(), next_.mark);
    next_.is_known = false;
    ++facts_.states;
    facts_.depth = std::max<std::uint64_t>(facts_.depth, path_.length());
    if (number == 0) {
      std::uint32_t code = 0;
      system_.initial(scratch_initial(), &code);
      if (code != 0) return violated(code);
    }
    if (has_state_checks_) {
      if (const std::uint32_t code = system_.check_state({words_.data(), next_.length}))
        return violated(code);
    }
    return true;
  }

  /// The next state with all its entries. False: a property fails.
  bool visit(Entries& entries) {
    Bits& bits = entries.bits;
    const std::uint64_t number = numbering_.take();
    if (!arrive(number)) return false;
    const Mark mark = next_.mark;
    const std::uint32_t length = next_.length;
    const std::uint64_t* const words = words_.data();
    std::uint32_t rank = 0;
    if constexpr (kRanked) rank = path_.empty() ? initial_rank() : path_.innermost().taken_rank;
    if constexpr (kChecksAll) {
      std::uint64_t references = 0;
      if (!entries.counts.read(references)) throw Rejected("a frame has fewer reference counts than states");
      facts_.counted += references;
      if constexpr (kAuthenticates) products_.visit(ranked(mark, rank), kRanked ? 0 : number, references);
      if constexpr (kExplains) note_visit(number, {mark.words(), rank}, references);
    }

    assay_buffer* const out = buffer_.cleared();
    if constexpr (!kChecksAll) {
      out->wanted = bits.bytes();
      out->wanted_first = bits.next();
      out->wanted_count = bits.left();
    }
    system_.successors({words, length}, out);
    const std::uint32_t count = buffer_.count();
    if (count == 0 && options_.check_deadlock && !system_.is_valid_end({words, length})) {
      return violated(0);
    }
    if (count > bits.left()) {
      throw Rejected("state " + std::to_string(number) + " has " + plural(count, "successor") +
                     ", but the frame has " + plural(bits.left(), "entry") + " left for it");
    }
    if constexpr (kRanked) read_ranks(number, rank, {words, length}, entries.supplement);
    if (has_moves_) require_moves(entries, number, count);
    enter(number, mark, length, count, entries);
    return !violation_;
  }
  [[gnu::always_inline]] Mark ranked(const Mark& mark, std::uint32_t rank) {
    if constexpr (!kRanked) return mark;
    if (rank != rank_marked_) {  // most states have the rank of the one before
      rank_marked_ = rank;
      mark_of_rank_ = hash_.of_rank(rank);
    }
    return mark + mark_of_rank_;
  }

  /// The section Moves says how many entries each state has, and whose step each TREE entry is.
  void require_moves(Entries& entries, std::uint64_t number, std::uint32_t count) {
    if (read_move(entries) != count) {
      throw Rejected("Moves lists another number of entries for state " + std::to_string(number) +
                     " than the " + std::to_string(count) + " that it has");
    }
    for (std::uint32_t base = 0; base < count; base += 64) {
      std::uint64_t tree = entries.bits.peek(base, std::min(count - base, 64u));
      for (; tree != 0; tree &= tree - 1) {
        const std::uint32_t k = base + static_cast<std::uint32_t>(std::countr_zero(tree));
        const std::uint64_t named = read_move(entries);
        if (named != 0 && named != number_of_move(transition_system::Move::of(buffer_, k))) [[unlikely]]
          reject_move(number, k);
      }
    }
  }
  [[gnu::always_inline]] static std::uint64_t read_move(Entries& entries) {
    std::uint64_t value = 0;
    if (!entries.supplement.read(value)) [[unlikely]]
      throw Rejected("a frame has fewer moves than entries");
    return value;
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void reject_move(std::uint64_t number, std::uint32_t k) {
    throw Rejected("Moves takes entry " + std::to_string(k) + " of state " + std::to_string(number) +
                   " for a step that it is not");
  }

  /// The next state, whose children the section Moves names by whose steps they are: nobody else is asked. The
  /// script is believed, and so is that there are as many entries as it says. That a state without children is no
  /// deadlock is not. False: a property fails.
  bool visit_by_moves(Entries& entries) {
    Bits& bits = entries.bits;
    const std::uint64_t number = numbering_.take();
    if (!arrive(number)) return false;
    const Mark mark = next_.mark;
    const std::uint32_t length = next_.length;
    const transition_system::StateView state{words_.data(), length};
    const std::uint64_t listed = read_move(entries);
    if (listed > bits.left()) {
      throw Rejected("state " + std::to_string(number) + " is said to have " + plural(listed, "entry") +
                     ", but the frame has " + plural(bits.left(), "entry") + " left for it");
    }
    const auto count = static_cast<std::uint32_t>(listed);
    children_.clear();
    std::uint32_t asked = kNobodyAsked, first = 0;
    assay_buffer* const out = buffer_.cleared();
    for (std::uint32_t base = 0; base < count; base += 64) {
      std::uint64_t tree = bits.peek(base, std::min(count - base, 64u));
      for (; tree != 0; tree &= tree - 1) {
        const std::uint32_t k = base + static_cast<std::uint32_t>(std::countr_zero(tree));
        const std::uint64_t named = read_move(entries);
        if (named > transition_system::Move::kNobody) [[unlikely]]
          reject_move(number, k);
        const transition_system::Move move{static_cast<std::uint16_t>(named - 1)};  // nobody, for 0
        const std::uint32_t whom = move.is_known() ? move.process() : kEverybodyAsked;
        if (whom != asked) {
          asked = whom;
          first = buffer_.count();
          if (move.is_known()) {
            system_.successors_of(state, whom, out);
          } else {
            system_.successors(state, out);
          }
        }
        const std::uint32_t at = first + (move.is_known() ? move.successor() : k);
        if (at >= buffer_.count()) [[unlikely]]
          reject_move(number, k);
        if (const std::uint32_t code = buffer_[at].violation) {
          path_.enter(number, 0);
          return violated_by_step(code, k);
        }
        (void)child(at);
        children_.push_back({k, at});
      }
    }
    bits.skip(count);
    facts_.entries += count;
    facts_.references += count - children_.size();
    if (children_.empty()) {
      if (!require_moving(number, state, count)) return false;
      path_.advance(numbering_.next());
      return true;
    }
    path_.enter(number, 0);
    for (std::size_t i = children_.size(); i-- > 1;) {
      path_.add_child(children_[i].position);
      push_child(children_[i].at, length, mark);
    }
    path_.go_to(children_.front().position);
    go_to_child(children_.front().at, length, mark);
    // One child takes the place of its parent: then the path alone has grown, by one step.
    if (children_.size() > 1 || facts_.states % kStepsUnlooked == 0) require_memory();
    return true;
  }
  /// Of a state without children. False: it is a deadlock.
  bool require_moving(std::uint64_t number, transition_system::StateView state, std::uint32_t count) {
    if (count > 0 && !options_.check_deadlock) return true;
    const bool moves = system_.can_move(state, buffer_.cleared());
    if (moves != (count > 0)) {
      throw Rejected("state " + std::to_string(number) + (moves ? " has successors" : " has no successors") +
                     ", but is said to have " + plural(count, "entry"));
    }
    if (moves || !options_.check_deadlock || system_.is_valid_end(state)) return true;
    return violated(0);
  }

  /// The ranks of what the steps of a state lead to, from the excesses beside its entries. Nothing but excesses is
  /// read: which sets a step is in, and which steps are free, is asked of the system. So no rank can climb that must
  /// not.
  void read_ranks(std::uint64_t number, std::uint32_t rank, transition_system::StateView state,
                  VarintReader& excesses) try {
    const std::uint32_t count = buffer_.count(), sets = acceptance_.set_count();
    ranks_after_.resize(count);
    if (count == 0) return;
    const bool makes_progress = acceptance_.makes_progress(state);
    const std::uint32_t judge = sets == 0 ? 0 : rank % sets;  // the set that matters here
    const bool all_meet = sets == 0 || acceptance_.holds_all_steps(judge, state, buffer_);
    if (acceptance_.depends_on_the_state_alone()) {
      const std::int64_t most = std::int64_t{rank} - (all_meet ? 1 : 0);
      for (std::uint32_t k = 0; k < count; ++k) {
        std::uint64_t value = 0;
        if (!excesses.read(value)) [[unlikely]]
          throw Rejected("a frame has fewer excesses than entries");
        const std::int64_t after = most - static_cast<std::int64_t>(value);
        if (after < 0) [[unlikely]]
          reject_rank(number, rank, k, value);
        ranks_after_[k] = static_cast<std::uint32_t>(after);
      }
      return;
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      std::uint64_t value = 0;
      if (!excesses.read(value)) [[unlikely]]
        throw Rejected("a frame has fewer excesses than entries");
      const assay_successor& step = buffer_[k];
      std::int64_t after = rank;
      if (makes_progress || acceptance_.makes_progress(buffer_.state(step))) {
        after -= unfolded(value);
      } else {
        const bool is_met = (acceptance_.of_process(step.process) >> judge & 1) != 0 || all_meet;
        after -= static_cast<std::int64_t>(value) + (is_met ? 1 : 0);
      }
      if (after < 0 || after >= static_cast<std::int64_t>(kRankEnd)) [[unlikely]]
        reject_rank(number, rank, k, value);
      ranks_after_[k] = static_cast<std::uint32_t>(after);
    }
  } catch (const std::invalid_argument& problem) {
    throw Rejected(problem.what());  // more processes than there can be fairness for
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void reject_rank(std::uint64_t number, std::uint32_t rank,
                                                                 std::uint32_t k, std::uint64_t excess) {
    throw Rejected("entry " + std::to_string(k) + " of state " + std::to_string(number) +
                   ", which has rank " + std::to_string(rank) +
                   ", leads to no rank: the number beside it is " + std::to_string(excess));
  }

  /// The entries of the state that was just visited.
  void enter(std::uint64_t number, Mark mark, std::uint32_t length, std::uint32_t count, Entries& entries) {
    Bits& bits = entries.bits;
    const bool has_parent = kReadsIds && !path_.empty() && path_.innermost().number != kNoNumber &&
                            path_.innermost().number >= frame_first_;
    const OpenPath::Step parent = has_parent ? path_.innermost() : OpenPath::Step{};
    std::uint32_t* const leads_to = path_.enter(number, kReadsIds ? count : 0);
    const OpenPath::Prediction predicted(number, count, has_parent ? &parent : nullptr,
                                         path_.entries_of(parent));
    for (std::uint32_t base = 0; base < count; base += 64) {
      const std::uint32_t here = std::min(count - base, 64u);
      const std::uint64_t tree = bits.peek(base, here), all = ~std::uint64_t{0} >> (64 - here);
      const std::uint64_t looked_at = kChecksAll ? all : tree;
      for (std::uint64_t left = looked_at; left != 0; left &= left - 1) {
        const std::uint32_t k = base + static_cast<std::uint32_t>(std::countr_zero(left));
        if (!check_step(k, length)) return;
        if constexpr (kReadsIds) leads_to[k] = OpenPath::kUnvisited;
      }
      if constexpr (!kChecksAll) continue;
      for (std::uint64_t left = all & ~tree; left != 0; left &= left - 1) {
        const std::uint32_t k = base + static_cast<std::uint32_t>(std::countr_zero(left));
        std::uint64_t target = 0;  // with ranks no number is read: what matters is that the state is visited
        if constexpr (kReadsIds) {
          target = read_reference(entries.ids, number, k, predicted(k));
          leads_to[k] = static_cast<std::uint32_t>(target);
        }
        const Mark reached = mark_of_child(buffer_[k], length, mark);
        const std::uint32_t rank = kRanked ? ranks_after_[k] : 0;
        if constexpr (kAuthenticates) products_.refer(ranked(reached, rank), target);
        if constexpr (kExplains) note_reference(number, k, target, {reached.words(), rank});
      }
    }
    const std::uint32_t children = enter_children(mark, length, count, bits);
    bits.skip(count);
    facts_.entries += count;
    facts_.references += count - children;
    if (children > 0) require_memory();
    path_.advance(numbering_.next());
  }

  /// Keeps the children of the state that was just visited, the last one first: they are taken from
  /// the end. The first one takes the place of its parent, so it is the last to be looked at. Answers how many.
  std::uint32_t enter_children(const Mark& mark, std::uint32_t length, std::uint32_t count,
                               const Bits& bits) {
    constexpr std::uint32_t kNone = 0xFFFFFFFFu;
    std::uint32_t held = kNone, children = 0;
    for (std::uint32_t chunk = (count + 63) / 64; chunk-- > 0;) {
      const std::uint32_t base = chunk * 64;
      for (std::uint64_t left = bits.peek(base, std::min(count - base, 64u)); left != 0;) {
        const auto highest = static_cast<std::uint32_t>(std::bit_width(left) - 1);
        left ^= std::uint64_t{1} << highest;
        if (held != kNone) push_child(held, length, mark);
        held = base + highest;
        if constexpr (kRanked) {
          path_.add_child(held, ranks_after_[held]);
        } else {
          path_.add_child(held);
        }
        ++children;
      }
    }
    if (held != kNone) go_to_child(held, length, mark);
    return children;
  }

  /// False: a property fails on this step.
  bool check_step(std::uint32_t k, std::uint32_t length) {
    const assay_successor& successor = buffer_[k];
    if (successor.violation != 0) return violated_by_step(successor.violation, k);
    (void)child(k);
    if (!has_step_checks_) return true;
    const std::uint32_t code = system_.check_step({words_.data(), length}, buffer_.state(successor));
    return code == 0 || violated_by_step(code, k);
  }

  [[gnu::always_inline]] std::uint64_t read_reference(VarintReader& ids, std::uint64_t number,
                                                      std::uint32_t k, std::uint64_t predicted) {
    std::uint64_t code = 0;
    if (!ids.read(code)) [[unlikely]]
      throw Rejected("a frame has fewer numbers than references");
    // What would be below zero wraps around and is too large as well.
    const std::uint64_t target = predicted + static_cast<std::uint64_t>(unfolded(code));
    if (target >= options_.total_states) [[unlikely]]
      reject_reference(number, k, target);
    return target;
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void reject_reference(std::uint64_t number, std::uint32_t k,
                                                                      std::uint64_t target) {
    throw Rejected("entry " + std::to_string(k) + " of state " + std::to_string(number) +
                   " refers to state " + std::to_string(static_cast<std::int64_t>(target)) +
                   ", which the script does not have");
  }

  void note_reference(std::uint64_t number, std::uint32_t k, std::uint64_t target,
                      const Fingerprint& content) {
    if constexpr (kRanked) return contents_.refer(content, number, k);
    const FingerprintMap::Claim* const wrong = map_.refer(target, content, number, k);
    if (wrong == nullptr || discrepancy_) return;
    discrepancy_ = Discrepancy{number, k, target, kNoNumber, path_.positions(), {}, {}};
    discrepancy_->path.pop_back();  // the state itself is on the path while its entries are read
    wanted_ = content;
    if (const auto known = numbers_.find(content.mark[0]); known != numbers_.end())
      discrepancy_->actual = known->second;
  }
  void note_visit(std::uint64_t number, const Fingerprint& content, std::uint64_t references) {
    if (!options_.drop_after_last) {
      const auto [known, is_new] = numbers_.try_emplace(content.mark[0], number);
      if (!is_new) ++facts_.duplicates;
    }
    if constexpr (kRanked) return contents_.visit(content, number, references);
    if (discrepancy_ && discrepancy_->actual == kNoNumber && wanted_.mark == content.mark)
      discrepancy_->actual = number;
    const FingerprintMap::Claim* const wrong = map_.visit(number, content, references);
    if (wrong == nullptr || discrepancy_) return;
    // An earlier entry took this number for another state.
    discrepancy_ = Discrepancy{wrong->state, wrong->position, number, kNoNumber, {}, {}, {}};
    wanted_ = wrong->fingerprint;
    if (const auto known = numbers_.find(wanted_.mark[0]); known != numbers_.end())
      discrepancy_->actual = known->second;
  }

  /// All states were visited: is there an entry that leads to another one, or to one with another rank?
  void look_for_missing() {
    const ContentMap::Map::value_type* const missing = contents_.missing();
    if (missing == nullptr) return;
    const auto& [content, claim] = *missing;
    discrepancy_ = Discrepancy{claim.state, claim.position, {}, kNoNumber, {}, {}, {}};
    if (const ContentMap::Map::value_type* const visited = contents_.visited(content.mark)) {
      discrepancy_->actual = visited->second.number;
      discrepancy_->claimed_rank = content.rank;
      discrepancy_->actual_rank = visited->first.rank;
    }
  }

  std::uint64_t* scratch_initial() {
    scratch_.resize(std::size_t{max_words_} + 1);
    return scratch_.data();
  }

  const TransitionSystem& system_;
  const WalkOptions options_;
  const std::uint32_t max_words_;
  const bool has_state_checks_;
  const bool has_step_checks_;
  const bool has_moves_;      // is the last section of each frame Moves?
  const bool follows_moves_;  // nobody but those that it names is asked
  const ContentHash<Mark> hash_;
  transition_system::Acceptance acceptance_;  // asked only if there are ranks
  Products<Mark> products_;
  FingerprintMap map_;
  ContentMap contents_;                                       // in its place where there are ranks
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // by the first word of the fingerprint
  Fingerprint wanted_;
  OpenPath path_;
  PendingStates<Mark, kChecksAll> pending_;
  SuccessorBuffer buffer_;
  struct {
    bool is_known = false;  // otherwise the last of those that are pending comes next
    std::uint32_t length = 0;
    Mark mark;
  } next_;  // its words are in `words_`
  std::vector<std::uint64_t> words_, scratch_;
  std::vector<OpenPath::Child> remaining_;
  struct NamedChild {
    std::uint32_t position;  // of its entry
    std::uint32_t at;        // in the buffer
  };
  std::vector<NamedChild> children_;  // of the state that is visited, if it is led by Moves
  static constexpr std::uint32_t kNobodyAsked = 0xFFFFFFFFu, kEverybodyAsked = 0xFFFFFFFEu;
  std::uint32_t rank_marked_ = 0;
  Mark mark_of_rank_;                       // what that rank adds to a mark
  std::vector<std::uint32_t> ranks_after_;  // of the state that is visited: where its entries lead
  Numbering numbering_;
  std::uint64_t frame_first_ = 0;
  WalkFacts facts_;
  std::optional<WalkViolation> violation_;
  std::optional<Discrepancy> discrepancy_;
};

template <class Mark>
std::unique_ptr<Walk> make_walk(const TransitionSystem& system, const WalkOptions& options) {
  if (options.ranking) {
    switch (options.purpose) {
      case Purpose::kAuthenticate:
        return std::make_unique<WalkFor<Purpose::kAuthenticate, Mark, true>>(system, options);
      case Purpose::kExplain:
        return std::make_unique<WalkFor<Purpose::kExplain, Mark, true>>(system, options);
      case Purpose::kTrust:
        throw std::invalid_argument("ranks that are believed prove nothing: they are walked through or not");
    }
  }
  switch (options.purpose) {
    case Purpose::kAuthenticate:
      return std::make_unique<WalkFor<Purpose::kAuthenticate, Mark, false>>(system, options);
    case Purpose::kExplain: return std::make_unique<WalkFor<Purpose::kExplain, Mark, false>>(system, options);
    case Purpose::kTrust: return std::make_unique<WalkFor<Purpose::kTrust, Mark, false>>(system, options);
  }
  throw std::invalid_argument("unknown purpose of a walk");
}

}  // namespace assay::evidence
