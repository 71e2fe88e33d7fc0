/// Python programs as a transition system.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "languages/python/normal_form.hpp"
#include "languages/python/outcome.hpp"
#include "languages/python/step_memo.hpp"
#include "languages/python/step_world.hpp"
#include "support/binary_field.hpp"
#include "support/chunked_vector.hpp"
#include "transition_system/transition_system.hpp"

namespace assay::languages::python {

class Machine final : public transition_system::TransitionSystem {
 public:
  /// With a key, an element of the field, states are *canonical*: digests of content, the same in every
  /// process that has the key. Without one (no value) they are numbers of this process.
  Machine(std::unique_ptr<Program> program, Granularity granularity, std::optional<support::ElementWords> key,
          bool has_invariants, bool distrusts, Watch watch = {});

  std::uint32_t max_words() const override;
  std::uint32_t initial(std::uint64_t* words, std::uint32_t* violation) const override;
  void successors(transition_system::StateView state, assay_buffer* out) const override;
  bool is_valid_end(transition_system::StateView state) const override;
  std::uint64_t parts_met() const override;
  std::size_t forgettable_bytes() const override;
  void forget() const override;
  bool is_state(transition_system::StateView state) const override;
  std::uint64_t digest_of_parts() const override;
  std::uint64_t content_hash(transition_system::StateView state) const override;
  void depart(transition_system::StateView state, transition_system::PortableState& out) const override;
  std::uint32_t arrive(const transition_system::PortableState& state, std::uint64_t* words) const override;
  transition_system::PartContent content_of(transition_system::Part part) const override;
  transition_system::Part meet(const std::string& bytes,
                               std::span<const transition_system::Part> refers) const override;
  bool has_state_checks() const override { return has_invariants_; }
  std::uint32_t check_state(transition_system::StateView state) const override;
  void all_successors(transition_system::StateView state, assay_buffer* out) const override;
  /// Labels of the program, atoms of formulas, and last whether the program is over.
  std::uint32_t label_count() const override;
  std::uint64_t labels(transition_system::StateView state) const override;
  bool has_match_key() const override { return watch_.matches > 0; }
  std::uint32_t match_key(transition_system::StateView state, std::uint64_t* key) const override;

  /// For people. New references to dicts.
  PyObject* describe(const std::uint64_t* words, std::uint32_t count) const;
  PyObject* explain(const std::uint64_t* words, std::uint32_t count, std::uint32_t position) const;
  PyObject* violation(std::uint32_t code) const;
  PyObject* statistics() const;
  /// What a verdict has to mention, as sentences with a place: a new list.
  PyObject* remarks() const;

 private:
  struct Step {
    std::uint32_t thread;
    std::vector<std::uint32_t> choices;
    std::uint32_t outcome;
  };
  /// A thread on the way down its tree of steps.
  struct Walk {
    std::uint32_t thread;
    std::uint64_t key;
  };
  struct Known {
    bool is_known = false, is_step = false;
    std::uint32_t outcome = 0;
  };
  void ids_of(const std::uint64_t* words, std::uint32_t count, StateIds& state) const;
  StateIds ids_of(const std::uint64_t* words, std::uint32_t count) const {
    StateIds state;
    ids_of(words, count, state);
    return state;
  }
  std::uint32_t word_count(const StateIds& state) const;
  void write_words(const StateIds& state, std::uint64_t* words) const;
  void digest_words(ComponentId id, std::uint64_t* words) const;
  std::string content_of(ComponentId id) const;
  // Of states that travel: portable.cpp.
  const std::string& portable_name(LeafId leaf, std::string& scratch) const;
  LeafId met_leaf(std::string_view portable_name) const;
  ComponentId met_component(std::string_view bytes) const;
  ComponentId met_whole_component(std::string_view bytes) const;
  struct Layout;
  std::uint32_t met_layout(std::string_view bytes) const;
  std::uint32_t add_layout(Layout layout) const;
  std::uint32_t met_lesson(std::string_view bytes, std::span<const transition_system::Part> refers) const;
  std::uint32_t layout_of(const StateIds& state) const;
  void depart(const StateIds& state, transition_system::PortableState& out) const;
  StateIds arrived(std::span<const std::uint64_t> words,
                   std::span<const transition_system::Part> parts) const;
  std::uint32_t lesson_number(const StateIds& state, std::uint32_t question) const;
  void note_lesson(std::size_t leaves_before, const StateIds& state, std::uint32_t question) const;
  void make_initial() const;
  std::uint32_t root_of_steps(const StateIds& state) const;
  /// What a question finds in a state.
  std::uint32_t answer(const StepMemo::Node& question, const StateIds& state) const {
    if (question.kind() == StepMemo::Node::Kind::kFixed) return state.ids[question.index()];
    if (question.kind() == StepMemo::Node::Kind::kObjectCount) return state.objects();
    const ComponentId object = state.object(question.index());
    return question.kind() == StepMemo::Node::Kind::kObject ? object : world_->heap.components.finals(object);
  }
  void look_up(const StateIds& state) const;
  std::uint32_t outcome_of(const StateIds& state, std::uint32_t thread, std::vector<std::uint32_t>& choices,
                           std::vector<std::uint32_t>& alternatives) const;
  bool stays_normal(const StateIds& state, const Step& step) const;
  void steps(const StateIds& state, std::vector<Step>& out) const;
  void apply(const StateIds& state, std::uint32_t thread, const Outcome& outcome, StateIds& next) const;
  void put_threads(const StateIds& state, std::uint32_t thread, const Outcome& outcome, StateIds& next) const;
  ComponentId vacant_place() const;
  bool mark_stale_loops(const StateIds& state, const Step& step, const Outcome& outcome,
                        StateIds& marked) const;
  std::uint32_t race_in(const StateIds& state, const std::vector<Step>& steps) const;
  void write_successors(transition_system::StateView state, assay_buffer* out, bool all) const;
  void keep_who_goes_on(const StateIds& state, std::vector<Step>& steps) const;
  /// How many invariants the statics have, and how many of these are atoms.
  std::pair<std::uint32_t, std::uint32_t> registered_in(ComponentId statics) const;
  Ref told(const Narrator& narrator) const;
  Ref evaluated(Narrator& narrator) const;
  Thread where_it_waits(const StateIds& state, std::uint32_t thread) const;
  std::uint32_t outcome_of_check(const StateIds& state, std::uint32_t number) const;
  bool is_single(const StateIds& state) const;
  bool is_over(const StateIds& state) const;
  bool is_daemon(ComponentId thread) const;

  std::unique_ptr<Program> program_;
  const Granularity granularity_;
  const bool is_canonical_, has_invariants_;
  const Watch watch_;
  const support::PortableElement key_;  // of digests
  mutable std::mutex mutex_;
  mutable std::unique_ptr<StepWorld> world_;
  mutable std::unique_ptr<NormalForm> normal_form_;
  mutable StateIds initial_;                            // made once: the living program moves on
  mutable StateIds before_, after_, marked_, checked_;  // scratch
  mutable std::vector<Step> steps_;
  mutable std::vector<std::uint32_t>
      cut_;  // of the state whose steps were asked for: threads that have none any more
  mutable std::vector<Walk> walks_;
  mutable std::vector<Known> known_;  // by thread
  mutable std::vector<NormalForm::Replacement> replaced_;
  mutable std::optional<ComponentId> vacant_;
  mutable bool is_surveyed_ = false;  // the state whose successors are asked for
  mutable StepMemo memo_;
  mutable support::ChunkedVector<Outcome, 8> outcomes_;
  mutable std::unordered_map<std::uint64_t, ComponentId> by_digest_;
  mutable std::vector<support::ElementWords> digests_;
  mutable std::vector<std::uint64_t> content_hashes_;     // by component; 0: not yet
  mutable std::uint64_t longest_digested_ = 0;            // in elements of the field
  mutable ComponentId registered_statics_ = 0xFFFFFFFFu;  // those asked for last
  mutable std::pair<std::uint32_t, std::uint32_t> registered_;
  mutable std::uint64_t digest_of_parts_ = 0;
  mutable ComponentId parts_digested_ = 0;
  /// Which classes with data a state has, by their names' order.
  struct Layout {
    std::vector<LeafId> classes;
    std::vector<std::uint32_t> fixed;  // where their data stands in states here
    std::uint64_t content_hash = 0;
  };
  /// What was done in this process when leaves were met that only the program makes: all steps of a state, or (from 1 on)
  /// the check with that number less one. Who does the same meets the same leaves.
  struct Lesson {
    StateIds state;
    std::uint32_t question;
  };
  static constexpr std::uint32_t kNoLesson = 0xFFFFFFFFu, kNeedsNone = 0xFFFFFFFEu;
  mutable std::vector<Layout> layouts_;
  mutable std::map<std::vector<LeafId>, std::uint32_t> layout_numbers_;
  mutable std::map<std::vector<std::uint32_t>, std::uint32_t> layout_of_fixed_;
  mutable std::vector<std::uint32_t> made_;  // scratch
  mutable std::vector<Lesson> lessons_;
  mutable std::map<std::vector<std::uint32_t>, std::uint32_t> lesson_numbers_;
  mutable std::vector<std::uint32_t> lesson_of_leaf_;
  mutable std::uint64_t executed_ = 0, looked_up_ = 0, normalised_ = 0;
};

}  // namespace assay::languages::python
