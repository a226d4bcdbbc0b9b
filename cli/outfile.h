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
// The file to be written that a path names, without symbolic links, for files that another program writes; NULL: no
// memory. The caller frees it.
char* resolve_out_file(const char* path);

// What a verb reads or writes: "--log", "the scene".
typedef struct usedFile {
  const char* role;
  const char* path; // NULL: not given
  int written;      // 1: the verb writes it
} usedFile;

// Says which two of the files are the same one and returns 1 if one of the two would be written; returns 0 otherwise.
int refuse_same_file(const usedFile* used, int count);

// The ending of a file's name without its point, or "" if it has none.
const char* ending_of(const char* path);
// Refuses the name of a file to be written if its ending is that of another format. endings: those of the format that
// is written, with a blank between them ("csv txt"). Names without an ending and devices are allowed. Endings that
// belong to no known format are allowed, too, unless `only` is 1. Refuses "-", too, because it would be a file of this
// name. path may be NULL. Prints a message and returns 1, or returns 0.
int refuse_ending(const char* option, const char* path, const char* endings, int only);
// Refuses a folder in which no file can be made, before work is done whose result would be lost. Says so and returns
// 1, or returns 0.
int refuse_folder(const char* option, const char* folder);
// The same of the folder of a file to be written; path may be NULL.
int refuse_folder_of(const char* option, const char* path);

#endif
