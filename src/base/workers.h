// Workers that somebody lends: who has work that can be shared calls them, and knows nothing of threads.
#ifndef HFI_BASE_WORKERS_H
#define HFI_BASE_WORKERS_H

#include <stddef.h>

typedef struct hfiWorkers {
  // Calls task(task_context, item) for every item in 0 .. items - 1, and returns when all calls have returned.
  void (*run)(void* context, int items, void (*task)(void* task_context, int item), void* task_context);
  void* context;
} hfiWorkers;

// Lets the workers do all items of a task. Which worker does which item depends on timing. Without workers (NULL) the
// caller does all items.
static inline void hfi_workers_run(const hfiWorkers* workers, int items, void (*task)(void* context, int item),
                                   void* context) {
  if (workers) workers->run(workers->context, items, task, context);
  else
    for (int item = 0; item < items; ++item) task(context, item);
}

#endif
