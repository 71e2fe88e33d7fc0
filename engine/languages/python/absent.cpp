#include "languages/python/absent.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "languages/python/call_back.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

/// What may be said of something without using it. Modules, classes and functions are true, equal nothing but themselves
/// and are never None.
enum class Sort : std::uint8_t { kUnasked, kThing, kAlias, kValue };

struct Absent {
  PyObject_HEAD std::string* path;
  std::string* problem;
  std::string* assumption;  // not empty: that nobody uses it, or else the module is compiled with the program
  PyObject* reality;        // null as long as nobody asked, and where nobody knows
  Sort sort;
};

PyTypeObject* absent_type = nullptr;

Absent* as_absent(PyObject* self) { return reinterpret_cast<Absent*>(self); }

PyObject* question(const char* function, PyObject* first, PyObject* second) {
  const Unwatched unwatched;  // the question is ours, not the program's
  const Ref reality = checked(PyImport_ImportModule("assay.languages.python.reality"));
  return checked(second == nullptr ? PyObject_CallMethod(reality.get(), function, "O", first)
                                   : PyObject_CallMethod(reality.get(), function, "OO", first, second))
      .release();
}

/// Finds out what it stands for. Only modules of CPython are imported for that.
void ask(Absent* self) {
  if (self->sort != Sort::kUnasked) return;
  const Ref path = checked(PyUnicode_FromString(self->path->c_str()));
  const Ref answer = Ref::steal(question("module", path.get(), nullptr));
  self->sort = Sort::kThing;
  if (answer.get() != Py_None) self->reality = Py_NewRef(answer.get());
}

/// Runs the body of a slot; what it throws travels through CPython.
template <typename Body>
PyObject* answered(Body body) {
  return guarded([&]() -> PyObject* { return body(); }, static_cast<PyObject*>(nullptr));
}

PyObject* refused(PyObject* self, const char* use) {
  return answered([&]() -> PyObject* { refuse_absent(self, use); });
}

PyObject* either(PyObject* left, PyObject* right) { return is_absent(left) ? left : right; }

PyObject* refuse_binary(PyObject* left, PyObject* right) {
  return refused(either(left, right), "computes with");
}
PyObject* refuse_ternary(PyObject* left, PyObject* right, PyObject*) { return refuse_binary(left, right); }
PyObject* refuse_unary(PyObject* self) { return refused(self, "computes with"); }
PyObject* refuse_iteration(PyObject* self) { return refused(self, "iterates over"); }
PyObject* refuse_call(PyObject* self, PyObject*, PyObject*) { return refused(self, "calls"); }
Py_ssize_t refuse_length(PyObject* self) {
  refused(self, "asks for the length of");
  return -1;
}
int refuse_contains(PyObject* self, PyObject*) {
  refused(self, "looks into");
  return -1;
}
int refuse_store(PyObject* self, PyObject*, PyObject*) {
  refused(self, "stores in");
  return -1;
}

PyObject* alias(const std::string& text, PyObject* of) {
  auto* const made = as_absent(absent(text, *as_absent(of)->problem, *as_absent(of)->assumption));
  made->sort = Sort::kAlias;
  return Py_NewRef(reinterpret_cast<PyObject*>(made));
}

/// A part of an annotation, in the name of the whole.
std::string named(PyObject* part) {
  if (is_absent(part)) return *as_absent(part)->path;
  if (!PyTuple_Check(part)) return utf8(repr_of(part).get());
  std::string names;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(part); ++i)
    names += (i == 0 ? "" : ", ") + named(PyTuple_GET_ITEM(part, i));
  return names;
}

/// `os.PathLike[str]`: an annotation.
PyObject* subscript(PyObject* self, PyObject* key) {
  return answered([&]() -> PyObject* {
    ask(as_absent(self));
    PyObject* const real = as_absent(self)->reality;
    if (real == nullptr || !PyType_Check(real)) refuse_absent(self, "looks into");
    return alias(*as_absent(self)->path + "[" + named(key) + "]", self);
  });
}

/// `Path | None`: an annotation. What others it may be made of has one of these: an alias, a union, a variable for types.
constexpr std::array<const char*, 3> parts_of_hints = {"__origin__", "__args__", "__typing_subst__"};

PyObject* union_of(PyObject* left, PyObject* right) {
  return answered([&]() -> PyObject* {
    for (PyObject* const side : {left, right}) {
      if (side == Py_None || PyType_Check(side)) continue;
      if (is_absent(side)) {
        ask(as_absent(side));
        PyObject* const real = as_absent(side)->reality;
        if (as_absent(side)->sort == Sort::kAlias || (real != nullptr && PyType_Check(real))) continue;
      } else if (std::any_of(parts_of_hints.begin(), parts_of_hints.end(),
                             [&](const char* name) { return PyObject_HasAttrString(side, name) != 0; })) {
        continue;
      }
      refuse_absent(either(left, right), "computes with");
    }
    return alias(named(left) + " | " + named(right), either(left, right));
  });
}

PyObject* get_attribute(PyObject* object, PyObject* name) {
  return answered([&]() -> PyObject* {
    Absent* const self = as_absent(object);
    ask(self);
    if (self->sort == Sort::kValue && name == interned("__isabstractmethod__"))  // every class statement asks
      raise(PyExc_AttributeError, "%U", name);
    if (self->reality == nullptr || self->sort != Sort::kThing) refuse_absent(object, "takes something from");
    if (*self->path == "socket" && name == interned("has_ipv6")) {
      if (current_world() != nullptr)
        current_world()->remark("the program asks for IPv6, which is taken for missing in every run");
      return Py_NewRef(Py_False);
    }
    const Ref answer = Ref::steal(question("part", self->reality, name));
    PyObject* const value = PyTuple_GET_ITEM(answer.get(), 0);
    if (PyTuple_GET_ITEM(answer.get(), 1) == Py_True) return Py_NewRef(value);
    auto* const made = as_absent(absent(*self->path + "." + utf8(name), *self->problem, *self->assumption));
    if (made->sort == Sort::kUnasked) {
      made->reality = Py_NewRef(value);
      made->sort = PyTuple_GET_ITEM(answer.get(), 2) == Py_True ? Sort::kThing : Sort::kValue;
    }
    return Py_NewRef(reinterpret_cast<PyObject*>(made));
  });
}

Py_hash_t hash_of(PyObject* object) {
  if (as_absent(object)->sort == Sort::kValue) {
    refused(object, "asks for the hash of");
    return -1;
  }
  return static_cast<Py_hash_t>(std::hash<std::string>()(*as_absent(object)->path) >> 1);
}

PyObject* compare(PyObject* self, PyObject* other, int operation) {
  return answered([&]() -> PyObject* {
    if (operation != Py_EQ && operation != Py_NE) refuse_absent(self, "compares");
    if (self == other && as_absent(self)->sort != Sort::kValue)
      return Py_NewRef(operation == Py_EQ ? Py_True : Py_False);
    for (PyObject* const side : {self, other}) {
      if (is_absent(side) && as_absent(side)->sort >= Sort::kAlias) refuse_absent(side, "compares");
    }
    const bool is_equal = reality_of_absent(self) != nullptr &&
                          reality_of_absent(self) == (is_absent(other) ? reality_of_absent(other) : other);
    if (is_equal) return Py_NewRef(operation == Py_EQ ? Py_True : Py_False);
    return Py_NewRef(Py_NotImplemented);
  });
}

int truth(PyObject* self) {
  if (as_absent(self)->sort == Sort::kValue) {
    refused(self, "tests");
    return -1;
  }
  return 1;
}

/// Whether CPython runs a function of its own that is written in Python: it may have asked what it shows for its type.
bool is_asked_in_python() {
  const Ref frame = Ref::steal(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  if (!frame) return false;
  const Ref globals = checked(PyFrame_GetGlobals(reinterpret_cast<PyFrameObject*>(frame.get())));
  PyObject* const name = PyDict_GetItemString(globals.get(), "__name__");
  return name == nullptr || !PyUnicode_Check(name) || !utf8(name).starts_with("assay");
}

/// Classes are shown as they are. Functions and modules have addresses and paths in their texts, and of what a program
/// made of an absent one (`Path | None`) nobody knows the text.
PyObject* representation(PyObject* object) {
  return answered([&]() -> PyObject* {
    Absent* const self = as_absent(object);
    ask(self);
    const bool is_known =
        self->sort == Sort::kThing && self->reality != nullptr && PyType_Check(self->reality);
    if (!is_known || is_asked_in_python()) refuse_absent(object, "shows");
    return PyObject_Repr(self->reality);
  });
}

template <typename Function>
PyType_Slot slot(int number, Function function) {
  return {number, reinterpret_cast<void*>(function)};
}

void make_type() {
  static PyType_Slot slots[] = {slot(Py_tp_getattro, get_attribute),
                                slot(Py_tp_setattro, refuse_store),
                                slot(Py_tp_call, refuse_call),
                                slot(Py_tp_hash, hash_of),
                                slot(Py_tp_richcompare, compare),
                                slot(Py_tp_repr, representation),
                                slot(Py_tp_str, representation),
                                slot(Py_tp_iter, refuse_iteration),
                                slot(Py_tp_iternext, refuse_iteration),
                                slot(Py_mp_subscript, subscript),
                                slot(Py_mp_ass_subscript, refuse_store),
                                slot(Py_mp_length, refuse_length),
                                slot(Py_sq_contains, refuse_contains),
                                slot(Py_nb_bool, truth),
                                slot(Py_nb_or, union_of),
                                slot(Py_nb_add, refuse_binary),
                                slot(Py_nb_subtract, refuse_binary),
                                slot(Py_nb_multiply, refuse_binary),
                                slot(Py_nb_remainder, refuse_binary),
                                slot(Py_nb_divmod, refuse_binary),
                                slot(Py_nb_power, refuse_ternary),
                                slot(Py_nb_negative, refuse_unary),
                                slot(Py_nb_positive, refuse_unary),
                                slot(Py_nb_absolute, refuse_unary),
                                slot(Py_nb_invert, refuse_unary),
                                slot(Py_nb_lshift, refuse_binary),
                                slot(Py_nb_rshift, refuse_binary),
                                slot(Py_nb_and, refuse_binary),
                                slot(Py_nb_xor, refuse_binary),
                                slot(Py_nb_int, refuse_unary),
                                slot(Py_nb_float, refuse_unary),
                                slot(Py_nb_index, refuse_unary),
                                slot(Py_nb_floor_divide, refuse_binary),
                                slot(Py_nb_true_divide, refuse_binary),
                                slot(Py_nb_matrix_multiply, refuse_binary),
                                slot(Py_am_await, refuse_unary),
                                slot(Py_am_aiter, refuse_unary),
                                {0, nullptr}};
  static PyType_Spec spec = {
      "assay.assay!absent", sizeof(Absent), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
  absent_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release());
}

}  // namespace

bool is_absent(PyObject* value) { return absent_type != nullptr && Py_TYPE(value) == absent_type; }

bool has_absent() { return absent_type != nullptr || has_weak_references(); }

void refuse_telling(PyObject* text) {
  if (!has_absent() || !PyUnicode_Check(text)) return;
  static PyObject* const mark =
      interned("assay!");  // in the names of the types of all that stands for something
  if (PyUnicode_Find(text, mark, 0, PyUnicode_GET_LENGTH(text), 1) < 0) return;
  throw Unsupported(
      "a built-in of CPython is given something that is not modelled; take it out of what is verified");
}

void refuse_telling_text(PyObject* exception) {
  PyObject* const given = reinterpret_cast<PyBaseExceptionObject*>(exception)->args;
  if (!has_absent() || given == nullptr || !PyTuple_Check(given)) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) refuse_telling(PyTuple_GET_ITEM(given, i));
}

PyObject* absent(const std::string& path, const std::string& problem, const std::string& assumption) {
  static std::map<std::string, PyObject*> known;  // for good: they are leaves
  if (absent_type == nullptr) make_type();
  PyObject*& found = known[path];
  if (found == nullptr) {
    Absent* const made = PyObject_New(Absent, absent_type);
    if (made == nullptr) throw PythonError();
    made->path = new std::string(path);
    made->problem = new std::string(problem);
    made->assumption = new std::string(assumption);
    made->reality = nullptr;
    made->sort = Sort::kUnasked;
    found = reinterpret_cast<PyObject*>(made);
  }
  // A program that is compiled again may assume less of it.
  *as_absent(found)->problem = problem;
  *as_absent(found)->assumption = assumption;
  return found;
}

PyObject* absent_value(const std::string& path, const std::string& problem) {
  PyObject* const made = absent(path, problem, "");
  as_absent(made)->sort = Sort::kValue;
  return made;
}

PyObject* derived_absent(const std::string& path, PyObject* base) {
  const std::string& problem = *as_absent(base)->problem;
  auto* const made = as_absent(absent(path, "it derives from " + *as_absent(base)->path + ", and " + problem,
                                      *as_absent(base)->assumption));
  made->sort = Sort::kThing;  // of which nothing is known
  return reinterpret_cast<PyObject*>(made);
}

Ref part_of_cpython(const std::string& module, PyObject* name) {
  PyObject* const home = absent(module,
                                "not all of the module '" + module +
                                    "' is modelled; leave it out, or put something of your own in its place",
                                "");
  return checked(get_attribute(home, name));
}

const std::string& path_of_absent(PyObject* value) { return *as_absent(value)->path; }

void refuse_absent(PyObject* value, const std::string& use) {
  if (is_identity(value))
    throw Unsupported("the program " + use + " what id() gives, an address; compare it");
  if (!as_absent(value)->assumption->empty() && current_world() != nullptr)
    current_world()->observes(*as_absent(value)->assumption);
  throw Unsupported("the program " + use + " " + *as_absent(value)->path + ", and " +
                    *as_absent(value)->problem);
}

PyObject* reality_of_absent(PyObject* value) {
  ask(as_absent(value));
  return as_absent(value)->reality;
}

PyObject* first_absent(PyObject* value) {
  if (!has_absent()) return nullptr;
  if (is_absent(value) || is_identity(value)) return value;
  for (Py_ssize_t i = 0; PyTuple_Check(value) && i < PyTuple_GET_SIZE(value); ++i) {
    if (PyObject* const found = first_absent(PyTuple_GET_ITEM(value, i))) return found;
  }
  return nullptr;
}

/// Whether it is what a library for the machine has in place of this thing of CPython, which has it in several modules.
static bool stands_for(PyObject* other, PyObject* real) {
  const bool is_class = PyType_Check(other) && Py_TYPE(Py_TYPE(other)) == &PyType_Type &&
                        home_of(reinterpret_cast<PyTypeObject*>(other));
  if (!is_class && !is_function(other)) return false;
  const Ref home = is_class ? home_of(reinterpret_cast<PyTypeObject*>(other))
                            : checked(PyObject_GetAttrString(other, "__module__"));
  const Ref path = checked(PyObject_GetAttrString(other, "__qualname__"));
  return Ref::steal(question("is_at", real, checked(PyTuple_Pack(2, home.get(), path.get())).get())).get() ==
         Py_True;
}

bool is_same_as_absent(PyObject* value, PyObject* other) {
  for (PyObject* const side : {value, other}) {
    if (is_absent(side) && as_absent(side)->sort >= Sort::kAlias) refuse_absent(side, "compares");
  }
  if (value == other) return true;
  if (other == Py_None) return false;
  PyObject* const real = reality_of_absent(value);
  if (real == nullptr || is_absent(other)) return real != nullptr && real == reality_of_absent(other);
  return real == other || stands_for(other, real);
}

Ref with_reality(PyObject* value) {
  if (is_absent(value)) return Ref::borrow(reality_of_absent(value));
  if (!PyTuple_Check(value)) return Ref::borrow(value);
  Ref replaced = checked(PyTuple_New(PyTuple_GET_SIZE(value)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
    Ref item = with_reality(PyTuple_GET_ITEM(value, i));
    if (!item) return {};
    PyTuple_SET_ITEM(replaced.get(), i, item.release());
  }
  return replaced;
}

}  // namespace assay::languages::python
