#include "ring.h"
int sum;
void add(int value) { sum = (sum + value) % 7; }
