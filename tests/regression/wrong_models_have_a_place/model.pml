active proctype p() {
	x = 1
}
