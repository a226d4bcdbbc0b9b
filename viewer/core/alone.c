// The page has no threads: the caller does all parts of a task.
#include "base/threads.h"

#include "base/error.h"

hfStatus hfi_threads_create(hfiThreads** threads, int count, long patience, hfError* error) {
  (void)patience;
  *threads = NULL;
  return count > 1 ? hfi_refuse(error, HF_ERROR_UNSUPPORTED, "%d threads: the page has one", count) : HF_OK;
}

void hfi_threads_free(hfiThreads* threads) { (void)threads; }

hfiWorkers* hfi_threads_workers(hfiThreads* threads) {
  (void)threads;
  return NULL;
}
