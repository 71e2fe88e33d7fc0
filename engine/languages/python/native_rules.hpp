/// Built-ins that have a rule of their own, because no column of the tables in effects.hpp says what they do.
#pragma once

#include <optional>

#include "languages/python/native_call.hpp"

namespace assay::languages::python {

/// Carries the call out, refuses it, or prepares it and answers nothing: then it goes the way of all others.
using Rule = std::optional<Step> (*)(Interpreter& interpreter, NativeCall& call);

struct NativeRule {
  const char* module;  // whose function it is; null: a method of any type
  Rule first = nullptr;
  Rule last = nullptr;  // after it was decided that no counterpart in `_builtins` is called instead
};
/// Null: there is none.
const NativeRule* rule_of(const NativeCall& call);

}  // namespace assay::languages::python
