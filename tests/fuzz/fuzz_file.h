// For readers that take a path: the input as a file in memory. For files of our own layout, which random bytes never meet, the
// input is a list of changes to a good file.
#ifndef HF_FUZZ_FILE_H
#define HF_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

typedef struct goodFile {
  uint8_t* bytes;
  size_t size;
} goodFile;

// Reads a whole file; without one the fuzzer ends, because it would test nothing.
static inline goodFile read_good_file(const char* path) {
  goodFile good = {NULL, 0};
  FILE* file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) abort();
  good.size = (size_t)ftell(file);
  good.bytes = malloc(good.size);
  rewind(file);
  if (!good.bytes || fread(good.bytes, 1, good.size, file) != good.size) abort();
  fclose(file);
  return good;
}

// Writes the good file with the changes of the input and returns its path, or NULL. A change is a place (3 bytes), a length
// (of which 3 bits count: 1 to 8) and as many bytes; a place beyond the end cuts the file there.
static inline const char* write_changed(const goodFile* good, const uint8_t* data, size_t size) {
  uint8_t* bytes = malloc(good->size);
  size_t end = good->size, at = 0;
  if (!bytes) return NULL;
  memcpy(bytes, good->bytes, good->size);
  while (at + 4 < size) {
    size_t place = (data[at] | (size_t)data[at + 1] << 8 | (size_t)data[at + 2] << 16) % (good->size + good->size / 8), length = 1 + data[at + 3] % 8;
    at += 4;
    if (place >= good->size) end = (place - good->size) * 8 % good->size;
    for (size_t i = 0; i < length && at < size; ++i, ++at)
      if (place + i < good->size) bytes[place + i] = data[at];
  }
  const char* path = write_input(bytes, end);
  free(bytes);
  return path;
}

#endif
