// What the tests of certificates share: work space for matrices of up to ROWS rows, which the test defines, and a matrix.
#ifndef HF_TESTS_CERTIFICATE_WORK_H
#define HF_TESTS_CERTIFICATE_WORK_H

#include "support/cmocka_all.h"

#include <holdfast/lcp.h>
#include <stdlib.h>

typedef struct Fixture {
  void* work;
  size_t size;
  double A[ROWS * ROWS], re[ROWS], im[ROWS];
} Fixture;

static inline int setup(void** state) {
  Fixture* f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->size = hf_certificate_work_size(ROWS);
  f->work = malloc(f->size);
  assert_non_null(f->work);
  *state = f;
  return 0;
}

static inline int teardown(void** state) {
  Fixture* f = *state;
  free(f->work);
  free(f);
  return 0;
}

#endif
