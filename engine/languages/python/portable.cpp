/// States that travel between processes: the parts of `Machine` that write them by content and read them.
///
/// A state travels as its components; and as a *layout*, which tells what classes the data components among them are of,
/// because each process numbers the classes that a program makes in the order in which it meets them. A component travels as its words,
/// with the names of leaves in place of their numbers. Most leaves are made of their names. Those that only the program makes
/// (classes, functions, what a library computes) need a *lesson*: the state in whose steps, or checks, they were met here.
/// Whoever executes these meets them too. So no object of Python is ever made of bytes but numbers, texts and tuples.
#include <algorithm>
#include <cstring>

#include "languages/python/machine.hpp"
#include "support/problems.hpp"

namespace assay::languages::python {

using transition_system::length_of;
using transition_system::Part;
using transition_system::PartContent;
using transition_system::PortableState;
using transition_system::StateView;

namespace {

enum class PartKind : std::uint32_t { kComponent, kLayout, kLesson };

Part part(PartKind kind, std::uint32_t number) {
  return Part{std::uint64_t{static_cast<std::uint32_t>(kind)} << 32 | number};
}
std::uint32_t number_of(Part part, PartKind kind) {
  const auto number = static_cast<std::uint64_t>(part);
  if (number >> 32 != static_cast<std::uint32_t>(kind))
    throw NotPortable("a state that arrived is none of this program: its parts are in no order");
  return static_cast<std::uint32_t>(number);
}

constexpr char kDataOfLibrary[] =
    "a class of a library has data on one way through the program and none on another";

constexpr char kComponentLetter = 'c', kLayoutLetter = 'l', kLessonLetter = 's';

/// Before the name and the makeup of a class that the program makes; no leaf's name begins so.
constexpr char kMadeClassLetter = 'c';

void append(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

[[noreturn]] void refuse() {
  throw NotPortable("a part of a state that arrived is nothing that this program could have written");
}

/// Bytes that nobody promises are there.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }
  std::string_view next(std::size_t count) {
    if (count > bytes_.size()) refuse();
    const std::string_view found = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return found;
  }
  std::uint64_t word() {
    std::uint64_t word = 0;
    std::memcpy(&word, next(sizeof word).data(), sizeof word);
    return word;
  }

 private:
  std::string_view bytes_;
};

std::uint64_t hash_of_name(const std::string& name, std::uint64_t seed) {
  std::vector<std::uint64_t> words((name.size() + 7) / 8, 0);
  std::memcpy(words.data(), name.data(), name.size());
  return support::hash_words(words.data(), words.size(), seed + name.size());
}

/// Whether this is the data of a class that the state has not.
bool is_no_class(std::span<const Token> data) {
  return data.size() == 2 && data[1] == token(Tag::kNumber, 0);
}

}  // namespace

/// Of a leaf; with the makeup of a class, which is no part of any component, but without which a class of another process might
/// be taken for one that has other bases there.
const std::string& Machine::portable_name(LeafId leaf, std::string& scratch) const {
  const std::string& name = world_->heap.leaves.name(leaf);
  const std::string* const makeup = name[0] == 'C' ? world_->heap.makeup(leaf) : nullptr;
  if (makeup == nullptr) return name;
  scratch.assign(1, kMadeClassLetter);
  append(scratch, name.size());
  scratch += name;
  scratch += *makeup;
  return scratch;
}

LeafId Machine::met_leaf(std::string_view portable_name) const {
  Leaves& leaves = world_->heap.leaves;
  if (portable_name.empty()) refuse();
  std::string_view makeup;
  if (portable_name[0] == kMadeClassLetter) {
    Bytes bytes(portable_name.substr(1));
    portable_name = bytes.next(bytes.word());
    makeup = bytes.next(bytes.left());
  }
  const std::optional<LeafId> leaf = leaves.meet(std::string(portable_name));
  if (!leaf) {
    throw NotPortable("a state that arrived holds something that this process does not know how to make: " +
                      std::string(portable_name.substr(0, 60)));
  }
  const std::string* const own = leaves.name(*leaf)[0] == 'C' ? world_->heap.makeup(*leaf) : nullptr;
  if (own == nullptr ? !makeup.empty() : *own != makeup) {
    throw UnsupportedProgram(
        "a class has other bases, slots or members on another way through the program: " +
        std::string(portable_name.substr(1, 60)) + "; write two classes");
  }
  return *leaf;
}

ComponentId Machine::met_component(std::string_view content) const {
  Bytes bytes(content);
  std::vector<Token> tokens;
  while (!bytes.at_end()) {
    const Token t = bytes.word();
    if (tag_of(t) > Tag::kObject) refuse();
    if (tag_of(t) == Tag::kLeaf) {
      tokens.push_back(token(Tag::kLeaf, met_leaf(bytes.next(payload_of(t)))));
    } else if (tag_of(t) == Tag::kShared) {
      tokens.push_back(shared(slot_of(t), met_leaf(bytes.next(type_of(t)))));
    } else {
      tokens.push_back(t);
    }
  }
  if (tokens.size() < 2 || tag_of(tokens[0]) != Tag::kObject ||
      payload_of(tokens[0]) > static_cast<std::uint64_t>(Kind::kNotANumber)) {
    refuse();
  }
  const auto kind = static_cast<Kind>(payload_of(tokens[0]));
  if ((kind == Kind::kThread && tokens.size() < 4) || (kind == Kind::kIterator && tokens.size() < 5))
    refuse();
  return world_->heap.components.intern(tokens);
}

/// Which of the classes with data a state has.
std::uint32_t Machine::layout_of(const StateIds& state) const {
  const Heap& heap = world_->heap;
  made_.clear();
  for (std::uint32_t fixed = heap.fixed_of_variables(); fixed < state.fixed; ++fixed) {
    if (!is_no_class(heap.components.tokens(state.ids[fixed]))) made_.push_back(fixed);
  }
  const auto known = layout_of_fixed_.find(made_);
  if (known != layout_of_fixed_.end()) return known->second;
  const Locked locked;
  std::vector<std::pair<std::string, std::uint32_t>> named;  // in an order that all processes share
  for (const std::uint32_t fixed : made_) {
    const LeafId leaf = *world_->heap.leaves.find(reinterpret_cast<PyObject*>(heap.class_at(fixed)));
    named.emplace_back(heap.leaves.name(leaf), fixed);
  }
  std::ranges::sort(named);
  Layout layout;
  for (const auto& [name, fixed] : named) {
    layout.classes.push_back(*world_->heap.leaves.meet(name));
    layout.fixed.push_back(fixed);
    layout.content_hash = hash_of_name(name, layout.content_hash);
  }
  return add_layout(std::move(layout));
}

void Machine::depart(const StateIds& state, PortableState& out) const {
  const std::uint32_t number = layout_of(state);
  const Layout& layout = layouts_[number];
  const std::uint32_t variables = std::min(world_->heap.fixed_of_variables(), state.fixed);
  out.words.assign(1, (variables + layout.fixed.size()) | (std::uint64_t{state.threads} << 32));
  out.parts.assign(1, part(PartKind::kLayout, number));
  const auto take = [&](ComponentId id) { out.parts.push_back(part(PartKind::kComponent, id)); };
  for (std::uint32_t i = 0; i < variables; ++i) take(state.ids[i]);
  for (const std::uint32_t fixed : layout.fixed) take(state.ids[fixed]);
  for (std::size_t i = state.fixed; i < state.ids.size(); ++i) take(state.ids[i]);
}

void Machine::depart(StateView state, PortableState& out) const {
  const std::lock_guard guard(mutex_);
  ids_of(state.data(), length_of(state), checked_);
  depart(checked_, out);
}

StateIds Machine::arrived(std::span<const std::uint64_t> words, std::span<const Part> parts) const {
  const Heap& heap = world_->heap;
  const Components& components = heap.components;
  if (words.size() != 1 || parts.empty()) refuse();
  const auto fixed = static_cast<std::uint32_t>(words[0]),
             threads = static_cast<std::uint32_t>(words[0] >> 32);
  const std::uint32_t layout_number = number_of(parts[0], PartKind::kLayout);
  const Layout& layout = layouts_[layout_number];
  const std::uint32_t variables = heap.fixed_of_variables();
  parts = parts.subspan(1);
  if (fixed != variables + layout.fixed.size() || std::uint64_t{fixed} + threads > parts.size()) refuse();
  std::vector<ComponentId> ids;
  for (const Part one : parts) ids.push_back(number_of(one, PartKind::kComponent));
  const std::size_t objects = ids.size() - fixed - threads;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Kind kind = components.kind(ids[i]);
    const bool fits = i == 0                ? kind == Kind::kStatics
                      : i < fixed           ? kind == Kind::kGlobal
                      : i < fixed + threads ? kind == Kind::kThread
                                            : kind > Kind::kThread;
    if (!fits ||
        std::ranges::any_of(components.refs(ids[i]), [&](std::uint32_t s) { return s >= objects; })) {
      refuse();
    }
    if (kind == Kind::kInstance && components.finals(ids[i]) == 0) refuse();
  }
  StateIds state;
  state.threads = threads;
  state.ids.assign(ids.begin(), ids.begin() + variables);
  state.fixed = variables;
  for (const std::uint32_t place : layout.fixed) state.fixed = std::max(state.fixed, place + 1);
  if (state.fixed > variables + layout.fixed.size()) {
    const Token none[] = {token(Tag::kObject, static_cast<std::uint64_t>(Kind::kGlobal)),
                          token(Tag::kNumber, 0)};
    state.ids.resize(state.fixed, world_->heap.components.intern(none));
  } else {
    state.ids.resize(state.fixed);
  }
  for (std::size_t i = 0; i < layout.fixed.size(); ++i) state.ids[layout.fixed[i]] = ids[variables + i];
  // A class that has data here and none where the state comes from: its data would be that of another state.
  for (const Token t : components.tokens(state.ids[0])) {
    if (tag_of(t) != Tag::kLeaf || heap.leaves.name(static_cast<LeafId>(payload_of(t)))[0] != 'C') continue;
    const auto* const type =
        reinterpret_cast<PyTypeObject*>(heap.leaves.object(static_cast<LeafId>(payload_of(t))));
    const std::uint32_t place = heap.fixed_of_class(const_cast<PyTypeObject*>(type));
    if (place != 0 && std::ranges::find(layout.fixed, place) == layout.fixed.end())
      throw UnsupportedProgram(kDataOfLibrary);
  }
  state.ids.insert(state.ids.end(), ids.begin() + fixed, ids.end());
  return state;
}

std::uint32_t Machine::arrive(const PortableState& state, std::uint64_t* words) const {
  const std::lock_guard guard(mutex_);
  make_initial();
  const StateIds ids = arrived(state.words, state.parts);
  const std::uint32_t count = word_count(ids);
  write_words(ids, words);
  return count;
}

std::uint32_t Machine::lesson_number(const StateIds& state, std::uint32_t question) const {
  std::vector<std::uint32_t> key(state.ids.begin(), state.ids.end());
  key.insert(key.end(), {state.fixed, state.threads, question});
  const auto [place, is_new] =
      lesson_numbers_.emplace(std::move(key), static_cast<std::uint32_t>(lessons_.size()));
  if (is_new) lessons_.push_back({state, question});
  return place->second;
}

void Machine::note_lesson(std::size_t leaves_before, const StateIds& state, std::uint32_t question) const {
  const Leaves& leaves = world_->heap.leaves;
  if (leaves.size() == leaves_before) return;
  lesson_of_leaf_.resize(leaves.size(), kNoLesson);
  std::vector<LeafId> made;
  for (std::size_t leaf = leaves_before; leaf < leaves.size(); ++leaf) {
    made.clear();
    leaves.add_made_by_program(static_cast<LeafId>(leaf), made);
    if (std::ranges::find(made, leaf) != made.end()) lesson_of_leaf_[leaf] = lesson_number(state, question);
  }
}

PartContent Machine::content_of(Part wanted) const {
  const std::lock_guard guard(mutex_);
  const Heap& heap = world_->heap;
  const auto number = static_cast<std::uint32_t>(wanted);
  PartContent content;
  std::vector<LeafId> leaves;
  switch (static_cast<PartKind>(static_cast<std::uint64_t>(wanted) >> 32)) {
    case PartKind::kComponent: {
      const ComponentId finals = heap.components.finals(number);
      const std::string whole = content_of(number);
      content.bytes.assign(1, kComponentLetter);
      append(content.bytes, whole.size());
      content.bytes += whole;
      if (finals != 0) content.bytes += content_of(finals);
      for (const Token t : heap.components.tokens(number)) {
        if (tag_of(t) == Tag::kLeaf) leaves.push_back(static_cast<LeafId>(payload_of(t)));
        if (tag_of(t) == Tag::kShared) leaves.push_back(type_of(t));
      }
      break;
    }
    case PartKind::kLayout: {
      content.bytes.assign(1, kLayoutLetter);
      std::string scratch;
      for (const LeafId leaf : layouts_.at(number).classes) {
        const std::string& name = portable_name(leaf, scratch);
        append(content.bytes, name.size());
        content.bytes += name;
        leaves.push_back(leaf);
      }
      break;
    }
    case PartKind::kLesson: {
      const Lesson& lesson = lessons_.at(number);
      PortableState state;
      depart(lesson.state, state);
      content.bytes.assign(1, kLessonLetter);
      append(content.bytes, lesson.question);
      for (const std::uint64_t word : state.words) append(content.bytes, word);
      content.refers = std::move(state.parts);
      break;
    }
  }
  std::vector<LeafId> made;
  std::ranges::sort(leaves);
  const auto twice = std::ranges::unique(leaves);
  leaves.erase(twice.begin(), twice.end());
  for (const LeafId leaf : leaves) heap.leaves.add_made_by_program(leaf, made);
  for (const LeafId leaf : made) {
    const std::uint32_t lesson = leaf < lesson_of_leaf_.size() ? lesson_of_leaf_[leaf] : kNoLesson;
    if (lesson == kNeedsNone) continue;
    if (lesson == kNoLesson) {
      throw UnsupportedProgram(
          "a state cannot travel to another process: nobody knows when the program made " +
          heap.leaves.name(leaf).substr(0, 60));
    }
    const Part taught = part(PartKind::kLesson, lesson);
    if (std::ranges::find(content.needs, taught) == content.needs.end()) content.needs.push_back(taught);
  }
  return content;
}

Part Machine::meet(const std::string& content, std::span<const Part> refers) const {
  const std::lock_guard guard(mutex_);
  make_initial();
  const Locked locked;
  try {
    const std::string_view bytes(content);
    switch (content.empty() ? '\0' : content[0]) {
      case kComponentLetter: return part(PartKind::kComponent, met_whole_component(bytes.substr(1)));
      case kLayoutLetter: return part(PartKind::kLayout, met_layout(bytes.substr(1)));
      case kLessonLetter: return part(PartKind::kLesson, met_lesson(bytes.substr(1), refers));
      default: refuse();
    }
  } catch (const PythonError&) {
    PyErr_Clear();
    refuse();
  } catch (const Unsupported& problem) {
    throw UnsupportedProgram(problem.what());
  }
}

ComponentId Machine::met_whole_component(std::string_view content) const {
  Bytes bytes(content);
  const ComponentId id = met_component(bytes.next(bytes.word()));
  if (bytes.at_end()) return id;
  Components& components = world_->heap.components;
  const ComponentId finals = met_component(bytes.next(bytes.left()));
  if (components.kind(id) != Kind::kInstance || components.kind(finals) != Kind::kInstance) refuse();
  if (components.finals(id) == 0) components.set_finals(id, finals);
  if (components.finals(id) != finals) refuse();
  return id;
}

std::uint32_t Machine::met_layout(std::string_view content) const {
  Bytes bytes(content);
  Layout layout;
  while (!bytes.at_end()) {
    const LeafId leaf = met_leaf(bytes.next(bytes.word()));
    if (world_->heap.makeup(leaf) == nullptr) refuse();
    const std::uint32_t fixed =
        world_->heap.fixed_of_class(reinterpret_cast<PyTypeObject*>(world_->heap.leaves.object(leaf)));
    if (fixed == 0) throw UnsupportedProgram(kDataOfLibrary);
    layout.classes.push_back(leaf);
    layout.fixed.push_back(fixed);
    layout.content_hash = hash_of_name(world_->heap.leaves.name(leaf), layout.content_hash);
  }
  return add_layout(std::move(layout));
}

std::uint32_t Machine::add_layout(Layout layout) const {
  const auto [place, is_new] =
      layout_numbers_.emplace(layout.classes, static_cast<std::uint32_t>(layouts_.size()));
  if (is_new) {
    std::vector<std::uint32_t> fixed = layout.fixed;
    std::ranges::sort(fixed);
    layout_of_fixed_.emplace(std::move(fixed), place->second);
    layouts_.push_back(std::move(layout));
  }
  return place->second;
}

std::uint32_t Machine::met_lesson(std::string_view content, std::span<const Part> refers) const {
  Bytes bytes(content);
  const std::uint64_t question = bytes.word();
  std::vector<std::uint64_t> words;
  while (!bytes.at_end()) words.push_back(bytes.word());
  const StateIds state = arrived(words, refers);
  if (question > registered_in(state.ids[0]).first) refuse();
  if (question == 0) {
    std::vector<Step> found;
    steps(state, found);
  } else {
    outcome_of_check(state, static_cast<std::uint32_t>(question - 1));
  }
  return lesson_number(state, static_cast<std::uint32_t>(question));
}

}  // namespace assay::languages::python
