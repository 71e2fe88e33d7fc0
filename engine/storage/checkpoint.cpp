#include "storage/checkpoint.hpp"

#include <cstring>

#include "storage/disk_file.hpp"
#include "support/hash.hpp"

namespace assay::storage {
namespace {

// The format of what a spilling search leaves on disk; another one, another number.
constexpr std::uint64_t kMagic = 0x3230'6C70'7341ull;
constexpr std::size_t kFrame = 4;  // magic, number of words, two checksums
constexpr std::uint64_t kMostFacts = 1000;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

}  // namespace

void CheckpointWriter::text(const std::string& value) {
  number(value.size());
  const std::size_t first = words_.size();
  words_.resize(first + (value.size() + 7) / 8);
  if (!value.empty()) std::memcpy(words_.data() + first, value.data(), value.size());
}

void CheckpointWriter::words(const std::vector<std::uint64_t>& values) {
  number(values.size());
  words_.insert(words_.end(), values.begin(), values.end());
}

void CheckpointWriter::save(const std::string& path) {
  std::vector<std::uint64_t> content{kMagic, words_.size(),
                                     support::hash_words(words_.data(), words_.size(), 1),
                                     support::hash_words(words_.data(), words_.size(), 2)};
  content.insert(content.end(), words_.begin(), words_.end());
  replace_file(path, content.data(), content.size() * sizeof(std::uint64_t));
}

CheckpointReader::CheckpointReader(const std::string& path) : path_(path) {
  const DiskFile file(path, DiskFile::Mode::kOpen);
  const std::uint64_t bytes = file.size();
  std::uint64_t frame[kFrame] = {};
  if (bytes < sizeof frame || bytes > kMostBytes) fail();
  file.read(frame, sizeof frame, 0);
  if (frame[0] != kMagic) {
    throw CheckpointProblem(path_ + " is no checkpoint of this version of Assay; choose another directory");
  }
  if (frame[1] > kMostBytes / 8 || bytes != sizeof frame + frame[1] * sizeof(std::uint64_t)) fail();
  words_.resize(frame[1]);
  file.read(words_.data(), words_.size() * sizeof(std::uint64_t), sizeof frame);
  if (frame[2] != support::hash_words(words_.data(), words_.size(), 1) ||
      frame[3] != support::hash_words(words_.data(), words_.size(), 2)) {
    fail();
  }
}

void CheckpointReader::fail() const {
  throw CheckpointProblem(path_ + " is damaged; the search cannot go on from it and has to begin again");
}

std::uint64_t CheckpointReader::number() {
  if (at_ == words_.size()) fail();
  return words_[at_++];
}

std::uint64_t CheckpointReader::number(std::uint64_t most) {
  const std::uint64_t value = number();
  if (value > most) fail();
  return value;
}

std::string CheckpointReader::text() {
  const std::uint64_t bytes = number((words_.size() - at_) * sizeof(std::uint64_t));
  const std::uint64_t count = (bytes + 7) / 8;
  if (count > words_.size() - at_) fail();
  std::string value(bytes, '\0');
  if (bytes != 0) std::memcpy(value.data(), words_.data() + at_, bytes);
  at_ += count;
  return value;
}

std::vector<std::uint64_t> CheckpointReader::words() {
  const std::uint64_t count = number(words_.size() - at_);
  if (count > words_.size() - at_) fail();
  std::vector<std::uint64_t> values(words_.begin() + static_cast<std::ptrdiff_t>(at_),
                                    words_.begin() + static_cast<std::ptrdiff_t>(at_ + count));
  at_ += count;
  return values;
}

void CheckpointReader::expect_end() const {
  if (at_ != words_.size()) fail();
}

void write_identity(CheckpointWriter& out, const Identity& identity) {
  out.number(identity.size());
  for (const auto& [name, value] : identity) {
    out.text(name);
    out.text(value);
  }
}

Identity read_identity(CheckpointReader& in) {
  Identity identity(in.number(kMostFacts));
  for (auto& [name, value] : identity) {
    name = in.text();
    value = in.text();
  }
  return identity;
}

}  // namespace assay::storage
