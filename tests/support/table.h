// A table read from a CSV file with a header: numbers and texts by row and column name.
#ifndef HF_TESTS_TABLE_H
#define HF_TESTS_TABLE_H

typedef struct table {
  int rows, cols;
  char* text;    // of the whole file, cut at commas and line ends
  char** name;   // (cols)
  char** cell;   // (rows x cols)
  double* value; // (rows x cols), NaN where a cell is no number
} table;

// A file that is missing, empty or ragged is a failure.
table table_read(const char* path);
void table_free(table* t);

// A negative row counts from the end: -1 is the last. An unknown column is a failure.
int table_column(const table* t, const char* name);
double table_at(const table* t, int row, const char* name);
const char* table_text(const table* t, int row, const char* name);
// The first row with a time of at least `time`, less rounding; one past the last where there is
// none.
int table_row_at(const table* t, double time);

#endif
