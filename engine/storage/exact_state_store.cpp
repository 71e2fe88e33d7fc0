#include "storage/exact_state_store.hpp"

#include <algorithm>
#include <bit>

namespace assay::storage {
namespace {

constexpr std::uint32_t kKeyBits = 64;
// Groups that come from a split aim at this many bits in use: their tables stay
// small enough for the cache, and most of their word is headroom.
constexpr std::uint32_t kSplitBits = 16;

std::uint32_t bits_for(std::uint32_t values) { return values <= 1 ? 0 : std::bit_width(values - 1); }

std::uint64_t mask_of(std::uint32_t bits) { return (std::uint64_t{1} << bits) - 1; }

}  // namespace

ExactStateStore::ExactStateStore(std::uint32_t max_words, const support::MemoryBudget& budget)
    : max_words_(max_words), budget_(budget), keys_(&budget) {
  Level level;
  level.fields.resize(max_words);
  for (Field& field : level.fields) field.table = KeyTable(&budget_);
  level.groups.push_back(Group{0, max_words, 0, 0});
  levels_.push_back(std::move(level));
  finish_layout();
}

void ExactStateStore::add_first(const std::uint64_t* words, std::uint32_t count) {
  for (std::uint32_t p = 0; p < max_words_; ++p) {
    Field& field = levels_[0].fields[p];
    if (p < count) {
      field.table.find_or_add<Sharing::kPrivate>(words[p]);
    } else {
      field.absent = field.table.add_unindexed();
    }
  }
  // All ids are 0 and take no bits: the key is 0.
  keys_.find_or_add<Sharing::kPrivate>(0);
}

ExactStateStore::Cursor ExactStateStore::make_cursor() const {
  Cursor cursor;
  cursor.words.assign(max_words_ + 4, 0);
  return cursor;
}

ExactStateStore::Workspace ExactStateStore::make_workspace() const {
  Workspace workspace;
  workspace.changes.resize(std::size_t{max_words_} + 1);
  return workspace;
}

void ExactStateStore::decode(std::uint64_t key, Cursor& cursor) const {
  const bool all = cursor.generation != generation_;
  if (all) {
    cursor.group_words.assign(group_word_count_, 0);
    cursor.length = 0;
    cursor.generation = generation_;
  }
  decode_group(levels_.size() - 1, 0, key, cursor, all);
}

void ExactStateStore::decode_group(std::size_t l, std::uint32_t g, std::uint64_t word, Cursor& cursor,
                                   bool all) const {
  const Level& level = levels_[l];
  const Group& group = level.groups[g];
  std::uint64_t& stored = cursor.group_words[level.first_group_word + g];
  const std::uint64_t difference = stored ^ word;
  stored = word;
  const auto decode_field = [&](std::uint32_t f, std::uint32_t id) {
    const Field& field = level.fields[f];
    const std::uint64_t value = field.table.key(id);
    if (l > 0) {
      decode_group(l - 1, f, value, cursor, all);
    } else {
      cursor.words[f] = value;
      // Words are present up to the length and absent after it, so the last
      // change of kind leaves the right length.
      if (id == field.absent) {
        if (f < cursor.length) cursor.length = f;
      } else if (f >= cursor.length) {
        cursor.length = f + 1;
      }
    }
  };
  if (all) {
    for (std::uint32_t f = group.first_field; f < group.first_field + group.field_count; ++f) {
      const Field& field = level.fields[f];
      decode_field(f, static_cast<std::uint32_t>((word >> field.shift) & mask_of(field.bits)));
    }
    return;
  }
  if (difference == 0) return;
  const LiveField* live = level.live.data() + group.first_live;
  for (std::uint32_t i = 0; i < group.live_count; ++i) {
    if (((difference >> live[i].shift) & live[i].mask) == 0) continue;
    decode_field(live[i].field, static_cast<std::uint32_t>(word >> live[i].shift) & live[i].mask);
  }
}

void ExactStateStore::maintain(Workspace& workspace) {
  Level& words = levels_[0];
  for (std::uint32_t p = workspace.shortest; p < max_words_; ++p) {
    if (words.fields[p].absent == KeyTable::kNone)
      words.fields[p].absent = words.fields[p].table.add_unindexed();
  }
  workspace.shortest = 0xFFFFFFFFu;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    for (std::uint32_t g = 0; g < levels_[l].groups.size();) {
      const Group& group = levels_[l].groups[g];
      bool fits = true;
      for (std::uint32_t f = group.first_field; f < group.first_field + group.field_count; ++f) {
        const Field& field = levels_[l].fields[f];
        if (bits_for(field.table.size()) > field.bits) fits = false;
      }
      if (!fits) {
        // Refuse before anything is changed; a split needs 8 bytes per key for
        // a while, after the index has been given back.
        budget_.require((std::size_t{keys_.size()} + count_outside_keys()) * 12, keys_.index_bytes());
        is_readable_ = false;
        repack(l, g, nullptr);
        finish_layout();
        is_readable_ = true;
      }
      ++g;
    }
  }
}

void ExactStateStore::prepare_sharing() {
  for (Level& level : levels_) {
    for (Field& field : level.fields) {
      // Twice the present size, so that a pause is needed only when it doubles.
      field.table.make_room(std::max<std::uint32_t>(8, field.table.size()));
    }
  }
}

/// Gives the fields of one group new widths, or splits the group, and
/// translates the table of its words; `expansion` says which of its fields has
/// become several.
void ExactStateStore::repack(std::size_t l, std::uint32_t g, Expansion* expansion) {
  const bool is_top = l + 1 == levels_.size();
  struct Part {
    std::uint32_t group;
    std::uint32_t shift;
  };
  struct Move {
    std::uint32_t old_shift;
    std::uint64_t old_mask;
    bool expanded;
    std::uint32_t new_field;  // relative to the first field of the group
  };

  // What the words look like now.
  std::vector<Move> moves;
  std::uint32_t first = 0, new_count = 0;
  {
    Level& level = levels_[l];
    Group& group = level.groups[g];
    first = group.first_field;
    std::uint32_t next = 0;
    for (std::uint32_t f = first; f < first + group.field_count; ++f) {
      const Field& field = level.fields[f];
      const bool expanded = expansion != nullptr && expansion->field == f;
      if (expanded || field.bits > 0) moves.push_back({field.shift, mask_of(field.bits), expanded, next});
      next += expanded ? expansion->parts : 1;
    }
    new_count = next;
    if (expansion != nullptr) {
      std::vector<Field> fields;
      fields.reserve(level.fields.size() + expansion->parts - 1);
      for (std::uint32_t f = 0; f < level.fields.size(); ++f) {
        if (f != expansion->field) {
          fields.push_back(std::move(level.fields[f]));
          continue;
        }
        for (KeyTable& table : expansion->tables) {
          Field field;
          field.table = std::move(table);
          fields.push_back(std::move(field));
        }
      }
      level.fields = std::move(fields);
      for (Group& other : level.groups) {
        if (other.first_field > first) other.first_field += expansion->parts - 1;
      }
      group.field_count = new_count;
    }
  }

  // How many groups the fields need.
  Level& level = levels_[l];
  std::vector<std::uint32_t> needed(new_count);
  std::vector<bool> growing(new_count);
  std::uint32_t total = 0;
  for (std::uint32_t i = 0; i < new_count; ++i) {
    const Field& field = level.fields[first + i];
    needed[i] = bits_for(field.table.size());
    growing[i] = needed[i] > field.bits;
    total += needed[i];
  }
  std::vector<std::uint32_t> counts;  // fields per new group
  if (total <= kKeyBits) {
    counts.push_back(new_count);
  } else {
    // At least two changing fields go into a group (two always fit, ids have 32
    // bits), so each level has at most half as many groups as changing fields:
    // that is why the levels come to an end.
    std::uint32_t in_group = 0, changing = 0;
    counts.assign(1, 0);
    for (std::uint32_t i = 0; i < new_count; ++i) {
      const bool over = in_group + needed[i] > (changing < 2 ? kKeyBits : kSplitBits);
      if (needed[i] > 0 && changing > 0 && over) {
        counts.push_back(0);
        in_group = changing = 0;
      }
      ++counts.back();
      in_group += needed[i];
      changing += needed[i] > 0;
    }
  }
  const auto parts = static_cast<std::uint32_t>(counts.size());

  // Bits of a word are free until another word is needed: spread what is left,
  // first to fields that have just grown, then to those that ever changed.
  std::vector<Part> place(new_count);
  for (std::uint32_t part = 0, i = 0; part < parts; ++part) {
    const std::uint32_t end = i + counts[part];
    std::uint32_t spare = kKeyBits;
    for (std::uint32_t j = i; j < end; ++j) {
      level.fields[first + j].bits = static_cast<std::uint8_t>(needed[j]);
      spare -= needed[j];
    }
    const auto widen = [&](auto&& chosen) {
      bool any = false;
      for (std::uint32_t j = i; j < end && spare > 0; ++j) {
        Field& field = level.fields[first + j];
        if (field.bits >= 32 || !chosen(j)) continue;
        ++field.bits;
        --spare;
        any = true;
      }
      return any;
    };
    widen([&](std::uint32_t j) { return growing[j]; });
    widen([&](std::uint32_t j) { return needed[j] > 0; });
    bool more = true;
    while (spare > 0 && more) {
      more = widen([&](std::uint32_t j) { return needed[j] > 0; });
      more = widen([](std::uint32_t) { return true; }) || more;
    }
    std::uint32_t shift = 0;
    for (; i < end; ++i) {
      Field& field = level.fields[first + i];
      field.shift = static_cast<std::uint8_t>(field.bits == 0 ? 0 : shift);
      place[i] = {part, field.shift};
      shift += field.bits;
    }
  }

  // Translate the words.
  KeyTable& table = is_top ? keys_ : levels_[l + 1].fields[g].table;
  std::vector<std::uint64_t> words(parts);
  const auto translate = [&](std::uint64_t old_word) {
    std::fill(words.begin(), words.end(), 0);
    for (const Move& move : moves) {
      const std::uint64_t id = (old_word >> move.old_shift) & move.old_mask;
      if (!move.expanded) {
        const Part& to = place[move.new_field];
        words[to.group] |= id << to.shift;
        continue;
      }
      const std::uint32_t* ids = expansion->ids.data() + id * expansion->parts;
      for (std::uint32_t i = 0; i < expansion->parts; ++i) {
        const Part& to = place[move.new_field + i];
        words[to.group] |= std::uint64_t{ids[i]} << to.shift;
      }
    }
  };
  ++generation_;
  const std::uint32_t size = table.size();
  table.drop_index();
  if (parts == 1) {
    for (std::uint32_t id = 0; id < size; ++id) {
      translate(table.key(id));
      table.set_key(id, words[0]);
    }
    table.rebuild_index();
    if (is_top) {
      for (auto* keys : outside_) {
        for (std::uint64_t& key : *keys) {
          translate(key);
          key = words[0];
        }
      }
    }
    return;
  }

  Expansion above;
  above.field = g;
  above.parts = parts;
  const std::size_t outside_count = is_top ? count_outside_keys() : 0;
  above.ids.resize((std::size_t{size} + outside_count) * parts);
  for (std::uint32_t part = 0; part < parts; ++part) above.tables.emplace_back(&budget_);
  const auto number_parts = [&](std::size_t at, std::uint64_t word) {
    translate(word);
    for (std::uint32_t part = 0; part < parts; ++part) {
      above.ids[at * parts + part] = above.tables[part].find_or_add<Sharing::kPrivate>(words[part]);
    }
  };
  for (std::uint32_t id = 0; id < size; ++id) number_parts(id, table.key(id));
  if (is_top) {
    std::size_t number = size;
    for (const auto* keys : outside_) {
      for (const std::uint64_t key : *keys) number_parts(number++, key);
    }
  }

  const Group old_group = level.groups[g];
  level.groups.erase(level.groups.begin() + g);
  std::uint32_t at = old_group.first_field;
  for (std::uint32_t part = 0; part < parts; ++part) {
    level.groups.insert(level.groups.begin() + g + part, Group{at, counts[part], 0, 0});
    at += counts[part];
  }

  if (is_top) {
    // A new top whose only field names each key by its place in `above.ids`;
    // packing it anew replaces that field by the parts.
    Level top;
    top.fields.resize(1);
    top.fields[0].bits = 63;
    top.groups.push_back(Group{0, 1, 0, 0});
    levels_.push_back(std::move(top));
    for (std::uint32_t id = 0; id < size; ++id) keys_.set_key(id, id);
    std::uint64_t number = size;
    for (auto* keys : outside_) {
      for (std::uint64_t& key : *keys) key = number++;
    }
    repack(l + 1, 0, &above);
  } else {
    const Level& next = levels_[l + 1];
    std::uint32_t owner = 0;
    while (next.groups[owner].first_field + next.groups[owner].field_count <= g) ++owner;
    repack(l + 1, owner, &above);
  }
}

/// Recomputes what encoding and decoding read from the layout.
void ExactStateStore::finish_layout() {
  group_word_count_ = 0;
  for (Level& level : levels_) {
    level.first_group_word = group_word_count_;
    group_word_count_ += static_cast<std::uint32_t>(level.groups.size());
    level.live.clear();
    for (std::uint32_t g = 0; g < level.groups.size(); ++g) {
      Group& group = level.groups[g];
      group.first_live = static_cast<std::uint32_t>(level.live.size());
      for (std::uint32_t f = group.first_field; f < group.first_field + group.field_count; ++f) {
        Field& field = level.fields[f];
        field.group = g;
        field.mask = static_cast<std::uint32_t>(mask_of(field.bits));
        field.id_limit = field.bits >= 32 ? KeyTable::kNone : std::uint32_t{1} << field.bits;
        if (field.bits > 0) level.live.push_back({f, field.mask, field.shift});
      }
      group.live_count = static_cast<std::uint32_t>(level.live.size()) - group.first_live;
    }
  }
  ++generation_;
}

std::size_t ExactStateStore::bytes() const {
  std::size_t total = keys_.bytes();
  for (const Level& level : levels_) {
    for (const Field& field : level.fields) total += field.table.bytes() + sizeof(Field);
  }
  return total;
}

}  // namespace assay::storage
