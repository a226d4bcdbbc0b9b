// The kernels of stacks agree with plain loops, and give the same bits on every vector unit.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "step/solve/inside.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 32, MOST_COLUMNS = 20, MOST = 32 * 32 };

typedef struct fixture {
  hfiStack stack;
  double J[MOST], JT[MOST], x[MOST_COLUMNS], gamma[MOST_ROWS];
  hfiContactResponse response;
} fixture;

static int round_up4(int n) { return (n + 3) & ~3; }

static void make_fixture(fixture* f, testRandom* r, int rows, int columns) {
  memset(f, 0, sizeof *f);
  hfiStack stack = {.nrow = rows, .ncol = columns, .J = f->J, .JT = f->JT};
  stack.ld = round_up4(columns);
  stack.height = round_up4(rows);
  f->stack = stack;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      f->J[i * stack.ld + j] = f->JT[j * stack.height + i] = random_normal(r);
  for (int j = 0; j < columns; ++j) f->x[j] = random_normal(r);
  for (int i = 0; i < rows; ++i) f->gamma[i] = random_normal(r);
  f->response.pi_mu = 1;
  f->response.gnn = random_normal(r);
  f->response.coupled = random_chance(r, 0.5);
  for (int i = 0; i < 5; ++i) f->response.gtn[i] = f->response.coupled ? random_normal(r) : 0;
  for (int i = 0; i < 7; ++i) f->response.gtt[i] = random_normal(r);
}

// All results of all kernels, one behind the other. Returns their number.
static int run_kernels(const hfiStackKernels* k, const fixture* f, double* out) {
  const hfiStack* p = &f->stack;
  double *s = out, *y = s + p->height, *GJ = y + p->ld, *C = GJ + p->height * p->ld;
  int size = p->height + p->ld + p->height * p->ld + (p->ncol + 1) * p->ld;
  memset(out, 0, sizeof *out * (size_t)size);
  k->multiply(p, f->x, s);
  k->add_transposed(p, 0, p->nrow, f->gamma, y);
  int i = 0;
  for (; i + 6 <= p->nrow; i += 6)
    k->multiply_contact(&f->response, 6, f->J + i * p->ld, GJ + i * p->ld, p->ld);
  k->scale_rows(f->gamma + i, p->nrow - i, f->J + i * p->ld, GJ + i * p->ld, p->ld);
  k->add_product(p, p->nrow, f->J, GJ, 0, C);
  return size;
}

// G of a contact of six rows, in full.
static void fill_G(const hfiContactResponse* c, double G[6][6]) {
  memset(G, 0, sizeof(double) * 36);
  G[0][0] = c->gnn;
  for (int i = 0; i < 5; ++i) G[i + 1][0] = c->gtn[i];
  G[1][1] = c->gtt[0], G[1][2] = G[2][1] = c->gtt[1], G[2][2] = c->gtt[2], G[3][3] = c->gtt[3];
  G[4][4] = c->gtt[4], G[4][5] = G[5][4] = c->gtt[5], G[5][5] = c->gtt[6];
}

// Sums of at most MOST_ROWS products of numbers near one: 1e-13 is rounding.
static void check_kernels(const fixture* f) {
  static double out[4 * MOST];
  const hfiStack* p = &f->stack;
  double G[6][6], *s = out, *y = s + p->height, *GJ = y + p->ld, *C = GJ + p->height * p->ld;
  run_kernels(&hfi_stack_kernels, f, out);
  fill_G(&f->response, G);
  for (int i = 0; i < p->nrow; ++i) {
    double sum = 0;
    for (int j = 0; j < p->ncol; ++j) sum += f->J[i * p->ld + j] * f->x[j];
    assert_near(s[i], sum, 1e-13);
  }
  for (int j = 0; j < p->ncol; ++j) {
    double sum = 0;
    for (int i = 0; i < p->nrow; ++i) sum += f->J[i * p->ld + j] * f->gamma[i];
    assert_near(y[j], sum, 1e-13);
    for (int i = 0; i < p->nrow; ++i) {
      int first = i / 6 * 6, contact = first + 6 <= p->nrow;
      double row = contact ? 0 : f->gamma[i] * f->J[i * p->ld + j];
      for (int k = 0; contact && k < 6; ++k) row += G[i - first][k] * f->J[(first + k) * p->ld + j];
      assert_near(GJ[i * p->ld + j], row, 1e-13);
    }
    for (int k = 0; k < p->ncol; ++k) {
      double product = 0;
      for (int i = 0; i < p->nrow; ++i) product += f->J[i * p->ld + k] * GJ[i * p->ld + j];
      assert_near(C[k * p->ld + j], product, 1e-13 * MOST_ROWS);
    }
  }
}

static void for_all_sizes(void (*check)(const fixture* f)) {
  static fixture f;
  testRandom r = {7};
  for (int rows = 1; rows <= MOST_ROWS; ++rows)
    for (int columns = 1; columns <= MOST_COLUMNS; ++columns) {
      make_fixture(&f, &r, rows, columns);
      check(&f);
    }
}

static void test_products(void** state) {
  (void)state;
  for_all_sizes(check_kernels);
}

static void check_bits(const fixture* f) {
  static double plain[4 * MOST], chosen[4 * MOST];
  int size = run_kernels(&hfi_stack_kernels, f, plain);
  run_kernels(hfi_stack_choose(), f, chosen);
  assert_memory_equal(plain, chosen, sizeof *plain * (size_t)size);
}

static void test_same_bits_from_wide_vectors(void** state) {
  (void)state;
  if (hfi_stack_choose() == &hfi_stack_kernels) skip(); // no AVX here
  for_all_sizes(check_bits);
}

// A stack of contacts of one or two free bodies: compact rows, and the same rows written out by hand.
typedef struct freeFixture {
  hfiStack stack;
  double compact[MOST], J[MOST];
} freeFixture;

static void make_free(freeFixture* f, testRandom* r, int bodies, int dim, int blocks) {
  int pushing = dim < 3 ? dim : 3, ld = bodies == 2 ? 12 : 8;
  double* at = f->compact;
  memset(f, 0, sizeof *f);
  f->stack = (hfiStack){.nblock = blocks, .nrow = blocks * dim, .height = blocks * dim, .ncol = 6 * bodies, .ld = ld, .nfree = bodies, .dim = dim, .J = f->compact};
  for (int k = 0; k < blocks; ++k) {
    double* J = f->J + k * dim * ld;
    for (int i = 0; i < pushing; ++i, ++at)
      for (int c = 0; c < 3; ++c, ++at) {
        *at = J[i * ld + c] = random_normal(r);
        if (bodies == 2) J[i * ld + 6 + c] = -*at;
      }
    for (int i = 0; i < dim; ++i)
      for (int c = 0; c < 6; ++c, ++at)
        if (c < 3 || bodies == 2) *at = J[i * ld + (c < 3 ? 3 : 6) + c] = random_normal(r);
  }
}

// All results of the kernels of free bodies, one behind the other: s, the two bodies, and blocks anywhere in a matrix.
typedef struct freeResults {
  double s[MOST_ROWS], ab[12], first[6 * 23], second[6 * 9], below[6 * 11];
} freeResults;

static void run_free(const hfiStackKernels* k, const freeFixture* f, const double* x, const double* gamma, const double* B, freeResults* out) {
  int two = f->stack.nfree == 2;
  memset(out, 0, sizeof *out);
  k->multiply_free(&f->stack, x, two ? x + 6 : NULL, out->s);
  k->add_transposed_free(&f->stack, gamma, out->ab, two ? out->ab + 6 : NULL);
  hfiFreeBlocks K = {out->first, two ? out->second : NULL, out->first + 15, out->below, 23, 9, 11};
  k->add_product_free(&f->stack, f->J, B, &K);
}

// Sums of at most MOST_ROWS products of numbers near one: 1e-13 is rounding.
static void check_free(const freeFixture* f, const double* x, const double* gamma, const double* B, const freeResults* out) {
  const hfiStack* p = &f->stack;
  double room[12];
  static double rows[MOST];
  hfi_stack_rows(p, rows);
  for (int i = 0; i < p->nrow * p->ld; ++i) assert_true(rows[i] == f->J[i]);
  for (int i = 0; i < p->nrow; ++i) {
    double sum = 0;
    for (int c = 0; c < p->ncol; ++c) sum += f->J[i * p->ld + c] * x[c];
    assert_near(out->s[i], sum, 1e-13);
    hfi_stack_row(p, i, room);
    for (int c = 0; c < p->ncol; ++c) assert_true(room[c] == f->J[i * p->ld + c]);
  }
  for (int c = 0; c < p->ncol; ++c) {
    double sum = 0;
    for (int i = 0; i < p->nrow; ++i) sum += f->J[i * p->ld + c] * gamma[i];
    assert_near(out->ab[c], sum, 1e-13);
    for (int d = 0; d < p->ncol; ++d) {
      double product = 0, got;
      for (int i = 0; i < p->nrow; ++i) product += f->J[i * p->ld + c] * B[i * p->ld + d];
      if (c < 6) got = out->first[c * 23 + (d < 6 ? d : 9 + d)];
      else got = d < 6 ? out->below[d * 11 + c - 6] : out->second[(c - 6) * 9 + d - 6];
      assert_near(got, product, 1e-13 * MOST_ROWS);
    }
  }
}

static void test_free_bodies(void** state) {
  (void)state;
  static freeFixture f;
  static double x[12], gamma[MOST_ROWS], B[MOST];
  static freeResults plain, chosen;
  testRandom r = {8};
  for (int trial = 0; trial < 48; ++trial) {
    const int dims[] = {1, 3, 4, 6};
    int bodies = 1 + trial % 2, dim = dims[trial / 2 % 4];
    make_free(&f, &r, bodies, dim, 1 + random_int(&r, 5));
    for (int c = 0; c < 12; ++c) x[c] = random_normal(&r);
    for (int i = 0; i < MOST_ROWS; ++i) gamma[i] = random_normal(&r);
    for (int i = 0; i < f.stack.nrow * f.stack.ld; ++i) B[i] = i % f.stack.ld < f.stack.ncol ? random_normal(&r) : 0;
    run_free(&hfi_stack_kernels, &f, x, gamma, B, &plain);
    run_free(hfi_stack_choose(), &f, x, gamma, B, &chosen);
    check_free(&f, x, gamma, B, &plain);
    assert_memory_equal(&plain, &chosen, sizeof plain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_free_bodies),
                                     cmocka_unit_test(test_same_bits_from_wide_vectors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
