/* While the message is handed over, the channel is not empty, so nobody may take it. */
chan q = [0] of { byte };
active proctype receiver() provided (empty(q)) { byte got; q?got; assert(false) }
active proctype sender() { q!1 }
