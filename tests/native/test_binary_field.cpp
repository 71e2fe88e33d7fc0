#include <bitset>

#include "check.hpp"
#include "support/binary_field.hpp"

namespace assay::native_tests {
namespace {

using support::ElementWords;
using support::PortableElement;

/// Multiplication as it is taught: bit by bit, then reduced bit by bit.
ElementWords product_of(const ElementWords& a, const ElementWords& b) {
  std::bitset<384> product;
  for (std::size_t i = 0; i < 192; ++i) {
    if ((a[i / 64] >> (i % 64) & 1) == 0) continue;
    for (std::size_t j = 0; j < 192; ++j) {
      if ((b[j / 64] >> (j % 64) & 1) != 0) product.flip(i + j);
    }
  }
  for (std::size_t i = 383; i >= 192; --i) {
    if (!product[i]) continue;
    for (const std::size_t power : {192, 7, 2, 1, 0}) product.flip(i - 192 + power);
  }
  ElementWords words{};
  for (std::size_t i = 0; i < 192; ++i) words[i / 64] |= std::uint64_t{product[i]} << (i % 64);
  return words;
}

ElementWords random_words(Random& random) {
  return {random.striking(), random.striking(), random.one_in(4) ? 0 : random.striking()};
}

template <class Element>
void check_arithmetic() {
  Random random(1);
  check(Element(1).words() == ElementWords{1, 0, 0});
  check(Element().words() == ElementWords{0, 0, 0});
  for (int i = 0; i < 2000; ++i) {
    const ElementWords a = random_words(random), b = random_words(random);
    check(Element(a).words() == a);
    check((Element(a) + Element(b)).words() == ElementWords{a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2]});
    check((Element(a) * Element(b)).words() == product_of(a, b));
    typename Element::Sum sum;
    ElementWords expected{};
    for (std::uint64_t left = random.below(5); left > 0; --left) {
      const ElementWords coefficient = random_words(random);
      const std::uint64_t factor = random.striking();
      sum.add(Element(coefficient), factor);
      const ElementWords product = product_of(coefficient, {factor, 0, 0});
      for (std::size_t k = 0; k < 3; ++k) expected[k] ^= product[k];
    }
    check(sum.value().words() == expected);
  }
}

TEST("the field multiplies as polynomials do, on any processor") { check_arithmetic<PortableElement>(); }

#ifdef __PCLMUL__
TEST("the field multiplies as polynomials do, with the processor's instruction") {
  if (__builtin_cpu_supports("pclmul") != 0) check_arithmetic<support::NativeElement>();
}
#endif

}  // namespace
}  // namespace assay::native_tests
