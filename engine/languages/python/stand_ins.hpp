/// Objects that stand in for values of CPython that nobody knows when a program is checked.
#pragma once

#include "languages/python/helpers.hpp"

namespace assay::languages::python {

/// Whether its class (in the library) says what it stands for: `_stands_for`, a tuple of names of CPython's types, of which
/// nobody knows which it is.
bool is_stand_in(PyObject* value);
/// Tells that there are some in a program that has no clock and no random numbers: the `__dict__` of an instance.
void notice_stand_ins();

}  // namespace assay::languages::python
