// A fixed set of threads and one task at a time.
//
// `round` counts tasks. A thread waits until the round changes, does its part and counts `pending` down; the
// caller waits for zero. Which thread does which part is fixed, so that nothing depends on timing.
//
// Waking a thread that sleeps takes as long as some steps of a world. So, if there is a processor for each thread, a thread that waits tests for a
// short time whether the wait is over before it sleeps. Calls that follow each other closely then find the threads awake, and between other calls no
// processor is busy. A thread does not yield meanwhile: on a busy machine that may cost a whole time slice.
#define _GNU_SOURCE // sched_getaffinity
#include "batch/workers.h"

#include "base/error.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const long PATIENCE = 30000; // How long a thread tests before it sleeps [ns].

typedef struct worker {
  hfiWorkers* all;
  pthread_t thread;
  int part;
} worker;

struct hfiWorkers {
  int count;   // number of parts, including that of the caller
  int started; // number of threads that run
  long patience; // how long threads test before they sleep [ns]
  pid_t owner; // process that has the threads
  pthread_mutex_t mutex;
  pthread_cond_t begin, done;
  atomic_uint round, pending;
  int quit;
  void (*task)(void*, int);
  void* context;
  worker worker[];
};

// Tests for a short time whether a number becomes equal to x (equal = 1) or different from x (equal = 0). Returns 1 if it does.
static int comes_soon(const hfiWorkers* all, atomic_uint* number, unsigned x, int equal) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    if ((atomic_load(number) == x) == equal) return 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < all->patience);
  return 0;
}

// Waits for the task after the last one. Returns 0 if there will be none.
static int wait_for_task(hfiWorkers* all, unsigned* seen) {
  int quit = 0;
  if (!comes_soon(all, &all->round, *seen, 0)) {
    pthread_mutex_lock(&all->mutex);
    while (atomic_load(&all->round) == *seen && !all->quit) pthread_cond_wait(&all->begin, &all->mutex);
    quit = all->quit;
    pthread_mutex_unlock(&all->mutex);
  }
  *seen = atomic_load(&all->round);
  return !quit;
}

static void* work(void* data) {
  worker* me = data;
  hfiWorkers* all = me->all;
  for (unsigned seen = 0; wait_for_task(all, &seen);) {
    all->task(all->context, me->part);
    if (atomic_fetch_sub(&all->pending, 1) > 1) continue;
    pthread_mutex_lock(&all->mutex); // Under the mutex the caller cannot be between its test of `pending` and its sleep.
    pthread_cond_signal(&all->done);
    pthread_mutex_unlock(&all->mutex);
  }
  return NULL;
}

static int start_threads(hfiWorkers* all) {
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  int good = 1;
  for (int i = 0; good && i + 1 < all->count; ++i) {
    all->worker[i] = (worker){.all = all, .part = i + 1};
    good = pthread_create(&all->worker[i].thread, NULL, work, &all->worker[i]) == 0;
    all->started += good;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

hfStatus hfi_workers_create(hfiWorkers** workers, int count, hfError* error) {
  hfiWorkers* all = calloc(1, sizeof *all + (size_t)count * sizeof(worker));
  if (!all) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  all->count = count;
  all->patience = count <= hfi_processor_count() ? PATIENCE : 0;
  all->owner = getpid();
  pthread_mutex_init(&all->mutex, NULL);
  pthread_cond_init(&all->begin, NULL);
  pthread_cond_init(&all->done, NULL);
  if (!start_threads(all)) {
    hfi_workers_free(all);
    return hfi_refuse(error, HF_ERROR_MEMORY, "a thread cannot be started (of %d)", count);
  }
  *workers = all;
  return HF_OK;
}

void hfi_workers_free(hfiWorkers* all) {
  if (!all) return;
  if (all->owner == getpid()) { // A forked child has no threads to join, and the mutex may be held for ever.
    pthread_mutex_lock(&all->mutex);
    all->quit = 1;
    pthread_cond_broadcast(&all->begin);
    pthread_mutex_unlock(&all->mutex);
    for (int i = 0; i < all->started; ++i) pthread_join(all->worker[i].thread, NULL);
    pthread_cond_destroy(&all->begin);
    pthread_cond_destroy(&all->done);
    pthread_mutex_destroy(&all->mutex);
  }
  free(all);
}

static void run_alone(const hfiWorkers* all, void (*task)(void*, int), void* context) {
  for (int part = 0; part < all->count; ++part) task(context, part);
}

void hfi_workers_run(hfiWorkers* all, void (*task)(void*, int), void* context) {
  if (all->count == 1 || all->owner != getpid()) {
    run_alone(all, task, context);
    return;
  }
  pthread_mutex_lock(&all->mutex);
  all->task = task;
  all->context = context;
  atomic_store(&all->pending, (unsigned)all->count - 1);
  atomic_fetch_add(&all->round, 1);
  pthread_cond_broadcast(&all->begin);
  pthread_mutex_unlock(&all->mutex);
  task(context, 0);
  if (comes_soon(all, &all->pending, 0, 1)) return;
  pthread_mutex_lock(&all->mutex);
  while (atomic_load(&all->pending) > 0) pthread_cond_wait(&all->done, &all->mutex);
  pthread_mutex_unlock(&all->mutex);
}

int hfi_processor_count(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
  return n > 0 ? (int)n : 1;
}
