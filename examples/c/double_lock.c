/* A driver that answers read requests; one way out of `answer` forgets something. */

void spin_lock(int *lock);
void spin_unlock(int *lock);
int next_request(void);

int list_lock;
int answered, refused;

int answer(int wanted) {
  spin_lock(&list_lock);
  if (wanted < 0) {
    refused++;
    return -1;
  }
  answered++;
  spin_unlock(&list_lock);
  return 0;
}

int main(void) {
  int wanted, failures;
  while ((wanted = next_request()) != 0) {
    if (answer(wanted) < 0)
      failures++;
  }
  return 0;
}
