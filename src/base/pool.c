// A list of allocations released together.
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct hfiPoolNode { struct hfiPoolNode* next; max_align_t data[]; } hfiPoolNode;

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

void hfi_pool_release(hfiPool* pool) {
  while (pool->head) {
    hfiPoolNode* node = pool->head;
    pool->head = node->next;
    free(node);
  }
}

void* hfi_grow(void* data, int* capacity, int count, size_t width) {
  if (count < *capacity) return data;
  int larger = *capacity ? 2 * *capacity : 16;
  void* moved = realloc(data, (size_t)larger * width);
  if (moved) *capacity = larger;
  return moved;
}
