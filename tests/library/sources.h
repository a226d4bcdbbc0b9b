// Reads C sources for the tests of their order: a list of the definitions at the outermost level of
// each file, and what the file names.
//
// The reader knows the style of this repository, not all of C: a definition begins at the outermost
// level of braces; a function has its parameters directly before the brace; comments, strings and
// preprocessor lines are replaced by blanks first.
#ifndef HF_TESTS_SOURCES_H
#define HF_TESTS_SOURCES_H

#include "support/cmocka_all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 1000, MOST_DEFINITIONS = 16000, NAME_SIZE = 128 };

typedef struct sourceFile {
  char path[256];  // below the root
  char* text;      // as it is
  char* code;      // without comments, strings and preprocessor lines; lines stay lines
} sourceFile;

typedef enum definitionKind { DEFINES_FUNCTION, DEFINES_TYPE, DEFINES_DATA } definitionKind;

typedef struct definition {
  definitionKind kind;
  int file, line;
  int is_static;  // functions and data; HFI_FORCE_INLINE functions are static
  int code_lines; // functions: lines from the opening to the closing brace that hold code
  char name[NAME_SIZE];
} definition;

typedef struct sourceSet {
  int nfile, ndefinition;
  sourceFile file[MOST_FILES];
  definition definition[MOST_DEFINITIONS];
} sourceSet;

static inline int is_name_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

// ---- reading -------------------------------------------------------------------------------------

static inline char* read_text(const char* path) {
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char* text = calloc((size_t)size + 2, 1);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

static inline void blank(char* from, const char* end) {
  for (; from < end; ++from)
    if (*from != '\n') *from = ' ';
}

// The end of a comment, literal or preprocessor line that begins at s, or s itself.
static inline char* skip_non_code(char* s, int line_start) {
  char* end = s;
  if (s[0] == '/' && s[1] == '/') return s + strcspn(s, "\n");
  if (s[0] == '/' && s[1] == '*') return (end = strstr(s + 2, "*/")) ? end + 2 : s + strlen(s);
  if (s[0] == '"' || s[0] == '\'') {
    for (end = s + 1; *end && *end != *s; ++end)
      if (*end == '\\') ++end;
    return *end ? end + 1 : end;
  }
  if (s[0] == '#' && line_start)
    do end += strcspn(end, "\n") + 1;
    while (end[-1] && end[-2] == '\\');
  return end;
}

static inline char* strip_non_code(const char* text) {
  char* code = malloc(strlen(text) + 2);
  strcpy(code, text);
  int line_start = 1;
  for (char* s = code; *s;) {
    char* end = skip_non_code(s, line_start);
    line_start = *s == '\n' || (line_start && isspace((unsigned char)*s));
    blank(s, end);
    s = end > s ? end : s + 1;
    if (end > s) line_start = 0;
  }
  return code;
}

// ---- definitions ---------------------------------------------------------------------------------

// Copies the name that ends directly before `end`, blanks aside.
static inline void name_before(const char* start, const char* end, char* name) {
  while (end > start && !is_name_char(end[-1])) --end;
  const char* first = end;
  while (first > start && is_name_char(first[-1])) --first;
  snprintf(name, NAME_SIZE, "%.*s", (int)(end - first), first);
}

static inline int has_word(const char* start, const char* end, const char* word) {
  size_t n = strlen(word);
  for (const char* s = start; s + n <= end; ++s)
    if (strncmp(s, word, n) == 0 && (s == start || !is_name_char(s[-1])) && !is_name_char(s[n])) return 1;
  return 0;
}

static inline int count_code_lines(const char* start, const char* end) {
  int lines = 0, seen = 0;
  for (; start <= end; ++start) {
    if (!isspace((unsigned char)*start)) seen = 1;
    if (*start != '\n' && start != end) continue;
    lines += seen;
    seen = 0;
  }
  return lines;
}

// Reads the head of a definition [start, brace), whose body ends at `close`.
static inline void add_definition(sourceSet* set, int file, const char* start, const char* brace, const char* close) {
  const char *code = set->file[file].code, *last = brace, *at = start;
  definition d = {.file = file, .line = 1, .is_static = has_word(start, brace, "static") || has_word(start, brace, "HFI_FORCE_INLINE")};
  while (last > start && isspace((unsigned char)last[-1])) --last;
  if (last > start && last[-1] == ')') {
    d.kind = DEFINES_FUNCTION;
    at = memchr(start, '(', (size_t)(last - start));
    name_before(start, at, d.name);
    d.code_lines = count_code_lines(brace, close);
  } else if (last > start && last[-1] == '=') {
    d.kind = DEFINES_DATA;
    at = memchr(start, '[', (size_t)(last - start));
    name_before(start, at ? at : last - 1, d.name);
  } else if (has_word(start, last, "struct") || has_word(start, last, "enum") || has_word(start, last, "union")) {
    d.kind = DEFINES_TYPE;
    name_before(start, last, d.name);
    if (strcmp(d.name, "struct") == 0 || strcmp(d.name, "enum") == 0 || strcmp(d.name, "union") == 0) d.name[0] = '\0';
    if (!d.name[0] && has_word(start, last, "typedef")) { // typedef struct {...} NAME;
      const char* semicolon = strchr(close, ';');
      if (semicolon) name_before(close, semicolon, d.name);
    }
  }
  for (const char* s = code; s < brace; ++s) d.line += *s == '\n';
  assert_true(set->ndefinition < MOST_DEFINITIONS);
  if (d.name[0]) set->definition[set->ndefinition++] = d;
}

static inline void find_definitions(sourceSet* set, int file) {
  const char *start = set->file[file].code, *brace = NULL;
  int depth = 0;
  for (const char* s = start; *s; ++s) {
    const char* equals = *s == ';' && depth == 0 ? memchr(start, '=', (size_t)(s - start)) : NULL;
    if (equals && !has_word(start, equals, "_Static_assert")) // data without braces
      add_definition(set, file, start, equals + 1, s);
    if (*s == '{' && depth++ == 0) brace = s;
    if (*s == '}' && --depth == 0) add_definition(set, file, start, brace, s), start = s + 1;
    if (*s == ';' && depth == 0) start = s + 1;
  }
  if (depth != 0) fail_msg("%s: braces do not match", set->file[file].path);
}

// All sources below the folders (blank-separated) of root. Free with free_sources.
static inline sourceSet* read_sources(const char* root, const char* folders) {
  sourceSet* set = calloc(1, sizeof *set);
  char command[1024], path[512];
  snprintf(command, sizeof command, "cd '%s' && find %s -name '*.[ch]' | LC_ALL=C sort", root, folders);
  FILE* list = popen(command, "r");
  assert_non_null(list);
  while (fscanf(list, "%255s", path) == 1) {
    assert_true(set->nfile < MOST_FILES);
    sourceFile* file = &set->file[set->nfile++];
    snprintf(file->path, sizeof file->path, "%.255s", path);
    char full[1024];
    snprintf(full, sizeof full, "%s/%s", root, path);
    file->text = read_text(full);
    file->code = strip_non_code(file->text);
    find_definitions(set, set->nfile - 1);
  }
  assert_int_equal(pclose(list), 0);
  return set;
}

static inline void free_sources(sourceSet* set) {
  for (int i = 0; i < set->nfile; ++i) free(set->file[i].text), free(set->file[i].code);
  free(set);
}

#endif
