/* Two sides that raise and lower flags in turn, and count what they agreed on, modulo 16. */
bool request, acknowledge;
byte sent, got;
active proctype sender() {
  do
  :: !request && !acknowledge -> sent = (sent + 1) % 16; request = true
  :: request && acknowledge -> request = false
  od
}
active proctype receiver() {
  do
  :: request && !acknowledge -> got = sent; acknowledge = true
  :: !request && acknowledge -> acknowledge = false
  od
}
