/// The states a search has seen, exactly, in one 64-bit key each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/key_table.hpp"
#include "support/memory.hpp"

namespace assay::storage {

/// A state by the order in which it was stored.
enum class StateId : std::uint32_t {};
constexpr std::uint32_t number_of(StateId id) { return static_cast<std::uint32_t>(id); }

/// Stores word strings of any length and is the only owner of their memory.
/// Two states share an id exactly when they are equal word by word.
///
/// Every word position has a table that numbers the values seen there (and
/// "the state is shorter", where that happens). The numbers of neighbouring
/// positions are packed side by side into a 64-bit word; when one word is not
/// enough, the positions form several groups whose words are numbered in turn,
/// level above level, until one word remains: the key of the state.
///
///     level 1 (top)          [ id of group 0 | id of group 1 ]        = key
///                               /                    \.
///     level 0        [ id | id | id | id ]      [ id | id | id ]
///                      |    |    |    |           |    |    |
///     words           w0   w1   w2   w3          w4   w5   w6
///
/// Under one layout, keys and states correspond one to one. Positions that
/// never change cost no bits. A successor is encoded from its parent: only
/// changed words are numbered anew and only the groups above them packed anew,
/// so a step costs about the same in narrow and wide states.
///
/// When a number no longer fits its field, the layout changes (`maintain`):
/// the group redistributes its bits, or is split in two like a node of a
/// B-tree. Only the tables above are translated; ids, those of states included,
/// stay what they were.
class ExactStateStore {
 public:
  /// One decoded state. Moving it to a similar state is cheap.
  struct Cursor {
    std::vector<std::uint64_t> words;
    std::uint32_t length = 0;
    std::vector<std::uint64_t> group_words;
    std::uint64_t generation = 0;  // of the layout it was decoded under

    std::span<const std::uint64_t> view() const { return {words.data(), length}; }
  };

  struct Change {
    std::uint32_t field;
    std::uint32_t id;
  };

  /// What a thread needs to encode, and what it asks of `maintain`.
  struct Workspace {
    std::vector<Change> changes;
    std::uint32_t shortest = 0xFFFFFFFFu;  // length of a state that needs "absent" words
  };

  ExactStateStore(std::uint32_t max_words, const support::MemoryBudget& budget);

  /// Stores the first state, as id 0.
  void add_first(const std::uint64_t* words, std::uint32_t count);

  Cursor make_cursor() const;
  Workspace make_workspace() const;

  /// Decodes a stored state into the cursor.
  void read(StateId id, Cursor& cursor) const { decode(key(id), cursor); }
  std::uint64_t key(StateId id) const { return keys_.key(number_of(id)); }
  void decode(std::uint64_t key, Cursor& cursor) const;

  /// The key of a state, computed from its difference to the cursor. False:
  /// the layout has no room for it; call `maintain`, decode the parent again
  /// and drop the keys made so far.
  template <Sharing sharing>
  bool encode(const Cursor& parent, const std::uint64_t* words, std::uint32_t count, Workspace& workspace,
              std::uint64_t& key);

  /// Makes the room that `encode` missed. Keys change, ids do not. Alone.
  void maintain(Workspace& workspace);
  /// False after `maintain` ran out of memory half way: states cannot be read.
  bool is_readable() const { return is_readable_; }
  /// Room for growth before threads share the tables. Alone.
  void prepare_sharing();
  /// Counts the layouts; a key is good only under the layout that made it.
  std::uint64_t generation() const { return generation_; }

  /// The keys of all states; the position of a key is the id of its state.
  KeyTable& keys() { return keys_; }
  const KeyTable& keys() const { return keys_; }
  std::uint32_t size() const { return keys_.size(); }
  std::size_t bytes() const;
  std::size_t levels() const { return levels_.size(); }

  /// Keys held outside (a search stack, a cache) that a new layout must translate too.
  void add_outside_keys(std::vector<std::uint64_t>* keys) { outside_.push_back(keys); }

 private:
  struct alignas(64) Field {
    std::uint32_t id_limit = 1;  // ids below it fit the field
    std::uint32_t mask = 0;
    std::uint32_t group = 0;
    std::uint32_t absent = KeyTable::kNone;  // the id that means "no word here"
    std::uint8_t shift = 0;
    std::uint8_t bits = 0;
    KeyTable table;
  };
  /// A field that takes part in decoding: those of zero bits never change.
  struct LiveField {
    std::uint32_t field;
    std::uint32_t mask;
    std::uint8_t shift;
  };
  struct Group {
    std::uint32_t first_field = 0;
    std::uint32_t field_count = 0;
    std::uint32_t first_live = 0;
    std::uint32_t live_count = 0;
  };
  struct Level {
    std::vector<Field> fields;
    std::vector<Group> groups;
    std::vector<LiveField> live;
    std::uint32_t first_group_word = 0;  // where its groups start in Cursor::group_words
  };
  /// A field of a level above that became several, because its group split.
  struct Expansion {
    std::uint32_t field = 0;
    std::uint32_t parts = 0;
    std::vector<std::uint32_t> ids;  // old id -> the ids of its parts
    std::vector<KeyTable> tables;
  };

  /// Two words in one register, wherever the compiler runs.
  typedef std::uint64_t WordPair __attribute__((vector_size(16)));
  static WordPair pair_at(const std::uint64_t* words) {
    WordPair pair;
    __builtin_memcpy(&pair, words, sizeof pair);
    return pair;
  }

  static std::uint64_t packed(std::uint64_t word, const Field& field, std::uint32_t id) {
    return word ^
           (static_cast<std::uint64_t>((static_cast<std::uint32_t>(word >> field.shift) & field.mask) ^ id)
            << field.shift);
  }
  void decode_group(std::size_t level, std::uint32_t group, std::uint64_t word, Cursor& cursor,
                    bool all) const;
  void repack(std::size_t level, std::uint32_t group, Expansion* expansion);
  void finish_layout();
  std::size_t count_outside_keys() const {
    std::size_t count = 0;
    for (const auto* keys : outside_) count += keys->size();
    return count;
  }

  std::uint32_t max_words_;
  const support::MemoryBudget& budget_;
  std::vector<Level> levels_;
  KeyTable keys_;
  std::uint64_t generation_ = 1;
  bool is_readable_ = true;
  std::uint32_t group_word_count_ = 0;
  std::vector<std::vector<std::uint64_t>*> outside_;
};

template <Sharing sharing>
inline bool ExactStateStore::encode(const Cursor& parent, const std::uint64_t* words, std::uint32_t count,
                                    Workspace& workspace, std::uint64_t& key) {
  Level* level = levels_.data();
  Change* const changes = workspace.changes.data();
  const std::uint64_t* const before = parent.words.data();
  const std::uint32_t common = count < parent.length ? count : parent.length;

  // First only where they differ: blocks without a difference are the rule in
  // wide states, and inside a block the list grows without a branch.
  std::uint32_t changed = 0;
  std::uint32_t position = 0;
  for (; position + 8 <= common; position += 8) {
    const std::uint64_t* const a = words + position;
    const std::uint64_t* const b = before + position;
    const WordPair difference = (pair_at(a) ^ pair_at(b)) | (pair_at(a + 2) ^ pair_at(b + 2)) |
                                (pair_at(a + 4) ^ pair_at(b + 4)) | (pair_at(a + 6) ^ pair_at(b + 6));
    if ((difference[0] | difference[1]) == 0) continue;
    for (std::uint32_t i = 0; i < 8; ++i) {
      changes[changed].field = position + i;
      changed += words[position + i] != before[position + i];
    }
  }
  for (; position < common; ++position) {
    changes[changed].field = position;
    changed += words[position] != before[position];
  }
  if (count > common) {
    for (; position < count; ++position) changes[changed++].field = position;
  }

  // kFull and kNone are above every limit.
  bool overflow = false;
  Field* fields = level->fields.data();
  for (std::uint32_t i = 0; i < changed; ++i) {
    Field& field = fields[changes[i].field];
    const std::uint32_t id = field.table.template find_or_add<sharing>(words[changes[i].field]);
    overflow |= id >= field.id_limit;
    changes[i].id = id;
  }
  if (parent.length > common) {
    for (; position < parent.length; ++position) {
      const Field& field = fields[position];
      if (field.absent == KeyTable::kNone && count < workspace.shortest) workspace.shortest = count;
      overflow |= field.absent >= field.id_limit;
      changes[changed++] = {position, field.absent};
    }
  }
  if (overflow) return false;

  const std::size_t top = levels_.size() - 1;
  for (std::size_t l = 0; l < top; ++l, ++level) {
    const std::uint64_t* old_words = parent.group_words.data() + level->first_group_word;
    Field* const above = level[1].fields.data();
    std::uint32_t out = 0;
    for (std::uint32_t i = 0; i < changed;) {
      const std::uint32_t group = fields[changes[i].field].group;
      std::uint64_t word = old_words[group];
      do {
        word = packed(word, fields[changes[i].field], changes[i].id);
        ++i;
      } while (i < changed && fields[changes[i].field].group == group);
      const std::uint32_t id = above[group].table.template find_or_add<sharing>(word);
      overflow |= id >= above[group].id_limit;
      changes[out++] = {group, id};
    }
    if (overflow) return false;
    changed = out;
    fields = above;
  }
  std::uint64_t word = parent.group_words[level->first_group_word];
  for (std::uint32_t i = 0; i < changed; ++i) word = packed(word, fields[changes[i].field], changes[i].id);
  key = word;
  return true;
}

}  // namespace assay::storage
