// holds: no element is larger than the largest
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int a[5];
  int largest = -2147483647 - 1;
  for (int i = 0; i < 5; i++) {
    a[i] = __VERIFIER_nondet_int();
    if (a[i] > largest) largest = a[i];
  }
  for (int i = 0; i < 5; i++)
    if (a[i] > largest) reach_error();
  return 0;
}
