// The page has no threads: the caller does all parts of a task.
#include "base/workers.h"

#include "base/error.h"

#include <stddef.h>

hfStatus hfi_workers_create(hfiWorkers** workers, int count, long patience, hfError* error) {
  (void)patience;
  *workers = NULL;
  return count > 1 ? hfi_refuse(error, HF_ERROR_UNSUPPORTED, "%d threads: the page has one", count) : HF_OK;
}

void hfi_workers_free(hfiWorkers* workers) { (void)workers; }

void hfi_workers_run(hfiWorkers* workers, int items, void (*task)(void* context, int item), void* context) {
  (void)workers;
  for (int item = 0; item < items; ++item) task(context, item);
}
