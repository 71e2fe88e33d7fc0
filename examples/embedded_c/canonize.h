typedef int Bool;
void canonize(char *dst, const char *src);
Bool is_canonical(const char *str);
