// Threads that share the items of a task with the thread that calls.
#ifndef HFI_BASE_WORKERS_H
#define HFI_BASE_WORKERS_H

#include <holdfast/status.h>

typedef struct hfiWorkers hfiWorkers;

// `count` threads with that of the caller, so count - 1 new ones. They block all signals: these go to the caller's threads. A thread without a task tests
// for `patience` [ns] whether there is one before it sleeps, if each thread has a processor.
hfStatus hfi_workers_create(hfiWorkers** workers, int count, long patience, hfError* error);
void hfi_workers_free(hfiWorkers* workers);
// Calls task(context, item) for every item in 0 .. items - 1, and returns when all calls have returned. Which thread does which item depends on timing.
// Without workers (NULL) the caller does all items, and also in a process that was forked from the one that created the workers, which has no threads of
// them.
void hfi_workers_run(hfiWorkers* workers, int items, void (*task)(void* context, int item), void* context);

// Processors that this process may use.
int hfi_processor_count(void);

#endif
