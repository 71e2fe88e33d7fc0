#include "transition_system/foreign/pieces.hpp"

#include <stdexcept>

namespace assay::transition_system::foreign {

namespace {

std::uint32_t hash_of(const void* piece) {
  std::uint64_t words[kPieceBytes / 8];
  std::memcpy(words, piece, sizeof words);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash);
}

}  // namespace

Pieces::Pieces() : slots_(1u << 10) {
  const std::uint8_t nothing[kPieceBytes] = {};
  number_of(nothing);
}

std::uint32_t Pieces::number_of(const void* piece) {
  const std::uint32_t hash = hash_of(piece);
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = hash & mask;
  for (; slots_[place].number != 0; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.hash == hash && std::memcmp(at(slot.number - 1), piece, kPieceBytes) == 0)
      return slot.number - 1;
  }
  const std::uint32_t number = add(piece);
  slots_[place] = {number + 1, hash};
  if (std::size_t{count_} * 3 > slots_.size() * 2) grow();
  return number;
}

std::uint32_t Pieces::add(const void* piece) {
  if (count_ == 0xFFFFFFFEu)
    throw std::length_error("the memory of the embedded C has too many different pieces");
  if (count_ % kPerChunk == 0)
    chunks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(std::size_t{kPerChunk} * kPieceBytes));
  std::memcpy(const_cast<std::uint8_t*>(at(count_)), piece, kPieceBytes);
  return count_++;
}

void Pieces::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    std::size_t place = slot.hash & mask;
    while (slots_[place].number != 0) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

}  // namespace assay::transition_system::foreign
