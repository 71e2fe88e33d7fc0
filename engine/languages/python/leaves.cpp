#include "languages/python/leaves.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "languages/python/absent.hpp"
#include "languages/python/call_back.hpp"
#include "languages/python/objects.hpp"

namespace assay::languages::python {
namespace {

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {  // lone surrogates
    PyErr_Clear();
    const Ref bytes = checked(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
    return std::string(PyBytes_AS_STRING(bytes.get()),
                       static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
  }
  return std::string(text, static_cast<std::size_t>(size));
}

std::string attribute_text(PyObject* object, const char* name) {
  const Ref value = Ref::steal(PyObject_GetAttrString(object, name));
  if (!value) {
    PyErr_Clear();
    return "?";
  }
  return PyUnicode_Check(value.get()) ? text_of(value.get()) : std::string("?");
}

std::string home_text(PyTypeObject* type) {
  const Ref home = home_of(type);
  return home ? text_of(home.get()) : std::string("?");
}

std::string type_name(PyTypeObject* type) {
  return home_text(type) + "." + attribute_text(reinterpret_cast<PyObject*>(type), "__qualname__");
}

/// First letters of the names of things that exist once; those of one name are one object.
constexpr std::string_view kExistOnce = "ACNDELO";

/// What decoders of JSON ask for NaN and its like, unless they are told otherwise: a method of a dict of the module `json`.
bool is_reader_of_constants(PyObject* value) {
  if (!PyCFunction_CheckExact(value) || PyCFunction_GET_SELF(value) == nullptr) return false;
  if (!PyDict_CheckExact(PyCFunction_GET_SELF(value))) return false;
  static PyObject* const constants =
      checked(PyObject_GetAttrString(checked(PyImport_ImportModule("json.decoder")).get(), "_CONSTANTS"))
          .release();
  return PyCFunction_GET_SELF(value) == constants &&
         std::strcmp(reinterpret_cast<PyCFunctionObject*>(value)->m_ml->ml_name, "__getitem__") == 0;
}

/// Whether a module of CPython has it under this name (`Outer.inner` in the module).
bool is_exported(PyObject* value, const std::string& module, const std::string& qualname) {
  PyObject* const modules = PyImport_GetModuleDict();
  PyObject* const home = PyDict_GetItemString(modules, module.c_str());
  if (home == nullptr) return false;
  Ref at = Ref::borrow(home);
  for (std::size_t begin = 0; begin <= qualname.size();) {
    const std::size_t end = std::min(qualname.find('.', begin), qualname.size());
    at = Ref::steal(PyObject_GetAttrString(at.get(), qualname.substr(begin, end - begin).c_str()));
    if (!at) {
      PyErr_Clear();
      return false;
    }
    begin = end + 1;
  }
  return at.get() == value;
}

/// All that tells two pieces of code apart: those that CPython writes itself often have the same name.
std::string text_of_code(PyObject* code) {
  std::string text;
  for (const char* part : {"co_code", "co_names", "co_varnames", "co_freevars", "co_argcount",
                           "co_kwonlyargcount", "co_flags"}) {
    const Ref value = checked(PyObject_GetAttrString(code, part));
    text += text_of(checked(PyObject_Repr(value.get())).get()) + ";";
  }
  const Ref constants = checked(PyObject_GetAttrString(code, "co_consts"));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants.get()); ++i) {
    PyObject* const constant = PyTuple_GET_ITEM(constants.get(), i);
    text += PyCode_Check(constant) ? text_of_code(constant) : text_of(checked(PyObject_Repr(constant)).get());
    text += ";";
  }
  return text;
}

/// The names of the parts that a name ends with; nothing if it does not.
std::optional<std::vector<std::string>> parts_of_name(const std::string& name, std::size_t at,
                                                      std::size_t most) {
  std::vector<std::string> parts;
  while (at < name.size() && parts.size() < most) {
    std::uint32_t length = 0;
    if (name.size() - at < sizeof length) return std::nullopt;
    std::memcpy(&length, name.data() + at, sizeof length);
    at += sizeof length;
    if (name.size() - at < length) return std::nullopt;
    parts.push_back(name.substr(at, length));
    at += length;
  }
  return parts;
}

constexpr std::string_view kMadeOfTheirNames =
    "iIsbfyn";                     // and tuples and members of enumerations, of their parts
constexpr int kDeepestName = 100;  // of tuples in tuples

/// The class and the name of a member of an enumeration; nothing for a combination of flags.
std::optional<std::pair<std::string, std::string>> member_of_name(const std::string& name) {
  const auto parts = parts_of_name(name, 1, 1);
  if (!parts || parts->size() != 1) return std::nullopt;
  const std::size_t at = 1 + sizeof(std::uint32_t) + parts->front().size();
  if (at >= name.size() || name[at] != '.' || name[at + 1] == '?') return std::nullopt;
  return std::pair(parts->front(), name.substr(at + 1));
}

int depth_of_name(const std::string& name) {
  if (name[0] != 't') return 0;
  int deepest = 0;
  std::vector<std::pair<std::string, int>> open = {{name, 1}};
  while (!open.empty() && deepest <= kDeepestName) {
    const auto [tuple, depth] = std::move(open.back());
    open.pop_back();
    deepest = std::max(deepest, depth);
    const auto parts = parts_of_name(tuple, 1, tuple.size());
    for (const std::string& part : parts.value()) {
      if (part.starts_with('t')) open.emplace_back(part, depth + 1);
    }
  }
  return deepest;
}

/// The machine of a process lives in a module of that process, which no program can reach.
bool is_module_of_cpython(const std::string& module) {
  return module != "__main__" && !module.starts_with("assay.");
}

/// What `codecs.charmap_build` made, which shows nothing of itself: all that it encodes.
std::string encodings_of_map(PyObject* map) {
  std::string found;
  for (Py_UCS4 character = 0; character < 0x10000; ++character) {
    const Ref text = checked(PyUnicode_FromOrdinal(static_cast<int>(character)));
    const Ref bytes = checked(_PyUnicode_EncodeCharmap(text.get(), map, "ignore"));
    found.append(PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
    found += ';';
  }
  return found;
}

/// What `codecs.lookup` has found, and keeps for good.
bool is_codec(PyObject* value) {
  static PyObject* const type = [] {
    const Ref module = checked(PyImport_ImportModule("codecs"));
    return checked(PyObject_GetAttrString(module.get(), "CodecInfo")).release();
  }();
  if (reinterpret_cast<PyObject*>(Py_TYPE(value)) != type) return false;
  const Ref known = Ref::steal(_PyCodec_Lookup(attribute_text(value, "name").c_str()));
  if (!known) PyErr_Clear();
  return known.get() == value;
}

}  // namespace

Leaves::Leaves(PyObject* enumeration, PyObject* by_text)
    : enumeration_(Ref::borrow(enumeration)), by_text_(Ref::borrow(by_text)) {}

std::optional<LeafId> Leaves::find(PyObject* value) {
  if (const auto known = by_object_.find(value); known != by_object_.end()) return known->second;
  std::string name;
  if (!name_of(value, name)) return std::nullopt;
  const auto known = by_name_.find(name);
  if (known == by_name_.end()) return add_fixed(value, name);
  if (kExistOnce.find(name[0]) != std::string_view::npos && objects_[known->second].get() != value) {
    throw Unsupported("two different things are called " + name.substr(1));
  }
  return known->second;
}

LeafId Leaves::add_fixed(PyObject* object, const std::string& name) {
  const LeafId id = static_cast<LeafId>(objects_.size());
  const auto [place, is_new] = by_name_.emplace(name, id);
  if (!is_new) {
    if (objects_[place->second].get() == object) return place->second;
    throw Unsupported("two different things are called " + name.substr(1));
  }
  objects_.push_back(Ref::borrow(object));
  names_.push_back(name);
  by_object_.emplace(object, id);
  return id;
}

void Leaves::add_twin(PyObject* object, PyObject* leaf) {
  if (by_object_.emplace(object, by_object_.at(leaf)).second) twins_.push_back(Ref::borrow(object));
}

/// False: it is no leaf. The first letter keeps the types apart.
bool Leaves::name_of(PyObject* value, std::string& name) {
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyLong_Type) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
      name.assign(1 + sizeof number, 'i');
      std::memcpy(name.data() + 1, &number, sizeof number);
    } else {
      const Ref hex = checked(PyNumber_ToBase(value, 16));
      name = "I" + text_of(hex.get());
    }
    return true;
  }
  if (type == &PyUnicode_Type) {
    name = "s" + text_of(value);
    return true;
  }
  if (type == &PyBool_Type) {
    name = value == Py_True ? "b1" : "b0";
    return true;
  }
  if (type == &PyFloat_Type) {
    const double number = PyFloat_AS_DOUBLE(value);
    if (is_not_a_number(value)) return name_of_exported(value, name);
    name.assign(1 + sizeof number, 'f');
    std::memcpy(name.data() + 1, &number, sizeof number);
    return true;
  }
  if (type == &PyBytes_Type) {
    name = "y" + std::string(PyBytes_AS_STRING(value), static_cast<std::size_t>(PyBytes_GET_SIZE(value)));
    return true;
  }
  if (value == Py_None || value == Py_Ellipsis || value == Py_NotImplemented) {
    name = value == Py_None ? "n" : value == Py_Ellipsis ? "n." : "n!";
    return true;
  }
  if (value == opaque_traceback()) {
    name = "O@traceback";
    return true;
  }
  if (type == &PyTuple_Type) {  // of leaves only
    name = "t";
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (!append_part(PyTuple_GET_ITEM(value, i), name) || name.size() > (1u << 20)) return false;
    }
    return true;
  }
  if (type == &PyRange_Type || type == &PyComplex_Type) {
    if (is_not_a_number(value)) return name_of_exported(value, name);
    const Ref text = checked(PyObject_Repr(value));
    name = "r" + text_of(text.get());
    return true;
  }
  if (PyCode_Check(value)) {  // of an annotation that is a text, or a function's `__code__`; never executed
    name = "K" + attribute_text(value, "co_qualname") + ":" + attribute_text(value, "co_filename") + ":" +
           std::to_string(reinterpret_cast<PyCodeObject*>(value)->co_firstlineno) + ":" + text_of_code(value);
    return true;
  }
  if (is_function(value)) return name_of_function(value, name);
  if (PyFunction_Check(value)) return name_of_native_function(value, name);
  if (type == &PyDictProxy_Type) return false;
  if (is_wrapper(value)) {
    name = type == &PyStaticMethod_Type ? "Ws" : type == &PyClassMethod_Type ? "Wc" : "Wp";
    const Parts parts = parts_of_wrapper(value);
    return std::all_of(parts.begin(), parts.end(),
                       [&](const Ref& part) { return append_part(part.get(), name); });
  }
  if (type == &PyMemoryView_Type) return name_of_view(value, name);
  if (std::strcmp(type->tp_name, "_json.Scanner") == 0) return name_of_scanner(value, name);
  if (is_reader_of_constants(value)) {
    name = "jc";
    return true;
  }
  if (std::strcmp(type->tp_name, "EncodingMap") == 0) {
    name = "e" + encodings_of_map(value);
    return true;
  }
  // Caches of `typing`, which only remember what would be computed again.
  if (std::strcmp(type->tp_name, "functools._lru_cache_wrapper") == 0 &&
      attribute_text(value, "__module__") == "typing") {
    name = "U" + attribute_text(value, "__qualname__");
    return true;
  }
  if (is_codec(value)) {
    name = "L" + attribute_text(value, "name");
    return true;
  }
  if (is_absent(value)) {
    name = "A" + path_of_absent(value);
    return true;
  }
  if (type == module_type) {
    name = "M" + std::to_string(reinterpret_cast<const ModuleObject*>(value)->module);
    return true;
  }
  return name_of_static(value, name);
}

bool Leaves::append_part(PyObject* part, std::string& name) {
  const std::optional<LeafId> leaf = find(part);
  if (!leaf) return false;
  const std::uint32_t length = static_cast<std::uint32_t>(names_[*leaf].size());
  name.append(reinterpret_cast<const char*>(&length), sizeof length);
  name += names_[*leaf];
  return true;
}

std::optional<LeafId> Leaves::meet(const std::string& name) {
  if (const auto known = by_name_.find(name); known != by_name_.end()) return known->second;
  const Ref made = made_of(name, 0);
  if (!made) {
    PyErr_Clear();
    return std::nullopt;
  }
  const std::optional<LeafId> id = find(made.get());
  return id && names_[*id] == name ? id : std::nullopt;
}

/// Null: it is not made so.
Ref Leaves::made_of(const std::string& name, int depth) {
  if (const auto known = by_name_.find(name); known != by_name_.end())
    return Ref::borrow(objects_[known->second].get());
  if (name.empty() || depth > kDeepestName) return Ref();
  const char* const text = name.data() + 1;
  const auto length = static_cast<Py_ssize_t>(name.size() - 1);
  switch (name[0]) {
    case 'i': {
      long long number = 0;
      if (length != sizeof number) return Ref();
      std::memcpy(&number, text, sizeof number);
      return Ref::steal(PyLong_FromLongLong(number));
    }
    case 'I': return Ref::steal(PyLong_FromString(text, nullptr, 16));
    case 's': return Ref::steal(PyUnicode_DecodeUTF8(text, length, "surrogatepass"));
    case 'b': return Ref::borrow(name == "b1" ? Py_True : Py_False);
    case 'f': {
      double number = 0;
      if (length != sizeof number) return Ref();
      std::memcpy(&number, text, sizeof number);
      return Ref::steal(PyFloat_FromDouble(number));
    }
    case 'y': return Ref::steal(PyBytes_FromStringAndSize(text, length));
    case 'n': return Ref::borrow(name == "n" ? Py_None : name == "n." ? Py_Ellipsis : Py_NotImplemented);
    case 't': {
      const auto parts = parts_of_name(name, 1, name.size());
      if (!parts) return Ref();
      Ref tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(parts->size())));
      for (std::size_t i = 0; i < parts->size(); ++i) {
        Ref part = made_of((*parts)[i], depth + 1);
        // The object that is kept for it, as everywhere in a restored state.
        const std::optional<LeafId> id = part ? find(part.get()) : std::nullopt;
        if (!id || names_[*id] != (*parts)[i]) return Ref();
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(objects_[*id].get()));
      }
      return tuple;
    }
    case 'E': {
      const auto member = member_of_name(name);
      const auto type = member ? by_name_.find(member->first) : by_name_.end();
      if (type == by_name_.end()) return Ref();
      const Ref members = Ref::steal(PyObject_GetAttrString(objects_[type->second].get(), "_member_map_"));
      if (!members || !PyDict_Check(members.get())) return Ref();
      return Ref::borrow(PyDict_GetItemString(members.get(), member->second.c_str()));
    }
    default: return Ref();
  }
}

void Leaves::add_made_by_program(LeafId id, std::vector<LeafId>& found) const {
  const std::string& name = names_[id];
  if (kMadeOfTheirNames.find(name[0]) != std::string_view::npos) return;
  if (name[0] == 't' && depth_of_name(name) <= kDeepestName) {
    const auto parts = parts_of_name(name, 1, name.size());
    for (const std::string& part : parts.value()) add_made_by_program(by_name_.at(part), found);
    return;
  }
  if (name[0] == 'E') {
    if (const auto member = member_of_name(name))
      return add_made_by_program(by_name_.at(member->first), found);
  }
  found.push_back(id);
}

bool Leaves::append_items(PyObject* dict, std::string& name) {
  PyObject *key = nullptr, *item = nullptr;
  Py_ssize_t position = 0;
  while (dict != nullptr && PyDict_Next(dict, &position, &key, &item)) {
    if (!append_part(key, name) || !append_part(item, name)) return false;
  }
  return true;
}

/// A view of bytes, which nobody can change; one that is released is no leaf, and one that is kept cannot be released (`native_rules`).
bool Leaves::name_of_view(PyObject* value, std::string& name) {
  if (reinterpret_cast<PyMemoryViewObject*>(value)->flags & _Py_MEMORYVIEW_RELEASED) return false;
  const Py_buffer* const view = PyMemoryView_GET_BUFFER(value);
  PyObject* const content = view->obj;
  const bool is_plain_view = content != nullptr && PyBytes_CheckExact(content) && view->ndim == 1 &&
                             view->itemsize == 1 && PyBuffer_IsContiguous(view, 'C') != 0 &&
                             view->format != nullptr && std::strcmp(view->format, "B") == 0;
  if (!is_plain_view) return false;
  const Py_ssize_t place[] = {static_cast<char*>(view->buf) - PyBytes_AS_STRING(content), view->len};
  name = "m" + std::string(reinterpret_cast<const char*>(place), sizeof place);
  return append_part(content, name);
}

/// What reads JSON for a decoder: nothing can be changed in it, and it keeps nothing from one text to the next.
bool Leaves::name_of_scanner(PyObject* value, std::string& name) {
  name = "js";
  for (const char* const part :
       {"strict", "object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant"}) {
    if (!append_part(checked(PyObject_GetAttrString(value, part)).get(), name)) return false;
  }
  return true;
}

/// A function of the program that is made once, and holds nothing but leaves.
bool Leaves::name_of_function(PyObject* value, std::string& name) {
  const auto* function = reinterpret_cast<const Function*>(value);
  if (!function->code->is_made_once) return false;  // another one may be made of the same code
  if (function->attributes != nullptr && !holds_only_annotations(function->attributes))
    return false;  // even an empty one: it stays an object when it loses the last
  name = "F" + std::to_string(function->code->number) + ":";
  if (function->closure != nullptr) {
    // A method that uses super() closes over its class, which never changes.
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(function->closure); ++i) {
      PyObject* const content = PyCell_GET(PyTuple_GET_ITEM(function->closure, i));
      if (content == nullptr || !PyType_Check(content) ||
          PyUnicode_CompareWithASCIIString(function->code->free_names[static_cast<std::size_t>(i)].get(),
                                           "__class__") != 0 ||
          !append_part(content, name)) {
        return false;
      }
    }
  }
  if (function->defaults != nullptr && !append_part(function->defaults, name)) return false;
  name += ";";
  if (function->attributes != nullptr && !append_items(function->attributes, name)) return false;
  name += ";";
  return append_items(function->keyword_defaults, name);
}

/// A function of CPython: of one of its modules, or made while the program ran (by a dataclass, a namedtuple) of nothing
/// but leaves.
bool Leaves::name_of_native_function(PyObject* value, std::string& name) {
  const std::string module = attribute_text(value, "__module__"),
                    qualname = attribute_text(value, "__qualname__");
  if (is_module_of_cpython(module) && is_exported(value, module, qualname)) {
    name = "P" + module + "." + qualname;
    return true;
  }
  name = "p" + names_[template_of(value)] + ":";
  PyObject* const defaults = PyFunction_GET_DEFAULTS(value);
  if (defaults != nullptr && !append_part(defaults, name)) return false;
  name += ";";
  if (!append_items(PyFunction_GET_KW_DEFAULTS(value), name)) return false;
  name += ";";
  const Parts cells = cells_of_native_function(value);
  return std::all_of(cells.begin(), cells.end(),
                     [&](const Ref& part) { return part && append_part(part.get(), name); });
}

LeafId Leaves::add_template(PyObject* object, const std::string& name) {
  const auto [place, is_new] = by_name_.emplace(name, static_cast<LeafId>(objects_.size()));
  if (is_new) {
    objects_.push_back(Ref::borrow(object));
    names_.push_back(name);
  }
  return place->second;
}

LeafId Leaves::template_of(PyObject* value) {
  if (is_getter(value)) {
    std::string name = "qg" + type_name(Py_TYPE(value)) + ":";
    if (!append_part(parts_of_getter(value).get(), name)) {
      throw Unsupported(std::string("a value of type ") + Py_TYPE(value)->tp_name +
                        " made of what can change cannot be part of a state; use a lambda");
    }
    return add_template(value, name);
  }
  if (is_match(value)) {
    std::string name = "qm";
    if (!append_part(parts_of_match(value).get(), name)) {
      throw Unsupported("a re.Match in what can change cannot be part of a state; keep its groups");
    }
    return add_template(value, name);
  }
  if (!PyFunction_Check(value)) {  // not a number
    std::string bits;
    if (PyFloat_CheckExact(value)) {
      const double number = PyFloat_AS_DOUBLE(value);
      bits.assign(reinterpret_cast<const char*>(&number), sizeof number);
    } else if (PyComplex_CheckExact(value)) {
      const Py_complex number = PyComplex_AsCComplex(value);
      bits.assign(reinterpret_cast<const char*>(&number), sizeof number);
    } else {
      bits = text_of(checked(PyObject_Repr(value)).get());
    }
    return add_template(value, "qn" + type_name(Py_TYPE(value)) + ":" + bits);
  }
  const std::string name = attribute_text(value, "__module__") + "." + attribute_text(value, "__qualname__");
  const LeafId found = add_template(value, "qf" + name + ":" + text_of_code(PyFunction_GET_CODE(value)));
  const int is_same =
      PyObject_RichCompareBool(PyFunction_GET_CODE(objects_[found].get()), PyFunction_GET_CODE(value), Py_EQ);
  if (is_same < 0) throw PythonError();
  if (is_same == 0) throw Unsupported("two different functions are called " + name);
  return found;
}

bool Leaves::is_of_cpython(PyTypeObject* type) {
  // Types that C code made are as immutable as the built-in ones.
  if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || (type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE)) return true;
  auto* const object = reinterpret_cast<PyObject*>(type);
  const std::string module = home_text(type);
  return is_module_of_cpython(module) && is_exported(object, module, attribute_text(object, "__qualname__"));
}

bool Leaves::name_of_type(PyTypeObject* type, std::string& name) {
  name = "C" + type_name(type);
  if (is_of_cpython(type)) return true;
  throw Unsupported("the class " + type_name(type) + " was made by no class statement; write one");
}

/// A value that CPython's own modules have one of, such as `math.nan` and `dataclasses.MISSING`.
bool Leaves::name_of_exported(PyObject* value, std::string& name) {
  PyTypeObject* const type = Py_TYPE(value);
  const auto [place, is_new] = exported_.try_emplace(type);
  if (is_new) {
    Py_INCREF(reinterpret_cast<PyObject*>(type));
    std::vector<std::string> homes = {home_text(type)};
    if (homes[0] == "builtins") homes = {"math", "cmath"};
    for (const std::string& home : homes) {
      PyObject* const module =
          is_module_of_cpython(home) ? PyDict_GetItemString(PyImport_GetModuleDict(), home.c_str()) : nullptr;
      PyObject *key = nullptr, *item = nullptr;
      Py_ssize_t position = 0;
      while (module != nullptr && PyModule_Check(module) &&
             PyDict_Next(PyModule_GetDict(module), &position, &key, &item)) {
        if (Py_TYPE(item) == type && PyUnicode_Check(key)) {
          place->second.emplace_back(Py_NewRef(item), home + "." + text_of(key));
        }
      }
    }
  }
  for (const auto& [object, where] : place->second) {
    if (object != value) continue;
    name = "O" + where;
    return true;
  }
  return false;
}

/// Things that exist once in CPython or were made once by the program.
bool Leaves::name_of_static(PyObject* value, std::string& name) {
  if (PyType_Check(value)) return name_of_type(reinterpret_cast<PyTypeObject*>(value), name);
  if (PyModule_Check(value)) {
    name = "N" + attribute_text(value, "__name__");
    return true;
  }
  if (PyCFunction_Check(value)) {
    PyObject* const self = PyCFunction_GET_SELF(value);
    if (self != nullptr && !PyModule_Check(self) && !PyType_Check(self)) return false;
    name = "B" + attribute_text(value, "__qualname__") + ".";
    return self == nullptr || append_part(self, name);
  }
  PyTypeObject* const type = Py_TYPE(value);
  if (type == &PyMethodDescr_Type || type == &PyWrapperDescr_Type || type == &PyGetSetDescr_Type ||
      type == &PyMemberDescr_Type || type == &PyClassMethodDescr_Type) {
    const Ref owner = Ref::steal(PyObject_GetAttrString(value, "__objclass__"));
    if (!owner) {
      PyErr_Clear();
      return false;
    }
    name = "D" + attribute_text(value, "__name__") + ".";
    return append_part(owner.get(), name);
  }
  const Unwatched unwatched;
  const int is_member = PyObject_IsInstance(value, enumeration_.get());
  if (is_member < 0) throw PythonError();
  if (is_member == 1) {
    name = "E";
    if (!append_part(reinterpret_cast<PyObject*>(type), name)) return false;
    name += "." + attribute_text(value, "_name_");
    if (name.ends_with(".?")) {  // a combination of flags without a name of its own
      const Ref text = checked(PyObject_Repr(value));
      name += text_of(text.get());
    }
    return true;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(by_text_.get()); ++i) {
    // An instance of a subclass may have attributes.
    if (reinterpret_cast<PyObject*>(type) != PyTuple_GET_ITEM(by_text_.get(), i)) continue;
    if (is_not_a_number(value)) return false;
    return name_by_text(value, name);
  }
  return name_of_exported(value, name);
}

/// Of the types in `by_text_`.
bool Leaves::name_by_text(PyObject* value, std::string& name) {
  PyTypeObject* const type = Py_TYPE(value);
  name = "v" + type_name(type) + ":";
  const auto append = [&](const char* attribute) {
    const Ref part = checked(PyObject_GetAttrString(value, attribute));
    return append_part(part.get(), name);
  };
  const std::string_view word(type->tp_name);
  if (word == "re.Pattern") return append("pattern") && append("flags");  // its repr is cut off
  if (word == "_struct.Struct" || word == "Struct") return append("format");
  if (word == "types.UnionType") return append("__args__");
  // What only annotations are made of: two that say the same are taken for one.
  if (word == "ForwardRef") return append("__forward_arg__") && append("__forward_module__");
  if (word == "NewType") return append("__module__") && append("__name__") && append("__supertype__");
  if (word == "TypeVarTuple") return append("__name__");
  if (word == "ParamSpec") return append("__module__") && append("__name__") && append("__bound__");
  if (word == "_AnnotatedAlias") return append("__origin__") && append("__metadata__");
  if (word == "TypeVar") {
    return append("__module__") && append("__name__") && append("__bound__") && append("__constraints__") &&
           append("__covariant__") && append("__contravariant__");
  }
  if (word.ends_with("GenericAlias")) {  // of types or typing
    name += attribute_text(value, "_name") + ":";
    return append("__origin__") && append("__args__");
  }
  const Ref zone = Ref::steal(PyObject_GetAttrString(value, "tzinfo"));
  if (!zone) PyErr_Clear();
  if (zone && zone.get() != Py_None && !append("tzinfo")) return false;
  const Ref text = checked(PyObject_Repr(value));
  name += text_of(text.get());
  return true;
}

}  // namespace assay::languages::python
