#include "check.hpp"
#include "evidence/bits.hpp"
#include "evidence/coding.hpp"
#include "evidence/varint_reader.hpp"

namespace assay::native_tests {
namespace {

using namespace evidence;

std::string bytes_of(std::uint64_t value) {
  std::string bytes;
  put_varint(bytes, value);
  return bytes;
}

TEST("a number is written in its shortest form and read back") {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random.striking() >> random.below(64);
    const std::string bytes = bytes_of(value);
    VarintReader reader(bytes.data(), bytes.size());
    std::uint64_t read = 0;
    check(reader.read(read, 10));
    check_equal(read, value);
    check(reader.at_end());
    // Not with fewer bytes allowed, nor with the last one missing.
    const int length = static_cast<int>(bytes.size());
    if (length > 1) check(!VarintReader(bytes.data(), bytes.size()).read(read, length - 1));
    const std::string cut(bytes, 0, bytes.size() - 1);
    check(!VarintReader(cut.data(), cut.size()).read(read, 10));
  }
}

TEST("a number in a longer form than it needs is refused") {
  std::uint64_t value = 0;
  for (const std::string& bytes :
       {std::string("\x80\x00", 2), std::string("\xFF\x00", 2), std::string("\x81\x80\x00", 3)})
    check(!VarintReader(bytes.data(), bytes.size()).read(value, 5));
  const std::string zero("\0", 1);
  check(VarintReader(zero.data(), 1).read(value, 5));
}

TEST("signed numbers fold and unfold") {
  Random random(2);
  const auto check_one = [](std::int64_t value) { check_equal(unfolded(folded(value)), value); };
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, INT64_MAX, INT64_MIN, INT64_MIN + 1})
    check_one(value);
  for (int i = 0; i < 10'000; ++i) check_one(static_cast<std::int64_t>(random.striking()));
  check_equal(folded(-1), 1u);
  check_equal(folded(1), 2u);
}

TEST("whatever bytes come, reading numbers ends within them") {
  Random random(3);
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes(random.below(20), '\0');
    for (char& byte : bytes)
      byte = static_cast<char>(random.one_in(2) ? 0x80 | random.below(128) : random.below(256));
    VarintReader reader(bytes.data(), bytes.size());
    std::uint64_t value = 0;
    for (std::size_t read = 0; !reader.at_end() && reader.read(value, 1 + static_cast<int>(random.below(10)));
         ++read)
      check(read < bytes.size());
  }
}

TEST("the bits of a frame are read in any groups") {
  Random random(4);
  for (const std::uint64_t count : {0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 73, 1000}) {
    std::string bytes((count + 7) / 8, '\0');
    std::vector<bool> expected(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      expected[i] = random.one_in(2);
      if (expected[i]) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << (i % 8));
    }
    Bits bits(bytes, count);
    while (bits.left() > 0) {
      const auto skipped = static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(bits.left(), 70)));
      const auto length =
          static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(bits.left() - skipped, 64) + 1));
      const std::uint64_t seen = bits.peek(skipped, length);
      for (std::uint32_t i = 0; i < length; ++i)
        check_equal((seen >> i & 1) != 0, static_cast<bool>(expected[bits.next() + skipped + i]));
      if (length < 64) check_equal(seen >> length, 0u);
      bits.skip(1 + static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(bits.left(), 64))));
    }
    check_equal(bits.next(), count);
    const Bits from_the_start(bytes, count);
    for (std::uint32_t first = 0; first < 16; ++first) {
      for (const std::uint32_t length : {0u, 1u, 8u, 56u, 57u, 58u, 63u, 64u}) {
        if (first + length > count) continue;
        const std::uint64_t seen = from_the_start.peek(first, length);
        for (std::uint32_t i = 0; i < length; ++i)
          check_equal((seen >> i & 1) != 0, static_cast<bool>(expected[first + i]));
      }
    }
    check_throws<Rejected>([&] { Bits(bytes + '\0', count); }, "more or fewer bits");
    if (count > 0)
      check_throws<Rejected>([&] { Bits(std::string_view(bytes).substr(1), count); }, "more or fewer bits");
    if (count % 8 != 0) {
      bytes.back() = static_cast<char>(bytes.back() | 0x80);
      check_throws<Rejected>([&] { Bits(bytes, count); }, "unused bits");
    }
  }
}

}  // namespace
}  // namespace assay::native_tests
