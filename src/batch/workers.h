// Threads that do parts of a task: the caller does part 0 and returns when all parts are done.
#ifndef HFI_BATCH_WORKERS_H
#define HFI_BATCH_WORKERS_H

#include <holdfast/status.h>

typedef struct hfiWorkers hfiWorkers;

// `count` parts at once, so count - 1 threads. Threads block all signals: these go to the caller's threads.
hfStatus hfi_workers_create(hfiWorkers** workers, int count, hfError* error);
void hfi_workers_free(hfiWorkers* workers);
// Calls task(context, part) for every part in 0 .. count - 1. In a process that was forked from the one that
// created the workers the threads are not there: then the caller does all parts, one after the other.
void hfi_workers_run(hfiWorkers* workers, void (*task)(void* context, int part), void* context);

// Processors that this process may use.
int hfi_processor_count(void);

#endif
