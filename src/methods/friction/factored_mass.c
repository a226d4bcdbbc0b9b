// Factors a sparse M by its connected components. Each is ordered by minimum degree with one node for each dof, so
// that a free body of six dofs costs nothing and a body of finite elements keeps its sparsity.
#include "methods/friction/factored_mass.h"

#include <string.h>

// Lists the off-diagonal entries of M as edges and writes their number. Returns NULL if memory ran out.
static int32_t* list_edges(const hfSparseMatrix* M, int32_t* count, const hfAllocator* allocator) {
  int32_t* edges = hfi_allocate(allocator, sizeof(int32_t) * 2 * ((size_t)M->start[M->rows] + 1));
  *count = 0;
  if (!edges) return NULL;

  for (int32_t i = 0; i < M->rows; ++i)
    for (int32_t e = M->start[i]; e < M->start[i + 1]; ++e) {
      if (M->col[e] == i) continue;
      edges[2 * *count] = i;
      edges[2 * *count + 1] = M->col[e];
      ++*count;
    }
  return edges;
}

// Takes the arrays for components of the largest size.
static void plan(hfiFactoredMass* mass, hfiArena* arena) {
  hfi_block_plan(&mass->K, arena, mass->components.largest, mass->components.largest);
  mass->x = HFI_TAKE(arena, double, mass->components.largest);
}

// Finds the components of M and takes memory for the largest. Returns 0 if memory ran out.
int hfi_mass_open(hfiFactoredMass* mass, const hfSparseMatrix* M, const hfAllocator* allocator) {
  memset(mass, 0, sizeof *mass);
  mass->M = M;
  mass->allocator = allocator;

  int32_t count;
  int32_t* edges = list_edges(M, &count, allocator);
  int found = edges && hfi_components_find(&mass->components, M->rows, edges, count, allocator);
  hfi_release(edges);
  if (!found) return 0;

  hfiArena size = hfi_arena(NULL, 0);
  plan(mass, &size);
  hfiArena arena = hfi_arena_allocate(&size, allocator);
  mass->memory = arena.base;
  if (arena.base) plan(mass, &arena);
  return arena.base != NULL;
}

// Releases everything that hfi_mass_open has taken.
void hfi_mass_close(hfiFactoredMass* mass) {
  if (mass->capacity) hfi_release(mass->K.value);
  hfi_release(mass->memory);
  hfi_release(mass->components.start);
}

// Returns the place of entry (i, j) of a matrix with one dof a node.
static double* entry_of(hfiBlockMatrix* K, int32_t i, int32_t j) {
  int32_t a = K->ordering.position[i];
  int32_t b = K->ordering.position[j];
  // the rows of a node: its diagonal, then the later nodes; the lower part is stored with the earlier node
  if (a == b) return hfi_block_rows(K, a);
  if (a < b) return hfi_block_rows(K, a) + 1 + hfi_block_column(K, a, b);
  return hfi_block_lower(K, b) + hfi_block_column(K, b, a);
}

// Factors component c of M. local: number of a dof in its component. HF_SINGULAR: a pivot failed.
hfStatus hfi_mass_factor(hfiFactoredMass* mass, int32_t c) {
  const hfiComponents* components = &mass->components;
  const hfSparseMatrix* M = mass->M;
  hfiBlockMatrix* K = &mass->K;
  int32_t first = components->start[c];
  int32_t n = components->start[c + 1] - first;

  // the order of elimination
  hfi_block_begin(K, n);
  for (int32_t k = 0; k < n; ++k) {
    int32_t i = components->item[first + k];
    K->weight[k] = 1;
    for (int32_t e = M->start[i]; e < M->start[i + 1]; ++e) hfi_block_couple(K, k, components->local[M->col[e]]);
  }
  if (!hfi_block_order(K)) return HF_ERROR_MEMORY;

  // room for the factors
  if (K->panel_start[n] > mass->capacity) {
    hfi_release(mass->capacity ? K->value : NULL);
    mass->capacity = 0;
    K->value = hfi_allocate(mass->allocator, sizeof(double) * K->panel_start[n]);
    if (!K->value) return HF_ERROR_MEMORY;
    mass->capacity = K->panel_start[n];
  }

  // the factors
  hfi_block_zero(K, 0, K->nodes, 0);
  for (int32_t k = 0; k < n; ++k) {
    int32_t i = components->item[first + k];
    for (int32_t e = M->start[i]; e < M->start[i + 1]; ++e)
      *entry_of(K, k, components->local[M->col[e]]) += M->value[e];
  }
  return hfi_block_factor(K, 0) ? HF_SINGULAR : HF_OK;
}

// b <- M^-1 b on the component that was factored last.
void hfi_mass_solve(hfiFactoredMass* mass, double* b) {
  const hfiBlockMatrix* K = &mass->K;
  for (int32_t k = 0; k < K->nodes; ++k) mass->x[k] = b[K->ordering.order[k]];
  hfi_block_solve(K, mass->x);
  for (int32_t k = 0; k < K->nodes; ++k) b[K->ordering.order[k]] = mass->x[k];
}
