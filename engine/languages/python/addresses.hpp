/// Addresses: what `id` and many a `hash` give. They are different in each run, so no program may see one. The machine
/// answers calls of the program itself (`special_natives`); what stands here is for C code of CPython, which calls what
/// it was given (`sorted(items, key=id)`).
#pragma once

#include "languages/python/native_call.hpp"

namespace assay::languages::python {

/// The `id` and `hash` that programs find among the built-ins, in place of CPython's own: those refuse to tell an
/// address to C code. Null for other names.
PyObject* discreet_built_in(PyObject* name);
/// The hash of an object, given to the program; if that depends on an address, something that can only be kept. In a
/// `__hash__` that C code calls it is the number: that goes into a container at once, and to nobody else.
Ref hash_number(PyObject* object);
/// Whether C code has called a `__hash__` of the program, which runs.
bool is_hashing();
/// C code that is handed `object.__hash__`, or `methodcaller("__hash__")`, computes hashes of which nobody would know.
void refuse_hash_by_others(const NativeCall& call);
/// The same for `object.__hash__(x)` and its like, before they are called.
void note_hash_method(PyObject* method, PyObject* object);

}  // namespace assay::languages::python
