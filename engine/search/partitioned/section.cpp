#include "search/partitioned/section.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace assay::search::partitioned {
namespace {

using storage::Layouts;
using storage::PackedLayout;

constexpr std::uint32_t kLongestPrefix = 255;

[[noreturn]] void fail() { throw storage::CheckpointProblem("a block of candidates is damaged"); }

std::uint32_t bits_of(const std::vector<std::uint64_t>& masks) {
  std::uint32_t bits = 0;
  for (const std::uint64_t mask : masks) bits += static_cast<std::uint32_t>(std::popcount(mask));
  return bits;
}
std::uint32_t bytes_for(std::uint32_t bits) { return std::max<std::uint32_t>(1, (bits + 7) / 8); }
/// The bits of a record stand at the high end of its words.
std::uint32_t unused_bits(std::uint32_t bits) { return bits == 0 ? 63 : bits >= 64 ? 0 : 64 - bits; }

void append_word(std::string& to, std::uint64_t word) {
  to.append(reinterpret_cast<const char*>(&word), sizeof word);
}

}  // namespace

SectionWriter::SectionWriter(std::uint32_t partition, bool has_keys, const PackedLayout& layout)
    : header_{partition, has_keys, layout.masks(), 0, 0},
      words_(layout.record_words()),
      record_bytes_(bytes_for(bits_of(layout.masks()))),
      unused_bits_(unused_bits(bits_of(layout.masks()))),
      last_(words_),
      bytes_(std::size_t{words_} * 8) {}

void SectionWriter::number(std::uint64_t value) {
  char bytes[10];
  std::size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<char>(value | 0x80);
  bytes[count++] = static_cast<char>(value);
  data_.append(bytes, count);
}

void SectionWriter::append(const std::uint64_t* record, std::uint64_t key) {
  if (words_ == 1) {
    number((record[0] - last_[0]) >> unused_bits_);
    last_[0] = record[0];
  } else {
    std::uint32_t word = 0;
    while (word < words_ && record[word] == last_[word]) ++word;
    std::uint32_t common = word * 8;
    if (word < words_) common += static_cast<std::uint32_t>(std::countl_zero(record[word] ^ last_[word])) / 8;
    common = std::min({common, record_bytes_, kLongestPrefix});
    for (std::uint32_t i = common / 8; i < words_; ++i) {
      const std::uint64_t swapped = __builtin_bswap64(record[i]);
      std::memcpy(bytes_.data() + std::size_t{i} * 8, &swapped, sizeof swapped);
      last_[i] = record[i];
    }
    data_.push_back(static_cast<char>(common));
    data_.append(bytes_.data() + common, record_bytes_ - common);
  }
  if (header_.has_keys) {
    number(key >> 32);
    number(key & 0xFFFFFFFFu);
  }
  ++header_.records;
}

void SectionWriter::finish(std::string& block) {
  if (header_.records == 0) return;
  append_word(block, header_.partition);
  append_word(block, header_.has_keys ? 1 : 0);
  append_word(block, header_.masks.size());
  for (const std::uint64_t mask : header_.masks) append_word(block, mask);
  append_word(block, header_.records);
  append_word(block, data_.size());
  block += data_;
  data_ = {};
  header_.records = 0;
  std::ranges::fill(last_, 0);
}

ByteSource::ByteSource(std::shared_ptr<storage::DiskFile> file, std::uint64_t offset, std::uint64_t bytes,
                       std::size_t buffer_bytes)
    : at_(nullptr),
      end_(nullptr),
      file_(std::move(file)),
      offset_(offset),
      left_(bytes),
      buffer_(std::max<std::size_t>(buffer_bytes, 1)) {}

void ByteSource::refill() {
  if (left_ == 0) fail();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer_.size()));
  file_->read(buffer_.data(), count, offset_);
  offset_ += count;
  left_ -= count;
  at_ = buffer_.data();
  end_ = at_ + count;
}

std::uint64_t ByteSource::number() {
  std::uint64_t value = 0;
  if (end_ - at_ >= 10) {
    const char* at = at_;
    for (std::uint32_t shift = 0; shift < 64; shift += 7) {
      const auto next = static_cast<unsigned char>(*at++);
      value |= std::uint64_t{next & 0x7Fu} << shift;
      if ((next & 0x80) == 0) {
        at_ = at;
        return value;
      }
    }
    fail();
  }
  for (std::uint32_t shift = 0; shift < 64; shift += 7) {
    const unsigned char next = byte();
    value |= std::uint64_t{next & 0x7Fu} << shift;
    if ((next & 0x80) == 0) return value;
  }
  fail();
}

std::uint64_t ByteSource::word() {
  std::uint64_t value;
  copy(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

std::string_view ByteSource::take(std::size_t count) {
  if (static_cast<std::size_t>(end_ - at_) < count) fail();
  const std::string_view taken(at_, count);
  at_ += count;
  return taken;
}

SectionHeader read_header(ByteSource& source) {
  constexpr std::uint64_t kMostMasks = 1u << 24;
  SectionHeader header;
  header.partition = static_cast<std::uint32_t>(source.word());
  header.has_keys = source.word() != 0;
  const std::uint64_t masks = source.word();
  if (masks > kMostMasks) fail();
  for (std::uint64_t i = 0; i < masks; ++i) header.masks.push_back(source.word());
  header.records = source.word();
  header.bytes = source.word();
  return header;
}

std::vector<SectionView> sections_of(std::string_view block) {
  std::vector<SectionView> sections;
  ByteSource source(block);
  while (!source.at_end()) {
    SectionHeader header = read_header(source);
    const std::string_view data = source.take(header.bytes);
    sections.push_back({std::move(header), data});
  }
  return sections;
}

SectionCursor::SectionCursor(const Layouts& layouts, std::uint32_t layout, const SectionHeader& header,
                             ByteSource source)
    : source_(std::move(source)),
      has_keys_(header.has_keys),
      words_(layouts[layout].record_words()),
      record_bytes_(bytes_for(bits_of(header.masks))),
      unused_bits_(unused_bits(bits_of(header.masks))),
      left_(header.records),
      record_(words_),
      bytes_(std::size_t{words_} * 8) {
  if (layouts[layout].masks() != layouts.current().masks()) {
    translate_ = &layouts.translation(layout);
    translated_.resize(layouts.current().record_words());
  }
}

SectionCursor::SectionCursor(const Layouts& layouts, const KeptSection& section)
    : source_(std::string_view()),
      has_keys_(section.has_keys),
      words_(layouts[section.layout].record_words()),
      record_bytes_(0),
      unused_bits_(0),
      left_(section.words.size() / (words_ + (has_keys_ ? 1 : 0))),
      kept_(section.words.data()) {
  if (layouts[section.layout].masks() != layouts.current().masks()) {
    translate_ = &layouts.translation(section.layout);
    translated_.resize(layouts.current().record_words());
  }
}

bool SectionCursor::next() {
  if (left_ == 0) return false;
  --left_;
  if (kept_ != nullptr) {
    shown_ = kept_;
    kept_ += words_;
    if (has_keys_) key_ = *kept_++;
    if (translate_ != nullptr) {
      (*translate_)(shown_, translated_.data());
      shown_ = translated_.data();
    }
    return true;
  }
  if (words_ == 1) {
    record_[0] += source_.number() << unused_bits_;
  } else {
    const std::uint32_t common = source_.byte();
    if (common > record_bytes_) fail();
    source_.copy(bytes_.data() + common, record_bytes_ - common);
    for (std::uint32_t word = common / 8; word < words_; ++word) {
      std::uint64_t value;
      std::memcpy(&value, bytes_.data() + std::size_t{word} * 8, sizeof value);
      record_[word] = __builtin_bswap64(value);
    }
  }
  if (has_keys_) {
    key_ = source_.number() << 32;
    key_ |= source_.number();
  }
  shown_ = record_.data();
  if (translate_ != nullptr) {
    (*translate_)(record_.data(), translated_.data());
    shown_ = translated_.data();
  }
  return true;
}

}  // namespace assay::search::partitioned
