#include "search/partitioned/graph_of_partitions.hpp"

#include <queue>
#include <utility>

#include "storage/edge_log.hpp"
#include "support/problems.hpp"

namespace assay::search::partitioned {
namespace {

using evidence::GraphLog;
using storage::DiskFile;
using storage::StateMark;

constexpr std::size_t kAtOnce = 1u << 11;  // words of each reader: there are many

}  // namespace

void write_graph(const PartitionedGraph& graph, const std::string& directory, GraphLog& log) {
  if (graph.states >= GraphLog::kUnknown)
    throw GraphProblem("the graph cannot be written down: it has more states than a certificate can number");
  const OpenFile open = [&](const std::string& name) {
    return std::make_shared<DiskFile>(directory + "/" + name, DiskFile::Mode::kOpen);
  };
  const std::size_t partitions = graph.stream_of.size();
  std::vector<std::vector<PieceReader<std::uint32_t>>> numbers(graph.numbers.size());
  for (std::size_t stream = 0; stream < graph.numbers.size(); ++stream) {
    for (const StoredWords& words : graph.numbers[stream])
      numbers[stream].emplace_back(std::vector<StoredWords>{words}, open, 0, kAtOnce);
  }
  log.begin(GraphLog::Order::kBreadthFirst);
  std::uint64_t discovered = 1, state = 0;
  for (const PartitionedGraph::Level& level : graph.levels) {
    log.begin_level(state);
    std::vector<PieceReader<std::uint32_t>> ranks, edges;
    using Next = std::pair<std::uint32_t, std::size_t>;  // rank, partition
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::size_t i = 0; i < partitions; ++i) {
      ranks.emplace_back(level.ranks[i], open, 0, kAtOnce);
      edges.emplace_back(level.edges[i], open, 0, kAtOnce);
      if (!ranks[i].at_end()) next.emplace(ranks[i].next(), i);
    }
    for (std::uint64_t rank = 0; rank < level.states; ++rank, ++state) {
      if (next.empty() || next.top().first != rank)
        throw GraphProblem("the graph cannot be written down: a state is missing");
      const std::size_t partition = next.top().second;
      next.pop();
      const std::uint32_t count = edges[partition].next();
      log.begin_state(count);
      for (std::uint32_t i = 0; i < count; ++i) {
        StateMark mark;
        for (std::uint32_t& part : mark.parts) part = edges[partition].next();
        const std::uint32_t number = numbers[graph.stream_of[mark.scaled(partitions)]][partition].next();
        if (number > discovered)
          throw GraphProblem("the graph cannot be written down: states are out of order");
        log.add(number == discovered ? GraphLog::tree_word({}) : number);
        discovered += number == discovered ? 1 : 0;
      }
      if (!ranks[partition].at_end()) next.emplace(ranks[partition].next(), partition);
    }
  }
  if (discovered != graph.states || state != graph.states)
    throw GraphProblem("the graph cannot be written down: it is not whole");
  log.finish();
}

}  // namespace assay::search::partitioned
