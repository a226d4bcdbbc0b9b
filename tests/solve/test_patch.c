// The kernels of patches agree with plain loops, and give the same bits on every vector unit.
#include "support/cmocka_all.h"
#include "support/near.h"
#include "support/random.h"

#include "solve/patch.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 32, MOST_COLUMNS = 20, MOST = 32 * 32 };

typedef struct fixture {
  hfiPatch patch;
  double J[MOST], JT[MOST], x[MOST_COLUMNS], gamma[MOST_ROWS];
  hfiContactResponse response;
} fixture;

static int round_up4(int n) { return (n + 3) & ~3; }

static void make_fixture(fixture* f, testRandom* r, int rows, int columns) {
  memset(f, 0, sizeof *f);
  hfiPatch patch = {.nrow = rows, .ncol = columns, .J = f->J, .JT = f->JT};
  patch.ld = round_up4(columns);
  patch.height = round_up4(rows);
  f->patch = patch;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      f->J[i * patch.ld + j] = f->JT[j * patch.height + i] = random_normal(r);
  for (int j = 0; j < columns; ++j) f->x[j] = random_normal(r);
  for (int i = 0; i < rows; ++i) f->gamma[i] = random_normal(r);
  f->response.pi = 1;
  f->response.gnn = random_normal(r);
  f->response.coupled = random_chance(r, 0.5);
  for (int i = 0; i < 5; ++i) f->response.gtn[i] = f->response.coupled ? random_normal(r) : 0;
  for (int i = 0; i < 7; ++i) f->response.gtt[i] = random_normal(r);
}

// All results of all kernels, one behind the other. Returns their number.
static int run_kernels(const hfiPatchKernels* k, const fixture* f, double* out) {
  const hfiPatch* p = &f->patch;
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
  const hfiPatch* p = &f->patch;
  double G[6][6], *s = out, *y = s + p->height, *GJ = y + p->ld, *C = GJ + p->height * p->ld;
  run_kernels(&hfi_patch_kernels, f, out);
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
  int size = run_kernels(&hfi_patch_kernels, f, plain);
  run_kernels(hfi_patch_choose(), f, chosen);
  assert_memory_equal(plain, chosen, sizeof *plain * (size_t)size);
}

static void test_same_bits_from_wide_vectors(void** state) {
  (void)state;
  if (hfi_patch_choose() == &hfi_patch_kernels) skip(); // no AVX here
  for_all_sizes(check_bits);
}

// A contact of a narrow island: J^T G J as by the two other kernels, from any vector unit.
static void check_narrow(const fixture* f) {
  const hfiPatch* p = &f->patch;
  double GJ[6 * 4], C[5 * 4], plain[16], chosen[16];
  if (p->ld != 4 || (p->nrow != 1 && p->nrow != 3 && p->nrow != 4 && p->nrow != 6)) return;
  memset(C, 0, sizeof C);
  hfi_patch_kernels.multiply_contact(&f->response, p->nrow, f->J, GJ, 4);
  hfi_patch_kernels.add_product(p, p->nrow, f->J, GJ, 0, C);
  hfi_patch_kernels.narrow_product(&f->response, p->nrow, f->J, plain);
  hfi_patch_choose()->narrow_product(&f->response, p->nrow, f->J, chosen);
  assert_memory_equal(C, plain, sizeof(double) * (size_t)(4 * p->ncol));
  assert_memory_equal(plain, chosen, sizeof plain);
}

static void test_narrow_product(void** state) {
  (void)state;
  for_all_sizes(check_narrow);
}

// The kernels of free bodies give the bits of the general ones, with blocks anywhere in a matrix.
static void check_free(const hfiPatchKernels* k, const fixture* f) {
  enum { LD_FIRST = 23, LD_SECOND = 9, LD_BELOW = 11 };
  static double out[4 * MOST], s[MOST_ROWS], ab[12], first[6 * LD_FIRST], second[6 * LD_SECOND], below[6 * LD_BELOW];
  const hfiPatch* p = &f->patch;
  const double *y = out + p->height, *GJ = y + p->ld, *C = GJ + p->height * p->ld;
  int two = p->ncol == 12;
  run_kernels(k, f, out);
  k->multiply_free(p, f->x, two ? f->x + 6 : NULL, s);
  assert_memory_equal(s, out, sizeof *s * (size_t)p->height);
  memset(ab, 0, sizeof ab), memset(first, 0, sizeof first), memset(second, 0, sizeof second), memset(below, 0, sizeof below);
  k->add_transposed_free(p, f->gamma, ab, two ? ab + 6 : NULL);
  assert_memory_equal(ab, y, sizeof *ab * (size_t)p->ncol);
  hfiFreeBlocks K = {first, two ? second : NULL, first + 15, below, LD_FIRST, LD_SECOND, LD_BELOW};
  k->add_product_free(p, GJ, &K);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      assert_true(first[i * LD_FIRST + j] == C[i * p->ld + j]);
      assert_true(first[i * LD_FIRST + 15 + j] == (two ? C[i * 12 + 6 + j] : 0));
      assert_true(second[i * LD_SECOND + j] == (two ? C[(6 + i) * 12 + 6 + j] : 0));
      assert_true(below[j * LD_BELOW + i] == (two ? C[(6 + i) * 12 + j] : 0));
    }
}

// Makes the last rows act on the last three columns of each body alone, as torques do.
static void make_torques(fixture* f, int bodies, int pushing) {
  hfiPatch* p = &f->patch;
  p->nfree = bodies, p->pushing = pushing;
  for (int i = pushing; i < p->nrow; ++i)
    for (int j = 0; j < p->ncol; ++j)
      if (j % 6 < 3) f->J[i * p->ld + j] = f->JT[j * p->height + i] = 0;
}

static void test_free_bodies(void** state) {
  (void)state;
  static fixture f;
  testRandom r = {8};
  for (int bodies = 1; bodies <= 2; ++bodies)
    for (int rows = 1; rows <= MOST_ROWS; ++rows)
      for (int torques = 0; torques <= 3 && torques <= rows; ++torques) {
        make_fixture(&f, &r, rows, 6 * bodies);
        make_torques(&f, bodies, rows - torques);
        check_free(&hfi_patch_kernels, &f);
        check_free(hfi_patch_choose(), &f);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_products), cmocka_unit_test(test_narrow_product), cmocka_unit_test(test_free_bodies),
                                     cmocka_unit_test(test_same_bits_from_wide_vectors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
