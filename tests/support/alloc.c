// Allocator functions that count, over glibc's own.
#include "support/alloc.h"

#include <errno.h>
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)
int alloc_supported(void) { return 0; }
long alloc_count(void) { return 0; }
long alloc_live(void) { return 0; }
void alloc_fail_at(long n) { (void)n; }
#else

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void* aligned_alloc(size_t, size_t);
void free(void*);

static long count, live, fail_in;

int alloc_supported(void) { return 1; }
long alloc_count(void) { return count; }
long alloc_live(void) { return live; }
void alloc_fail_at(long n) { fail_in = n; }

// Counts one allocation; 1: it shall fail.
static int shall_fail(void) {
  count++;
  if (fail_in > 0 && --fail_in == 0) {
    errno = ENOMEM;
    return 1;
  }
  return 0;
}

static void* taken(void* p) {
  if (p) live++;
  return p;
}

void* malloc(size_t n) { return shall_fail() ? NULL : taken(__libc_malloc(n)); }
void* calloc(size_t n, size_t width) { return shall_fail() ? NULL : taken(__libc_calloc(n, width)); }
void* aligned_alloc(size_t alignment, size_t n) { return shall_fail() ? NULL : taken(__libc_memalign(alignment, n)); }
void* realloc(void* p, size_t n) {
  if (shall_fail()) return NULL;
  void* moved = __libc_realloc(p, n);
  if (!p && moved) live++;
  return moved;
}
void free(void* p) {
  if (p) live--;
  __libc_free(p);
}
#endif
