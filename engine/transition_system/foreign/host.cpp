#include "transition_system/foreign/host.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "support/problems.hpp"
#include "transition_system/foreign/guard.hpp"

namespace assay::transition_system::foreign {

namespace {

constexpr std::size_t kMostOutput = std::size_t{64} << 10;

constexpr char kOutside[] =
    "it writes beside its variables and those of the model (an index outside of its array?)";
constexpr char kRounds[] = "it changes how numbers are rounded, and that is no part of the state";

bool was_reported = false;  // uerror() in the call under way
std::string output;
Memory* settled_memory = nullptr;
Untracked* settled_untracked = nullptr;

void say(const char* text, std::size_t length) {
  if (output.size() < kMostOutput) output.append(text, std::min(length, kMostOutput - output.size()));
}
void fail(std::uint32_t fault, const char* words) {
  if (words != nullptr) say(words, std::strlen(words));
  leave(fault);
}
void report(const char* words) {
  was_reported = true;
  if (words != nullptr) say(words, std::strlen(words));
}
void print(const char* text, std::uint64_t length) { say(text, length); }

/// After every call: comparing with zeros looks at many bytes at once.
bool is_zero(const std::uint8_t* begin, std::size_t bytes) {
  static constexpr std::uint8_t kZeros[4096] = {};
  for (; bytes > sizeof kZeros; begin += sizeof kZeros, bytes -= sizeof kZeros) {
    if (std::memcmp(begin, kZeros, sizeof kZeros) != 0) return false;
  }
  return std::memcmp(begin, kZeros, bytes) == 0;
}

bool is_changed(const std::uint8_t* now, const std::uint8_t* before, const assay_gaps& gaps) {
  for (std::uint32_t i = 0; i < gaps.count; ++i) {
    const std::uint32_t begin = gaps.places[2 * i], end = gaps.places[2 * i + 1];
    if (std::memcmp(now + begin, before + begin, end - begin) != 0) return true;
  }
  return false;
}

bool may_write(const void* address) {
  return (settled_memory != nullptr && settled_memory->opens(address)) ||
         (settled_untracked != nullptr && settled_untracked->opens(address));
}

/// The parts of some ranges that are not in others.
std::vector<Range> without(std::vector<Range> ranges, const std::vector<Range>& others) {
  for (const Range& other : others) {
    std::vector<Range> left;
    for (const Range& range : ranges) {
      std::uint8_t *const end = range.begin + range.bytes, *const other_end = other.begin + other.bytes;
      const auto add = [&](std::uint8_t* from, std::uint8_t* to) {
        if (from < to) left.push_back({from, static_cast<std::size_t>(to - from)});
      };
      add(range.begin, std::min(other.begin, end));
      add(std::max(other_end, range.begin), end);
    }
    ranges = std::move(left);
  }
  return ranges;
}

}  // namespace

Host::Host(const assay_foreign& foreign, const std::optional<support::ElementWords>& key)
    : foreign_(foreign), image_(foreign.image, foreign.image_bytes, foreign.heap_bytes) {
  prepare();
  const Tracked found = tracked();
  if (foreign.is_numbered != 0) {
    memory_ = std::make_unique<NumberedMemory>(found, key);
  } else {
    memory_ = std::make_unique<CopiedMemory>(found);
  }
  settled_memory = memory_.get();
  settled_untracked = &untracked_;
  if (memory_->slot_bytes() > foreign.memory_bytes) {
    throw std::runtime_error("the memory of the embedded C takes " + std::to_string(memory_->slot_bytes()) +
                             " bytes of a state, and its model has room for " +
                             std::to_string(foreign.memory_bytes) + "; compile it again");
  }
  if (foreign.only_declared != 0) {
    std::vector<Range> known = found.matched;
    known.insert(known.end(), found.unmatched.begin(), found.unmatched.end());
    untracked_.watch(without(image_.writable(), known), image_.heap());
    later_ = found.later;
  }
  beginning_.resize(foreign.memory_bytes);
  memory_->capture(beginning_.data());
  interface_ = {this, call, begin, mask};
  *foreign.host = &interface_;
}

Host::~Host() {
  if (*foreign_.host == &interface_) *foreign_.host = nullptr;
  if (settled_memory == memory_.get()) settled_memory = nullptr;
  if (settled_untracked == &untracked_) settled_untracked = nullptr;
}

/// The image is as it was linked: what the loader owes it, and what it does by itself before anything else.
void Host::prepare() {
  const Table& table = image_.table();
  *table.services = {fail, report, print};
  allow_writes(may_write);
  for (auto constructor = table.constructors; constructor < table.constructors_end; ++constructor) {
    const Called called = guarded(reinterpret_cast<int (*)()>(reinterpret_cast<void*>(*constructor)),
                                  foreign_.only_declared == 0);
    if (called.fault != ASSAY_NO_FAULT)
      throw UnsupportedProgram("the embedded C fails before the model begins, in a constructor");
  }
  image_.seal();
}

/// Data whose address is not known yet is compared with everything else: no state is taken for another by that.
Tracked Host::tracked() const {
  Tracked found;
  const Table& table = image_.table();
  std::vector<Range> declared;
  for (std::uint64_t i = 0; i < table.track_count; ++i) {
    const Track& track = table.tracks[i];
    const Range range{static_cast<std::uint8_t*>(guarded_address(track.address)), track.size};
    if (range.begin == nullptr) {
      if (foreign_.only_declared != 0) found.later.push_back(track);
      continue;
    }
    const auto is_inside = [&](const Range& writable) {
      return range.begin >= writable.begin && range.begin + range.bytes <= writable.begin + writable.bytes;
    };
    if (!std::ranges::any_of(image_.writable(), is_inside)) {
      throw UnsupportedProgram(std::string(track.place) +
                               ": this c_track names memory that the embedded C does not have, or more than "
                               "it has there");
    }
    const auto overlaps = [&](const Range& other) {
      return range.begin < other.begin + other.bytes && other.begin < range.begin + range.bytes;
    };
    if (std::ranges::any_of(declared, overlaps)) {
      throw UnsupportedProgram(std::string(track.place) +
                               ": this c_track names memory that another one names already");
    }
    declared.push_back(range);
    (track.is_matched != 0 ? found.matched : found.unmatched).push_back(range);
  }
  if (foreign_.only_declared != 0 && table.now_bytes > table.mirrored_bytes)
    found.matched.push_back({table.now + table.mirrored_bytes, table.now_bytes - table.mirrored_bytes});
  if (foreign_.only_declared == 0) {
    found.matched = without(image_.writable(), found.unmatched);
    if (const Range heap = image_.heap(); heap.bytes != 0) {
      found.matched.push_back(heap);
      found.has_heap = true;
    }
  }
  return found;
}

/// What we write ourselves may share a page with protected memory.
void Host::make_writable(const std::uint8_t* begin, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t at = 0; at < bytes; at += kPage) memory_->opens(begin + at);
  if (bytes > 0) memory_->opens(begin + bytes - 1);
}

std::uint64_t Host::parts_met() const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  return numbered == nullptr ? 0 : numbered->parts_met();
}

bool Host::hash_numbers(std::uint8_t* state) const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  if (numbered == nullptr || numbered->digests() != 0) return false;
  std::uint8_t* const slot = state + foreign_.memory_offset;
  const std::uint64_t hash = numbered->content_hash(slot);
  std::memset(slot, 0, numbered->slot_bytes());
  std::memcpy(slot, &hash, sizeof hash);
  return true;
}

bool Host::depart(std::uint8_t* state, std::vector<Part>& parts) const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  if (numbered == nullptr) return false;
  numbered->depart(state + foreign_.memory_offset, parts);
  return true;
}

void Host::arrive(std::uint8_t* state, std::span<const Part> parts) const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  if (numbered != nullptr) return numbered->arrive(state + foreign_.memory_offset, parts);
  if (!parts.empty()) throw NotPortable("a state that arrived is none of this program: it has parts");
}

PartContent Host::content_of(Part part) const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  if (numbered == nullptr) throw NotPortable("the program has no parts");
  return numbered->content_of(part);
}

Part Host::meet(const std::string& bytes, std::span<const Part> refers) {
  auto* const numbered = dynamic_cast<NumberedMemory*>(memory_.get());
  if (numbered == nullptr) throw NotPortable("the program has no parts");
  return numbered->meet(bytes, refers);
}

std::uint64_t Host::digests() const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  return numbered == nullptr ? 0 : numbered->digests();
}

std::uint64_t Host::longest_digested() const {
  const auto* const numbered = dynamic_cast<const NumberedMemory*>(memory_.get());
  return numbered == nullptr ? 0 : numbered->longest_digested();
}

std::string Host::memory_of(const std::uint8_t* state) {
  settle();
  memory_->restore(state + foreign_.memory_offset);
  std::string found;
  for (const Range& range : image_.writable())
    found.append(reinterpret_cast<const char*>(range.begin), range.bytes);
  return found;
}

std::string Host::take_output() { return std::exchange(output, {}); }

void Host::settle() {
  if (!image_.settle()) return;
  prepare();
  memory_->reinstate();
  settled_memory = memory_.get();
  settled_untracked = &untracked_;
}

std::uint32_t Host::call(void* context, assay_foreign_call* call) {
  return static_cast<Host*>(context)->execute(*call);
}

void Host::begin(void* context, std::uint8_t* state) {
  auto& host = *static_cast<Host*>(context);
  if (host.foreign_.only_declared != 0) {  // a run that is executed again finds what the first one found
    host.settle();
    host.untracked_.forget();
  }
  std::memcpy(state + host.foreign_.memory_offset, host.beginning_.data(), host.beginning_.size());
}

void Host::mask(void* context, std::uint8_t* state) {
  const auto& host = *static_cast<Host*>(context);
  host.memory_->mask(state + host.foreign_.memory_offset);
}

bool Host::is_known_to_be_endless(const assay_foreign_call& call) const {
  const std::vector<std::uint8_t> here = all_it_depends_on(call);
  return std::ranges::any_of(
      endless_, [&](const auto& known) { return known.first == call.function && known.second == here; });
}

std::vector<std::uint8_t> Host::all_it_depends_on(const assay_foreign_call& call) const {
  std::vector<std::uint8_t> found(call.state, call.state + foreign_.memory_offset + foreign_.memory_bytes);
  if (call.process != nullptr) {
    found.insert(found.end(), call.process, call.process + call.process_bytes);
    found.push_back(static_cast<std::uint8_t>(call.pid));
  }
  if (call.others != nullptr)
    found.insert(found.end(), call.others, call.others + image_.table().others_bytes);
  return found;
}

void Host::clear_margins() {
  for (const Range& range : image_.margins()) std::memset(range.begin, 0, range.bytes);
}

/// Beside the variables of the model lies what the model itself needs: how many processes there are and where each of
/// them is, what channels hold. And behind the process of the call, and behind the last variable, lies what nobody puts back.
bool Host::writes_outside(const assay_foreign_call& call) const {
  const Table& table = image_.table();
  if (is_changed(table.now, call.state, foreign_.gaps)) return true;
  if (call.others != nullptr && std::memcmp(table.others, call.others, table.others_bytes) != 0) return true;
  const std::size_t own = call.process == nullptr ? 0 : call.process_bytes;
  if (call.process != nullptr && (table.pid[0] != call.pid || table.pid[1] != 0 ||
                                  is_changed(table.self, call.process, *call.process_gaps))) {
    return true;
  }
  return *table.system_errno != &errno || !is_zero(table.self + own, table.self_bytes - own) ||
         std::ranges::any_of(image_.margins(),
                             [](const Range& range) { return !is_zero(range.begin, range.bytes); });
}

std::uint32_t Host::execute(assay_foreign_call& call) {
  settle();
  if (!endless_.empty() && is_known_to_be_endless(call)) return ASSAY_FAULT_ENDLESS;
  const Table& table = image_.table();
  std::uint8_t* const slot = call.state + foreign_.memory_offset;
  memory_->restore(slot);
  make_writable(table.now, table.mirrored_bytes);
  std::memcpy(table.now, call.state, table.mirrored_bytes);
  std::memset(table.pid, 0, 2 * sizeof *table.pid);
  std::memset(table.self, 0, table.self_bytes);
  if (call.process != nullptr) {
    std::memcpy(table.self, call.process, call.process_bytes);
    *table.pid = call.pid;
  }
  if (call.others != nullptr) std::memcpy(table.others, call.others, table.others_bytes);
  *table.system_errno = &errno;
  errno = 0;
  was_reported = false;
  Called called = guarded(table.functions[call.function], foreign_.only_declared == 0);
  call.answer = called.answer;
  if (called.fault == kFaultOfRounding) {
    say(kRounds, sizeof kRounds - 1);
    called.fault = ASSAY_FAULT_UNDEFINED;
  } else if (called.fault == ASSAY_NO_FAULT && writes_outside(call)) {
    say(kOutside, sizeof kOutside - 1);
    called.fault = ASSAY_FAULT_MEMORY;
  }
  if (called.fault != ASSAY_NO_FAULT) clear_margins();
  if (called.fault != ASSAY_NO_FAULT) {
    memory_->discard();
    if (called.fault == ASSAY_FAULT_ENDLESS) {
      endless_.emplace_back(call.function, all_it_depends_on(call));
    }
    return called.fault;
  }
  if (foreign_.only_declared != 0) {
    std::vector<Range> known;  // its address is known by now
    for (const Track& track : later_)
      known.push_back({static_cast<std::uint8_t*>(guarded_address(track.address)), track.size});
    untracked_.look(call.function, call.is_question != 0, known);
  }
  if (call.is_question != 0) {
    const bool is_same =
        std::memcmp(table.now, call.state, table.mirrored_bytes) == 0 &&
        (call.process == nullptr || std::memcmp(table.self, call.process, call.process_bytes) == 0);
    if (!memory_->is_unchanged(slot)) {
      memory_->discard();
      return ASSAY_FAULT_EFFECT;
    }
    if (!is_same) return ASSAY_FAULT_EFFECT;
  } else {
    std::memcpy(call.state, table.now, table.mirrored_bytes);
    if (call.process != nullptr) std::memcpy(call.process, table.self, call.process_bytes);
    memory_->capture(slot);
  }
  return was_reported ? ASSAY_FAULT_REPORTED : ASSAY_NO_FAULT;
}

}  // namespace assay::transition_system::foreign
