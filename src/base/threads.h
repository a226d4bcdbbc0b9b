// Threads that share the items of a task with the thread that calls.
#ifndef HFI_BASE_THREADS_H
#define HFI_BASE_THREADS_H

#include "base/workers.h"

#include <holdfast/status.h>

typedef struct hfiThreads hfiThreads;

// `count` threads with that of the caller, so count - 1 new ones. They block all signals: these go to the caller's
// threads. A thread without a task tests for `patience` [ns] whether there is one before it sleeps, if each thread has
// a processor.
hfStatus hfi_threads_create(hfiThreads** threads, int count, long patience, hfError* error);
void hfi_threads_free(hfiThreads* threads);
// The threads as workers, for as long as they live. In a process that was forked from the one that created them, which
// has no threads of them, the caller does all items. NULL without threads.
hfiWorkers* hfi_threads_workers(hfiThreads* threads);

// Processors that this process may use.
int hfi_processor_count(void);

#endif
