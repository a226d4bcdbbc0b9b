// For readers that take a path: the input as a file in memory.
#ifndef HF_FUZZ_FILE_H
#define HF_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

// Writes the input to a file of this process and returns its path, or NULL.
static inline const char* write_input(const uint8_t* data, size_t size) {
  static char path[64];
  snprintf(path, sizeof path, "/dev/shm/holdfast-fuzz-%ld", (long)getpid());
  FILE* file = fopen(path, "wb");
  if (!file) return NULL;
  size_t written = fwrite(data, 1, size, file);
  return fclose(file) == 0 && written == size ? path : NULL;
}

#endif
