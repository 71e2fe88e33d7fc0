/// What has been in the cache longest goes first (Holzmann 1987).
#pragma once

#include "search/replacement/slot_queue.hpp"

namespace assay::search::replacement {

class ByAge final : public Policy {
 public:
  ByAge() : queue_(0) {}

  void make_room(std::size_t slots, std::size_t most) override {
    queue_.make_room(slots, most);
    grow(times_, slots, most);
  }
  std::size_t bytes_per_slot() const override { return SlotQueue::kBytesPerSlot + sizeof(std::uint64_t); }
  void entered(Slot slot, std::uint64_t) override { times_[slot] = ++now_; }
  void hit(Slot, Slot) override {}
  void left(Slot slot, Slot) override { queue_.add(slot, times_[slot]); }
  void replace(std::vector<Slot>& victims) override {
    if (!queue_.empty()) victims.push_back(queue_.take_first());
  }
  std::uint64_t worth(Slot slot) const override { return times_[slot]; }

 private:
  SlotQueue queue_;
  std::vector<std::uint64_t> times_;  // of entering
  std::uint64_t now_ = 0;
};

}  // namespace assay::search::replacement
