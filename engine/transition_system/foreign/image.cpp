#include "transition_system/foreign/image.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace assay::transition_system::foreign {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t down(std::uint64_t address) { return address / kPage * kPage; }
constexpr std::uint64_t up(std::uint64_t address) { return down(address + kPage - 1); }

Image* settled = nullptr;  // the one that is there

std::uint8_t* pointer(std::uint64_t address) { return reinterpret_cast<std::uint8_t*>(address); }

/// A function of the C library that the front end has allowed.
void* imported(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  static void* const mathematics = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  if (mathematics != nullptr) {
    if (void* const found = dlsym(mathematics, name)) return found;
  }
  throw std::runtime_error(std::string("the C library of this machine has no function '") + name +
                           "', which the embedded C calls");
}

}  // namespace

Image::Image(const std::uint8_t* file, std::size_t bytes, std::size_t heap_bytes)
    : file_(file, file + bytes), heap_bytes_(up(heap_bytes)) {
  settle();
}

Image::~Image() {
  if (settled == this) {
    unload();
    settled = nullptr;
  }
}

bool Image::settle() {
  if (settled == this) return false;
  if (settled != nullptr) settled->unload();
  settled = nullptr;
  load();
  settled = this;
  return true;
}

void Image::unload() const {
  for (const Range& segment : segments_) munmap(segment.begin, segment.bytes);
}

void Image::load() {
  const auto fail = [&](const std::string& reason) {
    unload();
    throw std::runtime_error("the embedded C of the model " + reason + "; compile it again");
  };
  segments_.clear();
  constant_.clear();
  writable_segments_.clear();
  Elf64_Ehdr header;
  if (file_.size() < sizeof header) fail("is no program");
  std::memcpy(&header, file_.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_EXEC ||
      header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phoff + std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr) > file_.size()) {
    fail("is no program");
  }
  std::vector<std::pair<Range, int>> protections;
  for (std::uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, file_.data() + header.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type == PT_GNU_RELRO) constant_.push_back({pointer(part.p_vaddr), part.p_memsz});
    if (part.p_type != PT_LOAD || part.p_memsz == 0) continue;
    if (part.p_filesz > part.p_memsz || part.p_offset + part.p_filesz > file_.size()) fail("is no program");
    const std::uint64_t begin = down(part.p_vaddr), end = up(part.p_vaddr + part.p_memsz);
    void* const at = mmap(pointer(begin), end - begin, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) fail("needs addresses that are in use in this process");
    segments_.push_back({pointer(begin), end - begin});
    if (at != pointer(begin)) fail("needs addresses that are in use in this process");
    std::memcpy(pointer(part.p_vaddr), file_.data() + part.p_offset, part.p_filesz);
    const bool is_writable = (part.p_flags & PF_W) != 0;
    if (is_writable) writable_segments_.push_back({pointer(part.p_vaddr), part.p_memsz});
    const int protection =
        PROT_READ | (is_writable ? PROT_WRITE : 0) | ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    protections.push_back({segments_.back(), protection});
  }
  if (heap_bytes_ != 0) {
    void* const at = mmap(pointer(kHeapBase), heap_bytes_, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);
    if (at != pointer(kHeapBase)) fail("needs addresses that are in use in this process");
    segments_.push_back({pointer(kHeapBase), heap_bytes_});
  }
  const auto is_inside = [&](std::uint64_t address) {
    return std::ranges::any_of(segments_, [&](const Range& segment) {
      return address >= reinterpret_cast<std::uint64_t>(segment.begin) &&
             address + sizeof(Table) <= reinterpret_cast<std::uint64_t>(segment.begin) + segment.bytes;
    });
  };
  if (!is_inside(header.e_entry)) fail("has no table");
  table_ = reinterpret_cast<const Table*>(header.e_entry);
  if (table_->magic != kMagic) fail("has no table");
  for (std::uint64_t i = 0; i < table_->import_count; ++i)
    table_->imports[i] = imported(table_->import_names[i]);
  for (const auto& [range, protection] : protections) mprotect(range.begin, range.bytes, protection);
  for (const Range& range : constant_) {  // they are no part of states: whole pages that nobody writes
    const auto begin = reinterpret_cast<std::uint64_t>(range.begin), end = begin + range.bytes;
    const bool is_first = std::ranges::any_of(
        writable_segments_, [&](const Range& segment) { return segment.begin == range.begin; });
    if (!is_first || end % kPage != 0) fail("has constants on pages of variables");
    mprotect(pointer(down(begin)), end - down(begin), PROT_READ);
  }
  find_writable();
}

void Image::seal() const {
  const auto begin = reinterpret_cast<std::uint64_t>(table_->private_begin);
  mprotect(pointer(down(begin)), up(reinterpret_cast<std::uint64_t>(table_->private_end)) - down(begin),
           PROT_READ);
}

/// What is left of the writable segments without what only the loader uses and without the copy of the state that
/// C sees as `now`.
void Image::find_writable() {
  writable_ = writable_segments_;
  const auto leave_out = [&](std::uint8_t* begin, std::uint8_t* end) {
    std::vector<Range> left;
    for (const Range& range : writable_) {
      std::uint8_t* const range_end = range.begin + range.bytes;
      const auto add = [&](std::uint8_t* from, std::uint8_t* to) {
        if (from < to) left.push_back({from, static_cast<std::size_t>(to - from)});
      };
      add(range.begin, std::min(begin, range_end));
      add(std::max(end, range.begin), range_end);
    }
    writable_ = std::move(left);
  };
  for (const Range& range : constant_) leave_out(range.begin, range.begin + range.bytes);
  leave_out(table_->private_begin, table_->private_end);
  leave_out(table_->scratch_begin, table_->scratch_end);
  leave_out(table_->now, table_->now + table_->mirrored_bytes);
  std::ranges::sort(writable_, {}, &Range::begin);
  margins_.clear();
  const auto is_sealed = [&](const Range& range, std::uint64_t address) {
    const auto begin = reinterpret_cast<std::uint64_t>(range.begin);
    return address >= down(begin) && address < up(begin + range.bytes);
  };
  const Range sealed{table_->private_begin,
                     static_cast<std::size_t>(table_->private_end - table_->private_begin)};
  for (const Range& segment : writable_segments_) {
    const auto begin = reinterpret_cast<std::uint64_t>(segment.begin), end = begin + segment.bytes;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
      const bool is_constant =
          std::ranges::any_of(constant_, [&](const Range& range) { return is_sealed(range, from); });
      if (from < to && !is_constant && !is_sealed(sealed, from))
        margins_.push_back({pointer(from), to - from});
    };
    add(down(begin), begin);
    add(end, up(end));
  }
}

}  // namespace assay::transition_system::foreign
