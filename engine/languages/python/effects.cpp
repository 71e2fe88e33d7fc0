#include "languages/python/effects.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "languages/python/helpers.hpp"

namespace assay::languages::python {
namespace {

struct FunctionRow {
  const char* name;
  Special special = Special::kNone;
  bool asks_nothing = false;
  bool has_counterpart = false;
};

constexpr FunctionRow kBuiltIns[] = {
    {.name = "print", .special = Special::kPrint},
    {.name = "len", .special = Special::kLen},
    {.name = "iter", .special = Special::kIter, .has_counterpart = true},
    {.name = "next", .special = Special::kNext, .has_counterpart = true},
    {.name = "reversed", .special = Special::kReversed, .has_counterpart = true},
    {.name = "repr", .special = Special::kRepr},
    {.name = "str", .special = Special::kStr},
    {.name = "format", .special = Special::kFormat},
    {.name = "hash", .special = Special::kHash},
    {.name = "getattr", .special = Special::kGetattr},
    {.name = "hasattr", .special = Special::kHasattr},
    {.name = "setattr", .special = Special::kSetattr},
    {.name = "delattr", .special = Special::kDelattr},
    {.name = "bool", .special = Special::kBool},
    {.name = "id", .special = Special::kId, .asks_nothing = true},
    {.name = "super", .asks_nothing = true},
    {.name = "isinstance", .special = Special::kIsInstance, .asks_nothing = true},
    {.name = "issubclass", .special = Special::kIsSubclass, .asks_nothing = true},
    {.name = "type", .asks_nothing = true},
    {.name = "callable", .asks_nothing = true},
    {.name = "staticmethod", .asks_nothing = true},
    {.name = "classmethod", .asks_nothing = true},
    {.name = "property", .asks_nothing = true},
    {.name = "object", .asks_nothing = true},
    {.name = "range", .asks_nothing = true},
    {.name = "slice", .asks_nothing = true},
    {.name = "chr", .asks_nothing = true},
    {.name = "list", .has_counterpart = true},
    {.name = "tuple", .has_counterpart = true},
    {.name = "set", .has_counterpart = true},
    {.name = "frozenset", .has_counterpart = true},
    {.name = "bytes", .has_counterpart = true},
    {.name = "bytearray", .has_counterpart = true},
    {.name = "dict", .has_counterpart = true},
    {.name = "sorted", .has_counterpart = true},
    {.name = "min", .has_counterpart = true},
    {.name = "max", .has_counterpart = true},
    {.name = "sum", .has_counterpart = true},
    {.name = "any", .has_counterpart = true},
    {.name = "all", .has_counterpart = true},
    {.name = "map", .has_counterpart = true},
    {.name = "filter", .has_counterpart = true},
    {.name = "zip", .has_counterpart = true},
    {.name = "enumerate", .has_counterpart = true},
};

/// Functions and types of other modules with a counterpart of the same name.
constexpr std::pair<const char*, const char*> kOfModules[] = {
    {"collections", "deque"},
    {"collections", "OrderedDict"},
    {"collections", "defaultdict"},
    {"collections", "Counter"},
    {"heapq", "heappush"},
    {"heapq", "heappop"},
    {"heapq", "heapreplace"},
    {"heapq", "heappushpop"},
    {"heapq", "heapify"},
    {"heapq", "nsmallest"},
    {"heapq", "nlargest"},
    {"heapq", "merge"},
    {"bisect", "bisect_right"},
    {"bisect", "bisect_left"},
    {"bisect", "bisect"},
    {"bisect", "insort_right"},
    {"bisect", "insort_left"},
    {"bisect", "insort"},
    {"functools", "reduce"},
    {"operator", "methodcaller"},
    {"re", "sub"},
    {"re", "subn"},
    {"re", "finditer"},
    {"typing", "get_type_hints"},
    {"typing", "cast"},
    {"json", "load"},
};

/// Of the module `operator`, whose counterparts begin with its name.
constexpr const char* kOperators[] = {
    "operator_contains", "operator_countOf", "operator_indexOf",  "operator_getitem",   "operator_setitem",
    "operator_delitem",  "operator_concat",  "operator_iconcat",  "operator_truth",     "operator_not_",
    "operator_lt",       "operator_le",      "operator_eq",       "operator_ne",        "operator_gt",
    "operator_ge",       "operator_add",     "operator_sub",      "operator_mul",       "operator_truediv",
    "operator_floordiv", "operator_mod",     "operator_pow",      "operator_lshift",    "operator_rshift",
    "operator_or_",      "operator_xor",     "operator_and_",     "operator_matmul",    "operator_iadd",
    "operator_isub",     "operator_imul",    "operator_itruediv", "operator_ifloordiv", "operator_imod",
    "operator_ipow",     "operator_ilshift", "operator_irshift",  "operator_ior",       "operator_ixor",
    "operator_iand",     "operator_imatmul",
};

using MethodTable = std::unordered_map<std::string_view, MethodEffect>;

const MethodTable& methods() {
  static const MethodTable table = {
      // Methods of containers.
      {"append", {.moves = true}},
      {"appendleft", {.moves = true}},
      {"popleft", {.moves = true}},
      {"insert", {.moves = true}},
      {"clear", {.moves = true}},
      {"reverse", {.moves = true}},
      {"rotate", {.moves = true}},
      {"popitem", {.moves = true}},
      {"pop", {.moves = true, .looks_up = true}},
      {"move_to_end", {.moves = true, .looks_up = true}},
      {"copy", {.reads = true, .moves = true}},
      {"keys", {.reads = true, .moves = true}},
      {"values", {.reads = true, .moves = true}},
      {"items", {.reads = true, .moves = true}},
      {"__len__", {.reads = true, .moves = true}},
      {"get", {.reads = true, .looks_up = true}},
      {"__getitem__", {.reads = true, .looks_up = true}},
      {"__contains__", {.reads = true, .looks_up = true}},
      {"setdefault", {.looks_up = true}},
      {"add", {.looks_up = true}},
      {"discard", {.looks_up = true}},
      {"remove", {.looks_up = true}},
      {"__setitem__", {.looks_up = true}},
      {"__delitem__", {.looks_up = true}},
      {"count", {.reads = true}},
      {"index", {.reads = true}},
      {"union", {.reads = true}},
      {"intersection", {.reads = true}},
      {"difference", {.reads = true}},
      {"issubset", {.reads = true}},
      {"issuperset", {.reads = true}},
      {"isdisjoint", {.reads = true}},
      {"symmetric_difference", {.reads = true}},
      {"most_common", {.reads = true}},
      {"elements", {.reads = true}},
      {"total", {.reads = true}},
      {"fromkeys", {.reads = true}},
      {"join", {.reads = true}},
      {"split", {.reads = true}},
      {"decode", {.reads = true}},
      {"hex", {.reads = true}},
      {"find", {.reads = true}},
      {"startswith", {.reads = true}},
      {"endswith", {.reads = true}},
      {"__iter__", {.reads = true}},
      {"__eq__", {.reads = true}},
      {"__ne__", {.reads = true}},
      {"__lt__", {.reads = true}},
      {"__le__", {.reads = true}},
      {"__gt__", {.reads = true}},
      {"__ge__", {.reads = true}},
      {"__repr__", {.reads = true}},
      {"__str__", {.reads = true}},
      {"__hash__", {.reads = true}},
      {"__format__", {.reads = true}},
      {"__reversed__", {.reads = true}},
      {"__add__", {.reads = true}},
      {"__mul__", {.reads = true}},
      {"__rmul__", {.reads = true}},
      {"__or__", {.reads = true}},
      {"__and__", {.reads = true}},
      {"__sub__", {.reads = true}},
      {"__xor__", {.reads = true}},
      {"__bool__", {.reads = true}},
      {"__copy__", {.reads = true}},
      {"__deepcopy__", {.reads = true}},
      {"__class__", {.reads = true}},
      {"__reduce__", {.reads = true}},
      {"__reduce_ex__", {.reads = true}},
      {"__sizeof__", {.reads = true}},
      {"__getattribute__", {.reads = true}},
      {"__dir__", {.reads = true}},
      // Methods of all objects, and of exceptions.
      {"__new__", {.makes = true}},
      {"__init_subclass__", {.makes = true}},
      {"__init__", {.moves = true, .writes_receiver = true, .makes = true}},
      {"__setattr__", {.writes_receiver = true, .makes = true}},
      {"__delattr__", {.writes_receiver = true}},
      {"__setstate__", {.writes_receiver = true}},
      {"add_note", {.writes_receiver = true}},
      {"with_traceback", {.writes_receiver = true}},
  };
  return table;
}

using CounterpartTable = std::unordered_map<std::string_view, CounterpartEffect>;

const CounterpartTable& counterparts() {
  constexpr CounterpartEffect kInside{.looks_inside = true};
  constexpr CounterpartEffect kHashes{.hashes_items = true};
  constexpr CounterpartEffect kOrdered{.looks_inside = true, .iterates = true, .hides_order = true};
  static const CounterpartTable table = {
      {"map", {.is_always_called = true}},
      {"methodcaller", {.is_always_called = true, .keeps_arguments = true}},
      {"filter", {.is_always_called = true}},
      {"zip", {.is_always_called = true}},
      {"enumerate", {.is_always_called = true}},
      {"merge", {.is_always_called = true}},
      {"get_type_hints", {.is_always_called = true}},
      {"cast", {.is_always_called = true}},
      {"finditer", {.is_always_called = true}},
      {"pattern_finditer", {.is_always_called = true}},
      {"list", {.iterates = true}},
      {"tuple", {.iterates = true}},
      {"deque", {.iterates = true}},
      {"list_extend", {.iterates = true}},
      {"deque_extend", {.iterates = true}},
      {"deque_extendleft", {.iterates = true}},
      {"str_join", {.iterates = true}},
      {"bytes_join", {.iterates = true}},
      {"sorted", kOrdered},
      {"min", kOrdered},
      {"max", kOrdered},
      {"nsmallest", kOrdered},
      {"nlargest", kOrdered},
      {"sum", {.looks_inside = true, .iterates = true}},
      {"any", kInside},
      {"all", kInside},
      {"heappush", kInside},
      {"heappop", kInside},
      {"heapreplace", kInside},
      {"heappushpop", kInside},
      {"heapify", kInside},
      {"bisect_right", kInside},
      {"bisect_left", kInside},
      {"bisect", kInside},
      {"insort_right", kInside},
      {"insort_left", kInside},
      {"insort", kInside},
      {"list_sort", kInside},
      {"list_remove", kInside},
      {"list_index", kInside},
      {"list_count", kInside},
      {"list___contains__", kInside},
      {"tuple_index", kInside},
      {"tuple_count", kInside},
      {"tuple___contains__", kInside},
      {"deque_remove", kInside},
      {"deque_index", kInside},
      {"deque_count", kInside},
      {"deque___contains__", kInside},
      {"dict", {.hashes_items = true, .iterates = true}},
      {"OrderedDict", {.hashes_items = true, .iterates = true}},
      {"Counter", {.hashes_items = true, .iterates = true}},
      {"dict_update", {.hashes_items = true, .iterates = true}},
      {"dict_fromkeys", {.hashes_items = true, .iterates = true}},
      {"Counter_update", {.hashes_items = true, .iterates = true}},
      {"Counter_subtract", {.hashes_items = true, .iterates = true}},
      {"defaultdict", {.hashes_items = true, .keeps_arguments = true}},
      {"set", kHashes},
      {"frozenset", kHashes},
      {"set_update", kHashes},
      {"set_union", kHashes},
      {"set_intersection", kHashes},
      {"set_difference", kHashes},
      {"set_symmetric_difference", kHashes},
      {"set_intersection_update", kHashes},
      {"set_difference_update", kHashes},
      {"set_symmetric_difference_update", kHashes},
      {"set_issubset", kHashes},
      {"set_issuperset", kHashes},
      {"set_isdisjoint", kHashes},
      {"frozenset_union", kHashes},
      {"frozenset_intersection", kHashes},
      {"frozenset_difference", kHashes},
      {"frozenset_symmetric_difference", kHashes},
      {"frozenset_issubset", kHashes},
      {"frozenset_issuperset", kHashes},
      {"frozenset_isdisjoint", kHashes},
  };
  return table;
}

const std::unordered_map<PyObject*, FunctionEffect>& functions() {
  static const std::unordered_map<PyObject*, FunctionEffect> table = [] {
    std::unordered_map<PyObject*, FunctionEffect> effects;
    for (const FunctionRow& row : kBuiltIns) {
      effects[built_in(interned(row.name)).release()] = {row.special, row.asks_nothing,
                                                         row.has_counterpart ? row.name : nullptr};
    }
    const auto add = [&](const char* module_name, const char* name, const char* counterpart) {
      const Ref module = checked(PyImport_ImportModule(module_name));
      // Where a module has two names for one function, the first counts.
      effects.try_emplace(checked(PyObject_GetAttrString(module.get(), name)).release(),
                          FunctionEffect{.counterpart = counterpart});
    };
    constexpr std::size_t kPrefix = std::string_view("operator_").size();
    for (const char* counterpart : kOperators) add("operator", counterpart + kPrefix, counterpart);
    for (const auto& [module, name] : kOfModules) add(module, name, name);
    return effects;
  }();
  return table;
}

template <typename Table>
const typename Table::mapped_type& found_in(const Table& table, std::string_view name) {
  static const typename Table::mapped_type kNothingSpecial{};
  const auto found = table.find(name);
  return found == table.end() ? kNothingSpecial : found->second;
}

}  // namespace

const FunctionEffect* effect_of(PyObject* callable) {
  const auto found = functions().find(callable);
  return found == functions().end() ? nullptr : &found->second;
}

const MethodEffect& effect_of_method(std::string_view name) { return found_in(methods(), name); }

const CounterpartEffect& effect_of_counterpart(const std::string& name) {
  return found_in(counterparts(), name);
}

bool writes_first_argument(std::string_view module, std::string_view function) {
  using Names = std::unordered_set<std::string_view>;
  static const std::unordered_map<std::string_view, Names> table = {
      {"heapq", {"heappush", "heappop", "heapreplace", "heappushpop", "heapify"}},
      {"bisect", {"insort", "insort_left", "insort_right"}},
      {"collections", {"_count_elements"}},
      {"operator",
       {"setitem", "delitem", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "ilshift",
        "irshift", "ior", "ixor", "iand", "imatmul", "iconcat"}},
  };
  if (module.starts_with('_')) module.remove_prefix(1);  // the part of it that is written in C
  const auto found = table.find(module);
  return found != table.end() && found->second.contains(function);
}

}  // namespace assay::languages::python
