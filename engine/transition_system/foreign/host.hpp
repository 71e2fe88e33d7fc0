/// Executes the foreign code of a model in a state of that model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transition_system/foreign/image.hpp"
#include "transition_system/foreign/memory.hpp"
#include "transition_system/foreign/untracked.hpp"
#include "transition_system/model_abi.h"
#include "transition_system/transition_system.hpp"

namespace assay::transition_system::foreign {

/// One thread at a time.
class Host {
 public:
  /// With a key, states of large memories hold digests instead of numbers.
  Host(const assay_foreign& foreign, const std::optional<support::ElementWords>& key);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// How many different pieces the memory has had, if states name them by number.
  std::uint64_t parts_met() const;
  std::size_t bytes() const { return memory_->bytes(); }
  /// Replaces what means something in this process only by a hash of what it stands for. False: there is nothing.
  bool hash_numbers(std::uint8_t* state) const;
  /// States that travel: see `TransitionSystem`. The first answers false where states are what they say.
  bool depart(std::uint8_t* state, std::vector<Part>& parts) const;
  void arrive(std::uint8_t* state, std::span<const Part> parts) const;
  PartContent content_of(Part part) const;
  Part meet(const std::string& bytes, std::span<const Part> refers);
  std::uint64_t digests() const;
  std::uint64_t longest_digested() const;
  /// What changed and is no part of the state.
  const std::vector<Untracked::Finding>& findings() const { return untracked_.findings(); }
  /// All that its code can write, except for the heap, as it is in a state.
  std::string memory_of(const std::uint8_t* state);
  /// What the code printed and said since it was asked last.
  std::string take_output();

 private:
  static std::uint32_t call(void* context, assay_foreign_call* call);
  static void begin(void* context, std::uint8_t* state);
  static void mask(void* context, std::uint8_t* state);

  std::uint32_t execute(assay_foreign_call& call);
  bool writes_outside(const assay_foreign_call& call) const;
  void clear_margins();
  void settle();
  void prepare();
  Tracked tracked() const;
  void make_writable(const std::uint8_t* begin, std::size_t bytes);
  bool is_known_to_be_endless(const assay_foreign_call& call) const;
  std::vector<std::uint8_t> all_it_depends_on(const assay_foreign_call& call) const;

  const assay_foreign& foreign_;
  Image image_;
  std::unique_ptr<Memory> memory_;
  std::vector<std::uint8_t> beginning_;  // a slot
  Untracked untracked_;
  std::vector<Track> later_;  // whose address is not known at the start
  assay_host interface_;
  std::vector<std::pair<std::uint32_t, std::vector<std::uint8_t>>> endless_;  // calls, each with its state
};

}  // namespace assay::transition_system::foreign
