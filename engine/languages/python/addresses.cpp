#include "languages/python/addresses.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "languages/python/absent.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

constexpr const char* kIsAddress =
    "the hash of an object without a __hash__ of its own, or of something that holds one, is an address, "
    "which is different in each run; keep the object itself as a key";

[[noreturn]] void refuse() { throw Unsupported(kIsAddress); }

void note(bool is_address) {
  if (!is_address || current_world() == nullptr) return;
  if (!is_hashing()) refuse();
  ++current_world()->addresses_hashed;
}

PyObject* id_for_c(PyObject*, PyObject*) {
  return guarded(
      []() -> PyObject* {
        throw Unsupported(
            "a built-in calls id(), whose number is an address and different in each run; call it yourself "
            "and compare what it gives");
      },
      static_cast<PyObject*>(nullptr));
}

PyObject* hash_for_c(PyObject*, PyObject* object) {
  return guarded([&]() -> PyObject* { return hash_number(object).release(); },
                 static_cast<PyObject*>(nullptr));
}

PyObject* made(PyMethodDef* definition) {
  const Ref module = checked(PyImport_ImportModule("builtins"));
  const Ref original = checked(PyObject_GetAttrString(module.get(), definition->ml_name));
  definition->ml_doc = reinterpret_cast<PyCFunctionObject*>(original.get())->m_ml->ml_doc;
  return checked(PyCFunction_NewEx(definition, module.get(), interned("builtins"))).release();
}

}  // namespace

PyObject* discreet_built_in(PyObject* name) {
  static PyMethodDef id_definition = {"id", id_for_c, METH_O, nullptr};
  static PyMethodDef hash_definition = {"hash", hash_for_c, METH_O, nullptr};
  static PyObject* const id = made(&id_definition);
  static PyObject* const hash = made(&hash_definition);
  return name == interned("id") ? id : name == interned("hash") ? hash : nullptr;
}

bool is_hashing() {
  const Thread* const thread = current_thread();
  return thread != nullptr &&
         std::any_of(thread->frames.begin(), thread->frames.end(), [](const auto& frame) {
           return frame->on_return == Return::kNested && frame->code->qualname.ends_with("__hash__");
         });
}

Ref hash_number(PyObject* object) {
  World* const world = current_world();
  const std::uint64_t before = world == nullptr ? 0 : world->addresses_hashed;
  const bool is_address = world != nullptr && hashes_address(object);
  if (is_address && is_hashing()) ++world->addresses_hashed;
  const Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1) throw PythonError();
  // Methods of the program tell by themselves. What is only kept does no harm.
  if (world != nullptr && !is_hashing() && (is_address || world->addresses_hashed != before))
    return Ref::borrow(absent_value("hash()", kIsAddress));
  return checked(PyLong_FromSsize_t(hash));
}

void refuse_hash_by_others(const NativeCall& call) {
  const auto is_named = [](PyObject* text) { return utf8(text).find("__hash__") != std::string::npos; };
  const bool calls = std::string_view(Py_TYPE(call.callable)->tp_name) == "operator.methodcaller" &&
                     is_named(checked(PyObject_Repr(call.callable)).get());
  const bool keeps = call.has_receiver() && !container_name(call.receiver).empty() && call.name != "sort";
  for (PyObject* const argument : call.arguments.objects()) {
    const bool is_hash = PyObject_TypeCheck(argument, &PyWrapperDescr_Type) != 0 &&
                         is_named(reinterpret_cast<PyDescrObject*>(argument)->d_name);
    if (calls || (is_hash && !keeps)) refuse();
  }
}

void note_hash_method(PyObject* method, PyObject* object) {
  const Ref owner = Ref::steal(PyObject_GetAttrString(method, "__objclass__"));
  PyErr_Clear();
  const bool is_plain_address =
      owner && PyType_Check(owner.get()) &&
      reinterpret_cast<PyTypeObject*>(owner.get())->tp_hash == PyBaseObject_Type.tp_hash;
  note(is_plain_address || hashes_address(object));
}

namespace {

// `_builtins` says the same of what it shows.
constexpr const char* kAddressInText =
    "the text of an object shows no address here: two objects of a class have the same; compare the objects";
constexpr const char* kBefore = " at 0x";

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
          text.replace(at, (end == std::string::npos ? text.size() : end) - at, "...");
          remark_address_in_text();
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
}

void remark_address_in_text() {
  if (World* const world = current_world()) world->remark(kAddressInText);
}

Ref text_without_address(PyObject* object) {
  const Ref type = Ref::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  const Ref module = checked(PyObject_GetAttrString(type.get(), "__module__"));
  const Ref qualname = checked(PyObject_GetAttrString(type.get(), "__qualname__"));
  remark_address_in_text();
  const bool is_built_in = !PyUnicode_Check(module.get()) || utf8(module.get()) == "builtins" ||
                           utf8(module.get()) == "_builtins";  // which stand for them
  if (is_built_in) return checked(PyUnicode_FromFormat("<%U object at 0x...>", qualname.get()));
  return checked(PyUnicode_FromFormat("<%U.%U object at 0x...>", module.get(), qualname.get()));
}

void refuse_comparing_addresses(PyObject* one, PyObject* other) {
  static PyObject* const address = interned(" at 0x...>");
  const auto shows = [](PyObject* text) {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    return length >= PyUnicode_GET_LENGTH(address) && PyUnicode_Find(text, address, 0, length, 1) >= 0;
  };
  if (!shows(one) || !shows(other)) return;
  throw Unsupported(
      "texts of objects are compared that show their addresses, which are different in each run; compare the "
      "objects, or give their class a __repr__");
}

}  // namespace assay::languages::python
