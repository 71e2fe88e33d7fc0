typedef int Bool;
#define LARGEST 7
extern int pos;        /* elements in the tree */
extern int B[LARGEST]; /* the tree in breadth-first order: no child is larger than its parent */
void setup(void);
void insert_el(int value);
int extract_max(void);
Bool check_tree(void);
