// Sparse matrices of friction problems: products, and assembly from entries.
#ifndef HFI_FRICTION_SPARSE_H
#define HFI_FRICTION_SPARSE_H

#include <holdfast/friction.h>

// y += A x
void hfi_sparse_add(const hfSparseMatrix* A, const double* x, double* y);

// A growing list of entries. `failed` is set if there was no memory; later entries are then dropped.
typedef struct hfiEntries {
  const hfAllocator* allocator;
  int32_t count;
  int32_t capacity;
  int32_t* row;  // (capacity)
  int32_t* col;  // (capacity)
  double* value; // (capacity)
  int failed;
} hfiEntries;

void hfi_entries_add(hfiEntries* list, int32_t row, int32_t col, double value);
void hfi_entries_free(hfiEntries* list);
// Makes a matrix whose entries of the same place are added up, each row in the order of its first entries. Its memory
// is given back with hfi_release(A->start). Returns 0 if memory ran out.
int hfi_entries_compress(const hfiEntries* list, int32_t rows, int32_t cols, hfSparseMatrix* A);

// The connected components of a graph: the items of component c are item[start[c]] to item[start[c + 1] - 1],
// ascending.
typedef struct hfiComponents {
  int32_t count;   // number of components
  int32_t largest; // items of the largest
  int32_t* start;  // (components + 1)
  int32_t* item;   // (items)
  int32_t* label;  // (items) the component of an item
  int32_t* local;  // (items) its place in its component
  int32_t* next;   // scratch
} hfiComponents;

// Finds the components of n items. *components owns one block of memory, given back with
// hfi_release(components->start). edges[2 k] and edges[2 k + 1] are joined. Returns 0 if memory ran out.
int hfi_components_find(hfiComponents* components, int32_t n, const int32_t* edges, int32_t count,
                        const hfAllocator* allocator);

#endif
