struct ring { unsigned char at[ROOM], first, count; };
extern struct ring ring;
extern int sum;
int ring_full(void), ring_empty(void), ring_get(void);
void ring_put(int value), add(int value);
