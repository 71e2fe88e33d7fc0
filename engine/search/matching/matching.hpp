/// When two states count as one: a policy apart from where states are kept.
///
/// A policy makes a key of a state, answers whether a state with that key was
/// met, and says in one sentence what a finished search may have missed because
/// of it. The exact searches match by the keys of their store, which stand for
/// states one to one; the searches in `matched_*` keep whole states only as long
/// as they need them and take any of these policies:
///
///     policy        key                        a finished search that found nothing
///     fingerprint   a 64-bit hash              may have missed states, with a small probability
///     bits          k places in a bit array    may have missed states, with a larger one
///     abstraction   what the system's          has seen one state of each key, and what follows from it:
///                   `match_key` writes         an under-approximation
#pragma once

#include <concepts>
#include <cstddef>

#include "search/matching/abstraction.hpp"
#include "search/matching/bits.hpp"
#include "search/matching/fingerprints.hpp"

namespace assay::search::matching {

template <typename Policy>
concept Matching =
    requires(Policy policy, transition_system::StateView state, typename Policy::Key key, Result& result) {
      { Policy::kGuarantee } -> std::convertible_to<Guarantee>;
      { policy.key(state) } -> std::same_as<typename Policy::Key>;
      { policy.contains(key) } -> std::same_as<bool>;
      /// Whether it is new.
      { policy.add(key) } -> std::same_as<bool>;
      { policy.bytes() } -> std::same_as<std::size_t>;
      /// What the result shall tell of the policy besides.
      policy.report(result);
    };
static_assert(Matching<Fingerprints> && Matching<Bits> && Matching<Abstraction>);

}  // namespace assay::search::matching
