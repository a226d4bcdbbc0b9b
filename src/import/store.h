// Memory of one import: many small pieces, freed together. A refusal half-way leaks nothing.
#ifndef HFI_IMPORT_STORE_H
#define HFI_IMPORT_STORE_H

#include <stddef.h>

typedef struct hfiStoreBlock hfiStoreBlock;
typedef struct hfiStore {
  hfiStoreBlock* head;
} hfiStore;

// Zeroed memory that lives as long as the store; NULL when out of memory.
void* hfi_store_take(hfiStore* store, size_t bytes);
void hfi_store_release(hfiStore* store);

#endif
