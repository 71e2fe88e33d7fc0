/// The bytes of a checkpoint: numbers and texts in order, with a checksum.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::storage {

class CheckpointWriter {
 public:
  void number(std::uint64_t value) { words_.push_back(value); }
  void text(const std::string& value);
  void words(const std::vector<std::uint64_t>& values);
  /// Replaces the file at `path` in one step.
  void save(const std::string& path);

 private:
  std::vector<std::uint64_t> words_;
};

/// Whatever is wrong with the file becomes a CheckpointProblem: nothing in it
/// is believed before its checksum has been.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  std::uint64_t number();
  /// A number that may not be above `most`.
  std::uint64_t number(std::uint64_t most);
  std::string text();
  std::vector<std::uint64_t> words();
  void expect_end() const;

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::vector<std::uint64_t> words_;
  std::size_t at_ = 0;
};

/// What a checkpoint is about, by name: the first that stands in it.
using Identity = std::vector<std::pair<std::string, std::string>>;
void write_identity(CheckpointWriter& out, const Identity& identity);
Identity read_identity(CheckpointReader& in);

}  // namespace assay::storage
