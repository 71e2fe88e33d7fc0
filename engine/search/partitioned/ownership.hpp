/// Which partition a state belongs to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "storage/packed_layout.hpp"

namespace assay::search::partitioned {

/// Every bit of a state has a random weight; the exclusive or of those that are set, scaled, is the owner. Such a hash
/// is universal (Carter and Wegman 1979), and since packing only picks bits it can be taken from a packed record, a
/// byte at a time, whatever its layout: what has no place in the layout is the same for all. Sorted records share
/// their beginnings with their neighbours, so what was found for a beginning is kept.
class Ownership {
 public:
  Ownership(const storage::PackedLayout& layout, std::uint32_t partitions);

  std::uint32_t of(const std::uint64_t* record);

 private:
  std::uint64_t partitions_;
  std::vector<std::array<std::uint32_t, 256>> weights_;  // of each byte of a record, by its value
  std::vector<std::uint64_t> last_;                      // the record before
  std::vector<std::uint32_t> sums_;                      // of its beginnings
};

}  // namespace assay::search::partitioned
