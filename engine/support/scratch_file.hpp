/// A file without a name, for what does not fit memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::support {

/// Bytes are appended, then read or replaced. Throws std::runtime_error with a
/// sentence that begins with "the graph" whenever the disk fails.
class ScratchFile {
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

 public:
  /// Lies in `directory` and vanishes with the object.
  explicit ScratchFile(const std::string& directory, std::size_t buffer_bytes = kBufferBytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void append(const void* data, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(data);
    buffer_.insert(buffer_.end(), from, from + bytes);
    if (buffer_.size() >= buffer_bytes_) flush();
  }
  void flush();
  std::uint64_t bytes() const { return flushed_ + buffer_.size(); }

  // After `flush`:
  void read(std::uint64_t offset, void* data, std::size_t bytes) const;
  void write(std::uint64_t offset, const void* data, std::size_t bytes);

  /// Reads values one after another from some place on.
  class Reader {
   public:
    explicit Reader(const ScratchFile& file, std::size_t buffer_bytes = kBufferBytes, std::uint64_t begin = 0)
        : file_(&file), buffer_bytes_(buffer_bytes), next_(begin) {}
    template <class T>
    T next() {
      if (buffer_.size() - at_ < sizeof(T)) refill(sizeof(T));
      T value;
      __builtin_memcpy(&value, buffer_.data() + at_, sizeof(T));
      at_ += sizeof(T);
      return value;
    }
    /// Where the next value stands.
    std::uint64_t offset() const { return next_ - (buffer_.size() - at_); }

   private:
    void refill(std::size_t needed);

    const ScratchFile* file_;
    std::size_t buffer_bytes_;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0;
    std::uint64_t next_;  // behind the buffer
  };

 private:
  int file_ = -1;
  std::size_t buffer_bytes_;
  std::uint64_t flushed_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace assay::support
