// Threads that share the items of a task. The thread sanitizer (./check --full) runs this program too.
#include "support/cmocka_all.h"

#include "base/threads.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 9 };

typedef struct counts {
  atomic_int done[ITEMS];
} counts;

static void count_item(void* context, int item) { atomic_fetch_add(&((counts*)context)->done[item], 1); }

static void assert_each_done(counts* c, int items, int times) {
  for (int i = 0; i < ITEMS; ++i) assert_int_equal(atomic_load(&c->done[i]), i < items ? times : 0);
}

static hfiThreads* create(int count, long patience) {
  hfiThreads* threads = NULL;
  hfError error;
  assert_int_equal(hfi_threads_create(&threads, count, patience, &error), HF_OK);
  return threads;
}

// Each item is done once in each task, for any number of threads and items, whether threads wait awake or asleep.
static void test_each_item_is_done_once(void** state) {
  (void)state;
  for (int count = 1; count <= 5; ++count)
    for (int items = 0; items <= ITEMS; ++items) {
      hfiThreads* threads = create(count, items % 2 ? 0 : 100000);
      counts c = {0};
      for (int run = 0; run < 300; ++run) hfi_workers_run(hfi_threads_workers(threads), items, count_item, &c);
      assert_each_done(&c, items, 300);
      hfi_threads_free(threads);
    }
}

// After a pause the threads sleep, and the next task wakes them.
static void test_tasks_after_a_pause(void** state) {
  (void)state;
  hfiThreads* threads = create(3, 1000);
  counts c = {0};
  for (int run = 0; run < 5; ++run) {
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    hfi_workers_run(hfi_threads_workers(threads), ITEMS, count_item, &c);
  }
  assert_each_done(&c, ITEMS, 5);
  hfi_threads_free(threads);
}

static void test_without_workers(void** state) {
  (void)state;
  counts c = {0};
  hfi_workers_run(NULL, 4, count_item, &c);
  assert_each_done(&c, 4, 1);
  hfi_threads_free(NULL);
}

// A child process has no threads of the workers. It does all items itself, and frees the workers without waiting for threads.
static void test_forked_process(void** state) {
  (void)state;
  hfiThreads* threads = create(2, 1000);
  pid_t child = fork();
  assert_at_least(child, 0);
  if (child == 0) {
    counts c = {0};
    hfi_workers_run(hfi_threads_workers(threads), ITEMS, count_item, &c);
    int good = 1;
    for (int i = 0; i < ITEMS; ++i) good &= atomic_load(&c.done[i]) == 1;
    hfi_threads_free(threads);
    _exit(good ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  hfi_threads_free(threads);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_item_is_done_once),
      cmocka_unit_test(test_tasks_after_a_pause),
      cmocka_unit_test(test_without_workers),
      cmocka_unit_test(test_forked_process),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
