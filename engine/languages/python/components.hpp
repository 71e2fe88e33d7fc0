/// The captured parts that states are made of, each stored once and named by a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/tokens.hpp"
#include "support/chunked_vector.hpp"

namespace assay::languages::python {

using ComponentId = std::uint32_t;

class Components {
 public:
  struct Entry {
    const Token* tokens = nullptr;
    std::uint32_t length = 0;
    std::uint32_t first_ref = 0;  // of the object slots it refers to, in order of their first occurrence
    std::uint32_t ref_count = 0;
    ComponentId finals = 0;   // of an instance: the component of its final attributes alone
    std::uint32_t shape = 0;  // the same for components that refer to the same slots in the same order
    std::uint32_t core_shape =
        0;  // of a thread: of its identity alone, and whether it has ended; of others: their shape
    std::uint32_t identity = kNone;  // of a thread: the object slot of its identity, if it has one
    bool is_ended = false;           // a thread without frames
    bool has_loops = false;          // iterators over shared objects
  };

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  Components() { table_.assign(1024, kEmpty); }

  /// The number of these tokens; new ones get the next number.
  ComponentId intern(std::span<const Token> tokens) {
    const std::uint64_t hash = hash_of(tokens);
    std::size_t mask = table_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const ComponentId id = table_[i];
      if (id == kEmpty) {
        const ComponentId added = add(tokens, hash);
        table_[i] = added;
        if (entries_.size() * 2 > table_.size()) grow();
        return added;
      }
      if (hashes_[id] == hash && equal(id, tokens)) return id;
    }
  }

  std::span<const Token> tokens(ComponentId id) const {
    const Entry& e = entries_[id];
    return {e.tokens, e.length};
  }
  /// The object slots that it refers to, each once.
  std::span<const std::uint32_t> refs(ComponentId id) const {
    const Entry& e = entries_[id];
    return {refs_.data() + e.first_ref, e.ref_count};
  }
  /// All that its references tell: 0 if it has none. A thread's shape tells its identity apart from the rest.
  std::uint32_t shape(ComponentId id) const { return entries_[id].shape; }
  std::uint32_t core_shape(ComponentId id) const { return entries_[id].core_shape; }
  Kind kind(ComponentId id) const { return Kind(payload_of(entries_[id].tokens[0]) & 0xFF); }
  std::uint32_t identity(ComponentId thread) const { return entries_[thread].identity; }
  bool is_ended(ComponentId thread) const { return entries_[thread].is_ended; }
  /// The same with all iterators over that object told that it has another shape now.
  ComponentId with_stale_loops(ComponentId id, std::uint32_t slot) {
    if (!entries_[id].has_loops) return id;
    const auto [found, is_new] = stale_.try_emplace({id, slot}, id);
    if (!is_new) return found->second;
    std::vector<Token> changed(entries_[id].tokens, entries_[id].tokens + entries_[id].length);
    for (std::size_t i = 0; i < changed.size(); ++i) {
      if (slot_of_loop(changed, i) == slot) changed[i + 1] |= kIsStale;
    }
    return stale_[{id, slot}] = intern(changed);
  }
  ComponentId finals(ComponentId id) const { return entries_[id].finals; }
  void set_finals(ComponentId id, ComponentId finals) { entries_[id].finals = finals; }
  std::size_t size() const { return entries_.size(); }
  /// Whether any of them has a reference that keeps nothing alive.
  bool has_weak() const { return has_weak_; }
  std::size_t bytes() const {
    return token_bytes_ + refs_.capacity() * 4 + entries_.bytes() + hashes_.bytes() + table_.capacity() * 4;
  }

  static std::uint64_t hash_of(std::span<const Token> tokens) {
    std::uint64_t h = 0x9E3779B97F4A7C15ull ^ tokens.size();
    for (Token t : tokens) {
      h = (h ^ t) * 0xFF51AFD7ED558CCDull;
      h ^= h >> 32;
    }
    return h * 0xC4CEB9FE1A85EC53ull ^ (h >> 29);
  }

 private:
  static constexpr ComponentId kEmpty = 0xFFFFFFFFu;

  /// The shared object that the iterator goes over which begins at that word; kNone: none begins there.
  static std::uint32_t slot_of_loop(std::span<const Token> tokens, std::size_t i) {
    if (tokens[i] != token(Tag::kObject, static_cast<std::uint64_t>(Kind::kIterator))) return kNone;
    const Token container = tokens[i + kContainerOfIterator];
    return tag_of(container) == Tag::kShared ? slot_of(container) : kNone;
  }
  bool equal(ComponentId id, std::span<const Token> other) const {
    const std::span<const Token> own = tokens(id);
    if (own.size() != other.size()) return false;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] != other[i]) return false;
    }
    return true;
  }
  /// Copies tokens to where they stay.
  const Token* keep(std::span<const Token> tokens) {
    if (tokens.size() > room_) {
      room_ = std::max(kBlockTokens, tokens.size());
      blocks_.push_back(std::make_unique_for_overwrite<Token[]>(room_));
      next_ = blocks_.back().get();
      token_bytes_ += room_ * sizeof(Token);
    }
    Token* const kept = next_;
    std::copy(tokens.begin(), tokens.end(), kept);
    next_ += tokens.size();
    room_ -= tokens.size();
    return kept;
  }
  ComponentId add(std::span<const Token> tokens, std::uint64_t hash) {
    Entry e;
    e.tokens = keep(tokens);
    e.length = static_cast<std::uint32_t>(tokens.size());
    e.first_ref = static_cast<std::uint32_t>(refs_.size());
    for (Token t : tokens) {
      if (tag_of(t) != Tag::kShared) continue;
      bool is_known = false;
      for (std::size_t i = e.first_ref; i < refs_.size(); ++i) is_known |= refs_[i] == slot_of(t);
      if (!is_known) refs_.push_back(slot_of(t));
    }
    e.ref_count = static_cast<std::uint32_t>(refs_.size()) - e.first_ref;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      e.has_loops |= slot_of_loop(tokens, i) != kNone;
      has_weak_ |= tag_of(tokens[i]) == Tag::kWeak;
    }
    const bool is_thread = tokens[0] == token(Tag::kObject, static_cast<std::uint64_t>(Kind::kThread));
    e.is_ended = is_thread && tokens.size() == 4 && tokens[3] == token(Tag::kNumber, 0);
    if (e.ref_count > 0) {
      const bool has_identity = is_thread && tag_of(tokens[2]) == Tag::kShared;
      if (has_identity) e.identity = slot_of(tokens[2]);
      std::vector<std::uint32_t> key(refs_.begin() + e.first_ref, refs_.end());
      key.push_back(e.is_ended ? kEmpty - 1 : has_identity ? slot_of(tokens[2]) : kEmpty);
      e.shape = shape_number(std::move(key));
      e.core_shape = e.is_ended     ? e.shape
                     : has_identity ? shape_number({slot_of(tokens[2])})
                     : is_thread    ? 0
                                    : e.shape;
    }
    entries_.push_back(e);
    hashes_.push_back(hash);
    return static_cast<ComponentId>(entries_.size() - 1);
  }
  std::uint32_t shape_number(std::vector<std::uint32_t> key) {
    return shapes_.emplace(std::move(key), static_cast<std::uint32_t>(shapes_.size() + 1)).first->second;
  }
  void grow() {
    std::vector<ComponentId> larger(table_.size() * 2, kEmpty);
    const std::size_t mask = larger.size() - 1;
    for (ComponentId id = 0; id < entries_.size(); ++id) {
      std::size_t i = hashes_[id] & mask;
      while (larger[i] != kEmpty) i = (i + 1) & mask;
      larger[i] = id;
    }
    table_.swap(larger);
  }

  static constexpr std::size_t kBlockTokens = std::size_t{1} << 15;

  std::vector<std::unique_ptr<Token[]>> blocks_;  // of tokens; they do not move
  Token* next_ = nullptr;
  std::size_t room_ = 0, token_bytes_ = 0;
  bool has_weak_ = false;
  std::map<std::vector<std::uint32_t>, std::uint32_t> shapes_;
  std::map<std::pair<ComponentId, std::uint32_t>, ComponentId> stale_;
  std::vector<std::uint32_t> refs_;
  support::ChunkedVector<Entry> entries_;
  support::ChunkedVector<std::uint64_t> hashes_;
  std::vector<ComponentId> table_;
};

}  // namespace assay::languages::python
