// Files that a verb writes as a whole: an older file of that name stays until the new one is complete.
#ifndef CLI_OUTFILE_H
#define CLI_OUTFILE_H

#include <holdfast/status.h>
#include <stdio.h>

typedef struct outFile {
  FILE* file;   // write to this
  void* output; // the file until it gets its name
} outFile;

hfStatus open_out_file(outFile* out, const char* path, hfError* error);
// Completes the file; one to which not everything could be written leaves the older file as it was.
hfStatus close_out_file(outFile* out, hfError* error);
void discard_out_file(outFile* out);

// What a verb reads or writes: "--log", "the scene".
typedef struct usedFile {
  const char* role;
  const char* path; // NULL: not given
  int written;      // 1: the verb writes it
} usedFile;

// Says which two of the files are the same one and returns 1 if one of the two would be written; returns 0 otherwise.
int refuse_same_file(const usedFile* used, int count);

#endif
