chan c = [1] of { byte };
active proctype p() { byte x; c?x }
active proctype q() { end: c!1 -> c!2; c!3 }
