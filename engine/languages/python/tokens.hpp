/// The words that captured values are written in. Every word tells by itself what it is, so a component can be
/// searched for references and rewritten without knowing what it means.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::languages::python {

enum class Tag : std::uint8_t {
  kNumber,         // counts, positions, flags
  kLeaf,           // number of an immutable value (Leaves)
  kShared,         // object slot and type: an object with a slot of its own
  kLocal,          // an object stored further down in the same thread
  kNull,           // unbound
  kTuple,          // that many values follow
  kFrozenset,      // that many values follow
  kMethod,         // function and receiver follow
  kBuiltinMethod,  // leaf with the method of its type, receiver
  kSlice,          // three values follow
  kSuper,          // class and receiver follow
  kView,           // of a dict: 0 keys, 1 values, 2 items; the dict follows
  kNamedTuple,     // class leaf and that many values follow: a tuple of a subclass
  kWrapper,  // class leaf and its parts follow: a staticmethod, classmethod or property around what is no leaf, a date in a zone of the program
  kNativeFunction,  // template leaf, defaults, keyword defaults and contents of cells follow: a function that CPython
                    // made while the program ran, around what is no leaf
  kWeak,            // a reference that keeps nothing alive follows; 1: an identity
  kObject,          // begins the record of an object or thread; the payload is its kind
};

using Token = std::uint64_t;

constexpr int kTagShift = 56;
constexpr Token token(Tag tag, std::uint64_t payload = 0) { return (Token(tag) << kTagShift) | payload; }
constexpr Tag tag_of(Token t) { return Tag(t >> kTagShift); }
constexpr std::uint64_t payload_of(Token t) { return t & ((Token{1} << kTagShift) - 1); }

/// A shared object's token says its type too: what depends on the type alone is known to whoever holds the reference.
constexpr int kSlotBits = 24;
constexpr Token shared(std::uint32_t slot, std::uint32_t type) {
  return token(Tag::kShared, (std::uint64_t{type} << kSlotBits) | slot);
}
constexpr std::uint32_t slot_of(Token t) { return static_cast<std::uint32_t>(t & ((1u << kSlotBits) - 1)); }
constexpr std::uint32_t type_of(Token t) { return static_cast<std::uint32_t>(payload_of(t) >> kSlotBits); }

/// Beside the kind of an iterator: the elements that it goes over follow.
constexpr std::uint64_t kHasElements = 0x100;
/// And: what it goes over has changed its shape since it began.
constexpr std::uint64_t kIsStale = 0x200;
constexpr std::uint64_t kIterationMask = 0xFF;
/// So many words after the one that begins an iterator's record is its container, and right after that one its kind.
constexpr std::size_t kContainerOfIterator = 4;

enum class Kind : std::uint8_t {
  kStatics,  // final globals, module states, methods of classes, invariants
  kGlobal,   // one global variable, or the data attributes of one class
  kThread,
  kList,
  kDict,  // dict and its built-in subclasses
  kSet,
  kDeque,
  kByteArray,
  kInstance,  // of a class of the program, possibly with a built-in base
  kCell,
  kFunction,
  kGenerator,
  kIterator,
  kNotANumber,  // of which each is equal to nothing but itself, so it has an identity; getters of `operator` and matches of `re` too
};

}  // namespace assay::languages::python
