#include "languages/python/addresses.hpp"

#include <algorithm>

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

}  // namespace assay::languages::python
