#include "search/partitioned/ranking.hpp"

#include <cstdint>
#include <queue>
#include <utility>

#include "support/problems.hpp"

namespace assay::search::partitioned {
namespace {

/// How many of the keys come before those of this parent.
std::uint64_t keys_before(const StoredWords& keys, const storage::DiskFile& file, std::uint64_t parent) {
  std::uint64_t low = 0, high = keys.count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    std::uint64_t key;
    file.read(&key, sizeof key, keys.offset + middle * sizeof key);
    if ((key >> 32) < parent) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

std::vector<StoredWords> rank_slice(const std::vector<StoredWords>& keys, std::uint64_t parents,
                                    std::uint64_t slice, std::uint64_t slices, const OpenFile& open,
                                    const std::shared_ptr<storage::DiskFile>& out, const std::string& name) {
  using Next = std::pair<std::uint64_t, std::size_t>;  // key, partition
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<PieceReader<std::uint64_t>> readers;
  std::vector<PieceWriter<std::uint32_t>> writers;
  std::vector<StoredWords> ranks;
  std::uint64_t rank = 0, end = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t first = 0, last = 0;
    if (keys[i].count > 0) {
      const std::shared_ptr<storage::DiskFile> file = open(keys[i].file);
      first = keys_before(keys[i], *file, parents * slice / slices);
      last =
          slice + 1 == slices ? keys[i].count : keys_before(keys[i], *file, parents * (slice + 1) / slices);
    }
    rank += first;
    ranks.push_back({name, end, last - first});
    writers.emplace_back(out, end);
    end += (last - first) * sizeof(std::uint32_t);
    std::vector<StoredWords> mine;
    if (last > first)
      mine.push_back({keys[i].file, keys[i].offset + first * sizeof(std::uint64_t), last - first});
    readers.emplace_back(std::move(mine), open);
    if (!readers[i].at_end()) next.emplace(readers[i].next(), i);
  }
  for (; !next.empty(); ++rank) {
    const std::size_t partition = next.top().second;
    next.pop();
    if (rank > UINT32_MAX)
      throw GraphProblem("states cannot be put in order: a level has more than 2^32 of them");
    writers[partition].append(static_cast<std::uint32_t>(rank));
    if (!readers[partition].at_end()) next.emplace(readers[partition].next(), partition);
  }
  for (auto& writer : writers) writer.flush();
  return ranks;
}

}  // namespace assay::search::partitioned
