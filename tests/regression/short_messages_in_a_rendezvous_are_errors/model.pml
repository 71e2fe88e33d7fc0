chan c = [0] of { byte, byte };
active proctype S() { c!1 }
active proctype R() { byte a; c?a }
