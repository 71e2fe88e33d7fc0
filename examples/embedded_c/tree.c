/* Figure 4: a binary tree in an array. */
#include "tree.h"

int pos;
int B[LARGEST];

void setup(void) { pos = 0; }

static void swap(int i, int j) {
  int kept = B[i];
  B[i] = B[j];
  B[j] = kept;
}

void insert_el(int value) {
  int i = pos++;
  B[i] = value;
  for (; i > 0 && B[(i - 1) / 2] < B[i]; i = (i - 1) / 2) swap(i, (i - 1) / 2);
}

int extract_max(void) {
  int largest = B[0], i = 0;
  B[0] = B[--pos];
  B[pos] = 0;
  for (;;) {
    int child = 2 * i + 1;
    if (child >= pos) break;
#ifdef BUG
    if (child + 1 < pos && B[child + 1] < B[child]) child++; /* the smaller one */
#else
    if (child + 1 < pos && B[child + 1] > B[child]) child++;
#endif
    if (B[child] <= B[i]) break;
    swap(i, child);
    i = child;
  }
  return largest;
}

Bool check_tree(void) {
  for (int i = 1; i < pos; i++)
    if (B[(i - 1) / 2] < B[i]) return 0;
  return 1;
}
