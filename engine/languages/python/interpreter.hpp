/// Runs one thread until it has to stop.
///
/// An instruction either completes (it takes its operands from the stack, advances the pc, and a value or a new frame
/// appears), or stops the run before it had any effect, or throws PythonError while the pc is still on it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "languages/python/helpers.hpp"
#include "languages/python/world.hpp"

namespace assay::languages::python {

/// Frames at most, like CPython's default; its message is the program's to see.
constexpr std::size_t kRecursionLimit = 1000;

enum class Step : std::uint8_t { kDone, kStop };

/// How an instruction takes part in what it calls: what it leaves of its operands, and where the value goes.
struct Site {
  std::size_t operands = 0;
  Return mode = Return::kPush;
  Ref extra = {};
  bool advance = true;
};

struct Arguments {
  std::vector<Ref> positional;
  std::vector<std::pair<Ref, Ref>> keywords;  // str, value

  Ref positional_tuple() const;
  /// Null if there are none.
  Ref keyword_dict() const;
  /// All of them, borrowed.
  std::vector<PyObject*> objects() const;
};

/// What a special method's result must be, or is made into (Return::kConvert).
enum class Conversion : std::uint8_t {
  kBool,
  kNotBool,
  kStrictBool,
  kLength,
  kStr,
  kRepr,
  kIterator,
  kHash,
  kFormat
};

/// A run that ended inside a nested interpreter, on its way to the outermost one.
struct NestedStop {
  Stop stop;
};

struct FunctionEffect;
struct NativeCall;
enum class Special : std::uint8_t;

/// A function that compiled code calls by name; see languages/python/helpers.py.
Ref helper(PyObject* name);
/// Whether CPython has an attribute that the machine's library, or one of its own types, lacks.
bool exists_in_cpython(const std::string& module, const std::string& path, PyObject* name);

class Interpreter {
 public:
  Interpreter(World& world_of_run, Thread& thread_of_run) : world(world_of_run), thread(thread_of_run) {}

  World& world;
  Thread& thread;

  /// Runs until only `base` frames are left (then `result` is the value of a kNested frame), or until a stop. Throws
  /// PythonError when an exception leaves a kNested frame.
  std::optional<Stop> loop(std::size_t base);
  Ref result;
  bool yielded = false;  // the nested frame was a generator's and yielded `result`
  Ref nested_error;      // what left the nested frame instead

  // --- interpreter.cpp: frames and the stack
  Frame& top() const { return *thread.frames.back(); }
  Step stop(Stop reason) {
    stop_ = reason;
    return Step::kStop;
  }
  /// Completes the instruction with a value.
  Step complete(Site site, Ref value);
  /// Takes the operands and advances; the site's value comes later.
  void leave(const Site& site);
  /// A value arrives in the frame that is on top now.
  Step deliver(Return mode, Ref extra, Ref value);
  Step push_frame(std::unique_ptr<Frame> frame, Site site);
  bool is_body_of_module(const Frame& frame) const;
  Step return_value(Ref value);
  /// The frame on top goes on, because a function that it called has ended or a generator has yielded.
  void tell_caller(const Code& function);
  Step import_module(std::uint32_t module);
  /// The function of that name in the library modules `_builtins` and `_library_functions`; null without such a module. If its body has to run
  /// first, that is entered: `*entered` becomes true and the instruction is to be tried again.
  Ref library_function(const char* name, bool* entered);
  Ref load_global(std::uint32_t module, std::uint32_t global, bool* allowed);

  // --- exceptions.cpp
  /// Goes on after the exception set in CPython was raised by the top frame's instruction.
  Step raise_native();
  /// Raises in the top frame; `at` is the instruction to blame.
  Step unwind(Ref exception, std::uint32_t at, bool with_line = true);
  /// The exception left a frame that was to return by `mode`.
  Step propagate(Return mode, Ref extra, Ref exception);
  /// Raises in the frame that waits for a result.
  Step raise_in_caller(Ref exception, Return mode);
  Step raise_instruction(std::uint32_t operand);
  Ref nearest_handled() const;
  void set_context(PyObject* exception) const;
  Step check_match();

  // --- calls.cpp
  Step call(PyObject* callable, Arguments arguments, Site site);
  Step call_function(PyObject* function, Arguments arguments, Site site);
  Step instantiate(PyTypeObject* type, Arguments arguments, Site site);
  Step call_instruction(Operation operation, std::uint32_t operand);
  std::unique_ptr<Frame> bind(Function* function, Arguments& arguments) const;

  // --- attributes.cpp
  /// `question`: the name of the built-in that asks (`getattr`), null for the program's own expression.
  Step load_attribute(PyObject* object, PyObject* name, Site site, PyObject* question = nullptr);
  /// The function `__getattr__` of a module; null if it has none, or if the step ends before that is known.
  Ref getter_of_module(std::uint32_t number, bool* is_asked);
  Step load_existing_attribute(PyObject* object, PyObject* name, Site site);
  /// For an attribute that was not found and that CPython has: throws Unsupported, or gives what stands for that of a
  /// class; null if CPython has none.
  void refuse_module_of_text(PyObject* object, PyObject* name) const;
  Ref missing_part(PyObject* object, PyObject* name) const;
  bool is_library_frame() const { return world.program->modules[top().code->module].is_library; }
  /// What the program sees of the annotations of a function or class; nothing: as any attribute.
  std::optional<Step> load_annotations(PyObject* object, Site& site);
  std::optional<Step> look_at_makeup(PyObject* name, PyObject* value, Site& site);
  Step store_attribute(PyObject* object, PyObject* name, PyObject* value, Site site);  // value null: delete
  Step load_special(PyObject* name);

  // --- stand_ins.cpp: each throws Unsupported if the program would see something else than CPython shows
  void refuse_type_of_stand_in(PyObject* callable, const Arguments& arguments) const;
  void refuse_attribute_of_stand_in(PyObject* object, PyObject* name, PyObject* question) const;
  void refuse_stand_ins(const NativeCall& call, const FunctionEffect* known) const;

  // --- absent_calls.cpp
  void settle_absent(PyObject* callable, Arguments& arguments, Site& site) const;
  bool is_replaced(PyObject* value) const;

  // --- operators.cpp
  Step operate(int code, PyObject* left, PyObject* right, int attempt, Site site);
  Step binary(std::uint32_t operation, bool in_place);
  Step compare(std::uint32_t comparison);
  Step unary(std::uint32_t operation);
  /// The test of the instruction at the top frame's pc; enters __bool__ or __len__ where the program has one.
  Step test(PyObject* value);
  Step decide(bool truth);

  // --- subscripts.cpp
  Step load_item(PyObject* container, PyObject* key, Site site);
  Step store_item(PyObject* container, PyObject* key, PyObject* value, Site site);  // value null: delete
  Step contains(bool negated);
  /// A key that is not there, in a dict with a factory for such.
  Step make_default(PyObject* container, PyObject* key, Site site);

  // --- iteration.cpp
  Step get_iterator(PyObject* iterable, Site site);
  Step for_iter();
  Step unpack(std::uint32_t before, std::optional<std::uint32_t> after);
  Step extend(Operation operation, std::uint32_t depth);

  // --- generators.cpp
  Frame& enter_generator(PyObject* generator, Site site);
  Step resume(PyObject* generator, PyObject* sent, Site site);
  Step throw_into(PyObject* generator, Ref exception, Site site);
  Step close(PyObject* generator, Site site);
  Step yield_value(Ref value);
  /// Asks for the generators that the running frame belongs to: others see that they no longer run.
  bool may_leave_generators();
  Step yield_from();

  // --- classes.cpp
  Step build_class(bool with_keywords);
  Ref make_class(Ref names, PyObject* description, PyObject* cell, const Code* body);
  /// `type.__new__`, or that of ABCMeta: (name, bases, namespace). Where the class statement that is carried out has made
  /// its class before, in another state, it is that one.
  /// The arguments of `type.__new__` with the module of the function that runs among the names of the class.
  Ref with_module(PyObject* arguments);
  Ref new_class(PyObject* metaclass, PyObject* arguments, PyObject* keywords);
  Ref make_class(PyObject* metaclass, PyObject* arguments, PyObject* keywords);

  // --- keys.cpp
  /// The instruction that runs looks that key up, and nothing else.
  void looks_up(PyObject* key);

  // --- natives.cpp
  Step call_native(PyObject* callable, Arguments arguments, Site site);
  /// Asks whether a built-in may read what can be reached from the arguments, and write some of them.
  bool may_call(PyObject* receiver, const Arguments& arguments, const std::vector<PyObject*>& written) const;
  /// Where others could come between what a function of CPython does, which the machine cannot stop: calls it so that
  /// nobody does. No value: nobody could.
  std::optional<Step> call_undisturbed(PyObject* callable, PyObject* receiver, const Arguments& arguments,
                                       bool of_items, Site& site);
  /// The same for an instruction that does what a function of the module `operator` does.
  std::optional<Step> operate_undisturbed(const char* function, std::initializer_list<PyObject*> operands,
                                          Site& site);
  /// Asks for what a method of a container, a type or any other built-in touches; adds what it writes.
  bool may_run_method(const NativeCall& call, std::vector<PyObject*>& written);
  bool may_run_type(const NativeCall& call, const std::string& counterpart,
                    const std::vector<PyObject*>& written);
  bool may_run_function(const NativeCall& call, std::vector<PyObject*>& written);
  /// Runs a function that is written in Python and looks what it has changed of all that it reached.
  Step run_settled(const NativeCall& call, const std::vector<std::uint32_t>& reached);
  /// Runs it in one piece: everything was asked.
  Step run_native(PyObject* callable, const Arguments& arguments, Site site);
  /// The built-in's counterpart in the library module `_builtins`, if there is one; no value: there is none.
  std::optional<Step> delegate(const std::string& name, PyObject* receiver, Arguments& arguments, Site& site);

  // --- special_natives.cpp
  /// Built-ins that the interpreter takes apart itself; no value: the callable is none of them.
  std::optional<Step> call_special(PyObject* callable, Special special, Arguments& arguments, Site& site);
  /// Ends the step, so that what follows happens in a state that was looked at.
  Step settle(const std::string& what, const std::string& way_out);
  std::optional<Step> call_generator_method(PyObject* callable, Arguments& arguments, Site& site);
  Step next_value(Arguments& arguments, Site site);
  std::optional<Step> ask_metaclass(bool of_instance, Arguments& arguments, Site& site);
  Step length(PyObject* object, Site site);
  Step get_attribute(Arguments& arguments, Site site, bool only_whether);
  Step reversed(PyObject* sequence, Arguments& arguments, Site site);

  // --- texts.cpp
  Step text_of(PyObject* object, Conversion conversion, Site site);
  Step format_value(std::uint32_t operand);
  Step print(Arguments& arguments, Site site);

  // --- assay_module.cpp
  /// No value: the callable is none of `_assay`.
  std::optional<Step> call_assay(PyObject* callable, Arguments& arguments, Site& site);

 private:
  Step execute(Frame& frame, std::uint32_t instruction);

  Stop stop_ = Stop::kVisible;
  bool loops_ = false;  // the last instruction went back to the begin of a loop
};

/// Runs the top frame of `thread` and what it calls. Throws Unsupported; exceptions of the program never leave it.
Stop run(World& world, Thread& thread);

/// A thread that will call `function(*args, **kwargs)`, its first frame entered but nothing executed. `function` may
/// be anything callable by the program. Throws PythonError (for example when the arguments do not fit).
Thread make_thread(World& world, PyObject* function, PyObject* args, PyObject* kwargs);

/// A thread that will run the body of module 0.
Thread make_main_thread(World& world);

/// Calls a function of the program from C++ and runs it to its end. A visible access inside, outside of atomic code,
/// throws Unsupported (the world decides). Throws PythonError if the program raised.
Ref call_nested(World& world, PyObject* function, PyObject* const* arguments, std::size_t count);
/// Like call_nested, in the world and the thread that run.
Ref call_nested_with(PyObject* function, Arguments arguments);

}  // namespace assay::languages::python
