/// The foreign code of a model: a linked program without libraries, for a fixed address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::transition_system::foreign {

/// Where foreign code runs and what it owns, the same in every process. So states that hold pointers mean the same
/// everywhere, and a pointer that leads nowhere in one process leads nowhere in all.
inline constexpr std::uint64_t kImageBase = 0x1A5500000000;
inline constexpr std::uint64_t kHeapBase = 0x1A5600000000;
inline constexpr std::uint64_t kStackBase = 0x1A5700000000;
inline constexpr std::uint64_t kStackBytes = std::uint64_t{8} << 20;

/// What the image calls: filled in by whoever loads it. `image.h` of the Promela front end has the same declaration.
struct Services {
  void (*fail)(std::uint32_t fault, const char* words);  // does not return
  void (*report)(const char* words);                     // uerror(): goes on
  void (*print)(const char* text, std::uint64_t length);
};

/// Data that was declared with c_track; its address may depend on the memory.
struct Track {
  void* (*address)();
  std::uint64_t size;
  std::uint64_t is_matched;
  const char* place;  // in the source
};

/// Stands at the entry of the image. `image.h` of the Promela front end has the same declaration.
struct Table {
  std::uint64_t magic;
  std::uint64_t function_count;
  int (*const* functions)();
  std::uint8_t* now;
  std::uint64_t mirrored_bytes;  // of `now`; what follows it belongs to the image
  std::uint8_t* self;            // the process whose step it is
  std::uint64_t self_bytes;
  std::int32_t* pid;
  std::uint8_t* private_begin;  // what is no part of the state, and nobody writes but the loader
  std::uint8_t* private_end;
  std::uint8_t* scratch_begin;  // what is no part of the state, and means something during a call only
  std::uint8_t* scratch_end;
  int** system_errno;  // where the functions of the system leave their errors
  std::uint64_t import_count;
  const char* const* import_names;
  void** imports;
  Services* services;
  void (*const* constructors)();
  void (*const* constructors_end)();
  std::uint64_t track_count;
  const Track* tracks;
  std::uint64_t now_bytes;
  std::uint8_t* others;  // what it may look at besides; null: nothing
  std::uint64_t others_bytes;
};
inline constexpr std::uint64_t kMagic = 0x3645474D49595341;  // "ASYIMGE6"

/// A run of memory.
struct Range {
  std::uint8_t* begin;
  std::size_t bytes;
};

/// Images of all models are made for the same addresses, so one of them is there at a time: the one that was used
/// last. What its memory held is lost when another takes its place.
class Image {
 public:
  /// Throws std::runtime_error with a sentence if it is no image, or its address is taken.
  Image(const std::uint8_t* file, std::size_t bytes, std::size_t heap_bytes);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// Puts it where it belongs, as it is at the start, if it is not there. True: it was not.
  bool settle();
  const Table& table() const { return *table_; }
  /// Nobody writes any more what is private to the loader.
  void seal() const;
  /// All that it can write, except for what is private to the loader; in the order of addresses.
  const std::vector<Range>& writable() const { return writable_; }
  /// What shares a page with that, can be written therefore, and holds nothing but zeros.
  const std::vector<Range>& margins() const { return margins_; }
  /// What it allocates from, if it allocates.
  Range heap() const { return {reinterpret_cast<std::uint8_t*>(kHeapBase), heap_bytes_}; }

 private:
  void load();
  void unload() const;
  void find_writable();

  std::vector<std::uint8_t> file_;
  std::size_t heap_bytes_;
  std::vector<Range> segments_;
  std::vector<Range> constant_;  // written by nobody after loading
  std::vector<Range> writable_segments_;
  std::vector<Range> writable_;
  std::vector<Range> margins_;
  const Table* table_ = nullptr;
};

}  // namespace assay::transition_system::foreign
