// The memory of one import: many small pieces that are freed together. So nothing leaks when an import is refused.
#ifndef HFI_IMPORT_STORE_H
#define HFI_IMPORT_STORE_H

#include <stddef.h>

typedef struct hfiStoreBlock hfiStoreBlock;
typedef struct hfiStore {
  hfiStoreBlock* head;
} hfiStore;

// Memory filled with zeros that lives as long as the store. NULL when there is none.
void* hfi_store_take(hfiStore* store, size_t bytes);
void hfi_store_release(hfiStore* store);

#endif
