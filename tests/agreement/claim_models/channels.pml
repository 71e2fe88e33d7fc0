mtype = { ping, pong };
chan q = [2] of { mtype };
chan r = [0] of { mtype };
byte sent;
active proctype Sender() {
  do
  :: q!ping; sent = (sent + 1) % 3
  :: r?pong
  od
}
active proctype Receiver() {
  do
  :: q?ping -> r!pong
  od
}
ltl full_again { [] (len(q) == 2 -> <> (len(q) < 2)) }
ltl asks { [] (q?[ping] -> <> (len(q) == 0)) }
ltl empty_for_ever { <> [] (len(q) == 0) }
ltl at_most { [] (len(q) <= 2) }
ltl counts { [] <> (sent == 0) }
never overfull { do :: nfull(q) :: full(q) -> break od; accept: do :: full(q) od }
