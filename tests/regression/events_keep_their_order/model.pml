/* Both senders have a channel of their own: without the trace their order is nobody's business. */
chan a = [1] of { byte };
chan b = [1] of { byte };
active proctype first() { a!1 }
active proctype second() { b!1 }
trace { a!1; b!1 }
