// Files of friction problems: what is read is bitwise what was written, and every malformed file is refused with its line.
#include "friction/dense.h"

#include <stdio.h>

static const char path[] = "friction_problem_test.txt";

static void write_text(const char* text) {
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void assert_same_matrix(const hfSparseMatrix* a, const hfSparseMatrix* b) {
  assert_int_equal(a->rows, b->rows);
  assert_int_equal(a->cols, b->cols);
  assert_memory_equal(a->start, b->start, sizeof *a->start * ((size_t)a->rows + 1));
  size_t n = (size_t)a->start[a->rows];
  if (n == 0) return;
  assert_memory_equal(a->col, b->col, sizeof *a->col * n);
  assert_memory_equal(a->value, b->value, sizeof *a->value * n);
}

static void test_round_trip(void** state) {
  (void)state;
  testRandom random = {3};
  denseMatrix W = new_dense(6, 6), V = new_dense(6, 1), R = new_dense(1, 1);
  for (int i = 0; i < 36; ++i) W.a[i] = random_chance(&random, 0.5) ? random_normal(&random) : 0;
  for (int i = 0; i < 6; ++i) V.a[i] = random_normal(&random);
  R.a[0] = 1.0 / 3;
  compress(&W), compress(&V), compress(&R);
  double q[6], s[1] = {0.1}, mu[3] = {0.3, 0, 1e-300};
  for (int i = 0; i < 6; ++i) q[i] = random_normal(&random);
  hfFrictionProblem p = {.dim = 2, .ncontact = 3, .nequality = 1, .mu = mu, .W = W.sparse, .V = V.sparse, .R = R.sparse, .q = q, .s = s};
  hfFrictionProblem* back = NULL;
  hfError error;
  assert_int_equal(hf_friction_problem_write(&p, path, &error), HF_OK);
  assert_int_equal(hf_friction_problem_read(&back, path, &error), HF_OK);
  assert_int_equal(back->form, HF_FORM_LOCAL);
  assert_int_equal(back->dim, 2);
  assert_memory_equal(back->mu, mu, sizeof mu);
  assert_memory_equal(back->q, q, sizeof q);
  assert_memory_equal(back->s, s, sizeof s);
  assert_same_matrix(&back->W, &W.sparse), assert_same_matrix(&back->V, &V.sparse), assert_same_matrix(&back->R, &R.sparse);
  hf_friction_problem_free(back);
  free_dense(&W), free_dense(&V), free_dense(&R);
}

static void test_malformed(void** state) {
  (void)state;
  const char good[] = "holdfast-friction-problem 1\nform local\ndim 2\n# a comment\nncontact 1\nnequality 0\nnv 0\nmu 1\n0.5\nq 2\n-1\n"
                      "0\nW 2\n0 0 1\n1 1 1\n";
  const struct {
    const char *from, *to, *message;
  } cases[] = {{"problem 1", "problem 2", ":1: expected"},        {"form local", "form odd", ":2: the form is"},
               {"dim 2", "dim 5", "dim = 5"},                     {"ncontact 1", "ncontact x", ":5: expected an integer"},
               {"mu 1", "mu 2", "\"mu\" has 2 numbers, not 1"},   {"-1", "minus", ":11: expected a number"},
               {"0 0 1\n", "0 2 1\n", ":14: W is (2 x 2)"},       {"1 1 1\n", "1 1 1\n2\n", ":16: more than expected"},
               {"W 2\n", "W 3\n", "file ends in \"W\""},          {"W 2\n", "W 2000000\n", "cannot have 2000000 entries"},
               {"0 0 1\n1 1 1\n", "1 1 1\n0 0 1\n", "row 0 after row 1"}};
  hfFrictionProblem* p = NULL;
  hfError error;
  write_text(good);
  assert_int_equal(hf_friction_problem_read(&p, path, &error), HF_OK);
  hf_friction_problem_free(p);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char text[512];
    const char* at = strstr(good, cases[k].from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, cases[k].to, at + strlen(cases[k].from));
    write_text(text);
    hfFrictionProblem* none = NULL;
    assert_int_equal(hf_friction_problem_read(&none, path, &error), HF_ERROR_PARSE);
    assert_null(none);
    if (!strstr(error.message, cases[k].message)) fail_msg("\"%s\" does not contain \"%s\"", error.message, cases[k].message);
  }
  assert_int_equal(hf_friction_problem_read(&p, "not-there.txt", &error), HF_ERROR_FILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_malformed)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  remove(path);
  return failed;
}
