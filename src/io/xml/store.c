// The store is a list of blocks. A request that does not fit into the newest block makes another block.
#include "io/xml/store.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 4096, PIECE_ALIGN = 16 };

struct hfiStoreBlock {
  hfiStoreBlock* next;
  size_t size, used; // size of the bytes that follow this header, and how many of them are used
};

enum { HEADER_BYTES = (sizeof(hfiStoreBlock) + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN };

// Adds a block of at least this many bytes to the store, or returns NULL.
static hfiStoreBlock* open_block(hfiStore* store, size_t bytes) {
  size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
  hfiStoreBlock* block = calloc(1, HEADER_BYTES + size);
  if (!block) return NULL;
  block->size = size;
  block->next = store->head;
  store->head = block;
  return block;
}

// So many bytes of the store, filled with zeros. NULL if there is no memory.
void* hfi_store_take(hfiStore* store, size_t bytes) {
  if (bytes > (size_t)-1 / 2) return NULL;

  bytes = (bytes + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
  hfiStoreBlock* block = store->head;
  if (!block || block->size - block->used < bytes) block = open_block(store, bytes);
  if (!block) return NULL;
  void* piece = (char*)block + HEADER_BYTES + block->used;
  block->used += bytes;
  return piece;
}

// Frees all blocks.
void hfi_store_release(hfiStore* store) {
  while (store->head) {
    hfiStoreBlock* next = store->head->next;
    free(store->head);
    store->head = next;
  }
}
