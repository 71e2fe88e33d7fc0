/// Writes down the visits of a search that forgets states.
#pragma once

#include <vector>

#include "evidence/visit_log.hpp"
#include "search/observer.hpp"

namespace assay::search {

class VisitRecorder final : public Observer {
 public:
  explicit VisitRecorder(evidence::VisitLog& log) : log_(log) {}

  void expanded(const ExpandedState& state) override {
    marks_.clear();
    for (std::uint32_t i = 0; i < state.successors->count(); ++i) {
      const assay_successor& successor = (*state.successors)[i];
      if (successor.has_state == 0) continue;
      marks_.push_back(evidence::VisitMark::of(state.successors->words(successor), successor.word_count));
    }
    log_.visit(evidence::VisitMark::of(state.words.data(), state.words.size()), marks_);
  }

 private:
  evidence::VisitLog& log_;
  std::vector<evidence::VisitMark> marks_;
};

}  // namespace assay::search
