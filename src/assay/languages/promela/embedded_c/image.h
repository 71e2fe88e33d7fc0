/* What the embedded C of a model is compiled with: the table at the entry of its image, which the engine reads
 * (engine/transition_system/foreign/image.hpp has the same declarations), and what SPIN gives to C. */
#ifndef ASSAY_IMAGE_H
#define ASSAY_IMAGE_H

#define ASSAY_PRIVATE __attribute__((section("assay_private")))
#define ASSAY_SCRATCH __attribute__((section("assay_scratch")))
#define ASSAY_MAGIC 0x3645474D49595341ul

enum {
  ASSAY_PRECONDITION = 2,
  ASSAY_MEMORY = 3,
  ASSAY_ABORT = 6,
  ASSAY_EXIT = 7,
  ASSAY_HEAP = 11,
  ASSAY_UNDEFINED = 12
};

struct assay_services {
  void (*fail)(unsigned fault, const char *words);
  void (*report)(const char *words);
  void (*print)(const char *text, unsigned long length);
};
extern struct assay_services assay_services;

struct assay_track {
  void *(*address)(void);
  unsigned long size;
  unsigned long is_matched;
  const char *place;
};

struct assay_table {
  unsigned long magic, function_count;
  int (*const *functions)(void);
  unsigned char *now;
  unsigned long mirrored_bytes;
  unsigned char *self;
  unsigned long self_bytes;
  int *pid;
  unsigned char *private_begin, *private_end;
  unsigned char *scratch_begin, *scratch_end;
  int **system_errno;
  unsigned long import_count;
  const char *const *import_names;
  void **imports;
  struct assay_services *services;
  void (*const *constructors)(void), (*const *constructors_end)(void);
  unsigned long track_count;
  const struct assay_track *tracks;
  unsigned long now_bytes;
  unsigned char *others;
  unsigned long others_bytes;
};

#endif
