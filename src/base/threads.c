// A fixed set of threads and one task at a time.
//
// `claims` is one number of three: how many tasks there were, how many items the present one has, and how many of them
// were claimed. A thread claims the next item by compare-and-swap, so that it never claims an item of a task that is
// over. Threads that are late, or that another program keeps from running, claim nothing, and the others do their
// items. The caller returns when all items are done.
//
// Waking a thread that sleeps takes as long as some steps of a world. So, if there is a processor for each thread, a
// thread that waits tests for a short time whether the wait is over before it sleeps. Calls that follow each other
// closely then find the threads awake, and between other calls no processor is busy. A thread does not yield meanwhile:
// on a busy machine that may cost a whole time slice.
#define _GNU_SOURCE // sched_getaffinity
#include "base/threads.h"

#include "base/error.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef void (*ItemTask)(void*, int);

struct hfiThreads {
  hfiWorkers workers; // what is lent: `run` with this object
  int count;          // number of threads, including the thread of the caller
  int started;        // number of threads that run
  long patience;      // how long threads test before they sleep [ns]
  pid_t owner;        // process that has the threads
  pthread_mutex_t mutex;
  pthread_cond_t begin, end;
  atomic_int quit;
  atomic_int sleeping; // number of threads that sleep until there is a task
  atomic_int caller_sleeps;
  atomic_uint done; // number of items of the task that are done
  _Atomic uint64_t claims;
  _Atomic(ItemTask) task;
  _Atomic(void*) context;
  pthread_t thread[];
};

// The three numbers of `claims`: tasks (32 bits), items (16 bits), claimed items (16 bits).
static uint64_t pack(uint64_t task, unsigned items) { return task << 32 | (uint64_t)items << 16; }
static unsigned items_of(uint64_t claims) { return (unsigned)(claims >> 16) & 0xffff; }
static unsigned claimed_of(uint64_t claims) { return (unsigned)claims & 0xffff; }
enum { MOST_ITEMS = 0xffff };

static int has_items(uint64_t claims) { return claimed_of(claims) < items_of(claims); }

// Claims and does items of the present task until none is left. Returns how many.
static unsigned do_items(hfiThreads* all) {
  uint64_t claims = atomic_load(&all->claims);
  unsigned done = 0;
  while (has_items(claims)) {
    ItemTask task = atomic_load(&all->task);
    void* context = atomic_load(&all->context);
    if (!atomic_compare_exchange_strong(&all->claims, &claims, claims + 1)) continue;

    task(context, (int)claimed_of(claims));
    atomic_fetch_add(&all->done, 1);
    done += 1;
    claims = atomic_load(&all->claims);
  }
  return done;
}

// What a thread waits for: items to claim, or the order to end.
static int is_task_there(hfiThreads* all, unsigned items) {
  (void)items;
  return has_items(atomic_load(&all->claims)) || atomic_load(&all->quit);
}

// What the caller waits for: all items of its task are done.
static int is_task_done(hfiThreads* all, unsigned items) { return atomic_load(&all->done) >= items; }

// Tests for a short time whether a wait is over. Returns 1 if it is.
static int is_over_soon(hfiThreads* all, int (*is_over)(hfiThreads*, unsigned), unsigned items) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    for (int i = 0; i < 16; ++i)
      if (is_over(all, items)) return 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < all->patience);
  return 0;
}

// Sleeps until there is a task, or until the threads must end.
static void sleep_until_task(hfiThreads* all) {
  pthread_mutex_lock(&all->mutex);
  atomic_fetch_add(&all->sleeping, 1);
  while (!is_task_there(all, 0)) pthread_cond_wait(&all->begin, &all->mutex);
  atomic_fetch_sub(&all->sleeping, 1);
  pthread_mutex_unlock(&all->mutex);
}

// Wakes those who wait for a condition. Under the mutex nobody can be between a test and the sleep that follows it.
static void wake(hfiThreads* all, pthread_cond_t* condition) {
  pthread_mutex_lock(&all->mutex);
  pthread_cond_broadcast(condition);
  pthread_mutex_unlock(&all->mutex);
}

// What each thread does until the threads must end.
static void* work(void* data) {
  hfiThreads* all = data;
  while (!atomic_load(&all->quit)) {
    if (do_items(all) && atomic_load(&all->caller_sleeps)) wake(all, &all->end);
    if (!is_over_soon(all, is_task_there, 0)) sleep_until_task(all);
  }
  return NULL;
}

// Starts the threads, which get no signals. Returns 0 if one cannot be started.
static int start_threads(hfiThreads* all) {
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);

  int good = 1;
  while (good && all->started + 1 < all->count) {
    good = pthread_create(&all->thread[all->started], NULL, work, all) == 0;
    all->started += good;
  }

  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

// Ends the threads and releases the object.
void hfi_threads_free(hfiThreads* all) {
  if (!all) return;

  // a forked child has no threads to join, and the mutex may be held for ever
  if (all->owner == getpid()) {
    atomic_store(&all->quit, 1);
    wake(all, &all->begin);
    for (int i = 0; i < all->started; ++i) pthread_join(all->thread[i], NULL);
    pthread_cond_destroy(&all->begin);
    pthread_cond_destroy(&all->end);
    pthread_mutex_destroy(&all->mutex);
  }
  free(all);
}

// Waits until all items are done.
static void wait_for_items(hfiThreads* all, unsigned items) {
  if (is_over_soon(all, is_task_done, items)) return;

  pthread_mutex_lock(&all->mutex);
  atomic_store(&all->caller_sleeps, 1);
  while (!is_task_done(all, items)) pthread_cond_wait(&all->end, &all->mutex);
  atomic_store(&all->caller_sleeps, 0);
  pthread_mutex_unlock(&all->mutex);
}

// The operation of hfiWorkers: does the items with all threads, or alone if there is little to share.
static void run(void* threads, int items, void (*task)(void*, int), void* context) {
  hfiThreads* all = threads;
  if (all->count == 1 || items <= 1 || items > MOST_ITEMS || all->owner != getpid()) {
    for (int item = 0; item < items; ++item) task(context, item);
    return;
  }

  // The new claims begin the task: all else must be stored before them.
  atomic_store(&all->task, task);
  atomic_store(&all->context, context);
  atomic_store(&all->done, 0);
  atomic_store(&all->claims, pack((atomic_load(&all->claims) >> 32) + 1, (unsigned)items));
  if (atomic_load(&all->sleeping) > 0) wake(all, &all->begin);

  do_items(all);
  wait_for_items(all, (unsigned)items);
}

// Creates `count` threads, including the thread of the caller.
hfStatus hfi_threads_create(hfiThreads** threads, int count, long patience, hfError* error) {
  hfiThreads* all = calloc(1, sizeof *all + (size_t)count * sizeof *all->thread);
  if (!all) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  all->count = count;
  all->patience = count <= hfi_processor_count() ? patience : 0;
  all->owner = getpid();
  all->workers = (hfiWorkers){run, all};
  pthread_mutex_init(&all->mutex, NULL);
  pthread_cond_init(&all->begin, NULL);
  pthread_cond_init(&all->end, NULL);

  if (!start_threads(all)) {
    hfi_threads_free(all);
    return hfi_refuse(error, HF_ERROR_MEMORY, "a thread cannot be started (of %d)", count);
  }
  *threads = all;
  return HF_OK;
}

hfiWorkers* hfi_threads_workers(hfiThreads* threads) { return threads ? &threads->workers : NULL; }

// The number of processors that this process may use, at least 1.
int hfi_processor_count(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
  return n > 0 ? (int)n : 1;
}
