/* ?<...> and ?[...] leave the message where it is. */
chan q = [2] of { byte };
active proctype main() {
  byte x;
  q!1; q?<x>; q?[1]; q?x;
  end: (false)
}
trace { q!1; q?1 }
