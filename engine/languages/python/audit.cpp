/// Goes through everything that a program can reach in a loaded state, the way the garbage collector of CPython does, and
/// looks whether the state has it. It knows nothing of how states are written and read: what somebody forgot there is
/// found here. For tests, where the machine distrusts itself.
#include <unordered_set>

#include "languages/python/heap.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

int collect(PyObject* object, void* context) {
  if (object != nullptr) static_cast<std::vector<PyObject*>*>(context)->push_back(object);
  return 0;
}

class Audit {
 public:
  explicit Audit(Heap& heap) : heap_(heap) {}

  void visit(PyObject* object, const std::string& path) {
    if (object == nullptr || !seen_.insert(object).second) return;
    if (is_plain(object) || is_module(object) || object == Py_Ellipsis || object == Py_NotImplemented) return;
    if (PyType_Check(object) || PyModule_Check(object))
      return;  // classes of the program are roots themselves
    const bool is_leaf = heap_.leaves.is_fixed(object);
    const bool is_in_state = is_leaf || heap_.slot(object) != Heap::kNoSlot || heap_.is_private(object);
    if (!is_in_state && !is_written_in_place(object)) {
      throw std::runtime_error("internal: " + path + " is a " + Py_TYPE(object)->tp_name +
                               " that the program can reach and no state has");
    }
    if (is_leaf && heap_.classes.facts(Py_TYPE(object)).is_enumeration)
      return;  // its content is handed out to nobody
    const std::string below = path + "/" + Py_TYPE(object)->tp_name;
    if (PyFunction_Check(object)) {  // its globals are a module's of CPython
      visit(PyFunction_GET_DEFAULTS(object), below);
      visit_values(PyFunction_GET_KW_DEFAULTS(object), below);
      for (const Ref& content : cells_of_native_function(object)) visit(content.get(), below);
      return;
    }
    std::unordered_set<PyObject*> own;  // dicts that belong to the object and are no objects for the program
    if (is_function(object)) {
      const auto* const function = reinterpret_cast<Function*>(object);
      own = {function->keyword_defaults, function->attributes};
      for (Py_ssize_t i = 0;
           is_leaf && function->closure != nullptr && i < PyTuple_GET_SIZE(function->closure); ++i) {
        PyObject* const cell = PyTuple_GET_ITEM(function->closure, i);  // that super() finds its class in
        if (PyCell_GET(cell) != nullptr && PyType_Check(PyCell_GET(cell))) seen_.insert(cell);
      }
    } else if (is_wrapper(object)) {
      for (const Ref& part : parts_of_wrapper(object)) visit(part.get(), below);
      return;
    } else if (heap_.classes.facts(Py_TYPE(object)).has_dict) {
      own = {checked(PyObject_GenericGetDict(object, nullptr)).get()};
    }
    std::vector<PyObject*> parts;
    if (const traverseproc traverse = Py_TYPE(object)->tp_traverse) traverse(object, collect, &parts);
    for (PyObject* part : parts) {
      if (own.contains(part)) {
        visit_values(part, below);
      } else {
        visit(part, below);
      }
    }
  }

  void visit_values(PyObject* dict, const std::string& path) {
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    while (dict != nullptr && PyDict_Next(dict, &position, &key, &item)) {
      visit(key, path);
      visit(item, path + "." + (PyUnicode_Check(key) ? utf8(key) : "?"));
    }
  }

 private:
  /// What has no identity in a state stands wherever it is referred to; its parts are looked at.
  bool is_written_in_place(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    return is_weak(object) || PyTuple_Check(object) || type == &PyFrozenSet_Type || type == &PySlice_Type ||
           PyMethod_Check(object) || type == &PySuper_Type || PyDictViewSet_Check(object) ||
           PyDictValues_Check(object) || is_wrapper(object) || PyFunction_Check(object) ||
           PyCFunction_Check(object) || is_bound_native(object) || heap_.leaves.find(object).has_value();
  }

  Heap& heap_;
  std::unordered_set<PyObject*> seen_;
};

}  // namespace

void Heap::audit(const Thread& thread) {
  Audit audit(*this);
  for (const Module& module : program.modules) {
    for (std::uint32_t g = 0; g < module.global_names.size(); ++g) {
      audit.visit(globals[module.first_global + g].get(),
                  module.name + "." + utf8(module.global_names[g].get()));
    }
  }
  for (PyTypeObject* const type : made_classes_.in_loaded_state()) {
    if (classes.facts(type).is_enumeration) continue;
    PyObject *key = nullptr, *item = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(type->tp_dict, &position, &key, &item)) {
      if (Classes::role(key, item) != Entry::kMakeup)
        audit.visit(item, std::string(type->tp_name) + "." + utf8(key));
    }
  }
  for (const Invariant& invariant : invariants) audit.visit(invariant.function.get(), invariant.name);
  for (const auto& frame : thread.frames) {
    for (const std::vector<Ref>* values : {&frame->locals, &frame->cells, &frame->stack}) {
      for (const Ref& value : *values) audit.visit(value.get(), frame->code->qualname);
    }
    for (const Ref* value : {&frame->names, &frame->handled, &frame->generator, &frame->extra}) {
      audit.visit(value->get(), frame->code->qualname);
    }
  }
}

}  // namespace assay::languages::python
