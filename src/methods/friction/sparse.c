// Products of sparse matrices, their assembly from a list of entries, and connected components.
#include "methods/friction/sparse.h"

#include "base/arena.h"
#include "base/disjoint_sets.h"

#include <string.h>

// y += A x
void hfi_sparse_add(const hfSparseMatrix* A, const double* x, double* y) {
  for (int32_t i = 0; i < A->rows; ++i) {
    double sum = 0;
    for (int32_t e = A->start[i]; e < A->start[i + 1]; ++e) sum += A->value[e] * x[A->col[e]];
    y[i] += sum;
  }
}

// ---- entries -------------------------------------------------------------------------------------

enum { FIRST_CAPACITY = 256 }; // Entries for which there is room at first.

// Doubles the capacity. Returns 0 if memory ran out.
static int grow(hfiEntries* list) {
  int32_t capacity = list->capacity ? 2 * list->capacity : FIRST_CAPACITY;
  size_t n = (size_t)capacity;

  // one block of memory for the three arrays
  double* value = hfi_allocate(list->allocator, n * (sizeof(double) + 2 * sizeof(int32_t)));
  if (!value) return 0;
  int32_t* row = (int32_t*)(value + n);
  int32_t* col = row + n;

  size_t used = (size_t)list->count;
  if (used) {
    memcpy(value, list->value, used * sizeof *value);
    memcpy(row, list->row, used * sizeof *row);
    memcpy(col, list->col, used * sizeof *col);
  }
  hfi_release(list->value);

  list->value = value;
  list->row = row;
  list->col = col;
  list->capacity = capacity;
  return 1;
}

// Adds an entry. Without memory it is dropped, and list->failed is set.
void hfi_entries_add(hfiEntries* list, int32_t row, int32_t col, double value) {
  if (list->failed || (list->count == list->capacity && !grow(list))) {
    list->failed = 1;
    return;
  }

  int32_t k = list->count++;
  list->row[k] = row;
  list->col[k] = col;
  list->value[k] = value;
}

void hfi_entries_free(hfiEntries* list) {
  hfi_release(list->value);
  memset(list, 0, sizeof *list);
}

// Adds up the entries of each row that have the same column. place (cols) is scratch: place[j] is where column j of
// this row is, if that is at or after the row's first entry.
static void merge_rows(hfSparseMatrix* A, int32_t* place) {
  int32_t used = 0;
  for (int32_t j = 0; j < A->cols; ++j) place[j] = -1;

  for (int32_t i = 0; i < A->rows; ++i) {
    int32_t first = used;
    int32_t end = A->start[i + 1];
    for (int32_t e = A->start[i]; e < end; ++e) {
      int32_t j = A->col[e];
      if (place[j] >= first) {
        A->value[place[j]] += A->value[e];
        continue;
      }
      place[j] = used;
      A->col[used] = j;
      A->value[used] = A->value[e];
      ++used;
    }
    A->start[i] = first;
  }
  A->start[A->rows] = used;
}

// Takes the arrays of a matrix with n entries, and returns scratch for one number a row or column.
static int32_t* take_matrix(hfSparseMatrix* A, hfiArena* arena, int32_t rows, int32_t cols, int32_t n) {
  A->rows = rows;
  A->cols = cols;
  A->start = HFI_TAKE(arena, int32_t, rows + 1);
  A->col = HFI_TAKE(arena, int32_t, n);
  A->value = HFI_TAKE(arena, double, n);
  return HFI_TAKE(arena, int32_t, rows > cols ? rows : cols);
}

// Makes a matrix of the entries, those of the same place added up. Returns 0 if memory ran out.
int hfi_entries_compress(const hfiEntries* list, int32_t rows, int32_t cols, hfSparseMatrix* A) {
  if (list->failed) return 0;

  hfiArena plan = hfi_arena(NULL, 0);
  take_matrix(A, &plan, rows, cols, list->count);
  hfiArena arena = hfi_arena_allocate(&plan, list->allocator);
  if (!arena.base) return 0;
  int32_t* next = take_matrix(A, &arena, rows, cols, list->count);

  // sort the entries by rows: start[i + 1] counts the entries of row i, then their sum says where the row ends
  for (int32_t k = 0; k < list->count; ++k) ++A->start[list->row[k] + 1];
  for (int32_t i = 0; i < rows; ++i) A->start[i + 1] += A->start[i];
  memcpy(next, A->start, sizeof *next * (size_t)rows);
  for (int32_t k = 0; k < list->count; ++k) {
    int32_t to = next[list->row[k]]++;
    A->col[to] = list->col[k];
    A->value[to] = list->value[k];
  }

  merge_rows(A, next);
  return 1;
}

// ---- components ----------------------------------------------------------------------------------

// Numbers the components in the order of their first items, and sorts the items by component.
static void sort_items(hfiComponents* components, int32_t n, int32_t* parent) {
  components->count = 0;
  components->largest = 0;

  // the root of a set comes before its other items
  for (int32_t i = 0; i < n; ++i) {
    int32_t root = hfi_find_set(parent, i);
    components->label[i] = root == i ? components->count++ : components->label[root];
  }

  // start[c + 1] counts the items of component c, then their sum says where the component ends
  for (int32_t i = 0; i < n; ++i) ++components->start[components->label[i] + 1];
  for (int32_t c = 0; c < components->count; ++c) {
    if (components->start[c + 1] > components->largest) components->largest = components->start[c + 1];
    components->start[c + 1] += components->start[c];
  }

  // items component by component
  memcpy(components->next, components->start, sizeof *components->next * (size_t)components->count);
  for (int32_t i = 0; i < n; ++i) {
    int32_t c = components->label[i];
    int32_t to = components->next[c]++;
    components->item[to] = i;
    components->local[i] = to - components->start[c];
  }
}

// Finds the connected components of n items by `count` edges. Returns 0 if memory ran out.
int hfi_components_find(hfiComponents* components, int32_t n, const int32_t* edges, int32_t count,
                        const hfAllocator* allocator) {
  size_t size = (size_t)n + 1;
  components->start = hfi_allocate(allocator, 6 * size * sizeof(int32_t));
  if (!components->start) return 0;

  components->item = components->start + size;
  components->label = components->item + size;
  components->local = components->label + size;
  components->next = components->local + size;

  int32_t* parent = components->next + size;
  for (int32_t i = 0; i < n; ++i) parent[i] = i;
  for (int32_t k = 0; k < count; ++k) hfi_join_sets(parent, edges[2 * k], edges[2 * k + 1]);
  sort_items(components, n, parent);
  return 1;
}
