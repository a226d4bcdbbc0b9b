// The header include/holdfast/model_fields.h and Python's stub python/holdfast/_fields.pyi are what the table
// src/model/fields.txt says: every field is declared with its shape, unit and meaning. After a change of the table,
//
//   test_model_fields --write
//
// writes both again.
#include "support/cmocka_all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE HF_SOURCE_DIR "/src/model/fields.txt"
#define HEADER HF_SOURCE_DIR "/include/holdfast/model_fields.h"
#define STUB HF_SOURCE_DIR "/python/holdfast/_fields.pyi"
enum { MOST_ROWS = 400, LINE = 320, WIDTH = 120 };

// A row of the table. A title has only a text, a count a name and a text.
typedef struct Row {
  char type[16], name[40], rows[40], columns[40];
  int overlay;
  char text[LINE];
} Row;

static Row table[MOST_ROWS];
static int row_count;

static int is_title(const Row* row) { return row->type[0] == 0; }
static int is_count(const Row* row) { return strcmp(row->type, "count") == 0; }
static int is_field(const Row* row) { return !is_title(row) && !is_count(row); }

static void read_table(void) {
  FILE* file = fopen(TABLE, "r");
  assert_non_null(file);
  char line[LINE];
  row_count = 0;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '#' || line[0] == 0) continue;

    assert_below(row_count, MOST_ROWS);
    Row* row = &table[row_count++];
    *row = (Row){0};
    if (sscanf(line, "== %319[^\n]", row->text) == 1) continue;
    if (sscanf(line, "count %39s %319[^\n]", row->name, row->text) == 2) {
      strcpy(row->type, "count");
      continue;
    }
    int found = sscanf(line, "%15s %39s %39s %39s %d %319[^\n]", row->type, row->name, row->rows, row->columns, &row->overlay, row->text);
    if (found != 6) fail_msg("%s: not type, name, rows, columns, overlay and meaning: %s", TABLE, line);
  }
  fclose(file);
}

// ---- the header ------------------------------------------------------------------------------------

// Prints the declaration of a field: its shape and meaning stand behind it, or before it if they do not fit.
static void print_declaration(FILE* out, const Row* row) {
  char declaration[160];
  char comment[2 * LINE];
  snprintf(declaration, sizeof declaration, "HF_API const %s* hf_model_%s(const hfModel* m);", row->type, row->name);
  int is_column = strcmp(row->columns, "1") == 0;
  snprintf(comment, sizeof comment, "// (%s%s%s)%s %s", row->rows, is_column ? "" : " x ", is_column ? "" : row->columns,
           row->overlay ? "*" : "", row->text);
  if (strlen(declaration) + 1 + strlen(comment) <= WIDTH) {
    fprintf(out, "%s %s\n", declaration, comment);
    return;
  }

  // lines of at most WIDTH characters, each a comment
  const char* rest = comment + strlen("// ");
  while (*rest) {
    int length = (int)strlen(rest);
    if (length > WIDTH - 3) {
      length = WIDTH - 3;
      while (rest[length] != ' ') --length;
    }
    fprintf(out, "// %.*s\n", length, rest);
    rest += length;
    if (*rest == ' ') ++rest;
  }
  fprintf(out, "%s\n", declaration);
}

// Prints a macro that lists all rows of a sort, X(...) for each, a few in a line.
static void print_list(FILE* out, const char* macro, int (*is_listed)(const Row*)) {
  fprintf(out, "#define %s(X) \\\n ", macro);
  int column = 1;
  for (const Row* row = table; row < table + row_count; ++row) {
    char item[sizeof(Row)];
    if (!is_listed(row)) continue;
    if (is_count(row)) snprintf(item, sizeof item, " X(%.39s)", row->name);
    else snprintf(item, sizeof item, " X(%.15s, %.39s, %.39s, %.39s, %d)", row->type, row->name, row->rows, row->columns, row->overlay);
    if (column + (int)strlen(item) > WIDTH - 2) {
      fprintf(out, " \\\n ");
      column = 1;
    }
    fprintf(out, "%s", item);
    column += (int)strlen(item);
  }
  fprintf(out, "\n\n");
}

static void print_header(FILE* out) {
  fprintf(out,
          "// Counts and fields of a model, in the order in which they lie in its block. Made of src/model/fields.txt by the test\n"
          "// that compares both; included by model.h.\n"
          "//\n"
          "// hf_model_NAME(m) returns the array of field NAME. Behind it stand its shape, rows or (rows x columns), and its\n"
          "// meaning with the unit; a star: the parameters of a world (hfParams) may change it. HF_FIELD_ and the name is its number.\n"
          "// Ids are -1 where there is none. Frames: B body, P parent body, G geom, S site, C camera, W world.\n"
          "#ifndef HOLDFAST_MODEL_FIELDS_H\n"
          "#define HOLDFAST_MODEL_FIELDS_H\n\n"
          "#include <holdfast/status.h>\n"
          "#include <stdint.h>\n\n"
          "// ---- counts\n//\n");
  for (const Row* row = table; row < table + row_count; ++row)
    if (is_count(row)) fprintf(out, "//   %-14s %s\n", row->name, row->text);
  print_list(out, "HF_MODEL_COUNTS", is_count);
  fprintf(out, "// ---- fields: X(type, name, rows, columns, overlay); overlay 1 is the star of the declarations below\n\n");
  print_list(out, "HF_MODEL_FIELDS", is_field);
  fprintf(out,
          "#ifdef __cplusplus\n"
          "extern \"C\" {\n"
          "#endif\n\n"
          "typedef struct hfModel hfModel;\n");
  for (const Row* row = table; row < table + row_count; ++row) {
    if (is_title(row) && strcmp(row->text, "counts") != 0) fprintf(out, "\n// ---- %s\n\n", row->text);
    if (is_field(row)) print_declaration(out, row);
  }
  fprintf(out,
          "\n#ifdef __cplusplus\n"
          "}\n"
          "#endif\n"
          "#endif\n");
}

// ---- Python's stub ---------------------------------------------------------------------------------

static const char* array_of(const Row* row) {
  if (strcmp(row->type, "double") == 0) return "float64";
  return strcmp(row->type, "float") == 0 ? "float32" : "int32";
}

// Prints the declaration of a count or field; `names` is a function in Python.
static void print_attribute(FILE* out, const Row* row, const char* type) {
  const char* separator = strcmp(row->columns, "1") == 0 ? "" : ", ";
  const char* columns = *separator ? row->columns : "";
  if (is_count(row)) fprintf(out, "    %s: int  # %s\n", row->name, row->text);
  if (is_field(row) && strcmp(row->type, "char") != 0)
    fprintf(out, "    %s: %s  # (%s%s%s) %s\n", row->name, type, row->rows, separator, columns, row->text);
}

static void print_stub(FILE* out) {
  fprintf(out,
          "\"\"\"What models and parameters have, for type checkers. Made of src/model/fields.txt (tests/model/test_fields.c).\"\"\"\n\n"
          "from typing import Any\n\n"
          "from numpy import float32, float64, int32\n"
          "from numpy.typing import NDArray\n\n"
          "class ModelFields:\n");
  for (const Row* row = table; row < table + row_count; ++row) {
    char type[32];
    snprintf(type, sizeof type, "NDArray[%s]", array_of(row));
    print_attribute(out, row, type);
  }

  fprintf(out, "\nclass Parameter:  # an array to which anything can be assigned that has its shape\n"
               "    def __get__(self, owner: Any, kind: Any = None) -> NDArray[float64]: ...\n"
               "    def __set__(self, owner: Any, value: Any) -> None: ...\n\n"
               "class ParameterFields:\n");
  for (const Row* row = table; row < table + row_count; ++row)
    if (is_field(row) && row->overlay) print_attribute(out, row, "Parameter");
}

// ---- tests -----------------------------------------------------------------------------------------

static void compare_file(const char* path, void (*print)(FILE*)) {
  FILE* made = tmpfile();
  FILE* kept = fopen(path, "r");
  assert_non_null(made);
  assert_non_null(kept);
  print(made);
  rewind(made);

  char wanted[2 * LINE];
  char found[2 * LINE];
  for (int line = 1; fgets(wanted, sizeof wanted, made); ++line) {
    if (!fgets(found, sizeof found, kept)) fail_msg("%s ends before line %d: %s", path, line, wanted);
    if (strcmp(wanted, found) != 0)
      fail_msg("%s:%d is\n%swhere the table says\n%sWrite it again: test_model_fields --write", path, line, found, wanted);
  }
  if (fgets(found, sizeof found, kept)) fail_msg("%s has more lines than the table: %s", path, found);
  fclose(made);
  fclose(kept);
}

static void test_header_is_made_of_the_table(void** state) {
  (void)state;
  compare_file(HEADER, print_header);
}

static void test_stub_is_made_of_the_table(void** state) {
  (void)state;
  compare_file(STUB, print_stub);
}

static void test_no_field_stands_there_twice_or_without_meaning(void** state) {
  (void)state;
  for (const Row* row = table; row < table + row_count; ++row) {
    if (is_title(row)) continue;
    assert_above(strlen(row->text), 1);
    assert_false(isspace((unsigned char)row->text[0]));
    for (const Row* other = table; other < row; ++other)
      if (strcmp(other->name, row->name) == 0) fail_msg("%s stands in the table twice", row->name);
  }
}

static int write_file(const char* path, void (*print)(FILE*)) {
  FILE* out = fopen(path, "w");
  if (!out) return 1;
  print(out);
  return fclose(out);
}

int main(int argc, char** argv) {
  read_table();
  if (argc > 1 && strcmp(argv[1], "--write") == 0) return write_file(HEADER, print_header) | write_file(STUB, print_stub);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_header_is_made_of_the_table),
      cmocka_unit_test(test_stub_is_made_of_the_table),
      cmocka_unit_test(test_no_field_stands_there_twice_or_without_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
