// CSV without quoted cells, as the logs of `holdfast run` have where no name contains a comma.
#include "support/table.h"

#include "support/cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("%s is not there", path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char* text = malloc(size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, size, file), size);
  fclose(file);
  text[size] = '\0';
  return text;
}

static int count_of(const char* text, char c, char end) {
  int count = 0;
  for (; *text != end && *text; ++text) count += *text == c;
  return count;
}

// Cuts a line into `cols` cells; returns the start of the next.
static char* cut_line(char* at, int cols, char** cell, const char* path) {
  for (int i = 0; i < cols; ++i) {
    cell[i] = at;
    at += strcspn(at, ",\n");
    if (*at != (i + 1 < cols ? ',' : '\n')) fail_msg("%s: a row has not %d cells", path, cols);
    *at++ = '\0';
  }
  return at;
}

static double number_of(const char* cell) {
  char* end;
  double value = strtod(cell, &end);
  return end != cell && *end == '\0' ? value : NAN;
}

table table_read(const char* path) {
  table t = {.text = read_text(path)};
  t.cols = 1 + count_of(t.text, ',', '\n');
  t.rows = count_of(t.text, '\n', '\0') - 1;
  if (t.rows < 0) fail_msg("%s is empty", path);
  size_t cells = (size_t)t.rows * (size_t)t.cols;
  t.name = malloc(sizeof *t.name * (size_t)t.cols);
  t.cell = malloc(sizeof *t.cell * (cells + 1));
  t.value = malloc(sizeof *t.value * (cells + 1));
  assert_true(t.name && t.cell && t.value);
  char* at = cut_line(t.text, t.cols, t.name, path);
  for (int i = 0; i < t.rows; ++i)
    at = cut_line(at, t.cols, t.cell + (size_t)i * (size_t)t.cols, path);
  for (size_t i = 0; i < cells; ++i) t.value[i] = number_of(t.cell[i]);
  return t;
}

void table_free(table* t) {
  free(t->text);
  free(t->name);
  free(t->cell);
  free(t->value);
}

int table_column(const table* t, const char* name) {
  for (int i = 0; i < t->cols; ++i)
    if (strcmp(t->name[i], name) == 0) return i;
  fail_msg("there is no column %s", name);
  return -1;
}

static size_t cell_index(const table* t, int row, const char* name) {
  if (row < 0) row += t->rows;
  if (row < 0 || row >= t->rows) fail_msg("there is no row %d of %d", row, t->rows);
  return (size_t)row * (size_t)t->cols + (size_t)table_column(t, name);
}

double table_at(const table* t, int row, const char* name) {
  return t->value[cell_index(t, row, name)];
}
const char* table_text(const table* t, int row, const char* name) {
  return t->cell[cell_index(t, row, name)];
}

int table_row_at(const table* t, double time) {
  int lo = 0, hi = t->rows;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (table_at(t, mid, "time") < time - 1e-9)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}
