/// What is asked of cycles, out of the options of a search.
#pragma once

#include "search/options.hpp"
#include "transition_system/acceptance.hpp"

namespace assay::search {

/// Fairness counts only if it is asked for, however many processes there are.
inline transition_system::CycleQuestion question_in(const Options& options) {
  constexpr std::uint64_t kNoLabel = ~std::uint64_t{0};
  transition_system::CycleQuestion question;
  if (options.flag("fair")) question.processes = static_cast<std::uint32_t>(options.number("processes", 0));
  const std::uint64_t label = options.number("progress_label", kNoLabel);
  if (label != kNoLabel) question.progress_label = static_cast<std::uint32_t>(label);
  return question;
}

}  // namespace assay::search
