/// One step of a thread: executed, watched, and written down.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <unordered_map>
#include <vector>

#include "languages/python/heap.hpp"
#include "languages/python/narrator.hpp"
#include "languages/python/outcome.hpp"
#include "languages/python/step_memo.hpp"
#include "languages/python/world.hpp"
#include "support/problems.hpp"

namespace assay::languages::python {

/// The name that must not be taken as final, or another assumption that failed.
class NotFinal : public AssumptionFailed {
 public:
  using AssumptionFailed::AssumptionFailed;
};

/// What formulas look at: it must not come and go between two states.
struct Watch {
  std::vector<std::string> labels;  // of the program, by their names
  std::vector<std::string> atoms;   // functions that the program registers (`_assay.set_atoms`), in words
  bool is_on = false;               // there are formulas; threads keep their places, for fairness
  std::uint32_t matches = 0;        // so many atoms, the last ones, are what states are compared by
  bool matches_anywhere = false;    // wherever threads stand

  bool is_match(std::uint32_t atom) const { return atom + matches >= atoms.size(); }
};

class StepWorld final : public World {
 public:
  StepWorld(const Program& program, Granularity granularity, Watch watch);

  // What the interpreter asks.
  void begin_instruction(Thread& thread, Frame& frame) override;
  void poll() override;
  void loop() override;
  void enters(const Code& function) override;
  void comes_back(const Code& function, const Code& caller, bool was_called) override;
  bool may_read_attribute(PyObject* object, PyObject* name) override;
  bool may_write_attribute(PyObject* object, PyObject* name) override;
  bool may_read_item(PyObject* container, PyObject* key) override;
  bool may_write_item(PyObject* container, PyObject* key) override;
  bool may_read(PyObject* object) override { return may_read_item(object, nullptr); }
  bool may_write(PyObject* object) override { return may_write_item(object, nullptr); }
  bool may_read_global(std::uint32_t global) override;
  bool may_write_global(std::uint32_t global) override;
  bool may_import(std::uint32_t module) override;
  bool may_call(PyObject* const* arguments, std::size_t count, PyObject* const* written,
                std::size_t written_count) override;
  bool is_divided(PyObject* const* arguments, std::size_t count, bool of_items) override;
  void calls_back(const std::string& name) override;
  void called_back() override;
  std::vector<std::uint32_t> reached(PyObject* const* arguments, std::size_t count) override;
  void settle(const std::vector<std::uint32_t>& reached, const std::string& function) override;
  bool may_synchronise() override;
  bool knows_identities() const override;
  bool is_held(PyObject* object) const override;
  bool has_just_begun() const override { return instructions_ <= 1 || is_checking_ || heap.is_loading; }
  bool joins_step(const Code& operation) override;
  void observes(const std::string& assumption) override;
  void raises(PyObject* exception, const Frame& frame, std::uint32_t at) override;
  std::uint32_t choose(std::uint32_t count) override;
  bool has_chosen() const override { return choices_made_ > 0; }
  bool is_single() const override { return thread_count_ == 1; }
  bool is_beginning() const override;
  /// The methods of a class are taken for functions that are made once: ends the run if they are made again.
  void expect_repeated(const Code* body);
  /// Ends the run if the step came to a text that the program was not compiled with.
  void require_texts() const;
  void add_invariant(Ref function, std::string name) override;
  void set_atoms(const std::vector<Ref>& functions) override;
  bool may_pass_label(const std::string& name) override;
  Ref class_known(const Code* body) override;
  Ref class_made(Ref type, const Code* body) override;
  Ref announced(Ref value) override;
  bool is_closed(PyObject* object) override;
  bool is_kept_view(PyObject* view) const override { return heap.leaves.is_fixed(view); }
  bool is_restoring() const override { return heap.is_loading || thread_ == nullptr; }
  bool is_hidden(PyObject* object) override;
  void used(PyObject* object) override;
  Ref ordered(PyObject* set) override { return heap.ordered(set); }
  Ref arranged(PyObject* set) override;
  void remark(std::string what) override;
  std::uint64_t rank(PyObject* object) override { return heap.rank(object); }

  /// Executes one step of a thread and writes down what became of it.
  Outcome execute(const StateIds& state, std::uint32_t thread, const std::vector<std::uint32_t>& choices);
  /// The first step ever: a state with nothing but the main thread, about to start.
  StateIds first_state();
  /// Whether an invariant holds in a state.
  Outcome check(const StateIds& state, std::uint32_t invariant);
  /// A thread that has ended and that nobody knows: a place for the next one.
  ComponentId vacant_place() { return heap.write_thread(Thread()); }

  Heap heap;
  std::vector<Event> events;  // of the last execution, in order
  std::vector<Violation> violations;
  std::map<std::string, std::set<std::string>>
      remarks;  // what the verdict has to mention, and where it happened

  /// After each step, compares everything that it did not say it wrote with what that was before (for tests).
  bool distrusts = false;

  // For people, when asked.
  bool keeps_blocked = false;
  Thread blocked;  // the thread of the last execution, where it has to wait
  bool records_lines = false;
  Narrator* narrator = nullptr;  // is told what happens
  std::vector<std::pair<const Code*, std::uint32_t>> lines;
  std::vector<Access> recorded_accesses;
  std::vector<std::string> recorded_values;

  std::uint32_t violation_code(Violation violation);

 private:
  std::uint32_t number_of_value(PyObject* text);
  void begin_step(const StateIds& state, const std::vector<std::uint32_t>& choices);
  bool is_standing_in() const;
  bool is_nested() const;
  bool is_in_one_piece() const;
  void refuse_kept_hash() const;
  bool reaches_identities() const;
  void shows();
  bool visible(bool is_synchronisation, PyObject* object = nullptr);
  void refuse_uncovered(PyObject* object) const;
  void refuse_called_write() const;
  bool may_divide() const;
  [[noreturn]] void divide();
  void refuse_between_writes(const std::string& name) const;
  void touch(Event::Kind kind, std::uint32_t index);
  void touch_keys(PyObject* container);
  void note(bool is_write, Event::Kind place, std::uint32_t index, PyObject* detail);
  bool is_narrated() const { return narrator != nullptr && !heap.is_loading && !is_checking_; }
  bool may_access(PyObject* object, PyObject* detail, bool is_write,
                  Narrator::Part part = Narrator::Part::kItem);
  bool may_read_class(PyTypeObject* type, PyObject* instance);
  bool has_escaped(PyObject* object);
  void write_statics();
  PyObject* name_of_global(std::uint32_t global) const;
  std::string place() const;
  void check_untouched(const StateIds& state);
  Outcome written_down(const StateIds& state, std::uint32_t thread, Thread& live, Stop stop);
  Violation violation_of_failure() const;

  const Granularity granularity_;
  const Watch watch_;
  std::unordered_map<std::string, std::uint32_t> values_;  // of what states are compared by, by their texts
  const StateIds* state_ = nullptr;
  Thread* thread_ = nullptr;
  Frame* frame_ = nullptr;
  std::vector<ComponentId> first_ids_;
  std::pair<const Code*, std::uint32_t> last_place_ = {nullptr, 0};  // of the user's own code
  std::uint32_t thread_count_ = 1;
  bool is_checking_ = false;       // an invariant: everything may be read, nothing stops
  bool has_acted_ = false;         // the step had its visible instruction
  bool has_synchronised_ = false;  // and it was an operation of the libraries
  bool is_allowed_ = false;        // the instruction that runs was allowed
  bool has_shown_ = false;  // the step may have changed what an atom says: the next one is another step
  bool has_polled_ = false;
  bool has_looped_ = false;        // the step went back to the begin of a loop
  std::size_t choices_known_ = 0;  // the step runs again; these choices of it are among its events
  struct Outer {
    Frame* frame;
    bool is_allowed, hashes_first;
    std::uint64_t instructions;
  };
  std::vector<Outer> outer_;            // instructions whose built-ins have called back
  std::uint64_t addresses_before_ = 0;  // hashed when the outermost of them did
  std::vector<std::uint64_t> divided_;  // instructions of the step that must not run in one piece
  std::size_t choices_before_ = 0;      // those made before the instruction that runs
  std::uint64_t instructions_ = 0;
  bool awaits_ends_ = false;  // something may happen when an object goes away
  bool uses_dataclasses_ = false;
  std::uint32_t synchronisations_ = 0, synchronisation_limit_ = 0;
  bool begins_by_synchronising_ = false;  // the first of them is the first instruction of the step
  std::vector<std::uint32_t> choices_;
  std::size_t choices_made_ = 0;
  std::vector<std::uint8_t> touched_objects_, touched_fixed_;
  std::vector<std::uint32_t> written_objects_, written_fixed_;
  std::vector<bool> is_written_object_, is_written_fixed_;
  std::vector<Access> accesses_;
  std::set<std::tuple<bool, Event::Kind, std::uint32_t, std::uint32_t>> accesses_known_;
  // Objects without a slot that this step has made reachable from what others can reach.
  std::unordered_set<PyObject*> escaped_;
  bool has_written_ = false;      // the instruction that runs may have published something
  bool is_escape_known_ = false;  // `escaped_` tells the truth
};

}  // namespace assay::languages::python
