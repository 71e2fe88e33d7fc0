/// What a program imports and the machine does not model: a module of CPython, one that is written in C, or something in
/// such a module. It can be imported, kept and passed on; whoever uses it is refused, by name (decision 0013).
#pragma once

#include <string>

#include "languages/python/helpers.hpp"

namespace assay::languages::python {

bool is_absent(PyObject* value);
/// The one object that stands for what is found at a path (`socket.socket`); `problem` is what its users are told, unless
/// there is an assumption that it is not used, which then fails.
PyObject* absent(const std::string& path, const std::string& problem, const std::string& assumption);
/// The same for a value of which nothing may be asked, not even whether it is true or equal to itself.
PyObject* absent_value(const std::string& path, const std::string& problem);
/// What a module of CPython has under that name: itself, if it is a value of its own (an exception, a number that has a
/// name), and else what stands for it. Throws what CPython raises where there is nothing.
Ref part_of_cpython(const std::string& module, PyObject* name);
/// A class of the program that derives from something absent.
PyObject* derived_absent(const std::string& path, PyObject* base);
/// Its name in states.
const std::string& path_of_absent(PyObject* value);
[[noreturn]] void refuse_absent(PyObject* value, const std::string& use);
/// What it stands for; null if nobody knows without running it.
PyObject* reality_of_absent(PyObject* value);
/// The first in what `isinstance` and `except` take: itself, or in a tuple; null if there is none.
PyObject* first_absent(PyObject* value);
/// The same with what they stand for in their place; null if nobody knows.
Ref with_reality(PyObject* value);
/// `is`, of what is absent and anything.
bool is_same_as_absent(PyObject* value, PyObject* other);
/// Whether there may be any in this process, so that nobody has to look.
bool has_absent();
/// Throws Unsupported if a text names the type of what stands for something: only CPython's own code can have written
/// it. The other is for the text of an exception.
void refuse_telling(PyObject* text);
void refuse_telling_text(PyObject* exception);

}  // namespace assay::languages::python
