/// The graph that a search walked through, written down on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transition_system/move.hpp"

namespace assay::evidence {

/// A file without a name that holds, for each state in the order of their ids,
/// the number of its successors and for each of them one 32-bit word: the id
/// of the successor, or `tree_word` for the step that discovered it. Memory use
/// does not depend on the size of the graph.
///
/// Ids follow the order of discovery, so those of discovered successors need
/// not be written: breadth first they go up within a level, depth first they
/// follow the walk.
class GraphLog {
 public:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFEu;
  static constexpr std::uint32_t kFirstTreeWord = 0xFFFF0000u;  // as many states there can be

  /// A step that discovered its target, with the move that it is.
  static constexpr std::uint32_t tree_word(transition_system::Move move) {
    return kFirstTreeWord | move.code;
  }
  static constexpr bool is_tree(std::uint32_t word) { return word >= kFirstTreeWord && word != kUnknown; }
  static constexpr transition_system::Move move_of(std::uint32_t tree_word) {
    return {static_cast<std::uint16_t>(tree_word)};
  }

  enum class Order { kBreadthFirst, kDepthFirst };

  /// The file lies in `directory` and vanishes with the log. Throws
  /// std::runtime_error with a sentence, here and whenever the disk fails.
  explicit GraphLog(const std::string& directory);
  ~GraphLog();
  GraphLog(const GraphLog&) = delete;
  GraphLog& operator=(const GraphLog&) = delete;

  const std::string& directory() const { return directory_; }

  void begin(Order order) { order_ = order; }
  /// Breadth first: the states that follow are one step further away.
  void begin_level(std::uint64_t first_state) { levels_.push_back({first_state, position()}); }
  /// The next state; its successors follow, one `add` each. Answers where they will stand.
  std::uint64_t begin_state(std::uint32_t successors) {
    put(successors);
    ++states_;
    transitions_ += successors;
    return position();
  }
  void add(std::uint32_t target) {
    names_moves_ &= target != tree_word({});
    put(target);
  }
  /// Replaces a word that was written as kUnknown.
  void set(std::uint64_t at, std::uint32_t target);
  /// Everything was written; only now can the log be read.
  void finish();

  /// What the search keeps so that the log could be made again. It is kept as long as the log lives, ...
  void keep(std::function<void()> discard) { discard_ = std::move(discard); }
  /// ... or until the log has served its purpose.
  void has_served() {
    if (discard_) discard_();
    discard_ = nullptr;
  }

  /// Of every step that discovered a state it is known whose it is.
  bool names_moves() const { return names_moves_; }
  bool is_finished() const { return finished_; }
  Order order() const { return order_; }
  std::uint64_t states() const { return states_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t words() const { return position(); }
  std::uint64_t bytes() const { return position() * sizeof(std::uint32_t); }

  struct Level {
    std::uint64_t first_state;
    std::uint64_t first_word;
  };
  const std::vector<Level>& levels() const { return levels_; }

  /// Reads words in order from some place on.
  class Cursor {
   public:
    Cursor() = default;
    Cursor(const GraphLog& log, std::uint64_t begin, std::uint64_t end, std::size_t buffer_words)
        : log_(&log), next_(begin), end_(end), buffer_words_(buffer_words) {}

    std::uint32_t read() {
      if (at_ == buffer_.size()) refill();
      return buffer_[at_++];
    }

   private:
    void refill();

    const GraphLog* log_ = nullptr;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
    std::size_t buffer_words_ = 0;
    std::vector<std::uint32_t> buffer_;
    std::size_t at_ = 0;
  };

 private:
  static constexpr std::size_t kBufferWords = std::size_t{1} << 18;

  std::uint64_t position() const { return flushed_ + used_; }
  /// For each transition of a search: a comparison and a store, where appending to a vector is a call.
  [[gnu::always_inline]] void put(std::uint32_t word) {
    if (used_ == kBufferWords) flush();
    buffer_[used_++] = word;
  }
  void flush();

  std::string directory_;
  int file_ = -1;
  Order order_ = Order::kBreadthFirst;
  std::unique_ptr<std::uint32_t[]> buffer_;  // until everything was written
  std::size_t used_ = 0;
  std::uint64_t flushed_ = 0;
  std::uint64_t states_ = 0;
  std::uint64_t transitions_ = 0;
  bool finished_ = false;
  bool names_moves_ = true;
  std::vector<Level> levels_;
  std::function<void()> discard_;
};

}  // namespace assay::evidence
