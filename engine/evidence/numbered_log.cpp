#include "evidence/numbered_log.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/bucket_file.hpp"
#include "support/disk_array.hpp"

namespace assay::evidence {
namespace {

constexpr std::size_t kScanWords = std::size_t{1} << 14;
constexpr std::size_t kLeastBlock = 4096;  // bytes
constexpr std::size_t kMostBlock = std::size_t{1} << 16;
constexpr std::uint64_t kLeastRange = 1024;  // states

[[noreturn]] void broken() { throw std::runtime_error("the log of the search is not a whole graph"); }

class NumberingOnDisk {
 public:
  NumberingOnDisk(const GraphLog& log, bool subgraphs, std::size_t memory_bytes)
      : log_(log),
        states_(log.states()),
        is_breadth_first_(log.order() == GraphLog::Order::kBreadthFirst),
        range_(std::max<std::uint64_t>(kLeastRange, memory_bytes / 2 / (2 * sizeof(std::uint32_t)))),
        ranges_(static_cast<std::size_t>((states_ + range_ - 1) / range_)),
        block_(std::clamp(memory_bytes / 4 / ranges_, kLeastBlock, kMostBlock)),
        children_(log.directory(), states_),
        numbers_(log.directory(), states_),
        references_(log.directory(), states_) {
    if (subgraphs) regions_.emplace(log.directory(), states_);
  }

  std::unique_ptr<GraphLog> run(std::uint64_t& depth) {
    support::BucketFile<std::uint32_t> sorted(log_.directory(), ranges_, block_);
    scan(sorted);
    if (is_breadth_first_) {
      if (log_.levels().empty()) broken();
      depth = log_.levels().size() - 1;
      number_breadth_first();
    } else {
      depth = number_depth_first();
    }
    support::BucketFile<std::uint32_t> numbered(log_.directory(), ranges_, block_);
    for (std::size_t i = 0; i < ranges_; ++i) look_up(i, sorted, numbered);
    numbered.finish();
    return rewritten(numbered);
  }

 private:
  /// How many children each state has, and the references by ranges of what they lead to.
  void scan(support::BucketFile<std::uint32_t>& sorted) {
    GraphLog::Cursor log(log_, 0, log_.words(), kScanWords);
    std::uint64_t discovered = 1;
    for (std::uint64_t id = 0; id < states_; ++id) {
      const std::uint32_t degree = log.read();
      std::uint32_t children = 0;
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint32_t target = log.read();
        if (GraphLog::is_tree(target)) {
          ++children;
        } else if (target >= states_) {
          broken();
        } else {
          sorted.append(static_cast<std::size_t>(target / range_), target);
        }
      }
      children_.set(id, children);
      if (regions_) regions_->set(id, degree);
      discovered += children;
    }
    if (discovered != states_) broken();
    sorted.finish();
  }

  void number_breadth_first() {
    // The number of children becomes the size of the subtree.
    std::uint64_t end = states_;
    for (std::uint64_t id = states_; id-- > 0;) {
      const std::uint64_t children = children_.get(id);
      if (children > end - std::min(end, id + 1)) broken();
      std::uint32_t size = 1;
      std::uint64_t region = regions_ ? regions_->get(id) : 0;
      for (std::uint64_t child = end - children; child < end; ++child) {
        size += children_.get(child);
        if (regions_) region += regions_->get(child);
      }
      children_.set(id, size);
      if (regions_) regions_->set(id, region);
      end -= children;
    }
    std::uint64_t child = 1;
    for (std::uint64_t id = 0; id < states_; ++id) {
      std::uint32_t next = numbers_.get(id) + 1;
      for (std::uint32_t left = children_.get(id) - 1; left > 0; ++child) {
        const std::uint32_t size = children_.get(child);
        numbers_.set(child, next);
        next += size;
        left -= size;
      }
    }
  }

  /// Ids are preorder numbers. Answers the depth.
  std::uint64_t number_depth_first() {
    struct Open {
      std::uint64_t id;
      std::uint32_t children;
      std::uint64_t region;
    };
    std::vector<Open> path;
    std::uint64_t depth = 0;
    for (std::uint64_t id = 0; id < states_; ++id) {
      if (id > 0 && path.empty()) broken();
      numbers_.set(id, static_cast<std::uint32_t>(id));
      path.push_back({id, children_.get(id), regions_ ? regions_->get(id) : 0});
      depth = std::max<std::uint64_t>(depth, path.size() - 1);
      while (!path.empty() && path.back().children == 0) {
        const Open done = path.back();
        path.pop_back();
        if (regions_) regions_->set(done.id, done.region);
        if (path.empty()) break;
        path.back().region += done.region;
        --path.back().children;
      }
    }
    if (!path.empty()) broken();
    return depth;
  }

  void look_up(std::size_t range, const support::BucketFile<std::uint32_t>& sorted,
               support::BucketFile<std::uint32_t>& numbered) {
    const std::uint64_t first = range * range_;
    const auto size = static_cast<std::size_t>(std::min(range_, states_ - first));
    std::vector<std::uint32_t> numbers(size), references(size);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = numbers_.get(first + i);
    support::BucketFile<std::uint32_t>::Reader targets(sorted, range);
    for (std::uint64_t left = sorted.items(range); left > 0; --left) {
      const std::uint64_t at = targets.next() - first;
      ++references[at];
      numbered.append(range, numbers[at]);
    }
    for (std::size_t i = 0; i < size; ++i) references_.set(first + i, references[i]);
  }

  std::unique_ptr<GraphLog> rewritten(const support::BucketFile<std::uint32_t>& numbered) {
    std::vector<support::BucketFile<std::uint32_t>::Reader> numbers;
    for (std::size_t i = 0; i < ranges_; ++i) numbers.emplace_back(numbered, i);
    auto result = std::make_unique<GraphLog>(log_.directory());
    result->begin(log_.order());
    GraphLog::Cursor log(log_, 0, log_.words(), kScanWords);
    std::size_t level = 0;
    for (std::uint64_t id = 0; id < states_; ++id) {
      if (level < log_.levels().size() && log_.levels()[level].first_state == id) {
        result->begin_level(id);
        ++level;
      }
      const std::uint32_t degree = log.read();
      result->begin_state(degree);
      result->add(references_.get(id));
      if (regions_) {
        const std::uint64_t region = regions_->get(id);
        result->add(static_cast<std::uint32_t>(region));
        result->add(static_cast<std::uint32_t>(region >> 32));
      }
      for (std::uint32_t i = 0; i < degree; ++i) {
        const std::uint32_t target = log.read();
        result->add(GraphLog::is_tree(target) ? target : numbers[target / range_].next());
      }
    }
    result->finish();
    return result;
  }

  const GraphLog& log_;
  const std::uint64_t states_;
  const bool is_breadth_first_;
  const std::uint64_t range_;  // of ids whose numbers and counts are in memory at once
  const std::size_t ranges_;
  const std::size_t block_;
  support::DiskArray<std::uint32_t> children_, numbers_, references_;
  std::optional<support::DiskArray<std::uint64_t>> regions_;
};

}  // namespace

std::unique_ptr<GraphLog> number_on_disk(const GraphLog& log, bool subgraphs, std::size_t memory_bytes,
                                         std::uint64_t& depth) {
  return NumberingOnDisk(log, subgraphs, memory_bytes).run(depth);
}

}  // namespace assay::evidence
