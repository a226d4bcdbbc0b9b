// A list of allocations released together.
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct hfiPoolNode { struct hfiPoolNode* next; max_align_t data[]; } hfiPoolNode;

// Returns a copy of `bytes` bytes (zeros if source is NULL) that the pool releases; NULL if there is no memory.
void* hfi_pool_copy(hfiPool* pool, const void* source, size_t bytes) {
  hfiPoolNode* node = calloc(1, sizeof *node + (bytes ? bytes : 1));
  if (!node) return NULL;
  if (source && bytes) memcpy(node->data, source, bytes);
  node->next = pool->head;
  pool->head = node;
  return node->data;
}

char* hfi_pool_string(hfiPool* pool, const char* s) {
  return s ? hfi_pool_copy(pool, s, strlen(s) + 1) : NULL;
}

// Releases all that was allocated.
void hfi_pool_release(hfiPool* pool) {
  while (pool->head) {
    hfiPoolNode* node = pool->head;
    pool->head = node->next;
    free(node);
  }
}

// Returns an array with room for one more element than `count`: the same or a larger one, or NULL without memory.
void* hfi_grow(void* data, int* capacity, int count, size_t width) {
  if (count < *capacity) return data;
  int larger = *capacity ? 2 * *capacity : 16;
  void* moved = realloc(data, (size_t)larger * width);
  if (moved) *capacity = larger;
  return moved;
}
