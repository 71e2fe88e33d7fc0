/// Texts that show addresses, as those of objects without a `__repr__` of their own. Addresses are different in each
/// run, so one character that occurs nowhere else stands for the digits of each. Such a text can be shown, kept and
/// made part of others; whoever asks for what depends on the digits is refused, C code of CPython too: it is caught in
/// CPython's own operations on texts.
#pragma once

#include "languages/python/native_call.hpp"

namespace assay::languages::python {

inline constexpr const char* kUnknownDigits = "\u22ef";

/// From now on no text that CPython makes while a program runs shows an address, and none is read.
void hide_addresses_in_texts();
/// The text of an object without a `__repr__` of its own.
Ref text_without_address(PyObject* object);
/// Whether a built-in is called with such a text, or is a method of one.
bool gives_text_with_address(PyObject* callable, const Arguments& arguments);
/// Throws Unsupported if the built-in would look at the address.
void refuse_reading_address(const NativeCall& call);
/// What a built-in made of a text: `ascii` and its like write the character in another way.
Ref with_hidden_address(Ref result);

}  // namespace assay::languages::python
