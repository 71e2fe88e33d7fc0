chan c = [0] of { byte };
byte got;
active proctype sender() { c!5; c!6 }
active proctype receiver() { byte x; c?x; c?got; assert(x == 5 && got == 6) }
