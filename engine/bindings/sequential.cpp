#include "bindings/sequential.hpp"

#include <unordered_map>

#include "languages/python/interpreter.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace assay::bindings {
namespace {

using namespace languages::python;

/// Everything is allowed: only one thread runs at a time, from its beginning to its end.
class SequentialWorld final : public World {
 public:
  explicit SequentialWorld(const Program& of_run) {
    program = &of_run;
    keep_output = true;
    globals.resize(of_run.global_count);
    module_started.resize(of_run.modules.size());
    module_finished.resize(of_run.modules.size());
    for (std::uint32_t i = 0; i < of_run.modules.size(); ++i) module_objects.push_back(new_module(i));
  }

  void begin_instruction(Thread&, Frame&) override {}
  void poll() override {}
  void loop() override {}
  bool may_read_attribute(PyObject*, PyObject*) override { return true; }
  bool may_write_attribute(PyObject*, PyObject*) override { return true; }
  bool may_read_item(PyObject*, PyObject*) override { return true; }
  bool may_write_item(PyObject* container, PyObject*) override {
    if (has_shape(container)) mutations.of(container);
    return true;
  }
  bool may_read(PyObject*) override { return true; }
  bool may_write(PyObject* object) override { return may_write_item(object, nullptr); }
  bool may_read_global(std::uint32_t) override { return true; }
  bool may_write_global(std::uint32_t) override { return true; }
  bool may_call(PyObject* const*, std::size_t, PyObject* const* written, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) may_write_item(written[i], nullptr);
    return true;
  }
  bool is_divided(PyObject* const*, std::size_t, bool) override { return false; }
  void enters(const Code&) override {}
  void comes_back(const Code&, const Code&, bool) override {}
  void calls_back(const std::string&) override {}
  void called_back() override {}
  std::vector<std::uint32_t> reached(PyObject* const*, std::size_t) override { return {}; }
  void settle(const std::vector<std::uint32_t>&, const std::string&) override {}
  bool joins_step(const Code&) override { return false; }
  void observes(const std::string&) override {}
  bool may_synchronise() override { return true; }
  bool knows_identities() const override { return true; }
  bool is_held(PyObject*) const override { return true; }
  bool has_just_begun() const override { return true; }
  std::uint32_t choose(std::uint32_t) override { return 0; }
  bool is_single() const override { return true; }
  bool is_beginning() const override { return true; }
  void add_invariant(Ref, std::string) override {}
  void set_atoms(const std::vector<Ref>&) override {}
  bool may_pass_label(const std::string&) override { return true; }
  Ref class_known(const Code*) override { return {}; }
  Ref class_made(Ref type, const Code*) override { return type; }
  Ref announced(Ref value) override { return value; }
  bool is_closed(PyObject*) override { return false; }
  bool is_kept_view(PyObject*) const override { return false; }
  bool is_restoring() const override { return false; }
  bool is_hidden(PyObject*) override { return false; }
  void used(PyObject*) override {}
  bool has_chosen() const override { return false; }
  bool may_import(std::uint32_t) override { return true; }
  Ref ordered(PyObject* set) override { return ordered_by_content(set); }
  Ref arranged(PyObject* set) override { return ordered_by_content(set); }
  void remark(std::string) override {}
  std::uint64_t rank(PyObject* object) override {
    const auto [found, is_new] = ranks_.try_emplace(object, ranks_.size());
    if (is_new) kept_.push_back(Ref::borrow(object));
    return found->second;
  }

 private:
  std::unordered_map<PyObject*, std::uint64_t> ranks_;
  std::vector<Ref> kept_;  // an address means one object
};

/// A thread that the program starts runs at once; one that would have to wait for another cannot be run so.
Stop run_to_end(World& world, Thread& thread) {
  for (;;) {
    if (PyErr_CheckSignals() != 0) throw PythonError();
    const Stop stop = run(world, thread);
    std::vector<Started> started = std::move(world.started);
    world.started.clear();
    for (Started& start : started) {
      if (run_to_end(world, start.thread) == Stop::kBlocked) {
        throw Unsupported("a thread waits for another one; that is no sequential program");
      }
      world.failure = Failure();  // CPython prints it and goes on
    }
    if (stop != Stop::kLong) return stop;
  }
}

nb::object run_sequentially(nb::handle source) {
  make_types();
  const std::unique_ptr<Program> program = read_program(source.ptr());
  SequentialWorld world(*program);
  Thread thread = make_main_thread(world);
  const Stop stop = run_to_end(world, thread);
  nb::object error = nb::none();
  if (stop == Stop::kFailed) {
    const std::string& message = world.failure.message;
    const std::string last = message.substr(message.rfind('\n') + 1);  // from 0 if it is one line
    error = nb::str(last.c_str(), last.size());
  } else if (stop == Stop::kBlocked)
    error = nb::str("blocked: nobody can continue");
  else if (stop != Stop::kFinished)
    error = nb::str("cut off");
  // Objects of the program may name its code: they go before it.
  nb::object answer = nb::make_tuple(nb::str(world.output.c_str(), world.output.size()), error);
  thread = Thread();
  world.failure = Failure();
  for (Ref& global : world.globals) global = Ref();
  return answer;
}

}  // namespace

void bind_sequential(nb::module_& m) {
  m.def(
      "run_python_sequentially",
      [](nb::handle program, const nb::dict& modules) {
        try {
          // IMPORT_NATIVE imports by name: what is imported already is what it gets.
          nb::dict imported = nb::borrow<nb::dict>(PyImport_GetModuleDict());
          for (const auto& [name, module] : modules) {
            if (!imported.contains(name)) imported[name] = module;
          }
          return run_sequentially(program);
        } catch (const PythonError&) {
          throw nb::python_error();
        }
      },
      "program"_a, "modules"_a);
}

}  // namespace assay::bindings
