/// Everything of the program that a running step can see, and what it may touch.
///
/// The interpreter asks before it acts: each `may_...` is called before the instruction has any effect. The answer
/// false means that the step ends before this instruction; the interpreter leaves the frame as it was (pc on the
/// instruction, stack untouched) and returns Stop::kVisible. Once an instruction was allowed its first visible access,
/// its further ones are allowed too.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "languages/python/code.hpp"
#include "languages/python/mutations.hpp"
#include "languages/python/objects.hpp"
#include "languages/python/thread.hpp"

namespace assay::languages::python {

enum class Granularity : std::uint8_t { kBytecode, kGil, kSync };

/// Why the interpreter returned.
enum class Stop : std::uint8_t {
  kVisible,   // before a visible instruction that belongs to the next step
  kBlocked,   // `_assay.block()`: the step is impossible in this state
  kCut,       // `_assay.assume(False)`
  kFinished,  // the thread ended
  kFailed,    // a violation: World::failure says which
  kLong,  // very many instructions without a visible one: a step may end anywhere between two instructions
};

struct Failure {
  std::string kind;     // "exception", "assertion", "lock", ...
  std::string message;  // the last line of the traceback, or what the library said
  Ref exception;        // may be null
  /// Innermost last: where it happened.
  std::vector<std::pair<const Code*, std::uint32_t>> traceback;
};

/// A thread started by the step.
struct Started {
  Thread thread;
};

class World {
 public:
  virtual ~World() = default;

  const Program* program = nullptr;
  std::vector<Ref> globals;  // all modules; null: unset
  std::vector<std::uint32_t>
      stored;  // those set while the program begins, in the order in which they came to be
  std::vector<Ref> module_objects;    // one for each module
  std::vector<bool> module_started;   // its body runs or has run
  std::vector<bool> module_finished;  // its body has run
  std::vector<Started> started;       // by this step
  Failure failure;                    // with Stop::kFailed
  std::string output;                 // what the step printed
  bool keep_output = false;           // otherwise printing is dropped
  Mutations mutations;                // of dicts, sets and deques, by this step
  /// The instruction that runs looks up one key: it calls `__hash__` before it touches anything.
  bool hashes_first = false;
  std::uint64_t addresses_hashed = 0;  // grows where the program computes a hash that depends on an address
  std::vector<Ref> identities_made;    // by this step: what `id` gave

  /// Called before each instruction is executed.
  virtual void begin_instruction(Thread& thread, Frame& frame) = 0;
  /// A place where CPython looks whether another thread wants to run (entry of a function, back-edge, after a
  /// built-in).
  virtual void poll() = 0;
  /// The same, where an instruction goes back to the begin of a loop.
  virtual void loop() = 0;
  /// A function or generator begins to run, called by the instruction that runs.
  virtual void enters(const Code& function) = 0;
  /// It comes back to the code that called it. `was_called`: by a call, in contrast to an operator.
  virtual void comes_back(const Code& function, const Code& caller, bool was_called) = 0;

  /// One attribute in the `__dict__` of an instance, or of a class of the program (then `object` is the class).
  virtual bool may_read_attribute(PyObject* object, PyObject* name) = 0;
  virtual bool may_write_attribute(PyObject* object, PyObject* name) = 0;
  /// One item of a list, dict, deque; the key may be null, then all of it.
  virtual bool may_read_item(PyObject* container, PyObject* key) = 0;
  virtual bool may_write_item(PyObject* container, PyObject* key) = 0;
  /// The object as a whole: a cell, an iterator, a generator, a container's size.
  virtual bool may_read(PyObject* object) = 0;
  virtual bool may_write(PyObject* object) = 0;
  /// Index among all globals of the program.
  virtual bool may_read_global(std::uint32_t global) = 0;
  virtual bool may_write_global(std::uint32_t global) = 0;
  /// An import statement looks how far the module is.
  virtual bool may_import(std::uint32_t module) = 0;
  /// A built-in is about to run. It may read everything that can be reached from the arguments, and write those in
  /// `written` (borrowed).
  virtual bool may_call(PyObject* const* arguments, std::size_t count, PyObject* const* written,
                        std::size_t written_count) = 0;
  /// Whether others could come between what a function of CPython does that is written in Python: something that they
  /// reach can be reached from its arguments. `of_items`: only where these have such functions for methods.
  virtual bool is_divided(PyObject* const* arguments, std::size_t count, bool of_items) = 0;
  /// A built-in calls a function of that name from inside, of the program or of CPython; then it has returned. Others can
  /// run meanwhile, and see the built-in half done: if it may touch what they reach, the step begins again, and the
  /// instruction is one for which `is_divided` holds.
  virtual void calls_back(const std::string& name) = 0;
  virtual void called_back() = 0;
  /// What has a place in the state and can be reached from the arguments of such a function, before it is called ...
  virtual std::vector<std::uint32_t> reached(PyObject* const* arguments, std::size_t count) = 0;
  /// ... and afterwards: it must not have been changed, because nobody knew. With one thread it is written down.
  virtual void settle(const std::vector<std::uint32_t>& reached, const std::string& function) = 0;
  /// Atomic code is about to begin (a library's operation, `_assay.begin_atomic`, `_assay.pause`).
  virtual bool may_synchronise() = 0;
  /// Whether no object can be gone of which the program has kept the `id`, so that a further one differs from all of
  /// them: a state was just looked at, or what runs holds every object that this step was asked the `id` of.
  virtual bool knows_identities() const = 0;
  /// Whether a variable of the thread that runs, or what it computes, holds the object.
  virtual bool is_held(PyObject* object) const = 0;
  /// Whether this is the first instruction of a step.
  virtual bool has_just_begun() const = 0;
  /// Atomic code is about to begin that may just as well happen at once after what its thread did before. Whether it
  /// belongs to the step that runs.
  virtual bool joins_step(const Code& operation) = 0;
  /// The program could tell that something happened early; the assumption is that it cannot.
  virtual void observes(const std::string& assumption) = 0;
  /// An exception comes to a frame, at this instruction of it.
  virtual void raises(PyObject* /*exception*/, const Frame& /*frame*/, std::uint32_t /*at*/) {}

  /// A number below `count`.
  virtual std::uint32_t choose(std::uint32_t count) = 0;
  /// Whether this step made a choice.
  virtual bool has_chosen() const = 0;
  virtual bool is_single() const = 0;
  /// Whether the very first step runs, and has made no choice: what it does holds in all states.
  virtual bool is_beginning() const = 0;
  /// Instructions of the step itself, counted from 1: where it has to end, and the last at which it could have ended.
  std::uint64_t cut_at = 0, last_open = 0;
  /// The texts that this step would have to compile: it counts for nothing, and the program starts again with them.
  std::vector<std::string> lacking_texts;
  /// Stores a global variable, which `may_write_global` has allowed; null: it goes away.
  void store_global(std::uint32_t global, Ref value) {
    if (value && !globals[global] && is_beginning()) {
      std::erase(stored, global);
      stored.push_back(global);
    }
    globals[global] = std::move(value);
  }
  virtual void add_invariant(Ref function, std::string name) = 0;
  /// The atoms of formulas, as functions without arguments, in their order.
  virtual void set_atoms(const std::vector<Ref>& functions) = 0;
  /// A label of the program: a state in which the thread stands there comes before it is passed, if anybody asks for it.
  virtual bool may_pass_label(const std::string& name) = 0;
  /// The class that a class statement made when its step was executed before; null: it is executed for the first time.
  virtual Ref class_known(const Code* body) = 0;
  /// Told of each class that the program makes, right after it was made: it becomes part of the program's fixed
  /// objects. The answer is used in its place: a step that is executed again gets the class of the first time. The body
  /// is null where a call made it.
  virtual Ref class_made(Ref type, const Code* body) = 0;
  /// What a call of CPython's returned: told of it if that is a class which did not exist before.
  virtual Ref announced(Ref value) = 0;
  /// Whether states name the object without saying what it holds, so that nothing may be stored in it.
  virtual bool is_closed(PyObject* object) = 0;
  /// Whether states have this very view of bytes.
  virtual bool is_kept_view(PyObject* view) const = 0;
  /// Whether objects are being made of what a state says.
  virtual bool is_restoring() const = 0;
  /// Whether the object can change although no state has it, as long as it is only where it was found.
  virtual bool is_hidden(PyObject* object) = 0;
  /// The content of an object that never changes (a function that is called, its closure and defaults) is looked at.
  virtual void used(PyObject* object) = 0;
  /// The elements of a set in an order that depends on the state alone; a new list.
  virtual Ref ordered(PyObject* set) = 0;
  /// The same in an order that is chosen.
  virtual Ref arranged(PyObject* set) = 0;
  /// Something that the verdict has to mention, and where it happened.
  virtual void remark(std::string what) = 0;
  /// A new object of the program was made by this step (for an order among the elements of sets).
  virtual std::uint64_t rank(PyObject* object) = 0;
};

/// Objects that were made in this step are ranked when they are put into a set, one by one or with the items of a list or
/// tuple: who looks at the set first would find them in the order of their addresses.
void rank_elements(PyObject* added);

/// A built-in calls back where others may see it half done: the step has to begin again.
struct Divided {};

/// The world of the step that runs; nested interpreters find it here.
World*& current_world();
Thread*& current_thread();

}  // namespace assay::languages::python
