/// References that keep nothing alive: what `weakref` is built from, and what `id` gives.
///
/// States keep what they refer to all the same. When an object goes away is not modelled, so a state in which nothing but
/// such references lead to one is refused; and whoever follows one does so at the beginning of a step, in a state that was
/// looked at.
#pragma once

#include <optional>

#include "languages/python/helpers.hpp"

namespace assay::languages::python {

class Components;
struct StateIds;

struct Weak {
  PyObject_HEAD PyObject* object;
};

/// Is either of the two.
bool is_weak(PyObject* value);
/// What `id` gives: known by the object alone, equal for the same one, and no number.
bool is_identity(PyObject* value);
/// Whether it is a `weakref.ref` of which CPython has one for all who ask: without a callback, and of no class derived
/// from it. Here each is made anew.
bool is_shared_reference(PyObject* value);
inline PyObject* object_of_weak(PyObject* value) { return reinterpret_cast<Weak*>(value)->object; }
/// Whether any were made in this process.
bool has_weak_references();
/// Throws Unsupported if the object is none that has an identity in a state.
Ref new_weak(PyObject* object, bool is_identity);
/// The type of an object that only weak references lead to, as a leaf; nothing if there is none.
std::optional<std::uint32_t> only_weakly_reached(const StateIds& state, const Components& components);

}  // namespace assay::languages::python
