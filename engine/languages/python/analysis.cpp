#include "languages/python/analysis.hpp"

#include <map>
#include <string>

namespace assay::languages::python {
namespace {

Operation operation(std::uint32_t instruction) { return static_cast<Operation>(instruction & 0xFF); }

bool falls_through(Operation op) {
  switch (op) {
    case Operation::JUMP:
    case Operation::LOOP:
    case Operation::RETURN_VALUE:
    case Operation::RAISE:
    case Operation::RERAISE:
    case Operation::FAIL: return false;
    default: return true;
  }
}

bool jumps(Operation op) {
  switch (op) {
    case Operation::JUMP:
    case Operation::LOOP:
    case Operation::POP_JUMP_IF_FALSE:
    case Operation::POP_JUMP_IF_TRUE:
    case Operation::JUMP_IF_FALSE_OR_POP:
    case Operation::JUMP_IF_TRUE_OR_POP:
    case Operation::FOR_ITER: return true;
    default: return false;
  }
}

/// Backwards, until nothing changes: a local lives before an instruction that reads it, and before one that does not
/// store it and has a successor before which it lives. A handler follows every instruction that it covers.
void find_live_locals(Code& code) {
  const std::size_t count = code.instructions.size();
  code.live_at.assign(count + 1, std::vector<bool>(code.local_names.size(), false));
  std::vector<std::uint32_t> handler(count, 0xFFFFFFFFu);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Handler& h : code.handlers) {
      if (i >= h.start && i < h.end) {
        handler[i] = h.target;
        break;
      }
    }
  }
  bool changes = true;
  while (changes) {
    changes = false;
    for (std::size_t i = count; i-- > 0;) {
      const Operation op = operation(code.instructions[i]);
      const std::uint32_t operand = code.instructions[i] >> 8;
      std::vector<bool> live(code.local_names.size(), false);
      const auto follow = [&](std::size_t next) {
        for (std::size_t k = 0; k < live.size(); ++k) live[k] = live[k] || code.live_at[next][k];
      };
      if (falls_through(op)) follow(i + 1);
      if (jumps(op) && operand <= count) follow(operand);
      if (op == Operation::STORE_FAST) live[operand] = false;
      if (handler[i] != 0xFFFFFFFFu) follow(handler[i]);  // before the store has happened
      if (op == Operation::LOAD_FAST || op == Operation::DELETE_FAST) live[operand] = true;
      if (live != code.live_at[i]) {
        code.live_at[i] = std::move(live);
        changes = true;
      }
    }
  }
}

bool is_in_loop(const Code& code, std::size_t at) {
  for (std::size_t j = at; j < code.instructions.size(); ++j) {
    if (operation(code.instructions[j]) == Operation::LOOP && (code.instructions[j] >> 8) <= at) return true;
  }
  return false;
}

std::string text(const Ref& name) { return PyUnicode_AsUTF8(name.get()); }

int stores_in_nested(const Code& code, const std::string& name) {
  int stores = 0;
  for (const Ref& constant : code.constants) {
    const Code* const inner = code_of(constant.get());
    if (inner == nullptr) continue;
    for (std::size_t i = 0; i < inner->free_names.size(); ++i) {
      if (text(inner->free_names[i]) != name) continue;
      for (std::uint32_t instruction : inner->instructions) {
        const Operation op = operation(instruction);
        if ((op == Operation::STORE_DEREF || op == Operation::DELETE_DEREF) &&
            (instruction >> 8) == inner->cell_names.size() + i) {
          ++stores;
        }
      }
      stores += stores_in_nested(*inner, name);
    }
  }
  return stores;
}

void find_final_cells(Code& code, const std::map<std::string, bool>& outer) {
  code.final_cells.clear();
  std::map<std::string, bool> known = outer;
  for (std::size_t cell = 0; cell < code.cell_names.size(); ++cell) {
    int stores = 0;
    for (const auto& [of, local] : code.cell_parameters) stores += of == cell;
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      const Operation op = operation(code.instructions[i]);
      if ((op != Operation::STORE_DEREF && op != Operation::DELETE_DEREF) ||
          (code.instructions[i] >> 8) != cell)
        continue;
      stores += is_in_loop(code, i) ? 2 : 1;
    }
    // One in an inner function may be executed many times.
    stores += 2 * stores_in_nested(code, text(code.cell_names[cell]));
    code.final_cells.push_back(stores <= 1);
    known[text(code.cell_names[cell])] = stores <= 1;
  }
  for (const Ref& name : code.free_names) {
    const auto found = known.find(text(name));
    code.final_cells.push_back(text(name) == "__class__" || (found != known.end() && found->second));
  }
  for (const Ref& constant : code.constants) {
    if (const Code* const inner = code_of(constant.get())) find_final_cells(const_cast<Code&>(*inner), known);
  }
}

/// What a module's body makes outside of loops is made once, and so are the methods of a class, unless class statements
/// are known to be executed again.
void find_made_once(const Code& code, bool runs_once, bool has_repeated_classes) {
  for (std::size_t i = 0; i + 1 < code.instructions.size(); ++i) {
    if (operation(code.instructions[i]) != Operation::LOAD_CONST) continue;
    auto* const inner = const_cast<Code*>(code_of(code.constants[code.instructions[i] >> 8].get()));
    if (inner == nullptr) continue;
    const bool is_function = operation(code.instructions[i + 1]) == Operation::MAKE_FUNCTION;
    inner->is_made_once = is_function && runs_once && !is_in_loop(code, i);
    const bool is_repeated = has_repeated_classes && (!runs_once || is_in_loop(code, i));
    find_made_once(*inner, !is_function && !is_repeated, has_repeated_classes);
  }
}

}  // namespace

void analyse(Program& program) {
  for (const auto& code : program.codes) find_live_locals(*code);
  for (const Module& module : program.modules) {
    find_final_cells(const_cast<Code&>(*module.code), {});
    find_made_once(*module.code, true, program.has_repeated_classes);
  }
}

}  // namespace assay::languages::python
