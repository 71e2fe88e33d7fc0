chan c = [0] of { byte };
active proctype P() {
	if
	:: c?[1] -> skip
	:: else -> skip
	fi
}
