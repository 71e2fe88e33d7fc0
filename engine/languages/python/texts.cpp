/// Texts: str, repr, format, print. Sets print in the machine's order, objects without an address.
#include "languages/python/address_texts.hpp"
#include "languages/python/interpreter.hpp"

namespace assay::languages::python {
namespace {

Ref joined(const char* begin, const std::vector<Ref>& parts, const char* end) {
  Ref list = checked(PyList_New(0));
  for (const Ref& part : parts) {
    if (PyList_Append(list.get(), part.get()) != 0) throw PythonError();
  }
  const Ref text = checked(PyUnicode_Join(interned(", "), list.get()));
  return checked(PyUnicode_FromFormat("%s%U%s", begin, text.get(), end));
}

/// Guards against containers that contain themselves.
class Inside {
 public:
  explicit Inside(PyObject* object) : object_(object), status_(Py_ReprEnter(object)) {
    if (status_ < 0) throw PythonError();
  }
  ~Inside() {
    if (status_ == 0) Py_ReprLeave(object_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  bool again() const { return status_ > 0; }

 private:
  PyObject* object_;
  int status_;
};

Ref items_repr(PyObject* container, PyObject* items, const char* begin, const char* end,
               const char* recursive) {
  const Inside inside(container);
  if (inside.again()) return checked(PyUnicode_FromString(recursive));
  const Ref kept = checked(PySequence_Tuple(items));
  std::vector<Ref> parts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kept.get()); ++i)
    parts.push_back(repr_of(PyTuple_GET_ITEM(kept.get(), i)));
  return joined(begin, parts, end);
}

Ref dict_repr(PyObject* dict) {
  const Inside inside(dict);
  if (inside.again()) return checked(PyUnicode_FromString("{...}"));
  std::vector<Ref> parts;
  Py_ssize_t position = 0;
  PyObject *key, *value;
  const Ref copy = checked(PyDict_Copy(dict));
  while (PyDict_Next(copy.get(), &position, &key, &value) != 0) {
    const Ref key_text = repr_of(key), value_text = repr_of(value);
    parts.push_back(checked(PyUnicode_FromFormat("%U: %U", key_text.get(), value_text.get())));
  }
  return joined("{", parts, "}");
}

bool is_standard(PyObject* file, const char* name) {
  PyObject* stream = PySys_GetObject(name);
  return stream != nullptr && stream == file;
}

/// `sep` and `end` of print.
Ref separator(PyObject* given, const char* name, const char* otherwise) {
  if (given == nullptr || given == Py_None) return checked(PyUnicode_FromString(otherwise));
  if (!PyUnicode_Check(given))
    raise(PyExc_TypeError, "%s must be None or a string, not %.200s", name, Py_TYPE(given)->tp_name);
  return Ref::borrow(given);
}

}  // namespace

Ref repr_of(PyObject* object) {
  if (PyUnicode_CheckExact(object) || PyLong_CheckExact(object)) return checked(PyObject_Repr(object));
  if (Py_EnterRecursiveCall(" while getting the repr of an object") != 0) throw PythonError();
  struct Leave {
    ~Leave() { Py_LeaveRecursiveCall(); }
  } leave;
  if (PyList_CheckExact(object)) return items_repr(object, object, "[", "]", "[...]");
  if (PyTuple_CheckExact(object)) {
    return items_repr(object, object, "(", PyTuple_GET_SIZE(object) == 1 ? ",)" : ")", "(...)");
  }
  if (PyDict_CheckExact(object)) return dict_repr(object);
  if (PyAnySet_CheckExact(object)) {
    const bool frozen = PyFrozenSet_CheckExact(object);
    if (PySet_GET_SIZE(object) == 0) return checked(PyUnicode_FromString(frozen ? "frozenset()" : "set()"));
    const Ref elements = arranged_elements(object);
    return items_repr(object, elements.get(), frozen ? "frozenset({" : "{", frozen ? "})" : "}",
                      frozen ? "frozenset(...)" : "set(...)");
  }
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_repr == PyBaseObject_Type.tp_repr) return text_without_address(object);
  if (is_module(object))
    throw Unsupported(
        "the text of a module says where its file is, which is not modelled; show its __name__");
  if (PyMethod_Check(object)) {
    const Ref name = checked(PyObject_GetAttrString(PyMethod_GET_FUNCTION(object), "__qualname__"));
    const Ref self = repr_of(PyMethod_GET_SELF(object));
    return checked(PyUnicode_FromFormat("<bound method %S of %U>", name.get(), self.get()));
  }
  return checked(PyObject_Repr(object));
}

Ref str_of(PyObject* object) {
  if (PyUnicode_CheckExact(object)) return Ref::borrow(object);
  if (Py_TYPE(object)->tp_str == PyBaseObject_Type.tp_str) return repr_of(object);
  return checked(PyObject_Str(object));
}

Step Interpreter::text_of(PyObject* object, Conversion conversion, Site site) {
  if (is_plain(object)) {
    return complete(std::move(site), conversion == Conversion::kStr ? str_of(object) : repr_of(object));
  }
  PyObject* method = nullptr;
  Conversion wanted = conversion;
  if (is_program_type(Py_TYPE(object))) {
    if (conversion == Conversion::kStr) method = program_method(object, "__str__");
    if (method == nullptr &&
        (conversion == Conversion::kRepr ||
         lookup(Py_TYPE(object), interned("__str__")) == lookup(&PyBaseObject_Type, interned("__str__")))) {
      method = program_method(object, "__repr__");
      wanted = Conversion::kRepr;
    }
  }
  if (method != nullptr && site.mode == Return::kPush) {
    site.mode = Return::kConvert;
    site.extra = checked(PyLong_FromLong(static_cast<long>(wanted)));
    return call_function(method, {.positional = {Ref::borrow(object)}, .keywords = {}}, std::move(site));
  }
  if (!is_program_type(Py_TYPE(object)) && holds_program(object, kTextMethods)) {
    Arguments arguments;
    arguments.positional = {Ref::borrow(object)};
    if (std::optional<Step> step =
            delegate(conversion == Conversion::kStr ? "str" : "repr", nullptr, arguments, site)) {
      return *step;
    }
  }
  // The text of an object without a method of its own is that of its class.
  const bool looks = is_program_type(Py_TYPE(object)) ? Py_TYPE(object)->tp_repr != PyBaseObject_Type.tp_repr
                                                      : !is_function(object);
  if (looks && !world.may_call(&object, 1, nullptr, 0)) return stop(Stop::kVisible);
  const Arguments arguments{.positional = {Ref::borrow(object)}, .keywords = {}};
  const Ref function = built_in(interned(conversion == Conversion::kStr ? "str" : "repr"));
  if (std::optional<Step> step = call_undisturbed(function.get(), nullptr, arguments, true, site))
    return *step;
  return complete(std::move(site), conversion == Conversion::kStr ? str_of(object) : repr_of(object));
}

Step Interpreter::format_value(std::uint32_t operand) {
  Frame& frame = top();
  const bool has_spec = (operand & 4) != 0;
  const std::uint32_t conversion = operand & 3;
  PyObject* spec = has_spec ? frame.stack.back().get() : nullptr;
  PyObject* value = frame.stack[frame.stack.size() - (has_spec ? 2 : 1)].get();
  const Site site{.operands = has_spec ? std::size_t{2} : std::size_t{1}};
  const bool empty_spec = spec == nullptr || PyUnicode_GET_LENGTH(spec) == 0;
  if (conversion == 0) {
    if (PyObject* method = program_method(value, "__format__")) {
      Site formatted = site;
      formatted.mode = Return::kConvert;
      formatted.extra = checked(PyLong_FromLong(static_cast<long>(Conversion::kFormat)));
      return call_function(
          method,
          {.positional = {Ref::borrow(value), Ref::borrow(spec == nullptr ? interned("") : spec)},
           .keywords = {}},
          std::move(formatted));
    }
    const bool by_str =
        lookup(Py_TYPE(value), interned("__format__")) == lookup(&PyBaseObject_Type, interned("__format__"));
    if (empty_spec && (by_str || is_plain(value))) return text_of(value, Conversion::kStr, site);
    if (!is_plain(value) && !world.may_call(&value, 1, nullptr, 0)) return stop(Stop::kVisible);
    return complete(site, checked(PyObject_Format(value, spec)));
  }
  if (empty_spec && conversion != 3) {
    return text_of(value, conversion == 1 ? Conversion::kStr : Conversion::kRepr, site);
  }
  if (!is_plain(value) && !world.may_call(&value, 1, nullptr, 0)) return stop(Stop::kVisible);
  Ref text = conversion == 1 ? str_of(value) : repr_of(value);
  if (conversion == 3) text = checked(PyObject_ASCII(value));
  return complete(site, empty_spec ? std::move(text) : checked(PyObject_Format(text.get(), spec)));
}

Step Interpreter::print(Arguments& arguments, Site site) {
  PyObject *sep = nullptr, *end = nullptr, *file = nullptr;
  bool known = true;
  for (const auto& [name, value] : arguments.keywords) {
    const std::string keyword = utf8(name.get());
    if (keyword == "sep")
      sep = value.get();
    else if (keyword == "end")
      end = value.get();
    else if (keyword == "file")
      file = value.get();
    else if (keyword != "flush")
      known = false;
  }
  if (!known) return run_native(built_in(interned("print")).get(), arguments, std::move(site));  // fails
  const bool to_output =
      file == nullptr || file == Py_None || is_standard(file, "stdout") || is_standard(file, "__stdout__");
  const bool to_nowhere = !to_output && (is_standard(file, "stderr") || is_standard(file, "__stderr__"));
  bool needs_program = !to_output && !to_nowhere;
  for (const Ref& argument : arguments.positional)
    needs_program = needs_program || holds_program(argument.get(), kTextMethods);
  if (needs_program) {
    if (to_output || to_nowhere) {
      std::erase_if(arguments.keywords,
                    [&](const auto& keyword) { return to_output && utf8(keyword.first.get()) == "file"; });
    }
    if (std::optional<Step> step = delegate("print", nullptr, arguments, site)) return *step;
    if (!to_output && !to_nowhere) throw Unsupported("print to a file");
  }
  if (!may_call(nullptr, arguments, {})) return stop(Stop::kVisible);
  const Ref between = separator(sep, "sep", " "), last = separator(end, "end", "\n");
  std::string text;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i > 0) text += utf8(between.get());
    text += utf8(str_of(arguments.positional[i].get()).get());
  }
  if (to_output && world.keep_output) world.output += text + utf8(last.get());
  world.poll();
  return complete(std::move(site), Ref::borrow(Py_None));
}

}  // namespace assay::languages::python
