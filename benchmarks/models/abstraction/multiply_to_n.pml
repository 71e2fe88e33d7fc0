/* Multiplies by adding: a product that grows, and factors that start again. */
short a, b, k, product;
active proctype multiply() {
  do
  :: a < 70 -> a++
  :: b < 70 -> b++
  :: break
  od;
  do
  :: k < b -> k++; product = product + a
  :: k > 4 -> k = k - 4; product = product - 4 * a
  :: k == b && b > 0 -> b--; k = 0; product = 0
  :: else -> break
  od
}
