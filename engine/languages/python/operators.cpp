/// Operators, comparisons and tests. Where the program defines the special method, its frame is entered; what it
/// answers comes back through Return::kOperator, and NotImplemented leads to the next attempt.
#include <array>
#include <string_view>
#include <unordered_set>

#include "languages/python/absent.hpp"
#include "languages/python/interpreter.hpp"
#include "languages/python/stand_ins.hpp"
#include "languages/python/weak.hpp"

namespace assay::languages::python {
namespace {

// Codes of `operate`: operators, the same in place, comparisons.
constexpr int kOperators = 13;
constexpr int kFirstComparison = 2 * kOperators;

struct Named {
  const char *method, *reflected, *in_place, *symbol;
};

constexpr std::array<Named, kOperators> kBinary = {{
    {"__add__", "__radd__", "__iadd__", "+"},
    {"__sub__", "__rsub__", "__isub__", "-"},
    {"__mul__", "__rmul__", "__imul__", "*"},
    {"__truediv__", "__rtruediv__", "__itruediv__", "/"},
    {"__floordiv__", "__rfloordiv__", "__ifloordiv__", "//"},
    {"__mod__", "__rmod__", "__imod__", "%"},
    {"__pow__", "__rpow__", "__ipow__", "** or pow()"},
    {"__lshift__", "__rlshift__", "__ilshift__", "<<"},
    {"__rshift__", "__rrshift__", "__irshift__", ">>"},
    {"__or__", "__ror__", "__ior__", "|"},
    {"__xor__", "__rxor__", "__ixor__", "^"},
    {"__and__", "__rand__", "__iand__", "&"},
    {"__matmul__", "__rmatmul__", "__imatmul__", "@"},
}};

constexpr std::array<Named, 6> kComparisons = {{
    {"__lt__", "__gt__", nullptr, "<"},
    {"__le__", "__ge__", nullptr, "<="},
    {"__eq__", "__eq__", nullptr, "=="},
    {"__ne__", "__ne__", nullptr, "!="},
    {"__gt__", "__lt__", nullptr, ">"},
    {"__ge__", "__le__", nullptr, ">="},
}};

PyObject* power(PyObject* left, PyObject* right) { return PyNumber_Power(left, right, Py_None); }
PyObject* power_in_place(PyObject* left, PyObject* right) {
  return PyNumber_InPlacePower(left, right, Py_None);
}

constexpr std::array<binaryfunc, kOperators> kNative = {PyNumber_Add,
                                                        PyNumber_Subtract,
                                                        PyNumber_Multiply,
                                                        PyNumber_TrueDivide,
                                                        PyNumber_FloorDivide,
                                                        PyNumber_Remainder,
                                                        power,
                                                        PyNumber_Lshift,
                                                        PyNumber_Rshift,
                                                        PyNumber_Or,
                                                        PyNumber_Xor,
                                                        PyNumber_And,
                                                        PyNumber_MatrixMultiply};

constexpr std::array<binaryfunc, kOperators> kNativeInPlace = {PyNumber_InPlaceAdd,
                                                               PyNumber_InPlaceSubtract,
                                                               PyNumber_InPlaceMultiply,
                                                               PyNumber_InPlaceTrueDivide,
                                                               PyNumber_InPlaceFloorDivide,
                                                               PyNumber_InPlaceRemainder,
                                                               power_in_place,
                                                               PyNumber_InPlaceLshift,
                                                               PyNumber_InPlaceRshift,
                                                               PyNumber_InPlaceOr,
                                                               PyNumber_InPlaceXor,
                                                               PyNumber_InPlaceAnd,
                                                               PyNumber_InPlaceMatrixMultiply};

/// The functions of the module `operator`; those in place have an `i` before and no `_` behind.
constexpr std::array<const char*, kOperators> kFunctions = {"add", "sub",  "mul",    "truediv", "floordiv",
                                                            "mod", "pow",  "lshift", "rshift",  "or_",
                                                            "xor", "and_", "matmul"};

/// Whether a type takes part in the operator as a number; sequences come after all numbers.
bool has_number_method(PyTypeObject* type, int operation) {
  const PyNumberMethods* number = type->tp_as_number;
  if (number == nullptr) return false;
  switch (static_cast<Operator>(operation)) {
    case Operator::Add: return number->nb_add != nullptr;
    case Operator::Mult: return number->nb_multiply != nullptr;
    default: return true;
  }
}

/// One try: `self.method(other)`; a null method means that this attempt does not exist.
struct Attempt {
  PyObject* method = nullptr;  // borrowed, as the type has it
  PyObject* self = nullptr;
  PyObject* other = nullptr;
  bool negate = false;  // __eq__ in place of a missing __ne__
};

Attempt attempt_of(const char* name, PyObject* self, PyObject* other) {
  PyTypeObject* type = Py_TYPE(self);
  Attempt attempt{lookup(type, interned(name)), self, other};
  if (attempt.method == Py_None) attempt.method = nullptr;
  if (std::string_view(name) == "__ne__" && attempt.method != nullptr &&
      attempt.method == lookup(&PyBaseObject_Type, interned("__ne__"))) {
    PyObject* equal = lookup(type, interned("__eq__"));
    if (equal != nullptr && is_function(equal)) return {equal, self, other, true};
  }
  return attempt;
}

/// The attempts of an operator in CPython's order: at most three.
std::array<Attempt, 3> attempts_of(int code, PyObject* left, PyObject* right) {
  std::array<Attempt, 3> attempts;
  PyTypeObject *left_type = Py_TYPE(left), *right_type = Py_TYPE(right);
  const bool differ = left_type != right_type;
  const bool right_first = differ && PyType_IsSubtype(right_type, left_type) != 0;
  if (code >= kFirstComparison) {
    const Named& named = kComparisons[static_cast<std::size_t>(code - kFirstComparison)];
    const Attempt forward = attempt_of(named.method, left, right);
    const Attempt backward = attempt_of(named.reflected, right, left);
    if (right_first && backward.method != nullptr) return {backward, forward, Attempt{}};
    return {forward, backward, Attempt{}};
  }
  const int operation = code % kOperators;
  const Named& named = kBinary[static_cast<std::size_t>(operation)];
  Attempt forward, backward;
  if (has_number_method(left_type, operation)) forward = attempt_of(named.method, left, right);
  if (differ && has_number_method(right_type, operation)) backward = attempt_of(named.reflected, right, left);
  if (right_first && backward.method != nullptr &&
      backward.method != lookup(left_type, interned(named.reflected))) {
    std::swap(forward, backward);
  }
  if (code >= kOperators) {
    PyObject* method = lookup(left_type, interned(named.in_place));
    if (method != nullptr && (is_function(method) || has_number_method(left_type, operation))) {
      attempts[0] = {method, left, right};
    }
    attempts[1] = forward;
    attempts[2] = backward;
    return attempts;
  }
  return {forward, backward, Attempt{}};
}

bool is_program_operand(PyObject* operand) { return is_program_type(Py_TYPE(operand)); }

Ref fall_back(int code, PyObject* left, PyObject* right) {
  const char *left_name = Py_TYPE(left)->tp_name, *right_name = Py_TYPE(right)->tp_name;
  if (code >= kFirstComparison) {
    const int comparison = code - kFirstComparison;
    if (comparison == Py_EQ) return Ref::borrow(left == right ? Py_True : Py_False);
    if (comparison == Py_NE) return Ref::borrow(left != right ? Py_True : Py_False);
    raise(PyExc_TypeError, "'%s' not supported between instances of '%.100s' and '%.100s'",
          kComparisons[static_cast<std::size_t>(comparison)].symbol, left_name, right_name);
  }
  const int operation = code % kOperators;
  const bool in_place = code >= kOperators;
  PySequenceMethods* sequence = Py_TYPE(left)->tp_as_sequence;
  const bool left_is_number = has_number_method(Py_TYPE(left), operation);
  if (operation == static_cast<int>(Operator::Add) && sequence != nullptr && !left_is_number) {
    if (in_place && sequence->sq_inplace_concat != nullptr)
      return checked(sequence->sq_inplace_concat(left, right));
    if (sequence->sq_concat != nullptr) return checked(sequence->sq_concat(left, right));
  }
  if (operation == static_cast<int>(Operator::Mult) && sequence != nullptr &&
      sequence->sq_repeat != nullptr && !left_is_number) {
    return checked(PySequence_Repeat(left, PyNumber_AsSsize_t(right, PyExc_OverflowError)));
  }
  std::string symbol = kBinary[static_cast<std::size_t>(operation)].symbol;
  if (in_place) symbol = operation == static_cast<int>(Operator::Pow) ? "**=" : symbol + "=";
  raise(PyExc_TypeError, "unsupported operand type(s) for %s: '%.100s' and '%.100s'", symbol.c_str(),
        left_name, right_name);
}

}  // namespace

Step Interpreter::operate(int code, PyObject* left, PyObject* right, int attempt, Site site) {
  const Ref kept_left = Ref::borrow(left), kept_right = Ref::borrow(right);
  const std::array<Attempt, 3> attempts = attempts_of(code, left, right);
  for (; attempt < 3; ++attempt) {
    const Attempt& one = attempts[static_cast<std::size_t>(attempt)];
    if (one.method == nullptr) continue;
    if (is_function(one.method)) {
      site.mode = Return::kOperator;
      site.extra = checked(one.negate ? Py_BuildValue("(iOOiO)", code, left, right, attempt, Py_True)
                                      : Py_BuildValue("(iOOi)", code, left, right, attempt));
      return call_function(one.method,
                           {.positional = {Ref::borrow(one.self), Ref::borrow(one.other)}, .keywords = {}},
                           std::move(site));
    }
    PyObject* operands[] = {one.self, one.other};
    if (!world.may_call(operands, 2, operands, code >= kOperators && code < kFirstComparison ? 1 : 0)) {
      return stop(Stop::kVisible);
    }
    Ref value = checked(PyObject_CallFunctionObjArgs(one.method, one.self, one.other, nullptr));
    if (value.get() != Py_NotImplemented) return complete(std::move(site), std::move(value));
  }
  return complete(std::move(site), fall_back(code, left, right));
}

namespace {
/// Whether a number that nobody knows (`_unknown`) is to be formatted.
bool holds_unknown(PyObject* value) {
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (holds_unknown(PyTuple_GET_ITEM(value, i))) return true;
    }
    return false;
  }
  return is_stand_in(value);
}
}  // namespace

namespace {
/// Whether texts of the program's objects go into a text with `%s` or `%r`.
bool shows_program(PyObject* text, PyObject* values) {
  if (!(PyTuple_CheckExact(values) || is_program_operand(values)) || !holds_program(values, kTextMethods))
    return false;
  const std::string format = utf8(text);
  return format.find("%(") == std::string::npos && format.find('*') == std::string::npos;
}
}  // namespace

Step Interpreter::binary(std::uint32_t operation, bool in_place) {
  Frame& frame = top();
  PyObject* left = frame.stack[frame.stack.size() - 2].get();
  PyObject* right = frame.stack.back().get();
  if (operation == static_cast<std::uint32_t>(Operator::Mod) && PyUnicode_Check(left) &&
      (holds_unknown(right) || shows_program(left, right))) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(left), Ref::borrow(right)};
    Site site{.operands = 2};
    if (std::optional<Step> step = delegate("_percent", nullptr, arguments, site)) return *step;
  }
  if (is_program_operand(left) || is_program_operand(right)) {
    for (const Attempt& attempt :
         attempts_of(static_cast<int>(operation) + (in_place ? kOperators : 0), left, right)) {
      if (attempt.method != nullptr && is_function(attempt.method)) {
        return operate(static_cast<int>(operation) + (in_place ? kOperators : 0), left, right, 0,
                       {.operands = 2});
      }
    }
  }
  if (in_place && iterates_program(right)) {
    const bool adds = operation == static_cast<std::uint32_t>(Operator::Add);
    const bool joins = operation == static_cast<std::uint32_t>(Operator::BitOr) && PyDict_Check(left) &&
                       !PyDict_Check(right);
    const std::string kind = adds || joins ? container_name(left) : "";
    Arguments arguments;
    arguments.positional = {Ref::borrow(right)};
    Site site{.operands = 2};
    if ((adds && (kind == "list" || kind == "deque")) || (joins && kind == "dict")) {
      const Ref target = Ref::borrow(left);
      if (std::optional<Step> step =
              delegate(kind + (adds ? "___iadd__" : "___ior__"), target.get(), arguments, site)) {
        return *step;
      }
    }
  }
  if (!is_plain(left) || !is_plain(right)) {
    PyObject* operands[] = {left, right};
    if (!world.may_call(operands, 2, operands, in_place ? 1 : 0)) return stop(Stop::kVisible);
    std::string function = kFunctions[operation];
    if (in_place)
      function = "i" + (function.ends_with("_") ? function.substr(0, function.size() - 1) : function);
    Site site{.operands = 2};
    if (std::optional<Step> step = operate_undisturbed(function.c_str(), {left, right}, site)) return *step;
  }
  if (in_place && operation == static_cast<std::uint32_t>(Operator::Add) && PyList_Check(left) &&
      PyAnySet_Check(right)) {
    return complete({.operands = 2}, checked(PyNumber_InPlaceAdd(left, arranged_elements(right).get())));
  }
  return complete({.operands = 2}, checked((in_place ? kNativeInPlace : kNative)[operation](left, right)));
}

namespace {
/// Types whose values are written down where they stand, without an identity.
bool is_value_type(PyTypeObject* type) {
  static const std::unordered_set<std::string_view> names = {
      "decimal.Decimal",    "Fraction",          "datetime.date", "datetime.datetime", "datetime.time",
      "datetime.timedelta", "datetime.timezone", "re.Pattern",    "types.GenericAlias"};
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type || type == &PyBytes_Type ||
         type == &PyComplex_Type || type == &PyRange_Type || type == &PySlice_Type ||
         type == &PyFrozenSet_Type || type == &PyMethod_Type || type == &PySuper_Type ||
         type == &PyCFunction_Type || type == &_PyMethodWrapper_Type || type == &PyDictKeys_Type ||
         type == &PyDictValues_Type || type == &PyDictItems_Type || type == &PyProperty_Type ||
         type == &PyStaticMethod_Type || type == &PyClassMethod_Type ||
         PyType_IsSubtype(type, &PyTuple_Type) != 0 || names.contains(type->tp_name);
}

/// Whether a value could be the same object as another one of its type: values have no identity in a state, and CPython
/// has one object for some of them only.
bool may_be_same(PyObject* left, PyObject* right) {
  PyTypeObject* const type = Py_TYPE(left);
  if (left == right) return true;
  if (type != Py_TYPE(right) || is_not_a_number(left) || PyType_Check(left)) return false;
  if (PyTuple_Check(left)) {
    if (PyTuple_GET_SIZE(left) != PyTuple_GET_SIZE(right)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(left); ++i) {
      if (!may_be_same(PyTuple_GET_ITEM(left, i), PyTuple_GET_ITEM(right, i))) return false;
    }
    return true;
  }
  if (PyMethod_Check(left)) {
    return PyMethod_GET_SELF(left) == PyMethod_GET_SELF(right) &&
           PyMethod_GET_FUNCTION(left) == PyMethod_GET_FUNCTION(right);
  }
  if (!is_value_type(type)) return false;
  if (type == &PyFrozenSet_Type) return PySet_GET_SIZE(left) == PySet_GET_SIZE(right);
  if (PyCFunction_Check(left)) {
    return PyCFunction_GET_SELF(left) == PyCFunction_GET_SELF(right) &&
           reinterpret_cast<PyCFunctionObject*>(left)->m_ml ==
               reinterpret_cast<PyCFunctionObject*>(right)->m_ml;
  }
  if (PyDictViewSet_Check(left) || PyDictValues_Check(left) || type == &PySuper_Type) return true;
  const int is_equal = PyObject_RichCompareBool(left, right, Py_EQ);
  if (is_equal < 0) throw PythonError();
  return is_equal == 1;
}

/// Whether there is one object for all values that are equal to this one.
bool exists_once(PyObject* value) {
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long number = PyLong_AsLongAndOverflow(value, &overflow);
    return overflow == 0 && number >= -5 && number <= 256;
  }
  if (PyUnicode_CheckExact(value)) {
    return PyUnicode_GET_LENGTH(value) == 0 ||
           (PyUnicode_GET_LENGTH(value) == 1 && PyUnicode_READ_CHAR(value, 0) < 256);
  }
  if (PyBytes_CheckExact(value)) return PyBytes_GET_SIZE(value) <= 1;
  if (PyFrozenSet_CheckExact(value)) return PySet_GET_SIZE(value) == 0;
  if (PyCFunction_Check(value)) {
    PyObject* const self = PyCFunction_GET_SELF(value);
    return self == nullptr || PyModule_Check(self);
  }
  return PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 0;
}

}  // namespace

bool is_same(PyObject* left, PyObject* right) {
  if (is_identity(left) || is_identity(right))
    throw Unsupported("`is` between numbers that id() gives; compare them with ==");
  if (is_stand_in(left) && is_stand_in(right) && left != right && Py_TYPE(left) == Py_TYPE(right) &&
      std::string_view(Py_TYPE(left)->tp_name).ends_with("_dict")) {
    throw Unsupported("`is` between the __dict__ of instances; compare the instances");
  }
  // CPython has one reference to an object that all share; here each is made anew.
  if (left != right && is_shared_reference(left) && is_shared_reference(right))
    throw Unsupported("`is` between weak references; compare what they lead to");
  const auto is_made_anew = [](PyObject* value) {
    return is_program_type(Py_TYPE(value)) && lookup(Py_TYPE(value), interned("_made_anew")) != nullptr;
  };
  if (left != right && is_made_anew(left) && is_made_anew(right))
    throw Unsupported("`is` between the annotations of functions or classes; compare them with ==");
  if (is_absent(left)) return is_same_as_absent(left, right);
  if (is_absent(right)) return is_same_as_absent(right, left);
  PyTypeObject* const type = Py_TYPE(left);
  if (type == &PyFunction_Type && left != right && Py_TYPE(right) == type &&
      PyObject_RichCompareBool(PyFunction_GET_CODE(left), PyFunction_GET_CODE(right), Py_EQ) == 1) {
    throw Unsupported("`is` between two functions that CPython made of one piece of code");
  }
  if (type == Py_TYPE(right) && is_value_type(type) && !is_not_a_number(left) && !exists_once(left) &&
      may_be_same(left, right)) {
    throw Unsupported(std::string("`is` between two equal values of type ") + type->tp_name +
                      "; compare them with ==");
  }
  return left == right;
}

Step Interpreter::compare(std::uint32_t comparison) {
  Frame& frame = top();
  PyObject* left = frame.stack[frame.stack.size() - 2].get();
  PyObject* right = frame.stack.back().get();
  switch (comparison) {
    case 6: return contains(false);
    case 7: return contains(true);
    case 8:
    case 9:
      return complete({.operands = 2},
                      Ref::borrow(is_same(left, right) == (comparison == 8) ? Py_True : Py_False));
    default: break;
  }
  if (is_program_operand(left) || is_program_operand(right)) {
    const int code = kFirstComparison + static_cast<int>(comparison);
    for (const Attempt& attempt : attempts_of(code, left, right)) {
      if (attempt.method != nullptr && is_function(attempt.method))
        return operate(code, left, right, 0, {.operands = 2});
    }
  }
  static constexpr std::array<const char*, 6> kNames = {"lt", "le", "eq", "ne", "gt", "ge"};
  const bool are_sequences =
      (PyList_Check(left) && PyList_Check(right)) || (PyTuple_Check(left) && PyTuple_Check(right));
  if (are_sequences && left != right &&
      (holds_program(left, kOrderMethods, true) || holds_program(right, kOrderMethods, true))) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(left), Ref::borrow(right)};
    Site site{.operands = 2};
    if (std::optional<Step> step =
            delegate(std::string("compare_") + kNames[comparison], nullptr, arguments, site)) {
      return *step;
    }
  }
  if (!is_plain(left) || !is_plain(right)) {
    PyObject* operands[] = {left, right};
    if (!world.may_call(operands, 2, nullptr, 0)) return stop(Stop::kVisible);
    Site site{.operands = 2};
    if (std::optional<Step> step = operate_undisturbed(kNames[comparison], {left, right}, site)) return *step;
  }
  return complete({.operands = 2}, checked(PyObject_RichCompare(left, right, static_cast<int>(comparison))));
}

Step Interpreter::unary(std::uint32_t operation) {
  PyObject* value = top().stack.back().get();
  if (operation == 3) return test(value);
  static constexpr std::array<const char*, 3> kMethods = {"__neg__", "__pos__", "__invert__"};
  if (PyObject* method = program_method(value, kMethods[operation])) {
    return call_function(method, {.positional = {Ref::borrow(value)}, .keywords = {}}, {.operands = 1});
  }
  if (!is_plain(value) && !world.may_call(&value, 1, nullptr, 0)) return stop(Stop::kVisible);
  return complete({.operands = 1}, checked(operation == 0   ? PyNumber_Negative(value)
                                           : operation == 1 ? PyNumber_Positive(value)
                                                            : PyNumber_Invert(value)));
}

Step Interpreter::test(PyObject* value) {
  if (value == Py_True || value == Py_False || value == Py_None) return decide(value == Py_True);
  if (PyObject* method = program_method(value, "__bool__")) {
    return call_function(method, {.positional = {Ref::borrow(value)}, .keywords = {}},
                         {.mode = Return::kTruth, .advance = false});
  }
  if (is_program_operand(value) && lookup(Py_TYPE(value), interned("__bool__")) == nullptr) {
    if (PyObject* method = program_method(value, "__len__")) {
      return call_function(method, {.positional = {Ref::borrow(value)}, .keywords = {}},
                           {.mode = Return::kTruth, .extra = Ref::borrow(Py_True), .advance = false});
    }
  }
  if (!is_plain(value) && !PyTuple_CheckExact(value) &&
      (Py_TYPE(value)->tp_as_number != nullptr || Py_TYPE(value)->tp_as_sequence != nullptr ||
       Py_TYPE(value)->tp_as_mapping != nullptr) &&
      !world.may_read(value)) {
    return stop(Stop::kVisible);
  }
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) throw PythonError();
  return decide(truth == 1);
}

Step Interpreter::decide(bool truth) {
  Frame& frame = top();
  const std::uint32_t instruction = frame.code->instructions[frame.pc];
  const std::uint32_t target = instruction >> 8;
  const auto jump_if = [&](bool condition) { frame.pc = condition ? target : frame.pc + 1; };
  switch (static_cast<Operation>(instruction & 0xff)) {
    case Operation::POP_JUMP_IF_FALSE:
      frame.stack.pop_back();
      jump_if(!truth);
      break;
    case Operation::POP_JUMP_IF_TRUE:
      frame.stack.pop_back();
      jump_if(truth);
      break;
    case Operation::JUMP_IF_FALSE_OR_POP:
      if (truth) frame.stack.pop_back();
      jump_if(!truth);
      break;
    case Operation::JUMP_IF_TRUE_OR_POP:
      if (!truth) frame.stack.pop_back();
      jump_if(truth);
      break;
    default:  // `not`
      frame.stack.back() = Ref::borrow(truth ? Py_False : Py_True);
      ++frame.pc;
      break;
  }
  return Step::kDone;
}

}  // namespace assay::languages::python
