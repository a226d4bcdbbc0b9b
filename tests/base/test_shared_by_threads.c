// Arrays that several threads fill: the same as if one thread fills them. The thread sanitizer (./check --full) runs this program too.
#include "support/cmocka_all.h"

#include "base/shares.h"
#include "base/threads.h"

#include <string.h>

enum { WORK = 1000, CAPACITY = 1600 };

// Item i of the work has `most` elements if it is one of the `rich` first ones, otherwise i % 3.
typedef struct fixture {
  int rich, most;
  int out[CAPACITY];
  hfiShares shares;
  int runs[HFI_MAX_SHARES]; // how often each share was done
} fixture;

static int elements_of(const fixture* f, int i) { return i < f->rich ? f->most : i % 3; }

static void fill(void* data, int share) {
  fixture* f = data;
  int begin = hfi_first_element(&f->shares, share), room = hfi_first_element(&f->shares, share + 1) - begin, count = 0, lost = 0;
  for (int i = hfi_first_work(&f->shares, share); i < hfi_first_work(&f->shares, share + 1); ++i)
    for (int k = 0; k < elements_of(f, i); ++k) {
      if (count < room)
        f->out[begin + count++] = 100 * i + k;
      else
        ++lost;
    }
  f->shares.count[share] = count, f->shares.lost[share] = lost;
  f->runs[share] += 1;
}

static int run(fixture* f, hfiWorkers* workers, int work, int capacity, int* lost) {
  memset(f->out, 0, sizeof f->out), memset(f->runs, 0, sizeof f->runs);
  f->shares = (hfiShares){.work = work, .capacity = capacity};
  return hfi_fill_by_shares(workers, &f->shares, fill, f, f->out, sizeof *f->out, lost);
}

// Fills an array with three threads and with one, and compares.
static void assert_same(fixture* f, int work, int capacity) {
  static fixture alone;
  hfiThreads* threads = NULL;
  hfError error;
  int lost, lost_alone;
  assert_int_equal(hfi_threads_create(&threads, 3, 0, &error), HF_OK);
  alone.rich = f->rich, alone.most = f->most;
  int count = run(f, hfi_threads_workers(threads), work, capacity, &lost), count_alone = run(&alone, NULL, work, capacity, &lost_alone);
  assert_int_equal(count, count_alone);
  assert_int_equal(lost, lost_alone);
  assert_memory_equal(f->out, alone.out, sizeof *f->out * (size_t)count);
  hfi_threads_free(threads);
}

static void test_order_does_not_depend_on_threads(void** state) {
  (void)state;
  static fixture f;
  assert_same(&f, WORK, CAPACITY);
  assert_int_equal(f.runs[HFI_MAX_SHARES - 1], 1); // It was divided.
  assert_same(&f, 0, CAPACITY);
  assert_same(&f, 20, CAPACITY);
  assert_int_equal(f.runs[1], 0); // So little work is not divided.
}

// The first items have so many elements that the first segment is too small, but the array is not.
static void test_one_segment_is_too_small(void** state) {
  (void)state;
  static fixture f;
  f.rich = 30, f.most = 12;
  assert_same(&f, WORK, CAPACITY);
  assert_int_equal(f.runs[0], 2);
  assert_int_equal(f.runs[1], 1);
}

// The array has no room for all elements: those of the first items are kept, and the others counted.
static void test_array_is_too_small(void** state) {
  (void)state;
  static fixture f;
  assert_same(&f, WORK, 500);
  assert_int_equal(f.shares.lost[0], 999 - 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_does_not_depend_on_threads),
      cmocka_unit_test(test_one_segment_is_too_small),
      cmocka_unit_test(test_array_is_too_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
