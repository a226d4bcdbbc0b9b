// Nelder and Mead's downhill simplex (1965) with the factors 1 (reflect), 2 (expand), 1/2
// (contract) and 1/2 (shrink). It is restarted from its best point with a new simplex until the
// evaluations are used up or a restart gains nothing. The simplices are drawn by splitmix64
// (Steele, Lea, Flood 2014) from the seed.
#include <holdfast/control.h>

#include <assert.h>
#include <math.h>
#include <string.h>

// The n + 1 points of a simplex, sorted by their values, and the function that is minimised.
typedef struct Simplex {
  double (*f)(const double*, void*);
  void* user;
  int n;
  int used; // evaluations so far
  int most; // evaluations that are allowed
  double x[HF_TUNING_MAX + 1][HF_TUNING_MAX];
  double value[HF_TUNING_MAX + 1];
} Simplex;

// A new simplex has coordinates other than the one that it varies within this share of its width [-].
static const double SIDEWAYS_SHARE = 0.2;
// Two to the 52nd: a random number of 53 bits over this is in [0, 2).
static const double HALF_RANGE = 4503599627370496.0;

// Returns the default options: 400 evaluations.
hfTuning hf_tuning_default(void) {
  hfTuning tuning = {.seed = 1, .evaluations = 400, .spread = 0.2, .tolerance = 1e-6};
  return tuning;
}

// Returns a random number in [-1, 1).
static double draw(uint64_t* state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / HALF_RANGE - 1;
}

// The value of the function at x; infinite if it is not a number.
static double evaluate(Simplex* simplex, const double* x) {
  simplex->used++;
  double value = simplex->f(x, simplex->user);
  return isfinite(value) ? value : INFINITY;
}

// Moves point i to its place among the points before it, which are sorted by value.
static void insert(Simplex* simplex, int i) {
  double x[HF_TUNING_MAX];
  double value = simplex->value[i];
  size_t bytes = sizeof *x * (size_t)simplex->n;

  memcpy(x, simplex->x[i], bytes);

  for (; i > 0 && value < simplex->value[i - 1]; --i) {
    memcpy(simplex->x[i], simplex->x[i - 1], bytes);
    simplex->value[i] = simplex->value[i - 1];
  }

  memcpy(simplex->x[i], x, bytes);
  simplex->value[i] = value;
}

// Makes a new simplex of about the given relative width around the best point.
static void spread(Simplex* simplex, double width, uint64_t* seed) {
  for (int i = 1; i <= simplex->n; ++i) {
    for (int k = 0; k < simplex->n; ++k) {
      // point i moves along coordinate i - 1 by the whole width, to a random side, and a little along the others
      double random = draw(seed);
      double shift = SIDEWAYS_SHARE * random;
      if (k == i - 1) shift = random < 0 ? -1 : 1;

      double scale = simplex->x[0][k] != 0 ? fabs(simplex->x[0][k]) : 1;
      simplex->x[i][k] = simplex->x[0][k] + scale * width * shift;
    }
    simplex->value[i] = evaluate(simplex, simplex->x[i]);
  }
  for (int i = 1; i <= simplex->n; ++i) insert(simplex, i);
}

// Writes x = c + t (c - worst), where c is the centre of all points except the worst, and returns the value there.
static double try_point(Simplex* simplex, const double* centre, double t, double* x) {
  for (int k = 0; k < simplex->n; ++k) x[k] = centre[k] + t * (centre[k] - simplex->x[simplex->n][k]);
  return evaluate(simplex, x);
}

// Puts a point in the place of the worst.
static void replace_worst(Simplex* simplex, const double* x, double value) {
  memcpy(simplex->x[simplex->n], x, sizeof *x * (size_t)simplex->n);
  simplex->value[simplex->n] = value;
  insert(simplex, simplex->n);
}

// Halves the distance of all points from the best one.
static void shrink(Simplex* simplex) {
  for (int i = 1; i <= simplex->n; ++i) {
    for (int k = 0; k < simplex->n; ++k) simplex->x[i][k] = 0.5 * (simplex->x[i][k] + simplex->x[0][k]);
    simplex->value[i] = evaluate(simplex, simplex->x[i]);
  }

  for (int i = 1; i <= simplex->n; ++i) insert(simplex, i);
}

// Replaces the worst point by a better one, or shrinks the simplex.
static void move(Simplex* simplex) {
  double centre[HF_TUNING_MAX] = {0};
  double x[HF_TUNING_MAX];
  double y[HF_TUNING_MAX];
  for (int i = 0; i < simplex->n; ++i)
    for (int k = 0; k < simplex->n; ++k) centre[k] += simplex->x[i][k] / simplex->n;

  // the reflected point x (try_point: 1); if it is better than the best point, also one twice as far, y
  double reflected = try_point(simplex, centre, 1, x);
  if (reflected < simplex->value[0]) {
    double expanded = try_point(simplex, centre, 2, y);
    if (expanded < reflected) replace_worst(simplex, y, expanded);
    else replace_worst(simplex, x, reflected);
    return;
  }

  // it is better than the second worst: take it
  if (reflected < simplex->value[simplex->n - 1]) {
    replace_worst(simplex, x, reflected);
    return;
  }

  // contract: half the way to the reflected point if that is better than the worst, else half the way to the worst
  double contracted = try_point(simplex, centre, reflected < simplex->value[simplex->n] ? 0.5 : -0.5, y);
  if (contracted < fmin(reflected, simplex->value[simplex->n])) replace_worst(simplex, y, contracted);
  else shrink(simplex);
}

// Do the values of all points agree within the relative tolerance?
static int values_agree(const Simplex* simplex, double tolerance) {
  return simplex->value[simplex->n] - simplex->value[0] <= tolerance * fabs(simplex->value[0]);
}

// Minimises f from x (n) with at most tuning->evaluations evaluations, of which *used says how many it made. Leaves the
// best point in x and returns its value.
double hf_minimise(double (*f)(const double*, void*), void* user, int n, double* x, const hfTuning* tuning, int* used) {
  assert(n >= 1 && n <= HF_TUNING_MAX);
  Simplex simplex = {.f = f, .user = user, .n = n, .most = tuning->evaluations};
  uint64_t seed = tuning->seed;
  memcpy(simplex.x[0], x, sizeof *x * (size_t)n);
  simplex.value[0] = evaluate(&simplex, simplex.x[0]);

  // restart with half the width, as long as that gains something
  double before = INFINITY;
  double width = tuning->spread;
  while (simplex.used < simplex.most && simplex.value[0] < before * (1 - tuning->tolerance)) {
    if (isfinite(simplex.value[0])) before = simplex.value[0];
    spread(&simplex, width, &seed);
    while (simplex.used < simplex.most && !values_agree(&simplex, tuning->tolerance)) move(&simplex);
    width *= 0.5;
  }

  memcpy(x, simplex.x[0], sizeof *x * (size_t)n);
  if (used) *used = simplex.used;
  return simplex.value[0];
}
