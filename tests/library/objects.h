// Reads what the object files of a build define and need, for the tests of symbols.
#ifndef HF_TESTS_OBJECTS_H
#define HF_TESTS_OBJECTS_H

#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_SIZE = 128, PATH_SIZE = 256 };

typedef struct objectFile { char path[PATH_SIZE]; } objectFile; // below the folder of objects, without the ending .c.o

// A symbol that an object defines or needs.
typedef struct objectSymbol {
  char name[SYMBOL_SIZE];
  int object;
  int is_defined;
} objectSymbol;

typedef struct objectSet {
  int nobject, nsymbol;
  objectFile* object;
  objectSymbol* symbol; // sorted by name
} objectSet;

static inline int compare_symbols(const void* a, const void* b) {
  const objectSymbol* x = a;
  const objectSymbol* y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : y->is_defined - x->is_defined;
}

// What lies below a folder. list: a shell command that prints the paths of the objects.
static inline objectSet read_objects(const char* folder, const char* list) {
  enum { MOST_OBJECTS = 2000, MOST_SYMBOLS = 60000 };
  objectSet set = {0, 0, calloc(MOST_OBJECTS, sizeof *set.object), calloc(MOST_SYMBOLS, sizeof *set.symbol)};
  char command[4096];
  char line[2048];
  snprintf(command, sizeof command, "%s | xargs nm -A | sed 's/: */ /'", list);
  FILE* pipe = popen(command, "r");
  assert_non_null(pipe);

  while (fgets(line, sizeof line, pipe)) {
    // path [value] kind name
    char path[1024];
    char word[3][256] = {"", "", ""};
    int words = sscanf(line, "%1023s %255s %255s %255s", path, word[0], word[1], word[2]) - 1;
    if (words < 2) continue;
    const char* kind = word[words - 2];
    if (strchr("tdbrn", *kind)) continue; // not seen by other objects

    char* end = strstr(path, ".c.o");
    if (end) *end = '\0';
    const char* name = path + strlen(folder) + 1;
    if (set.nobject == 0 || strcmp(set.object[set.nobject - 1].path, name) != 0) {
      assert_true(set.nobject < MOST_OBJECTS);
      snprintf(set.object[set.nobject++].path, PATH_SIZE, "%s", name);
    }
    assert_true(set.nsymbol < MOST_SYMBOLS);
    objectSymbol* symbol = &set.symbol[set.nsymbol++];
    snprintf(symbol->name, SYMBOL_SIZE, "%s", word[words - 1]);
    symbol->object = set.nobject - 1;
    symbol->is_defined = *kind != 'U';
  }
  assert_int_equal(pclose(pipe), 0);
  qsort(set.symbol, (size_t)set.nsymbol, sizeof *set.symbol, compare_symbols);
  return set;
}

static inline void free_objects(objectSet* set) {
  free(set->object);
  free(set->symbol);
}

// The object that defines a symbol, or -1.
static inline int find_definition(const objectSet* set, const char* name) {
  int lo = 0;
  int hi = set->nsymbol;
  while (lo < hi) {
    int middle = (lo + hi) / 2;
    if (strcmp(set->symbol[middle].name, name) < 0)
      lo = middle + 1;
    else
      hi = middle;
  }
  for (; lo < set->nsymbol && strcmp(set->symbol[lo].name, name) == 0; ++lo)
    if (set->symbol[lo].is_defined) return set->symbol[lo].object;
  return -1;
}

#endif
