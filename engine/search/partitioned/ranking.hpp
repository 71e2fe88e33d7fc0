/// From the keys of new states to their ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/partitioned/word_pieces.hpp"

namespace assay::search::partitioned {

/// The keys of each partition's new states stand in ascending order. The rank of a state is how many of all keys are
/// less than its own. One of `slices` that can be done apart: those whose parents have ranks in one part of
/// `parents`. Writes the ranks of each partition to the file; answers where.
std::vector<StoredWords> rank_slice(const std::vector<StoredWords>& keys, std::uint64_t parents,
                                    std::uint64_t slice, std::uint64_t slices, const OpenFile& open,
                                    const std::shared_ptr<storage::DiskFile>& out, const std::string& name);

}  // namespace assay::search::partitioned
