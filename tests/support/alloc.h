// Counting and failing allocations of a whole test program, shared libraries included.
//
// A program that uses these functions links allocator functions that stand before the C library's.
// Under a sanitizer, which has its own, they count nothing: alloc_supported() is 0 and the test skips.
#ifndef HF_TESTS_ALLOC_H
#define HF_TESTS_ALLOC_H

int alloc_supported(void);
// Allocations (malloc, calloc, realloc, aligned_alloc) so far.
long alloc_count(void);
// Blocks allocated and not freed.
long alloc_live(void);
// The n-th allocation from now fails (1: the next); 0: none.
void alloc_fail_at(long n);

#endif
