#include "transition_system/portable.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace assay::transition_system {
namespace {

// A block: the head; for each part its digest, whether its content follows, and that; for each state its words, parts and
// note; the checksum of all that. Everything in words, the lowest byte of each first.
constexpr std::uint64_t kMagic = 0x316B636F6C624141ull;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeadBytes = 4 * kWord;  // magic, length of the block, parts, states
constexpr std::uint64_t kWithoutContent = ~std::uint64_t{0};

void put(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::uint64_t word_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

constexpr std::size_t padded(std::size_t bytes) { return (bytes + kWord - 1) / kWord * kWord; }

/// Two numbers below 2^32 in a word.
std::uint64_t pair(std::size_t first, std::size_t second) {
  if (first > 0xFFFFFFFFu || second > 0xFFFFFFFFu) throw UnsupportedProgram("a state is too large to travel");
  return first | std::uint64_t{second} << 32;
}

/// Words that nobody promises are there.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t word() {
    require(kWord);
    const std::uint64_t word = word_at(bytes_, at_);
    at_ += kWord;
    return word;
  }
  std::string_view bytes(std::size_t count) {
    if (count > bytes_.size()) fail();
    require(padded(count));
    const std::string_view found = bytes_.substr(at_, count);
    at_ += padded(count);
    return found;
  }
  std::size_t left() const { return bytes_.size() - at_; }
  void require(std::size_t count) const {
    if (left() < count) fail();
  }
  [[noreturn]] static void fail() {
    throw NotPortable("a block of states from another process is damaged: it ends too early");
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace

Exchange::Exchange(const TransitionSystem& system, const support::ElementWords& key, std::size_t most_bytes)
    : system_(system), key_(key), most_bytes_(most_bytes) {
  if (key == support::ElementWords{}) throw std::invalid_argument("expected a key that is not zero");
  scratch_.resize(std::size_t{system.max_words()} + 1);
}

std::size_t Exchange::bytes() const {
  constexpr std::size_t kEach = sizeof(PartDigest) + 4 * kWord;  // with what a map needs for it
  return (digests_.size() + numbers_.size()) * kEach;
}

void Exchange::note(const PartDigest& digest, Part part) {
  if (bytes() > most_bytes_) throw std::bad_alloc();
  const auto [place, is_new] = numbers_.try_emplace(digest, part);
  if (!is_new && place->second != part) throw std::runtime_error("internal: two parts have one digest");
}

/// Both lengths stand behind what they are the lengths of, so that no two contents have the same coefficients from the last
/// one on; the constant one is zero.
PartDigest Exchange::digest(const std::string& bytes, std::span<const PartDigest> refers) const {
  support::PortableElement sum;
  const auto take = [&](const support::PortableElement& next) { sum = (sum + next) * key_; };
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(PartDigest)) {
    PartDigest block{};
    std::memcpy(block.data(), bytes.data() + at, std::min(sizeof block, bytes.size() - at));
    take(support::PortableElement(block));
  }
  take(support::PortableElement(bytes.size()));
  for (const PartDigest& one : refers) take(support::PortableElement(one));
  take(support::PortableElement(refers.size()));
  return sum.words();
}

PartDigest Exchange::digest_of(Part part) {
  const auto known = digests_.find(static_cast<std::uint64_t>(part));
  if (known != digests_.end()) return known->second;
  const PartContent content = system_.content_of(part);
  std::vector<PartDigest> refers;
  for (const Part one : content.refers) refers.push_back(digest_of(one));
  const PartDigest found = digest(content.bytes, refers);
  note(found, part);
  digests_.emplace(static_cast<std::uint64_t>(part), found);
  return found;
}

/// Seeded by the key: a block of another search is not taken for one of this.
std::uint64_t Exchange::checksum(std::string_view bytes) const {
  std::uint64_t sum = key_.words()[0];
  for (std::size_t at = 0; at < bytes.size(); at += kWord)
    sum = support::fold_multiply(sum ^ word_at(bytes, at) ^ 0xA0761D6478BD642Full, 0x8EBC6AF09C88C6E3ull) +
          support::mix(word_at(bytes, at) + at);
  return support::mix(sum + key_.words()[1]);
}

/// What a part refers to and needs stands before it. That may be a long chain: no recursion.
std::uint32_t Exchange::Block::index_of(Part wanted) {
  if (const auto known = indexes_.find(static_cast<std::uint64_t>(wanted)); known != indexes_.end())
    return known->second;
  struct Open {
    Part part;
    PartContent content;
    std::size_t next = 0;
  };
  std::vector<Open> open;
  std::unordered_set<std::uint64_t> is_open;
  const auto enter = [&](Part part) {
    const auto number = static_cast<std::uint64_t>(part);
    if (indexes_.contains(number)) return;
    const PartDigest digest = exchange_.digest_of(part);
    if (known_ != nullptr && known_->contains(digest)) {
      for (const std::uint64_t word : digest) put(parts_, word);
      put(parts_, kWithoutContent);
      indexes_.emplace(number, static_cast<std::uint32_t>(part_count_++));
      return;
    }
    if (!is_open.insert(number).second) throw std::runtime_error("internal: a part needs itself");
    open.push_back({part, exchange_.system_.content_of(part)});
  };
  enter(wanted);
  while (!open.empty()) {
    Open& last = open.back();
    const std::size_t refers = last.content.refers.size();
    if (last.next < refers + last.content.needs.size()) {
      const Part next =
          last.next < refers ? last.content.refers[last.next] : last.content.needs[last.next - refers];
      ++last.next;
      enter(next);
      continue;
    }
    const PartDigest digest = exchange_.digest_of(last.part);
    for (const std::uint64_t word : digest) put(parts_, word);
    put(parts_, last.content.bytes.size());
    put(parts_, refers);
    for (const Part one : last.content.refers) put(parts_, indexes_.at(static_cast<std::uint64_t>(one)));
    parts_ += last.content.bytes;
    parts_.resize(padded(parts_.size()));
    indexes_.emplace(static_cast<std::uint64_t>(last.part), static_cast<std::uint32_t>(part_count_++));
    told_.push_back(digest);
    open.pop_back();
  }
  return indexes_.at(static_cast<std::uint64_t>(wanted));
}

void Exchange::Block::add(StateView state, std::span<const std::uint64_t> note) {
  exchange_.system_.depart(state, state_);
  std::vector<std::uint32_t> indexes;
  for (const Part part : state_.parts) indexes.push_back(index_of(part));
  put(body_, pair(state_.words.size(), state_.parts.size()));
  put(body_, note.size());
  for (const std::uint64_t word : state_.words) put(body_, word);
  for (std::size_t i = 0; i < indexes.size(); i += 2)
    put(body_, pair(indexes[i], i + 1 < indexes.size() ? indexes[i + 1] : 0));
  for (const std::uint64_t word : note) put(body_, word);
  ++states_;
}

std::string Exchange::Block::take() {
  std::string block;
  block.reserve(kHeadBytes + parts_.size() + body_.size() + kWord);
  put(block, kMagic);
  put(block, kHeadBytes + parts_.size() + body_.size() + kWord);
  put(block, part_count_);
  put(block, states_);
  block += parts_;
  block += body_;
  put(block, exchange_.checksum(block));
  if (known_ != nullptr) {
    for (const PartDigest& digest : told_) known_->add(digest);
  }
  indexes_.clear();
  told_.clear();
  parts_.clear();
  body_.clear();
  part_count_ = states_ = 0;
  return block;
}

std::size_t Exchange::whole(std::string_view bytes) {
  std::size_t at = 0;
  while (bytes.size() - at >= kHeadBytes && word_at(bytes, at) == kMagic) {
    const std::uint64_t length = word_at(bytes, at + kWord);
    if (length < kHeadBytes + kWord || length % kWord != 0 || length > bytes.size() - at) break;
    at += length;
  }
  return at;
}

void Exchange::read(std::string_view bytes, const Taker& take) {
  while (!bytes.empty()) {
    if (bytes.size() < kHeadBytes) Reader::fail();
    const std::uint64_t length = word_at(bytes, kWord);
    if (word_at(bytes, 0) != kMagic || length < kHeadBytes + kWord || length % kWord != 0)
      throw NotPortable("these bytes are no block of states");
    if (length > bytes.size()) Reader::fail();
    read_block(bytes.substr(0, length), take);
    bytes.remove_prefix(length);
  }
}

void Exchange::read_block(std::string_view block, const Taker& take) {
  const std::size_t end = block.size() - kWord;
  if (checksum(block.substr(0, end)) != word_at(block, end)) {
    throw NotPortable(
        "a block of states from another process is damaged, or of another search: its checksum is wrong");
  }
  const std::uint64_t part_count = word_at(block, 2 * kWord), states = word_at(block, 3 * kWord);
  Reader in(block.substr(kHeadBytes, end - kHeadBytes));
  if (part_count > in.left() / (4 * kWord)) Reader::fail();
  std::vector<Part> parts;
  std::vector<PartDigest> digests;
  const auto at_index = [&](std::uint64_t index) {
    if (index >= parts.size())
      throw NotPortable("a block of states from another process names a part that it has not");
    return index;
  };
  std::vector<Part> refers;
  std::vector<PartDigest> refers_digests;
  for (std::uint64_t i = 0; i < part_count; ++i) {
    PartDigest digest_told;
    for (std::uint64_t& word : digest_told) word = in.word();
    const std::uint64_t length = in.word();
    const auto known = numbers_.find(digest_told);
    if (length == kWithoutContent) {
      if (known == numbers_.end()) {
        throw NotPortable(
            "a block of states names a part that was never told to this process; send it with all its parts");
      }
      parts.push_back(known->second);
      digests.push_back(digest_told);
      continue;
    }
    const std::uint64_t refer_count = in.word();
    if (refer_count > in.left() / kWord) Reader::fail();
    refers.clear();
    refers_digests.clear();
    for (std::uint64_t j = 0; j < refer_count; ++j) {
      const std::uint64_t index = at_index(in.word());
      refers.push_back(parts[index]);
      refers_digests.push_back(digests[index]);
    }
    const std::string content(in.bytes(length));
    if (digest(content, refers_digests) != digest_told)
      throw NotPortable("a part of a state from another process is damaged: its digest is wrong");
    // A part that is known is met again: what has its digest must have its content.
    const bool is_known = known != numbers_.end();
    const std::optional<Part> before = is_known ? std::optional(known->second) : std::nullopt;
    const Part met = system_.meet(content, refers);
    if (before && *before != met) throw std::runtime_error("internal: two parts have one digest");
    if (!before)
      note(digest_told, met);  // what it is called from here on, if ever, is computed from what stands here
    parts.push_back(met);
    digests.push_back(digest_told);
  }
  PortableState state;
  std::vector<std::uint64_t> note;
  for (std::uint64_t i = 0; i < states; ++i) {
    const std::uint64_t counts = in.word(), note_length = in.word();
    const std::uint64_t word_count = counts & 0xFFFFFFFFu, state_parts = counts >> 32;
    if (word_count > system_.max_words() || state_parts > 2 * (in.left() / kWord) ||
        note_length > in.left() / kWord)
      Reader::fail();
    state.words.clear();
    state.parts.clear();
    note.clear();
    for (std::uint64_t j = 0; j < word_count; ++j) state.words.push_back(in.word());
    for (std::uint64_t j = 0; j < state_parts; j += 2) {
      const std::uint64_t two = in.word();
      state.parts.push_back(parts[at_index(two & 0xFFFFFFFFu)]);
      if (j + 1 < state_parts) state.parts.push_back(parts[at_index(two >> 32)]);
    }
    for (std::uint64_t j = 0; j < note_length; ++j) note.push_back(in.word());
    const std::uint32_t length = system_.arrive(state, scratch_.data());
    take(StateView(scratch_.data(), length), note);
  }
  if (in.left() != 0)
    throw NotPortable("a block of states from another process is damaged: it is longer than what it holds");
}

}  // namespace assay::transition_system
