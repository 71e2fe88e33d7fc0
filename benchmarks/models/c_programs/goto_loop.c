// holds: a loop made of goto
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 10, y = 10;
again:
  if (!__VERIFIER_nondet_int()) goto out;
  x++;
  y++;
  if (x != y) goto bad;
  goto again;
bad:
  reach_error();
out:
  return 0;
}
