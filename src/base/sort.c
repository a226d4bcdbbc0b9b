// Insertion sort for short or nearly sorted input, heap sort otherwise: O(n log n), no memory.
#include "base/sort.h"

#include <assert.h>
#include <string.h>

enum {
  MAX_WIDTH = 256, // Largest element [bytes].
  SHORT = 12,      // Insertion sort never gives up for at most this many elements.
};

// Exchanges two elements.
static void swap(char* a, char* b, size_t width) {
  char t[MAX_WIDTH];
  memcpy(t, a, width);
  memcpy(a, b, width);
  memcpy(b, t, width);
}

// Sorts by insertion. Returns 0 if it gave up because elements are far from their places; they are
// then permuted.
static int insert_sort(char* x, size_t count, size_t width, int (*compare)(const void*, const void*)) {
  size_t budget = 4 * count + SHORT * SHORT; // moves that it may make
  char t[MAX_WIDTH];

  for (size_t i = 1; i < count; ++i) {
    size_t j = i;
    memcpy(t, x + i * width, width);
    for (; j > 0 && compare(x + (j - 1) * width, t) > 0; --j) {
      memcpy(x + j * width, x + (j - 1) * width, width);
      if (budget) budget--;
    }
    memcpy(x + j * width, t, width);

    if (!budget) return i + 1 == count;
  }
  return 1;
}

// Moves the element at the root down to its place in the heap of the first `count` elements.
static void sift_down(char* x, size_t root, size_t count, size_t width, int (*compare)(const void*, const void*)) {
  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    // the larger child
    if (child + 1 < count && compare(x + child * width, x + (child + 1) * width) < 0) child++;
    if (compare(x + root * width, x + child * width) >= 0) return;
    swap(x + root * width, x + child * width, width);
    root = child;
  }
}

// Sorts `count` elements of `width` bytes in ascending order.
void hfi_sort(void* data, size_t count, size_t width, int (*compare)(const void*, const void*)) {
  assert(width <= MAX_WIDTH);
  char* x = data;
  if (count < 2 || insert_sort(x, count, width, compare)) return;

  // a heap with the largest element first, which then goes to the end
  for (size_t i = count / 2; i-- > 0;) sift_down(x, i, count, width, compare);
  for (size_t n = count; n-- > 1;) {
    swap(x, x + n * width, width);
    sift_down(x, 0, n, width, compare);
  }
}
