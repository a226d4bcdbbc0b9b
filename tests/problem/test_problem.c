// Step problems: what is invalid is refused by name, what is written comes back bit for bit, and a
// file that is not one is refused with its line.
#include "support/cmocka_all.h"
#include "support/step_problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int make_path(void** state) {
  (void)state;
  strcpy(path, "/tmp/holdfast-problem-XXXXXX");
  int file = mkstemp(path);
  if (file >= 0) close(file);
  return file < 0;
}
static int remove_path(void** state) {
  (void)state;
  return remove(path);
}

static void make_problem(problemBuilder* b, uint64_t seed) {
  testRandom r = {seed};
  problem_random(b, &r, 12);
}

// ---- round trip
// -------------------------------------------------------------------------------------

static void assert_same(const hfStepProblem* a, const hfStepProblem* b) {
  assert_memory_equal(&a->h, &b->h, sizeof a->h);
  assert_memory_equal(&a->nv, &b->nv, 9 * sizeof a->nv);
#define SAME(field, count) assert_memory_equal(a->field, b->field, sizeof *a->field*(size_t)(count))
  SAME(tree_start, a->ntree + 1);
  SAME(M_start, a->ntree + 1);
  SAME(M, a->M_start[a->ntree]);
  SAME(diag, a->nv);
  SAME(p, a->nv);
  SAME(v0, a->nv);
  if (a->nblock == 0) return;
  SAME(block, a->nblock);
  SAME(piece, a->npiece);
  SAME(cols, a->ncol);
  SAME(J, a->njac);
  if (a->nsaturated) SAME(saturated, a->nsaturated);
  if (a->ncontact) SAME(contact, a->ncontact);
}

static void test_round_trip_is_bitwise(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  for (uint64_t seed = 1; seed <= 60; ++seed) { // infinite bounds among them
    hfStepProblem* read = NULL;
    hfError error;
    make_problem(&b, seed);
    assert_int_equal(hf_step_problem_validate(&b.P, &error), HF_OK);
    assert_int_equal(hf_step_problem_write(&b.P, path, &error), HF_OK);
    if (hf_step_problem_read(&read, path, &error) != HF_OK) fail_msg("%s", error.message);
    assert_same(&b.P, read);
    hf_step_problem_free(read);
  }
  double M = 2, awkward[3] = {5e-324, -0.0, 1.7976931348623157e308};
  for (int i = 0; i < 3; ++i) { // no rows; denormal, negative zero, largest
    hfStepProblem* read = NULL;
    problem_reset(&b, 1.0 / 3);
    problem_add_tree(&b, 1, &M, NULL, awkward + i, NULL);
    assert_int_equal(hf_step_problem_write(&b.P, path, NULL), HF_OK);
    assert_int_equal(hf_step_problem_read(&read, path, NULL), HF_OK);
    assert_same(&b.P, read);
    hf_step_problem_free(read);
  }
  problem_release(&b);
}

static void test_files_that_cannot_be_opened(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  make_problem(&b, 1);
  hfError error;
  hfStepProblem* read = NULL;
  assert_int_equal(hf_step_problem_write(&b.P, "/nowhere/at/all", &error), HF_ERROR_FILE);
  assert_non_null(strstr(error.message, "/nowhere/at/all"));
  assert_int_equal(hf_step_problem_read(&read, "/nowhere/at/all", &error), HF_ERROR_FILE);
  assert_null(read);
  problem_release(&b);
}

// ---- malformed files
// --------------------------------------------------------------------------------

static void write_text(const char* text, size_t size) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  fclose(file);
}

static const char good[] = "holdfast-step-problem 1\n# a comment\nh 0.001\nnrow 1\n" // lines 1-4
                           "tree_start 2\n0\n1\nM_start 2\n0\n1\nM 1\n2\n"           // 5-12
                           "diag 1\n0\np 1\n1\nv0 1\n0.5\n"                          // 13-18
                           "block 1\n0 1 0 0 0 1\npiece 1\n0 1 0 0\ncols 1\n0\nJ 1\n1\n" // 19-26
                           "saturated 1\n0 10 -inf inf\ncontact 0\n";                    // 27-29

typedef struct wrong {
  const char *from, *to, *message;
} wrong;

static void test_malformed_files_are_refused_with_their_line(void** state) {
  (void)state;
  hfStepProblem *read = NULL, *untouched = (hfStepProblem*)&read;
  hfError error;
  write_text(good, strlen(good));
  if (hf_step_problem_read(&read, path, &error)) fail_msg("%s", error.message);
  hf_step_problem_free(read);
  static const wrong list[] = {
      {"holdfast-step-problem 1", "holdfast-step-problem 2",
       ":1: expected \"holdfast-step-problem 1\""},
      {"h 0.001", "h fast", ":3: expected a number"},
      {"h 0.001", "h 0.001 7", ":3: more than expected"},
      {"nrow 1", "nrows 1", ":4: expected \"nrow\""},
      {"M 1\n2", "M 1\n2 3", ":12: more than expected"},
      {"M 1\n2", "M -1\n2", ":11: \"M\" cannot have -1 elements"},
      {"M 1\n2", "M 2000000000\n2", ":11: \"M\" cannot have 2000000000 elements"},
      {"p 1\n1", "p 2\n1\n1", ":15: \"p\" cannot have 2 elements"},
      {"cols 1\n0", "cols 1\n0.5", ":24: more than expected"},
      {"block 1\n0 1 0 0 0 1", "block 1\n0 1 0 0 0 99999999999", ":20: expected an integer"},
      {"block 1\n0 1 0 0 0 1", "block 1\n0 1 0 0 0", ":20: expected an integer"},
      {"contact 0\n", "contact 0\nmore\n", ":30: expected \"drift\""},
      {"contact 0\n", "contact 0\ndrift 2\n0\n0\n", "drift has 2 elements, there are 1 rows"},
      {"contact 0\n", "contact 0\ndrift 1\n0.5\n", "block 0: drift 0.5 of row 0"},
      {"contact 0\n", "contact 0\ndrift 1\n0\nmore\n", ":32: more than expected"},
      {"contact 0\n", "", ":28: file ends before \"contact\""},
      {"contact 0\n", "contact 1\n", ":29: file ends in \"contact\""},
      {"v0 1\n0.5", "v0 1\nnan", "tree 0: M, p or v0 is not finite"},
      {"saturated 1\n0 10", "saturated 1\n0 -10", "block 0: kappa = -10"},
      {"tree_start 2\n0\n1", "tree_start 2\n0\n7", "trees start at dof 0 and end at 7 of 1"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    char text[2 * sizeof good];
    const char* at = strstr(good, list[i].from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, list[i].to,
             at + strlen(list[i].from));
    write_text(text, strlen(text));
    read = untouched;
    assert_int_equal(hf_step_problem_read(&read, path, &error), HF_ERROR_PARSE);
    assert_ptr_equal(read, untouched);
    if (!strstr(error.message, list[i].message) || !strstr(error.message, path))
      fail_msg("got \"%s\", want \"%s\"", error.message, list[i].message);
  }
}

// Whatever a file holds, reading it ends in a valid problem or a refusal.
static void test_damaged_files_never_crash(void** state) {
  (void)state;
  problemBuilder b;
  memset(&b, 0, sizeof b);
  make_problem(&b, 3);
  assert_int_equal(hf_step_problem_write(&b.P, path, NULL), HF_OK);
  FILE* file = fopen(path, "rb");
  static char text[1 << 18], damaged[1 << 18];
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  assert_above(size, 1000);
  assert_below(size, sizeof text);
  testRandom r = {51};
  int accepted = 0, trials = is_full() ? 20000 : 1000;
  for (int i = 0; i < trials; ++i) {
    hfStepProblem* read = NULL;
    hfError error;
    memcpy(damaged, text, size);
    for (int k = random_int(&r, 4); k >= 0; --k) {
      static const char bytes[] = "0123456789-+.einfax \n\t#\0\377";
      damaged[random_int(&r, (int)size)] = bytes[random_int(&r, sizeof bytes - 1)];
    }
    write_text(damaged, random_chance(&r, 0.2) ? (size_t)random_int(&r, (int)size) : size);
    hfStatus status = hf_step_problem_read(&read, path, &error);
    if (status == HF_OK) {
      ++accepted; // a digit of a number
      assert_int_equal(hf_step_problem_validate(read, NULL), HF_OK);
      hf_step_problem_free(read);
    } else
      assert_int_equal(status, HF_ERROR_PARSE);
  }
  assert_above(accepted, 0);
  assert_below(accepted, trials);
  problem_release(&b);
}

// ---- validation
// -------------------------------------------------------------------------------------

typedef struct fault {
  const char* message;
  void (*make)(hfStepProblem* P);
} fault;

// a contact block, a saturated block and the pieces of the contact, in the problem below
static hfContactLaw* contact_of(hfStepProblem* P) { return P->contact; }
static void bad_h(hfStepProblem* P) { P->h = 0; }
static void bad_count(hfStepProblem* P) { P->ncol = -1; }
static void bad_end(hfStepProblem* P) { P->nv += 1; }
static void bad_M_start(hfStepProblem* P) { P->M_start[1] += 1; }
static void bad_M(hfStepProblem* P) { P->M[0] = -1; }
static void unsymmetric_M(hfStepProblem* P) { P->M[1] += 0.1; }
static void bad_diag(hfStepProblem* P) { P->diag[0] = -1; }
static void bad_p(hfStepProblem* P) { P->p[0] = NAN; }
static void bad_row(hfStepProblem* P) { P->block[1].row = 0; }
static void bad_rows(hfStepProblem* P) { P->nrow += 1; }
static void bad_law(hfStepProblem* P) { P->block[0].law = 9; }
static void bad_dim(hfStepProblem* P) { P->block[0].dim = 2; }
static void bad_param(hfStepProblem* P) { P->block[0].param = 7; }
static void bad_saturated(hfStepProblem* P) { P->block[1].param = 7; }
static void bad_pieces(hfStepProblem* P) { P->block[0].npiece = 0; }
static void far_piece(hfStepProblem* P) { P->block[0].piece = 99; }
static void bad_tree(hfStepProblem* P) { P->piece[0].tree = 5; }
static void twice(hfStepProblem* P) { P->piece[1].tree = P->piece[0].tree; }
static void bad_columns(hfStepProblem* P) { P->piece[0].ncol = 0; }
static void far_jac(hfStepProblem* P) { P->piece[0].jac = 1000; }
static void bad_order(hfStepProblem* P) { P->cols[1] = P->cols[0]; }
static void far_column(hfStepProblem* P) { P->cols[1] = 2; }
static void bad_J(hfStepProblem* P) { P->J[0] = INFINITY; }
static void bad_kappa(hfStepProblem* P) { P->saturated[0].kappa = 0; }
static void bad_bounds(hfStepProblem* P) { P->saturated[0].lo = 2, P->saturated[0].hi = 1; }
static void bad_stiffness(hfStepProblem* P) { contact_of(P)->stiffness = -1; }
static void bad_friction(hfStepProblem* P) { contact_of(P)->friction = 4; }
static void bad_mu(hfStepProblem* P) { contact_of(P)->mu[1] = -1; }
static void bad_speed(hfStepProblem* P) { contact_of(P)->stiction_speed[0] = 0; }

static void build_small(problemBuilder* b) {
  double M[4] = {2, 0.5, 0.5, 1}, J[6] = {1, 0, 0, 1, 0, 0};
  hfContactLaw law = {
      .stiffness = 1e4, .dissipation = 1, .depth = 1e-4, .mu = {0.5}, .stiction_speed = {1e-4}};
  hfSaturatedRow row = {.kappa = 1, .lo = -1, .hi = 1};
  problem_reset(b, 1e-3);
  problem_add_tree(b, 2, M, NULL, NULL, NULL);
  problem_add_tree(b, 2, M, NULL, NULL, NULL);
  problem_add_contact(b, 3, &law);
  problem_add_piece(b, 0, 2, NULL, J);
  problem_add_piece(b, 1, 2, NULL, J);
  problem_add_saturated(b, 1, &row);
  problem_add_piece(b, 1, 2, NULL, J);
}

static void test_invalid_problems_are_refused_by_name(void** state) {
  (void)state;
  static const fault list[] = {
      {"h = 0", bad_h},
      {"a count is negative", bad_count},
      {"end at 4 of 5", bad_end},
      {"tree 0: 2 dofs", bad_M_start},
      {"tree 0: M[0][0] = -1", bad_M},
      {"tree 0: M[1][0] and M[0][1] differ", unsymmetric_M},
      {"tree 0: diag", bad_diag},
      {"tree 0: M, p or v0", bad_p},
      {"block 1: rows start at 0, not 3", bad_row},
      {"blocks have 4 rows of 5", bad_rows},
      {"block 0: law 9", bad_law},
      {"block 0: a contact has", bad_dim},
      {"block 0: contact 7 of 1", bad_param},
      {"block 1: saturated row 7 of 1", bad_saturated},
      {"block 0: pieces", bad_pieces},
      {"block 0: pieces 99", far_piece},
      {"block 0: piece 0 on tree 5 of 2", bad_tree},
      {"block 0: two pieces on tree 0", twice},
      {"block 0: piece 0 has 0 columns", bad_columns},
      {"values at 1000", far_jac},
      {"out of order or range", bad_order},
      {"column 2 is out of", far_column},
      {"block 0: J is not finite", bad_J},
      {"block 1: kappa = 0", bad_kappa},
      {"block 1: bounds 2, 1", bad_bounds},
      {"block 0: stiffness -1", bad_stiffness},
      {"block 0: friction law 4", bad_friction},
      {"block 0: a friction parameter", bad_mu},
      {"stiction speed of friction group 0", bad_speed},
  };
  problemBuilder b;
  memset(&b, 0, sizeof b);
  hfError error;
  build_small(&b);
  assert_int_equal(hf_step_problem_validate(&b.P, &error), HF_OK);
  for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
    build_small(&b);
    list[i].make(&b.P);
    assert_int_equal(hf_step_problem_validate(&b.P, &error), HF_ERROR_ARGUMENT);
    if (!strstr(error.message, list[i].message))
      fail_msg("got \"%s\", want \"%s\"", error.message, list[i].message);
  }
  problem_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip_is_bitwise),
      cmocka_unit_test(test_files_that_cannot_be_opened),
      cmocka_unit_test(test_malformed_files_are_refused_with_their_line),
      cmocka_unit_test(test_damaged_files_never_crash),
      cmocka_unit_test(test_invalid_problems_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, make_path, remove_path);
}
