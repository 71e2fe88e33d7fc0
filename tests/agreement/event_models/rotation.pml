/* A loop over a channel takes every message out and puts it back. */
typedef Item { byte value; byte weight };
chan q = [3] of { Item };
byte sum;

active proctype main() {
  Item each;
  q!1,1; q!2,5;
  for (each in q) { sum = sum + each.weight }
  end: (false)
}

trace { q!1,1; q!2,_; q?1; q!1,1; q?2,5; q!2,5 }
