#include "languages/python/address_texts.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

constexpr Py_UCS4 kUnknown =
    0x22EF;  // stands for the digits of an address; neither ASCII nor in use elsewhere
constexpr const char* kBefore = " at 0x";
constexpr const char* kEscaped = "\\u22ef";  // as `ascii` writes it

/// Where the first address begins; -1 if there is none.
Py_ssize_t address_in(PyObject* text) {
  if (PyUnicode_KIND(text) == PyUnicode_1BYTE_KIND) return -1;  // nearly always
  return PyUnicode_FindChar(text, kUnknown, 0, PyUnicode_GET_LENGTH(text), 1);
}

[[noreturn]] void refuse(const std::string& use) {
  throw Unsupported("the program " + use +
                    " a text that shows the address of an object, which is different in each run; give the "
                    "class a __repr__, or use the object itself");
}

bool program_runs() { return current_world() != nullptr && current_thread() != nullptr; }

// --- texts without addresses ---

reprfunc repr_of_object = nullptr;                                 // CPython's own
std::unordered_map<PyTypeObject*, reprfunc> reprs_with_addresses;  // of types of C code

PyObject* discreet_repr_of_object(PyObject* object) {
  if (current_world() == nullptr) return repr_of_object(object);
  return guarded([&]() -> PyObject* { return text_without_address(object).release(); },
                 static_cast<PyObject*>(nullptr));
}

/// These texts consist of names and addresses.
PyObject* discreet_repr(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  while (!reprs_with_addresses.contains(type)) type = type->tp_base;
  Ref shown = Ref::steal(reprs_with_addresses.at(type)(object));
  if (!shown || current_world() == nullptr) return shown.release();
  return guarded(
      [&]() -> PyObject* {
        std::string text = utf8(shown.get());
        for (std::size_t at = 0; (at = text.find(kBefore, at)) != std::string::npos;) {
          at += std::string_view(kBefore).size();
          const std::size_t end = text.find_first_not_of("0123456789abcdef", at);
          text.replace(at, (end == std::string::npos ? text.size() : end) - at, kUnknownDigits);
        }
        return PyUnicode_FromString(text.c_str());
      },
      static_cast<PyObject*>(nullptr));
}

/// A type has copied what shows its instances when it was made.
void replace_in_subclasses(PyTypeObject* type, std::unordered_set<PyTypeObject*>& seen) {
  if (!seen.insert(type).second) return;
  if (type->tp_repr == repr_of_object) type->tp_repr = discreet_repr_of_object;
  const Ref ask =
      checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(&PyType_Type), "__subclasses__"));
  const Ref found = checked(PyObject_CallOneArg(ask.get(), reinterpret_cast<PyObject*>(type)));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(found.get()); ++i)
    replace_in_subclasses(reinterpret_cast<PyTypeObject*>(PyList_GET_ITEM(found.get(), i)), seen);
}

// --- what CPython does with any text, whoever asks for it ---

struct {
  hashfunc hash;
  richcmpfunc compare;
  lenfunc length;
  ssizeargfunc item;
  binaryfunc subscript;
  getiterfunc iterator;
  objobjproc contains;
  binaryfunc format, format_bytes, format_byte_array;
} of_texts;

template <typename Operation, typename Answer>
Answer unless_address(PyObject* text, const char* use, Operation operation, Answer failed) {
  if (address_in(text) < 0 || !program_runs()) return operation();
  return guarded([&]() -> Answer { refuse(use); }, failed);
}

Py_hash_t hash(PyObject* text) {
  return unless_address(
      text, "asks for the hash (as a key, or in a set) of", [&] { return of_texts.hash(text); },
      Py_hash_t(-1));
}
Py_ssize_t length(PyObject* text) {
  return unless_address(
      text, "asks for the length of", [&] { return of_texts.length(text); }, Py_ssize_t(-1));
}
PyObject* item(PyObject* text, Py_ssize_t index) {
  return unless_address(
      text, "looks into", [&] { return of_texts.item(text, index); }, static_cast<PyObject*>(nullptr));
}
PyObject* subscript(PyObject* text, PyObject* key) {
  return unless_address(
      text, "looks into", [&] { return of_texts.subscript(text, key); }, static_cast<PyObject*>(nullptr));
}
PyObject* iterator(PyObject* text) {
  return unless_address(
      text, "iterates over", [&] { return of_texts.iterator(text); }, static_cast<PyObject*>(nullptr));
}

/// Whether the texts are the same as far as the first address in one of them: what comes then decides.
bool is_decided_by_address(PyObject* one, PyObject* other) {
  const Py_ssize_t common = std::min(PyUnicode_GET_LENGTH(one), PyUnicode_GET_LENGTH(other));
  for (Py_ssize_t i = 0; i < common; ++i) {
    const Py_UCS4 left = PyUnicode_READ_CHAR(one, i), right = PyUnicode_READ_CHAR(other, i);
    if (left == kUnknown || right == kUnknown) return true;
    if (left != right) return false;
  }
  return false;
}

PyObject* compare(PyObject* one, PyObject* other, int operation) {
  const bool may_depend = one != other && PyUnicode_Check(other) &&
                          (address_in(one) >= 0 || address_in(other) >= 0) && program_runs();
  if (may_depend && is_decided_by_address(one, other))
    return guarded([&]() -> PyObject* { refuse("compares"); }, static_cast<PyObject*>(nullptr));
  return of_texts.compare(one, other, operation);
}

bool is_hexadecimal(Py_UCS4 digit) {
  return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
}

bool is_part(PyObject* part, Py_ssize_t from, Py_ssize_t to, PyObject* text, Py_ssize_t at) {
  if (at < 0 || at + (to - from) > PyUnicode_GET_LENGTH(text)) return false;
  for (Py_ssize_t i = from; i < to; ++i) {
    if (PyUnicode_READ_CHAR(part, i) != PyUnicode_READ_CHAR(text, at + i - from)) return false;
  }
  return true;
}

/// Whether a part could be found with one of an address's digits in it.
bool could_overlap_address(PyObject* text, PyObject* part) {
  const Py_ssize_t length = PyUnicode_GET_LENGTH(part);
  for (Py_ssize_t at = 0; at < PyUnicode_GET_LENGTH(text); ++at) {
    if (PyUnicode_READ_CHAR(text, at) != kUnknown) continue;
    for (Py_ssize_t from = 0; from < length; ++from) {
      if (!is_part(part, 0, from, text, at - from)) continue;
      for (Py_ssize_t to = from; to < length && is_hexadecimal(PyUnicode_READ_CHAR(part, to)); ++to) {
        if (is_part(part, to + 1, length, text, at + 1)) return true;
      }
    }
  }
  return false;
}

int contains(PyObject* text, PyObject* part) {
  if (!PyUnicode_Check(part) || !program_runs() || (address_in(text) < 0 && address_in(part) < 0))
    return of_texts.contains(text, part);
  const bool depends = address_in(text) >= 0 && address_in(part) >= 0;
  const int found = of_texts.contains(text, part);
  if (!depends && (found != 0 || address_in(text) < 0 || !could_overlap_address(text, part))) return found;
  return guarded([&]() -> int { refuse("looks into"); }, -1);
}

/// Whether there is any text does not depend on an address in it.
int truth(PyObject* text) { return PyUnicode_GET_LENGTH(text) != 0; }

PyObject* hidden(PyObject* made) {
  Ref result = Ref::steal(made);
  if (!result || !program_runs()) return result.release();
  return guarded([&]() -> PyObject* { return with_hidden_address(std::move(result)).release(); },
                 static_cast<PyObject*>(nullptr));
}
PyObject* formatted(PyObject* format, PyObject* values) { return hidden(of_texts.format(format, values)); }
PyObject* formatted_bytes(PyObject* format, PyObject* values) {
  return hidden(of_texts.format_bytes(format, values));
}
PyObject* formatted_byte_array(PyObject* format, PyObject* values) {
  return hidden(of_texts.format_byte_array(format, values));
}

/// In the type, and in the descriptors from which classes that derive from it take theirs.
template <typename Function>
void replace(PyTypeObject& type, Function& slot, Function& kept, Function by) {
  kept = slot;
  PyObject *name, *descriptor;
  for (Py_ssize_t position = 0; PyDict_Next(type.tp_dict, &position, &name, &descriptor) != 0;) {
    if (Py_TYPE(descriptor) != &PyWrapperDescr_Type) continue;
    void*& wrapped = reinterpret_cast<PyWrapperDescrObject*>(descriptor)->d_wrapped;
    if (wrapped == reinterpret_cast<void*>(slot)) wrapped = reinterpret_cast<void*>(by);
  }
  slot = by;
}

void guard_texts() {
  PyTypeObject& type = PyUnicode_Type;
  replace(type, type.tp_hash, of_texts.hash, hash);
  replace(type, type.tp_richcompare, of_texts.compare, compare);
  replace(type, type.tp_iter, of_texts.iterator, iterator);
  replace(type, type.tp_as_sequence->sq_length, of_texts.length, length);
  type.tp_as_mapping->mp_length = length;
  replace(type, type.tp_as_sequence->sq_item, of_texts.item, item);
  replace(type, type.tp_as_mapping->mp_subscript, of_texts.subscript, subscript);
  replace(type, type.tp_as_sequence->sq_contains, of_texts.contains, contains);
  replace(type, type.tp_as_number->nb_remainder, of_texts.format, formatted);
  type.tp_as_number->nb_bool = truth;
  PyType_Modified(&type);
  replace(PyBytes_Type, PyBytes_Type.tp_as_number->nb_remainder, of_texts.format_bytes, formatted_bytes);
  replace(PyByteArray_Type, PyByteArray_Type.tp_as_number->nb_remainder, of_texts.format_byte_array,
          formatted_byte_array);
}

// --- calls of built-ins ---

bool shows_address(PyObject* value) { return PyUnicode_Check(value) && address_in(value) >= 0; }

/// What such a text may be asked: these answer with a text that has the address as well.
const std::set<std::string, std::less<>> kTextMethods = {
    "__add__",    "__format__", "__mod__",      "__mul__",    "__radd__",   "__repr__", "__rmul__", "__str__",
    "capitalize", "casefold",   "center",       "expandtabs", "format",     "join",     "ljust",    "lower",
    "lstrip",     "partition",  "removeprefix", "replace",    "rpartition", "rjust",    "rstrip",   "split",
    "rsplit",     "splitlines", "strip",        "swapcase",   "title",      "upper",    "zfill"};

/// What may be given such a text: it is kept, shown, or compared by what is guarded above.
const std::set<std::string, std::less<>> kFunctions = {
    "__setattr__", "__init__",   "__new__",    "ascii", "bool", "callable", "eq",
    "format",      "getattr",    "hasattr",    "hash",  "id",   "intern",   "is_",
    "is_not",      "isinstance", "iter",       "join",  "len",  "max",      "min",
    "ne",          "object",     "partial",    "print", "repr", "setattr",  "str",
    "type",        "write",      "writelines", "flush", "exit", "warn",     "dumps"};

bool takes_texts(const NativeCall& call) {
  if (call.has_receiver() && PyUnicode_Check(call.receiver)) return kTextMethods.contains(call.name);
  if (call.has_receiver() && !container_name(call.receiver).empty()) return true;
  if (PyType_Check(call.callable)) {
    auto* const type = reinterpret_cast<PyTypeObject*>(call.callable);
    return PyType_HasFeature(type, Py_TPFLAGS_BASE_EXC_SUBCLASS) || type == &PyUnicode_Type ||
           type == &PyBool_Type || type == &PyType_Type || type == &PyTuple_Type || type == &PyList_Type ||
           is_program_type(type);
  }
  return kFunctions.contains(call.name);
}

}  // namespace

void hide_addresses_in_texts() {
  if (repr_of_object != nullptr) return;
  repr_of_object = PyBaseObject_Type.tp_repr;
  std::unordered_set<PyTypeObject*> seen;
  replace_in_subclasses(&PyBaseObject_Type, seen);
  // `object.__repr__(x)` calls what its descriptor has, and classes made from now on take it from there.
  PyObject* const descriptor = PyDict_GetItemString(PyBaseObject_Type.tp_dict, "__repr__");
  if (descriptor != nullptr && Py_TYPE(descriptor) == &PyWrapperDescr_Type) {
    reinterpret_cast<PyWrapperDescrObject*>(descriptor)->d_wrapped =
        reinterpret_cast<void*>(discreet_repr_of_object);
  }
  for (PyTypeObject* const type : {&PyCFunction_Type, &PyCMethod_Type, &PyFunction_Type, &PyMemoryView_Type,
                                   &PyCell_Type, &PyCode_Type, &_PyMethodWrapper_Type, &PyCapsule_Type,
                                   &PyGen_Type, &PyCoro_Type, &PyAsyncGen_Type, &PyFrame_Type}) {
    if (type->tp_repr == nullptr || type->tp_repr == discreet_repr_of_object) continue;
    reprs_with_addresses.emplace(type, type->tp_repr);
    type->tp_repr = discreet_repr;
  }
  guard_texts();
}

Ref text_without_address(PyObject* object) {
  const Ref type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const Ref module = checked(PyObject_GetAttrString(type.get(), "__module__"));
  const Ref qualname = checked(PyObject_GetAttrString(type.get(), "__qualname__"));
  const bool is_built_in = !PyUnicode_Check(module.get()) || utf8(module.get()) == "builtins" ||
                           utf8(module.get()) == "_builtins";  // which stand for them
  if (is_built_in)
    return checked(PyUnicode_FromFormat("<%U object at 0x%s>", qualname.get(), kUnknownDigits));
  return checked(
      PyUnicode_FromFormat("<%U.%U object at 0x%s>", module.get(), qualname.get(), kUnknownDigits));
}

bool gives_text_with_address(PyObject* callable, const Arguments& arguments) {
  const auto* const method = PyCFunction_Check(callable) ? PyCFunction_GET_SELF(callable) : nullptr;
  if (method != nullptr && shows_address(const_cast<PyObject*>(method))) return true;
  return std::any_of(arguments.positional.begin(), arguments.positional.end(),
                     [](const Ref& given) { return shows_address(given.get()); }) ||
         std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                     [](const auto& given) { return shows_address(given.second.get()); });
}

void refuse_reading_address(const NativeCall& call) {
  if (takes_texts(call)) return;
  // What begins before the address is known.
  PyObject* const start = call.first_argument();
  if (call.name == "startswith" && call.has_receiver() && PyUnicode_Check(call.receiver) &&
      start != nullptr && PyUnicode_Check(start) && address_in(start) < 0 &&
      PyUnicode_GET_LENGTH(start) <= address_in(call.receiver)) {
    return;
  }
  const bool is_type = PyType_Check(call.callable);
  refuse("calls " + (is_type ? reinterpret_cast<PyTypeObject*>(call.callable)->tp_name : call.name) +
         "() with");
}

Ref with_hidden_address(Ref result) {
  static PyObject* const escaped = interned(kEscaped);
  if (result && (PyBytes_Check(result.get()) || PyByteArray_Check(result.get()))) {
    const char* const bytes =
        PyBytes_Check(result.get()) ? PyBytes_AS_STRING(result.get()) : PyByteArray_AS_STRING(result.get());
    const std::string_view content(bytes, static_cast<std::size_t>(Py_SIZE(result.get())));
    if (content.find(kEscaped) != std::string_view::npos) refuse("makes bytes of");
  }
  if (!result || !PyUnicode_CheckExact(result.get()) ||
      PyUnicode_Find(result.get(), escaped, 0, PyUnicode_GET_LENGTH(result.get()), 1) < 0) {
    return result;
  }
  static PyObject* const unknown = checked(PyUnicode_FromString(kUnknownDigits)).release();
  return checked(PyUnicode_Replace(result.get(), escaped, unknown, -1));
}

}  // namespace assay::languages::python
