/// Walking a program along a script, frame by frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/content_hash.hpp"
#include "evidence/numbering.hpp"
#include "evidence/open_path.hpp"
#include "transition_system/acceptance.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::evidence {

/// What a walk is made for.
enum class Purpose {
  kAuthenticate,  // every entry is checked, without remembering states (docs/formats/certificate.md)
  kExplain,       // every entry is checked against a map from numbers to fingerprints (thesis Algorithm 3.1)
  kTrust,         // only TREE entries are followed (thesis 3.1.3)
};

/// What a script with ranks is about: that no cycle of the system meets every acceptance set.
struct Ranking {
  transition_system::CycleQuestion question;
  std::uint32_t initial_rank = 0;  // of the initial state, as the certificate says
};

struct WalkOptions {
  Purpose purpose = Purpose::kAuthenticate;
  bool check_deadlock = true;
  std::uint64_t total_states = 0;        // of the whole script: no number is as high
  std::uint64_t memory_limit_bytes = 0;  // for what the walk keeps; 0: none
  std::string secrets;                   // random bytes, at least `secret_bytes(max_words)` of them
  bool drop_after_last = false;          // kExplain: forget a number after its last reference (thesis 4.4)
  std::optional<Ranking> ranking;        // of a script with ranks, whoever is not kTrust
  bool moves = false;                    // the last section of each frame is Moves
  bool portable = false;                 // use no instruction that only some processors have
};

/// A property that fails; code 0 is a deadlock. The path leads from the initial state on.
struct WalkViolation {
  std::uint32_t code = 0;
  std::vector<std::uint32_t> path;
};

/// A reference that is wrong: kExplain only.
struct Discrepancy {
  std::uint64_t state = 0;               // number of the state that has the entry
  std::uint32_t position = 0;            // of the entry
  std::optional<std::uint64_t> claimed;  // the number that the entry gives, if it has one
  std::uint64_t actual = kNoNumber;      // the number under which that state is visited, if it was seen
  std::vector<std::uint32_t> path;       // to the state that has the entry, if it was known when this showed
  // Where the state is the right one: the rank it is said to have, and the one it was visited with.
  std::optional<std::uint32_t> claimed_rank, actual_rank;
};

/// A state that is not referred to as often as the script says: kExplain only.
struct WrongCount {
  std::uint64_t state = 0;
  std::uint64_t claimed = 0;
  std::uint64_t found = 0;
};

/// One frame as it is walked through (docs/formats/certificate.md); the bytes are somebody else's.
struct FrameView {
  std::uint32_t states = 0;
  std::uint32_t entries = 0;
  std::uint32_t references = 0;
  std::string_view bits, ids, counts;
  // The last section: of a script with ranks the excesses; of others the list Subgraphs or the section Moves, to be
  // compared with what the states have, or nothing. Whoever trusts is led by Moves.
  std::string_view supplement;
};

/// What a walk has seen so far.
struct WalkFacts {
  std::uint64_t states = 0;
  std::uint64_t entries = 0;
  std::uint64_t references = 0;
  std::uint64_t counted = 0;  // sum of the reference counts that the script claims
  std::uint64_t depth = 0;
  std::uint64_t path_length = 0;  // of the initialization path
  std::uint64_t duplicates = 0;   // kExplain: states visited under a second number
  std::uint64_t map_entries = 0;  // kExplain: the largest size of the map
  std::string referred, visited;  // the two products, 24 bytes each: kAuthenticate only
};

class Walk {
 public:
  virtual ~Walk() = default;

  /// How many random bytes a walk needs for states of that many words.
  static std::size_t secret_bytes(std::uint32_t max_words) { return evidence::secret_bytes(max_words); }

  static std::unique_ptr<Walk> make(const transition_system::TransitionSystem& system,
                                    const WalkOptions& options);

  /// Goes to where a frame starts, whose first state has that number; those
  /// after it count on from there, without the numbers in `holes`. Throws
  /// Rejected, here and below, when the script does not fit the program.
  virtual void begin(std::string_view start, std::uint64_t first_state, std::vector<Interval> holes) = 0;
  /// Walks through one frame. False: a property fails, and the walk is over.
  virtual bool frame(const FrameView& sections) = 0;
  /// Where the walk stands, as the start section of a frame.
  virtual std::string position() const = 0;
  /// Nothing is left to visit.
  virtual bool is_finished() const = 0;

  /// With the two products: they cost some thousand instructions, so this is asked at the end.
  virtual WalkFacts facts() const = 0;
  /// How many states and entries were seen so far.
  virtual std::pair<std::uint64_t, std::uint64_t> progress() const = 0;
  virtual const std::optional<WalkViolation>& violation() const = 0;
  virtual const std::optional<Discrepancy>& discrepancy() const = 0;
  /// Asked at the end of a walk through the whole script.
  virtual std::optional<WrongCount> wrong_count() const = 0;
};

}  // namespace assay::evidence
