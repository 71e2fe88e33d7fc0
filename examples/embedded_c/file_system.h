/* A small file system in memory: directories and files with names like "/a/b". */
#ifndef FILE_SYSTEM_H
#define FILE_SYSTEM_H

void fs_init(void);
int fs_mkdir(const char *path); /* 0, or -1 with errno */
int fs_creat(const char *path); /* the same; a file that is there is emptied */
int fs_exists(const char *path);

#endif
