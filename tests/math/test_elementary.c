// Elementary functions against those of the C library in long double, which has 11 bits more than double on x86-64, and 60 more on arm64.
// Each test prints the largest error that it has seen, in units of the last place, and its argument.
#include "support/cmocka_all.h"
#include "support/random.h"

#include "math/elementary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t SEED = 20261119;

// What every function must keep. The worst seen is 0.822, of expm1 at 0.374.
static const double MOST_UNITS = 0.9;

// Size of the last place of x in a double.
static long double unit_of(long double x) {
  int exponent;
  frexpl(x, &exponent);
  return ldexpl(1, exponent < -1021 ? -1074 : exponent - 53);
}

// Distance of y from the exact number in units of the last place of that number. An exact number beyond all doubles is infinite.
static double units_away(double y, long double exact) {
  if (isnan(y) || isnan(exact)) return isnan(y) && isnan(exact) ? 0 : INFINITY;
  if (isinf(y)) return exact * y > 0 && fabsl(exact) > DBL_MAX ? 0 : INFINITY;
  return exact == y ? 0 : (double)(fabsl(y - exact) / unit_of(exact));
}

typedef struct function {
  const char* name;
  double (*ours)(double);
  long double (*exact)(long double);
  double lo, hi;     // the range of its arguments, or of their exponents of two if they are spread over orders of size
  int is_spread, is_positive;
} function;

static const function functions[] = {
    {"exp", hfi_exp, expl, -746, 710, 0, 0},
    {"exp", hfi_exp, expl, -1, 1, 0, 0},
    {"exp", hfi_exp, expl, -60, 9, 1, 0},
    {"expm1", hfi_expm1, expm1l, -45, 60, 0, 0},
    {"expm1", hfi_expm1, expm1l, -1.5, 1.5, 0, 0},
    {"expm1", hfi_expm1, expm1l, -1074, 9, 1, 0},
    {"exp2", hfi_exp2, exp2l, -1076, 1024, 0, 0},
    {"exp2", hfi_exp2, exp2l, -60, 10, 1, 0},
    {"log", hfi_log, logl, 0.5, 2, 0, 1},
    {"log", hfi_log, logl, 0.98, 1.02, 0, 1},
    {"log", hfi_log, logl, -1074, 1024, 1, 1},
    {"log2", hfi_log2, log2l, 0.98, 1.02, 0, 1},
    {"log2", hfi_log2, log2l, -1074, 1024, 1, 1},
    {"log10", hfi_log10, log10l, 0.98, 1.02, 0, 1},
    {"log10", hfi_log10, log10l, -1074, 1024, 1, 1},
    {"cbrt", hfi_cbrt, cbrtl, 1, 8, 0, 0},
    {"cbrt", hfi_cbrt, cbrtl, -1074, 1024, 1, 0},
    {"tan", hfi_tan, tanl, -1.6, 1.6, 0, 0},
    {"tan", hfi_tan, tanl, -1e6, 1e6, 0, 0},
    {"tan", hfi_tan, tanl, -1074, 60, 1, 0},
    {"acos", hfi_acos, acosl, -1, 1, 0, 0},
    {"acos", hfi_acos, acosl, -60, 0, 1, 0},
    {"asin", hfi_asin, asinl, -1, 1, 0, 0},
    {"asin", hfi_asin, asinl, -1074, 0, 1, 0},
    {"atan", hfi_atan, atanl, -2, 2, 0, 0},
    {"atan", hfi_atan, atanl, -1074, 1024, 1, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

// A number of any size, from 2^lo to 2^hi.
static double random_spread(testRandom* r, double lo, double hi) {
  int exponent = (int)floor(random_uniform(r, lo, hi));
  return ldexp(random_uniform(r, 1, 2), exponent);
}

static double random_argument(testRandom* r, const function* f) {
  double x = f->is_spread ? random_spread(r, f->lo, f->hi) : random_uniform(r, f->lo, f->hi);
  return f->is_positive || random_uniform(r, 0, 1) < 0.5 ? x : -x;
}

static void test_functions_are_within_a_unit(void** state) {
  (void)state;
  int count = is_full() ? 3000000 : 40000;
  print_message("seed %llu\n", (unsigned long long)SEED);
  for (int k = 0; k < FUNCTIONS; ++k) {
    const function* f = &functions[k];
    testRandom r = {SEED + (uint64_t)k};
    double worst = 0;
    double worst_x = 0;
    for (int i = 0; i < count; ++i) {
      double x = random_argument(&r, f);
      double units = units_away(f->ours(x), f->exact(x));
      if (units <= worst) continue;
      worst = units;
      worst_x = x;
    }
    print_message("%-6s from %5g to %5g: %.3f at %a\n", f->name, f->lo, f->hi, worst, worst_x);
    assert_at_most(worst, MOST_UNITS);
  }
}

// ---- functions of two numbers --------------------------------------------------------------------

typedef struct worstPair { double units, x, y; } worstPair;

static void keep_worst(worstPair* worst, double units, double x, double y) {
  if (units > worst->units) *worst = (worstPair){units, x, y};
}
static void check_worst(const char* name, worstPair worst) {
  print_message("%-6s: %.3f at %a, %a\n", name, worst.units, worst.x, worst.y);
  assert_at_most(worst.units, MOST_UNITS);
}

static void test_angles_of_points_and_hypotenuses(void** state) {
  (void)state;
  worstPair angle = {0}, length = {0};
  testRandom r = {SEED};
  int count = is_full() ? 10000000 : 200000;
  for (int i = 0; i < count; ++i) {
    double scale = i % 2 ? ldexp(1, (int)random_uniform(&r, -1000, 1000)) : 1;
    double x = random_uniform(&r, -1, 1) * scale;
    double y = (i % 3 ? random_uniform(&r, -1, 1) : random_spread(&r, -80, 20)) * scale;
    keep_worst(&angle, units_away(hfi_atan2(y, x), atan2l(y, x)), y, x);
    keep_worst(&length, units_away(hfi_hypot(x, y), hypotl(x, y)), x, y);
  }
  check_worst("atan2", angle);
  check_worst("hypot", length);
}

// Long double has 64 bits of the logarithm, of which powl keeps more. A power of 2^1000 needs ten of the eleven that are left.
static void test_powers(void** state) {
  (void)state;
  worstPair usual = {0}, extreme = {0};
  testRandom r = {SEED};
  int count = is_full() ? 10000000 : 200000;
  for (int i = 0; i < count; ++i) {
    double x = random_uniform(&r, 0, 3);
    double y = random_uniform(&r, -4, 4);
    keep_worst(&usual, units_away(hfi_pow(x, y), powl(x, y)), x, y);

    x = random_spread(&r, -1074, 1024);
    y = random_uniform(&r, -760, 720) / log(x);
    keep_worst(&extreme, units_away(hfi_pow(x, y), powl(x, y)), x, y);

    x = 1 + random_uniform(&r, -1, 1) * 1e-3;
    y = random_uniform(&r, -760, 720) / log(x);
    keep_worst(&extreme, units_away(hfi_pow(x, y), powl(x, y)), x, y);
  }
  check_worst("pow", usual);
  check_worst("pow", extreme);
}

// ---- special values ------------------------------------------------------------------------------

// The same number with the same sign, or both no number.
static void check_same(const char* name, double x, double y, double got, double want) {
  if (isnan(want) ? isnan(got) : memcmp(&got, &want, sizeof got) == 0) return;
  fail_msg("%s(%g, %g) = %a, not %a", name, x, y, got, want);
}

static const double INTERESTING[] = {0.0,  -0.0, 1,      -1,      0.5,       -0.5,     2,       -2,      3,       -3,
                                     1.5,  -1.5, 4,      1e300,   -1e300,    1e-300,   -1e-300, DBL_MIN, DBL_MAX, -DBL_MAX,
                                     1e15, 1e17, 5e-324, -5e-324, INFINITY, -INFINITY, NAN};
enum { COUNT = sizeof INTERESTING / sizeof *INTERESTING };

// Results that Annex F of C17 gives exactly: of 0, 1, infinities and no number.
static void test_special_values_of_one_number(void** state) {
  (void)state;
  const struct { const char* name; double (*f)(double); double x, y; } known[] = {
      {"exp", hfi_exp, 0, 1}, {"exp", hfi_exp, -0., 1}, {"exp", hfi_exp, -INFINITY, 0}, {"exp", hfi_exp, INFINITY, INFINITY},
      {"exp", hfi_exp, 1e300, INFINITY}, {"exp", hfi_exp, -1e300, 0}, {"exp", hfi_exp, NAN, NAN},
      {"expm1", hfi_expm1, 0, 0}, {"expm1", hfi_expm1, -0., -0.}, {"expm1", hfi_expm1, -INFINITY, -1}, {"expm1", hfi_expm1, INFINITY, INFINITY},
      {"expm1", hfi_expm1, 5e-324, 5e-324}, {"expm1", hfi_expm1, NAN, NAN},
      {"exp2", hfi_exp2, 0, 1}, {"exp2", hfi_exp2, 10, 1024}, {"exp2", hfi_exp2, -1074, 5e-324}, {"exp2", hfi_exp2, -INFINITY, 0},
      {"exp2", hfi_exp2, INFINITY, INFINITY}, {"exp2", hfi_exp2, NAN, NAN},
      {"log", hfi_log, 1, 0}, {"log", hfi_log, 0, -INFINITY}, {"log", hfi_log, -0., -INFINITY}, {"log", hfi_log, -1, NAN},
      {"log", hfi_log, -INFINITY, NAN}, {"log", hfi_log, INFINITY, INFINITY}, {"log", hfi_log, NAN, NAN},
      {"log2", hfi_log2, 8, 3}, {"log2", hfi_log2, 5e-324, -1074}, {"log2", hfi_log2, 0x1p1023, 1023}, {"log2", hfi_log2, 1, 0},
      {"log10", hfi_log10, 1000, 3}, {"log10", hfi_log10, 1e22, 22}, {"log10", hfi_log10, 1, 0}, {"log10", hfi_log10, 0, -INFINITY},
      {"cbrt", hfi_cbrt, 0, 0}, {"cbrt", hfi_cbrt, -0., -0.}, {"cbrt", hfi_cbrt, 27, 3}, {"cbrt", hfi_cbrt, -8, -2},
      {"cbrt", hfi_cbrt, INFINITY, INFINITY}, {"cbrt", hfi_cbrt, -INFINITY, -INFINITY}, {"cbrt", hfi_cbrt, NAN, NAN},
      {"tan", hfi_tan, 0, 0}, {"tan", hfi_tan, -0., -0.}, {"tan", hfi_tan, INFINITY, NAN}, {"tan", hfi_tan, NAN, NAN},
      {"acos", hfi_acos, 1, 0}, {"acos", hfi_acos, 1.1, NAN}, {"acos", hfi_acos, -INFINITY, NAN}, {"acos", hfi_acos, NAN, NAN},
      {"asin", hfi_asin, 0, 0}, {"asin", hfi_asin, -0., -0.}, {"asin", hfi_asin, -1.1, NAN}, {"asin", hfi_asin, NAN, NAN},
      {"atan", hfi_atan, 0, 0}, {"atan", hfi_atan, -0., -0.}, {"atan", hfi_atan, NAN, NAN},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k) check_same(known[k].name, known[k].x, 0, known[k].f(known[k].x), known[k].y);
  check_same("acos", -1, 0, hfi_acos(-1), 2 * acos(0));
  check_same("acos", 0, 0, hfi_acos(0), acos(0));
  check_same("asin", -1, 0, hfi_asin(-1), -acos(0));
  check_same("atan", INFINITY, 0, hfi_atan(INFINITY), acos(0));
  check_same("atan", -INFINITY, 0, hfi_atan(-INFINITY), -acos(0));
}

// Of all pairs of interesting numbers: the class and the sign are those of the C library, and the number is within the bound.
static void check_two(const char* name, double got, long double exact, double x, double y) {
  if (units_away(got, exact) <= MOST_UNITS && (isnan(got) || !signbit(got) == !signbit(exact))) return;
  fail_msg("%s(%g, %g) = %a, not %La", name, x, y, got, exact);
}

static void test_special_values_of_two_numbers(void** state) {
  (void)state;
  for (int i = 0; i < COUNT; ++i)
    for (int j = 0; j < COUNT; ++j) {
      double x = INTERESTING[i];
      double y = INTERESTING[j];
      check_two("atan2", hfi_atan2(x, y), atan2l(x, y), x, y);
      check_two("hypot", hfi_hypot(x, y), hypotl(x, y), x, y);
      check_two("pow", hfi_pow(x, y), powl(x, y), x, y);
    }
}

// ---- order ---------------------------------------------------------------------------------------

// Larger arguments have results that are not smaller, also where one formula gives way to another.
static void check_increasing(const char* name, double (*f)(double), double sign, double middle) {
  double x = middle;
  for (int i = 0; i < 2000; ++i) x = nextafter(x, -INFINITY);
  for (int i = 0; i < 4000; ++i) {
    double next = nextafter(x, INFINITY);
    if (sign * f(next) < sign * f(x)) fail_msg("%s falls between %a and %a", name, x, next);
    x = next;
  }
}

static void test_order_where_formulas_meet(void** state) {
  (void)state;
  const double LOG_2 = 0.6931471805599453;
  for (int n = -30; n <= 30; ++n) check_increasing("exp", hfi_exp, 1, (n + 0.5) * LOG_2);
  for (int n = -30; n <= 30; ++n) check_increasing("expm1", hfi_expm1, 1, (n + 0.5) * LOG_2);
  for (int k = 44; k <= 88; ++k) check_increasing("log", hfi_log, 1, k / 64.);
  for (int k = 1; k <= 8; ++k) check_increasing("atan", hfi_atan, 1, 0.25 * k);
  for (int k = -3; k <= 3; ++k) check_increasing("asin", hfi_asin, 1, 0.25 * k);
  for (int k = -3; k <= 3; ++k) check_increasing("acos", hfi_acos, -1, 0.25 * k);
  for (int k = 1; k <= 8; ++k) check_increasing("cbrt", hfi_cbrt, 1, k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_are_within_a_unit),
      cmocka_unit_test(test_angles_of_points_and_hypotenuses),
      cmocka_unit_test(test_powers),
      cmocka_unit_test(test_special_values_of_one_number),
      cmocka_unit_test(test_special_values_of_two_numbers),
      cmocka_unit_test(test_order_where_formulas_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
