typedef In { byte a; bool b };
typedef Field { short f = 3; In i; byte g };
chan done = [2] of { byte };
proctype me(byte n; Field z; bool last) {
  z.f = z.f + n;
  z.i.a++;
  assert(z.f == 12 + n && z.i.b && z.g == 7 && last == (n == 2));
  done!n
}
init { Field foo; byte r; foo.f = 12; foo.i.b = true; foo.g = 7;
  atomic { run me(1, foo, false); run me(2, foo, true) };
  foo.f = 0; done?r; done?r }
