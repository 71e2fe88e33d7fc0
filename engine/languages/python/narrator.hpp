/// What happens in a step, for people: on which line, with which object, with which values.
///
/// The world tells it before each instruction and access; it looks and never touches. A value that an instruction writes
/// is known when the next one begins.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "languages/python/speaker.hpp"
#include "languages/python/thread.hpp"

namespace assay::languages::python {

struct Happening {
  enum class Kind : std::uint8_t { kRead, kWrite, kChange, kOperation, kRaise, kChoice };
  // kWrite binds a variable, an attribute or an item anew; kChange is a container that changes as a whole.
  Happening(Kind what, const Code* where, std::uint32_t at) : kind(what), code(where), pc(at) {}
  Kind kind;
  const Code* code;  // of the program's own, where it happens
  std::uint32_t pc;
  std::string
      name;  // "alice.balance", "Account.balance"; of an operation "Queue.get"; of an exception "KeyError: 3"
  std::string
      place;  // the same where the object has a name that other steps know too: "alice.balance"; else empty
  std::string root;  // whose the name is: of the locals of a thread, the cells of a function; empty: a global
  std::string before;       // the value read; of a write, and of an operation's object, the value before
  std::string after;        // the value written, or of an operation's object afterwards
  std::string result;       // of an operation that has returned; of a loop's read, "item 2"
  bool has_begun = false;   // an operation inside of which the step begins
  bool is_private = false;  // of an object that nobody else can reach any more, or could ever reach
};

/// Operands of a comparison, or the one value that was tested for truth, when it was last evaluated.
struct Evaluation {
  const Code* code = nullptr;
  std::uint32_t pc = 0;
  Ref left, right;  // right is null for a test
  std::uint64_t order = 0;
};

class Narrator {
 public:
  explicit Narrator(Heap& heap) : heap_(heap), speaker_(heap) {}

  /// Before the step: what the loaded state's objects are called.
  void begin(const StateIds& state);
  /// The step is executed anew.
  void clear();
  /// Before an instruction, after what the one before did.
  void instruction(const Thread& thread, const Frame& frame);
  /// Of an attribute, of an item, or (without `detail`) of all of an object.
  enum class Part : std::uint8_t { kAttribute, kItem };
  void access(bool is_write, PyObject* object, PyObject* detail, Part part, const Thread* thread);
  /// The same, of an object that only this thread can reach. It is told if it has a name, or if the thread held it when
  /// the step began: it may have been everybody's when the thread took it.
  void private_access(bool is_write, PyObject* object, PyObject* detail, Part part, const Thread* thread);
  void global(bool is_write, std::uint32_t number, const Thread* thread);
  void raises(PyObject* exception, const Frame& frame, std::uint32_t at);
  void chooses(std::uint32_t chosen, std::uint32_t count, const Thread* thread);
  /// After the last instruction.
  void end();

  /// As the program calls an object of the state; empty: nobody does.
  std::string name_of(PyObject* object) const;
  const std::vector<Happening>& happenings() const { return happenings_; }
  std::vector<Evaluation> evaluations() const;
  Speaker& speaker() { return speaker_; }

 private:
  struct Target {
    Ref object, detail;  // an attribute, an item, or all of it
    Part part = Part::kItem;
    std::uint32_t global = kNoGlobal;
  };
  struct Name {
    std::string path, root;
  };
  static constexpr std::uint32_t kNoGlobal = 0xFFFFFFFFu;

  bool is_own(const Code& code) const { return !heap_.program.modules[code.module].is_library; }
  /// The instruction of the program's own code that runs, or has called what stands in for C code.
  std::pair<const Code*, std::uint32_t> place_of(const Thread* thread) const;
  void add_name(PyObject* object, Name name);
  void name_locals(const Thread& thread, const std::string& root);
  void name_what_is_reached();
  void name_what_is_inside(PyObject* object, const Name& name);
  std::string global_name(std::uint32_t number) const;
  std::string operation_name(const Code& code) const;
  std::string value_of(const Target& target);
  void tell(Happening told, Target target);
  void settle();
  void close_operation(const Thread* thread);

  Heap& heap_;
  Speaker speaker_;
  std::unordered_map<PyObject*, Name> names_;
  std::vector<PyObject*> named_;  // in the order in which they were found
  std::size_t looked_into_ = 0;   // so many of them
  std::vector<Thread> threads_;   // of the state, which keep alive what has a name
  std::vector<Ref> held_;         // by expressions of the thread that are half evaluated when the step begins
  std::vector<Happening> happenings_;
  std::vector<std::pair<std::size_t, Target>> pending_;  // writes, until the next instruction
  std::map<std::pair<const Code*, std::uint32_t>, Evaluation> evaluations_;
  std::uint64_t instructions_ = 0;
  PyObject* last_raised_ = nullptr;
  bool is_in_closure_ = false;  // what is read until the next instruction

  const Frame* operation_ = nullptr;  // of a library, called by the program
  std::size_t operation_told_ = 0;
  std::uint32_t returns_to_ = 0;
  bool pushes_result_ = false;
  Ref operated_on_;
};

}  // namespace assay::languages::python
