// holds: masking and shifting keep a checksum within twelve bits
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  unsigned sum = 0;
  while (__VERIFIER_nondet_int()) {
    unsigned byte = __VERIFIER_nondet_uint() & 0xff;
    sum = ((sum << 1) ^ byte) & 0xfff;
    if (sum >> 12) reach_error();
  }
  return 0;
}
