#include "storage/edge_log.hpp"

#include <cstring>
#include <new>

#include "support/hash.hpp"

namespace assay::storage {
namespace {

constexpr std::uint64_t kHighSeed = 0x1F83D9ABFB41BD6Bull;
constexpr std::size_t kMarkWords = sizeof(StateMark) / sizeof(std::uint32_t);

}  // namespace

StateMark StateMark::of(const std::uint64_t* words, std::size_t count) {
  const std::uint64_t high = support::hash_words(words, count, kHighSeed);
  const std::uint64_t low = support::hash_words(words, count, 0x9B05688C2B3E6C1Full);
  return {{static_cast<std::uint32_t>(high >> 32), static_cast<std::uint32_t>(high),
           static_cast<std::uint32_t>(low)}};
}

std::uint64_t StateMark::place(const std::uint64_t* words, std::size_t count, std::uint64_t range) {
  return support::scale(support::hash_words(words, count, kHighSeed), range);
}

MarkTable::MarkTable(std::span<std::uint64_t> memory, std::uint64_t states)
    : entries_(reinterpret_cast<Entry*>(memory.data())), capacity_(states + states / 2) {
  if (capacity_ == states) ++capacity_;
  if (capacity_ * sizeof(Entry) > memory.size_bytes() || states >= kNone) throw std::bad_alloc();
  std::memset(static_cast<void*>(entries_), 0xFF, capacity_ * sizeof(Entry));
}

MarkTable::Entry& MarkTable::place(const StateMark& mark) {
  std::uint64_t at = home(mark);
  while (entries_[at].number != kNone && entries_[at].mark != mark) at = at + 1 == capacity_ ? 0 : at + 1;
  return entries_[at];
}

bool MarkTable::add(const StateMark& mark, std::uint32_t number) {
  Entry& entry = place(mark);
  if (entry.number != kNone) return false;
  entry = {mark, number};
  return true;
}

std::uint32_t* MarkTable::find(const StateMark& mark) {
  Entry& entry = place(mark);
  return entry.number == kNone ? nullptr : &entry.number;
}

void EdgeLog::add(std::span<const StateMark> successors) {
  const auto count = static_cast<std::uint32_t>(successors.size());
  append({&count, 1});
  append({reinterpret_cast<const std::uint32_t*>(successors.data()), successors.size() * kMarkWords});
}

std::span<const StateMark> EdgeLog::Reader::next() {
  const std::size_t count = words_.next(1)[0];
  const std::span<const std::uint32_t> words = words_.next(count * kMarkWords);
  marks_.resize(count);
  if (count != 0) std::memcpy(marks_.data(), words.data(), count * sizeof(StateMark));
  return marks_;
}

}  // namespace assay::storage
