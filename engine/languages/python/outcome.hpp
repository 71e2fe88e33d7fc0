/// What a step does to a state, and what people are told of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "languages/python/code.hpp"
#include "languages/python/components.hpp"
#include "languages/python/normality_proofs.hpp"
#include "languages/python/step_memo.hpp"

namespace assay::languages::python {

/// One access of a step, for people and for races.
struct Access {
  bool is_write = false;
  Event::Kind place = Event::Kind::kObject;
  std::uint32_t index = 0;   // object slot or fixed component
  std::uint32_t detail = 0;  // leaf of the attribute or key; 0: all of it
  const Code* code = nullptr;
  std::uint32_t pc = 0;
  bool is_operation = false;  // of a library, early; for people only

  bool conflicts_with(const Access& other) const {
    return place == other.place && index == other.index && (is_write || other.is_write) &&
           (detail == other.detail || detail == 0 || other.detail == 0);
  }
};

/// What a step does to a state.
struct Outcome {
  enum class Kind : std::uint8_t { kState, kBlocked, kCut, kViolation };
  Kind kind = Kind::kState;
  std::uint32_t violation = 0;
  bool is_finished = false;        // the thread ended, and nobody knows it
  bool changes_structure = false;  // the new state needs its normal form
  bool is_patch = false;           // components are replaced, none appear or vanish
  ComponentId thread = 0;
  std::vector<std::pair<std::uint32_t, ComponentId>> fixed, objects;  // written
  std::vector<ComponentId> new_fixed, fresh, started;
  std::vector<std::uint32_t>
      reshaped;                  // objects of which loops over them notice that entries came, went or moved
  std::vector<Access> accesses;  // outside of synchronisation, `sync` only
  mutable NormalityProofs stays_normal;  // of patches that change structure

  bool is_step() const { return kind == Kind::kState || kind == Kind::kViolation; }
};

/// A violation in the program's words.
struct Violation {
  std::string kind, message, file;
  std::uint32_t line = 0;
  std::vector<std::pair<const Code*, std::uint32_t>> traceback;
  std::string property = {};  // an invariant that fails, by its name
};

}  // namespace assay::languages::python
