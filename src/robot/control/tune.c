// Nelder and Mead's downhill simplex (1965) with the factors 1 (reflect), 2 (expand), 1/2
// (contract) and 1/2 (shrink). It is restarted from its best point with a new simplex until the
// evaluations are used up or a restart gains nothing. The simplices are drawn by splitmix64
// (Steele, Lea, Flood 2014) from the seed.
#include <holdfast/control.h>

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct Simplex {
  double (*f)(const double*, void*);
  void* user;
  int n, used, most;
  double x[HF_TUNING_MAX + 1][HF_TUNING_MAX], value[HF_TUNING_MAX + 1];
} Simplex;

hfTuning hf_tuning_default(void) {
  hfTuning t = {1, 400, 0.2, 1e-6};
  return t;
}

// A random number in [-1, 1).
static double draw(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}

static double evaluate(Simplex* s, const double* x) {
  s->used++;
  double value = s->f(x, s->user);
  return isfinite(value) ? value : INFINITY;
}

// Moves point i to its place among the points before it, which are sorted by value.
static void insert(Simplex* s, int i) {
  double x[HF_TUNING_MAX], value = s->value[i];
  size_t bytes = sizeof *x * (size_t)s->n;
  memcpy(x, s->x[i], bytes);
  for (; i > 0 && value < s->value[i - 1]; --i) {
    memcpy(s->x[i], s->x[i - 1], bytes);
    s->value[i] = s->value[i - 1];
  }
  memcpy(s->x[i], x, bytes);
  s->value[i] = value;
}

// Makes a new simplex of about the given relative width around the best point.
static void spread(Simplex* s, double width, uint64_t* seed) {
  for (int i = 1; i <= s->n; ++i) {
    for (int k = 0; k < s->n; ++k) {
      double scale = s->x[0][k] != 0 ? fabs(s->x[0][k]) : 1;
      s->x[i][k] = s->x[0][k] + scale * width * (k == i - 1 ? (draw(seed) < 0 ? -1 : 1) : 0.2 * draw(seed));
    }
    s->value[i] = evaluate(s, s->x[i]);
  }
  for (int i = 1; i <= s->n; ++i) insert(s, i);
}

// Evaluates x = c + t (c - worst), where c is the centre of all points except the worst.
static double try_point(Simplex* s, const double* centre, double t, double* x) {
  for (int k = 0; k < s->n; ++k) x[k] = centre[k] + t * (centre[k] - s->x[s->n][k]);
  return evaluate(s, x);
}

static void replace_worst(Simplex* s, const double* x, double value) {
  memcpy(s->x[s->n], x, sizeof *x * (size_t)s->n);
  s->value[s->n] = value;
  insert(s, s->n);
}

static void shrink(Simplex* s) {
  for (int i = 1; i <= s->n; ++i) {
    for (int k = 0; k < s->n; ++k) s->x[i][k] = 0.5 * (s->x[i][k] + s->x[0][k]);
    s->value[i] = evaluate(s, s->x[i]);
  }
  for (int i = 1; i <= s->n; ++i) insert(s, i);
}

// Replaces the worst point by a better one, or shrinks the simplex.
static void move(Simplex* s) {
  double centre[HF_TUNING_MAX] = {0}, x[HF_TUNING_MAX], y[HF_TUNING_MAX];
  for (int i = 0; i < s->n; ++i)
    for (int k = 0; k < s->n; ++k) centre[k] += s->x[i][k] / s->n;
  double reflected = try_point(s, centre, 1, x);
  if (reflected < s->value[0]) {
    double expanded = try_point(s, centre, 2, y);
    if (expanded < reflected) replace_worst(s, y, expanded);
    else replace_worst(s, x, reflected);
    return;
  }
  if (reflected < s->value[s->n - 1]) {
    replace_worst(s, x, reflected);
    return;
  }
  double contracted = try_point(s, centre, reflected < s->value[s->n] ? 0.5 : -0.5, y);
  if (contracted < fmin(reflected, s->value[s->n])) replace_worst(s, y, contracted);
  else shrink(s);
}

// Do the values of all points agree within the relative tolerance?
static int values_agree(const Simplex* s, double tolerance) {
  return s->value[s->n] - s->value[0] <= tolerance * fabs(s->value[0]);
}

double hf_minimise(double (*f)(const double*, void*), void* user, int n, double* x, const hfTuning* t, int* used) {
  assert(n >= 1 && n <= HF_TUNING_MAX);
  Simplex s = {.f = f, .user = user, .n = n, .most = t->evaluations};
  uint64_t seed = t->seed;
  memcpy(s.x[0], x, sizeof *x * (size_t)n);
  s.value[0] = evaluate(&s, s.x[0]);
  for (double before = INFINITY, width = t->spread; s.used < s.most && s.value[0] < before * (1 - t->tolerance); width *= 0.5) {
    if (isfinite(s.value[0])) before = s.value[0];
    spread(&s, width, &seed);
    while (s.used < s.most && !values_agree(&s, t->tolerance)) move(&s);
  }
  memcpy(x, s.x[0], sizeof *x * (size_t)n);
  if (used) *used = s.used;
  return s.value[0];
}
