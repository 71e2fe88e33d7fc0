chan q = [1] of { byte };
proctype receiver(chan a) { byte y; if :: a?y :: else -> assert(false) fi }
proctype sender(chan b) { b!1 }
init { atomic { run receiver(q); run sender(q) } }
