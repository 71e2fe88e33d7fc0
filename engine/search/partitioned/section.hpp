/// Sorted candidates on their way from the partition that met them to the one that owns them.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/disk_file.hpp"
#include "storage/sorted_run.hpp"

namespace assay::search::partitioned {

/// A section holds different records of one layout, in ascending order, for one partition:
///
///     partition, whether there are keys, the masks of the layout, records, bytes, then the records.
///
/// Of a record only the difference to the one before is written: as a number where a record is one word, else as
/// the length of the common beginning and the rest. With keys, each is followed by the least key under which it was
/// reached: the rank of the state that was expanded and the position of the step.
struct SectionHeader {
  std::uint32_t partition = 0;
  bool has_keys = false;
  std::vector<std::uint64_t> masks;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

/// Where a section lies that was put aside.
struct StoredSection {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class SectionWriter {
 public:
  SectionWriter() = default;
  SectionWriter(std::uint32_t partition, bool has_keys, const storage::PackedLayout& layout);

  void append(const std::uint64_t* record, std::uint64_t key);
  std::uint64_t records() const { return header_.records; }
  std::size_t bytes() const { return data_.size(); }
  /// Adds the section to a block, unless it is empty; what was written is given up.
  void finish(std::string& block);

 private:
  void number(std::uint64_t value);

  SectionHeader header_;
  std::uint32_t words_ = 1;
  std::uint32_t record_bytes_ = 8;  // of a record that have bits
  std::uint32_t unused_bits_ = 0;   // of a record of one word
  std::vector<std::uint64_t> last_;
  std::vector<char> bytes_;  // of the record being written, highest first
  std::string data_;
};

/// Reads bytes in order, from memory or from a file.
class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  ByteSource(std::shared_ptr<storage::DiskFile> file, std::uint64_t offset, std::uint64_t bytes,
             std::size_t buffer_bytes);

  unsigned char byte() {
    if (at_ == end_) refill();
    return static_cast<unsigned char>(*at_++);
  }
  void copy(char* to, std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) >= count) {
      std::memcpy(to, at_, count);
      at_ += count;
      return;
    }
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<char>(byte());
  }
  std::uint64_t number();  // of variable length
  std::uint64_t word();    // of 8 bytes
  /// What follows is somebody else's; only of bytes in memory.
  std::string_view take(std::size_t count);
  bool at_end() const { return at_ == end_ && left_ == 0; }

 private:
  void refill();

  const char* at_;
  const char* end_;
  std::shared_ptr<storage::DiskFile> file_;
  std::uint64_t offset_ = 0, left_ = 0;
  std::vector<char> buffer_;
};

SectionHeader read_header(ByteSource& source);

/// The sections of a block.
struct SectionView {
  SectionHeader header;
  std::string_view data;
};
std::vector<SectionView> sections_of(std::string_view block);

/// What does not leave the worker that met it: records, each with its key if there are keys, as they are.
struct KeptSection {
  std::uint32_t partition = 0;
  std::uint32_t layout = 0;  // its number here
  bool has_keys = false;
  std::vector<std::uint64_t> words;
};

/// The records of a section in the present layout, which must not change meanwhile.
class SectionCursor {
 public:
  SectionCursor(const storage::Layouts& layouts, const KeptSection& section);
  /// `layout` is the number that the layout of the section has here.
  SectionCursor(const storage::Layouts& layouts, std::uint32_t layout, const SectionHeader& header,
                ByteSource source);

  const std::uint64_t* record() const { return shown_; }
  std::uint64_t key() const { return key_; }
  /// Goes to the next record, at first to the first. False: there is none.
  bool next();

 private:
  const storage::RecordTranslation* translate_ = nullptr;  // null: it is the present layout
  ByteSource source_;
  bool has_keys_;
  std::uint32_t words_, record_bytes_, unused_bits_;
  std::uint64_t left_;
  std::uint64_t key_ = 0;
  std::vector<std::uint64_t> record_, translated_;
  std::vector<char> bytes_;
  const std::uint64_t* kept_ = nullptr;  // null: the source has them
  const std::uint64_t* shown_ = nullptr;
};

}  // namespace assay::search::partitioned
