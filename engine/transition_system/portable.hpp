/// States that travel between processes, in blocks of bytes.
///
/// How a search uses it whose states are spread over processes:
///
///  - The coordinator draws a key (24 random bytes) and gives it to every worker. Each worker opens the same program and
///    makes one `Exchange` of it.
///  - Who owns a state: `system.content_hash(state)`, the same in every process.
///  - A worker that found states of another owner adds each to a `Block` and sends what `take` gives. With a `KnownParts`
///    for that owner, what it was sent before is left out. Words of the search's own (a depth, a parent) may go with each.
///  - The owner hands the bytes to `read`, which tells every state, in words of *its* system: equal states are equal words
///    there, so its visited states are a plain set of words. These words mean nothing elsewhere: what is kept for another
///    process (a partition's states on disk, a parent to be asked about later) is kept as blocks.
///  - For the case that the owner is lost, blocks are appended to a file of its partition (`KnownParts` of that file: each
///    part stands there once, before the first state that refers to it). A process that takes over hands the file to
///    `read` from its beginning: blocks stand one behind another, and a file may end with a block that was cut off while
///    it was written (`whole` says where). Every sender then clears its `KnownParts` of that owner; sending a part
///    again does no harm.
///
/// What else is of one process only, and how a search over processes has to treat it:
///
///  - An AssumptionFailed in one worker refutes the assumption for all: the program is compiled without it, which
///    changes what its states are, so everything found so far is dropped.
///  - UnsupportedProgram in one worker ends the search for all: no verdict but an incomplete one.
///  - Codes of violations are numbers of the process that found them, where `parts_met` is not 0: ask that process for their
///    meaning, or have the path repeated. Match keys are such numbers too: a search by `--match` cannot be spread so.
///  - Remarks of the machine (`remarks`) and findings of embedded C (`untracked`): the union over all workers counts.
///  - `forget` may be called at any time: what was met stays.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "support/binary_field.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system {

/// Of a part's content: a polynomial over the field of 2^192 elements at the key of the exchange. Two contents of n words
/// have one digest with probability n/2^192 at most, whatever they are, if nobody knew the key who chose them.
using PartDigest = support::ElementWords;

struct PartDigestHash {
  std::size_t operator()(const PartDigest& digest) const { return digest[0] ^ digest[1]; }
};

/// The parts that a receiver, or a file, has already. It may forget all of them at any time, and does where it would take
/// more memory than it may: then they are sent once more.
class KnownParts {
 public:
  explicit KnownParts(std::size_t most_bytes) : most_(most_bytes / kBytesEach) {}

  bool contains(const PartDigest& digest) const { return digests_.contains(digest); }
  void add(const PartDigest& digest) {
    if (digests_.size() >= most_) clear();
    digests_.insert(digest);
  }
  void clear() { digests_.clear(); }
  std::size_t size() const { return digests_.size(); }
  std::size_t bytes() const { return digests_.size() * kBytesEach; }

 private:
  static constexpr std::size_t kBytesEach = 64;  // with what the set itself needs

  std::size_t most_;
  std::unordered_set<PartDigest, PartDigestHash> digests_;
};

/// The names, in all processes, of the parts of one system, and the way between its states and blocks. Not for several
/// threads at once. The system must outlive it.
class Exchange {
 public:
  /// Where the names of parts would take more memory than that, std::bad_alloc.
  Exchange(const TransitionSystem& system, const support::ElementWords& key, std::size_t most_bytes);

  /// States to be sent together.
  class Block {
   public:
    /// Without `known` the block tells every part, and can be read by anybody who has the program.
    explicit Block(Exchange& exchange, KnownParts* known = nullptr) : exchange_(exchange), known_(known) {}

    /// What `add` throws, nothing was added. UnsupportedProgram: a state cannot travel.
    void add(StateView state, std::span<const std::uint64_t> note = {});
    std::size_t states() const { return states_; }
    /// About how long the block is by now.
    std::size_t bytes() const { return parts_.size() + body_.size(); }
    /// The block; the next one begins empty. What it told is known from now on: to be sent, or written, before any later
    /// one with the same `known`, or else `known` cleared.
    std::string take();

   private:
    std::uint32_t index_of(Part part);

    Exchange& exchange_;
    KnownParts* const known_;
    std::unordered_map<std::uint64_t, std::uint32_t> indexes_;  // of parts, in the block
    std::vector<PartDigest> told_;
    std::string parts_, body_;
    std::uint64_t part_count_ = 0, states_ = 0;
    PortableState state_;
  };

  using Taker = std::function<void(StateView state, std::span<const std::uint64_t> note)>;
  /// Reads blocks that stand one behind another. Throws NotPortable where the bytes are not what `take` gave to somebody with
  /// the same key and program (then states before that place may have been told), or name a part that was never told here.
  void read(std::string_view bytes, const Taker& take);
  /// How many bytes at the beginning are whole blocks, as far as their lengths tell.
  static std::size_t whole(std::string_view bytes);

  PartDigest digest_of(Part part);
  std::size_t parts() const { return numbers_.size(); }
  std::size_t bytes() const;

 private:
  void note(const PartDigest& digest, Part part);
  PartDigest digest(const std::string& bytes, std::span<const PartDigest> refers) const;
  std::uint64_t checksum(std::string_view bytes) const;
  void read_block(std::string_view block, const Taker& take);

  const TransitionSystem& system_;
  const support::PortableElement key_;
  const std::size_t most_bytes_;
  std::unordered_map<std::uint64_t, PartDigest> digests_;         // of parts that were sent
  std::unordered_map<PartDigest, Part, PartDigestHash> numbers_;  // several digests may lead to one part
  std::vector<std::uint64_t> scratch_;
};

}  // namespace assay::transition_system
