#include "languages/python/code.hpp"

#include <marshal.h>

#include <array>
#include <cstring>

namespace assay::languages::python {
namespace {

constexpr const char* kCapsule = "assay.languages.python.Code";

constexpr std::array kOperationNames = {
#define ASSAY_OPERATION(name) #name,
    ASSAY_OPERATIONS(ASSAY_OPERATION)
#undef ASSAY_OPERATION
};

/// Reads one program; keeps what is the same for all of its codes.
class Reader {
 public:
  explicit Reader(Program& program) : program_(program) {}

  void read(PyObject* source) {
    const Ref modules = tuple(source, "modules");
    const Py_ssize_t count = PyTuple_GET_SIZE(modules.get());
    if (count == 0) throw std::invalid_argument("a program has at least one module, got none");
    program_.modules.resize(static_cast<std::size_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i)
      read_module(PyTuple_GET_ITEM(modules.get(), i), static_cast<std::uint32_t>(i));
    program_.final_attributes = checked(PyFrozenSet_New(attribute(source, "final_attributes").get()));
    program_.has_repeated_classes = flag(source, "has_repeated_classes");
    program_.keeps_annotations = flag(source, "keeps_annotations");
  }

 private:
  static Ref attribute(PyObject* object, const char* name) {
    return checked(PyObject_GetAttrString(object, name));
  }

  static Ref tuple(PyObject* object, const char* name) {
    return checked(PySequence_Tuple(attribute(object, name).get()));
  }

  static std::string text_of(PyObject* text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) throw PythonError();
    return {data, static_cast<std::size_t>(size)};
  }

  static std::string text(PyObject* object, const char* name) {
    return text_of(attribute(object, name).get());
  }

  static std::uint32_t number_of(PyObject* value) {
    const unsigned long number = PyLong_AsUnsignedLong(value);
    if (PyErr_Occurred() != nullptr) throw PythonError();
    if (number > UINT32_MAX) throw std::invalid_argument("a number in the code does not fit into 32 bits");
    return static_cast<std::uint32_t>(number);
  }

  static std::uint32_t number(PyObject* object, const char* name) {
    return number_of(attribute(object, name).get());
  }

  static bool flag(PyObject* object, const char* name) {
    const int truth = PyObject_IsTrue(attribute(object, name).get());
    if (truth < 0) throw PythonError();
    return truth == 1;
  }

  static std::vector<Ref> interned(PyObject* object, const char* name) {
    const Ref items = tuple(object, name);
    std::vector<Ref> names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      PyObject* item = Py_NewRef(PyTuple_GET_ITEM(items.get(), i));
      if (!PyUnicode_Check(item)) {
        Py_DECREF(item);
        throw std::invalid_argument(std::string("expected texts in ") + name);
      }
      PyUnicode_InternInPlace(&item);
      names.push_back(Ref::steal(item));
    }
    return names;
  }

  /// Rows of numbers of a fixed width.
  template <std::size_t width>
  static std::vector<std::array<std::uint32_t, width>> rows(PyObject* object, const char* name) {
    const Ref items = tuple(object, name);
    std::vector<std::array<std::uint32_t, width>> result;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
      const Ref row = checked(PySequence_Tuple(PyTuple_GET_ITEM(items.get(), i)));
      if (PyTuple_GET_SIZE(row.get()) != static_cast<Py_ssize_t>(width)) {
        throw std::invalid_argument(std::string("a row of ") + name + " has the wrong length");
      }
      std::array<std::uint32_t, width> numbers;
      for (std::size_t k = 0; k < width; ++k)
        numbers[k] = number_of(PyTuple_GET_ITEM(row.get(), static_cast<Py_ssize_t>(k)));
      result.push_back(numbers);
    }
    return result;
  }

  void read_module(PyObject* source, std::uint32_t index) {
    Module& module = program_.modules[index];
    module.name = text(source, "name");
    module.file = text(source, "file");
    module.is_library = flag(source, "is_library");
    module.is_annotated = flag(source, "is_annotated");
    if (module.is_library && module.name == "_unknown") program_.has_stand_ins = true;
    module.global_names = interned(source, "global_names");
    module.first_global = program_.global_count;
    program_.global_count += static_cast<std::uint32_t>(module.global_names.size());
    const Ref finals = attribute(source, "final_globals");
    for (std::size_t i = 0; i < module.global_names.size(); ++i) {
      PyObject* name = module.global_names[i].get();
      module.global_index[text_of(name)] = static_cast<std::uint32_t>(i);
      const int is_final = PySequence_Contains(finals.get(), name);
      if (is_final < 0) throw PythonError();
      module.global_is_final.push_back(is_final == 1);
    }
    const Ref code = attribute(source, "code");
    module.code = read_code(code.get(), module);
  }

  const Code* read_code(PyObject* source, const Module& module) {
    if (Py_EnterRecursiveCall(" while reading code") != 0) throw PythonError();
    struct Leave {
      ~Leave() { Py_LeaveRecursiveCall(); }
    } leave;
    program_.codes.push_back(std::make_unique<Code>());
    Code& code = *program_.codes.back();
    code.number = static_cast<std::uint32_t>(program_.codes.size() - 1);
    code.module = static_cast<std::uint32_t>(&module - program_.modules.data());
    code.name = text(source, "name");
    code.qualname = text(source, "qualname");
    code.documentation = attribute(source, "documentation");
    code.first_line = number(source, "first_line");
    code.positional = number(source, "positional");
    code.positional_only = number(source, "positional_only");
    code.keyword_only = number(source, "keyword_only");
    code.varargs = flag(source, "varargs");
    code.varkw = flag(source, "varkw");
    code.generator = flag(source, "generator");
    code.is_coroutine = flag(source, "coroutine");
    code.is_annotated = flag(source, "annotated");
    if (const Ref native = attribute(source, "native"); PyBytes_Check(native.get()) != 0) {
      code.native = checked(
          PyMarshal_ReadObjectFromString(PyBytes_AS_STRING(native.get()), PyBytes_GET_SIZE(native.get())));
    }
    code.atomic = flag(source, "atomic");
    code.early = flag(source, "early");
    code.local_names = interned(source, "local_names");
    code.cell_names = interned(source, "cell_names");
    code.free_names = interned(source, "free_names");
    code.names = interned(source, "names");
    for (const auto& [cell, local] : rows<2>(source, "cell_parameters"))
      code.cell_parameters.emplace_back(cell, local);
    for (const auto& row : rows<4>(source, "positions"))
      code.positions.push_back({row[0], row[1], row[2], row[3]});
    for (const auto& row : rows<4>(source, "handlers"))
      code.handlers.push_back({row[0], row[1], row[2], row[3]});
    const Ref instructions = tuple(source, "instructions");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(instructions.get()); ++i) {
      code.instructions.push_back(number_of(PyTuple_GET_ITEM(instructions.get(), i)));
    }
    const Ref constants = tuple(source, "constants");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants.get()); ++i) {
      PyObject* constant = PyTuple_GET_ITEM(constants.get(), i);
      if (Py_TYPE(constant) == Py_TYPE(source)) {
        const Code* inner = read_code(constant, module);
        code.constants.push_back(checked(PyCapsule_New(const_cast<Code*>(inner), kCapsule, nullptr)));
      } else {
        code.constants.push_back(Ref::borrow(constant));
      }
    }
    check(code, module);
    return &code;
  }

  [[noreturn]] static void refuse(const Code& code, std::size_t pc, const char* what) {
    throw std::invalid_argument("the code of " + code.qualname + " is wrong at instruction " +
                                std::to_string(pc) + ": " + what);
  }

  /// Every operand names something that exists, so that the interpreter need not look.
  void check(const Code& code, const Module& module) const {
    const std::size_t size = code.instructions.size();
    const std::size_t parameters =
        code.positional + code.keyword_only + (code.varargs ? 1 : 0) + (code.varkw ? 1 : 0);
    if (parameters > code.local_names.size()) refuse(code, 0, "more parameters than locals");
    if (code.positional_only > code.positional)
      refuse(code, 0, "more positional-only parameters than positional ones");
    if (code.positions.size() != size) refuse(code, 0, "each instruction has one position");
    for (const auto& [cell, local] : code.cell_parameters) {
      if (cell >= code.cell_names.size() || local >= parameters)
        refuse(code, 0, "a cell parameter that does not exist");
    }
    for (const Handler& handler : code.handlers) {
      if (handler.end > size || handler.target >= size)
        refuse(code, handler.target, "a handler outside of the code");
    }
    if (size == 0 || !ends(code.instructions.back())) refuse(code, size, "execution runs off the end");
    for (std::size_t pc = 0; pc < size; ++pc) {
      const std::uint32_t number = code.instructions[pc] & 0xff;
      const std::size_t operand = code.instructions[pc] >> 8;
      if (number >= kOperationNames.size()) refuse(code, pc, "an unknown operation");
      std::size_t limit = SIZE_MAX;
      switch (static_cast<Operation>(number)) {
        case Operation::LOAD_CONST:
        case Operation::LOAD_ABSENT:
        case Operation::FAIL: limit = code.constants.size(); break;
        case Operation::LOAD_FAST:
        case Operation::STORE_FAST:
        case Operation::DELETE_FAST: limit = code.local_names.size(); break;
        case Operation::LOAD_DEREF:
        case Operation::STORE_DEREF:
        case Operation::DELETE_DEREF:
        case Operation::LOAD_CLOSURE:
        case Operation::LOAD_CLASSDEREF: limit = code.cell_names.size() + code.free_names.size(); break;
        case Operation::LOAD_GLOBAL:
        case Operation::STORE_GLOBAL:
        case Operation::DELETE_GLOBAL: limit = module.global_names.size(); break;
        case Operation::LOAD_NAME:
        case Operation::STORE_NAME:
        case Operation::DELETE_NAME:
        case Operation::LOAD_BUILTIN:
        case Operation::LOAD_ATTR:
        case Operation::STORE_ATTR:
        case Operation::DELETE_ATTR:
        case Operation::LOAD_SPECIAL:
        case Operation::IMPORT_NATIVE:
        case Operation::IMPORT_FROM: limit = code.names.size(); break;
        case Operation::FOR_ITER:
        case Operation::JUMP:
        case Operation::POP_JUMP_IF_FALSE:
        case Operation::POP_JUMP_IF_TRUE:
        case Operation::JUMP_IF_FALSE_OR_POP:
        case Operation::JUMP_IF_TRUE_OR_POP:
        case Operation::LOOP: limit = size; break;
        case Operation::BINARY:
        case Operation::INPLACE: limit = 13; break;
        case Operation::COMPARE: limit = 10; break;
        case Operation::UNARY: limit = 4; break;
        case Operation::IMPORT: limit = program_.modules.size(); break;
        default: break;
      }
      if (operand >= limit) refuse(code, pc, "an operand that names nothing");
    }
  }

  static bool ends(std::uint32_t instruction) {
    const auto operation = static_cast<Operation>(instruction & 0xff);
    return operation == Operation::RETURN_VALUE || operation == Operation::JUMP ||
           operation == Operation::LOOP || operation == Operation::RAISE || operation == Operation::RERAISE ||
           operation == Operation::FAIL;
  }

  Program& program_;
};

}  // namespace

std::unique_ptr<Program> read_program(PyObject* program) {
  auto result = std::make_unique<Program>();
  Reader(*result).read(program);
  for (const std::unique_ptr<Code>& code : result->codes) {
    const Module& module = result->modules[code->module];
    code->stands_in = module.is_library &&
                      (module.name == "_builtins" || module.name == "itertools" || module.name == "io");
  }
  return result;
}

const Code* code_of(PyObject* constant) {
  if (!PyCapsule_CheckExact(constant)) return nullptr;
  return static_cast<const Code*>(PyCapsule_GetPointer(constant, kCapsule));
}

}  // namespace assay::languages::python
