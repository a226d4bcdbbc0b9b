// The soft iterations (soft.c) take friction bounds of the iteration before. In a heap of 1000 bodies some contacts then never come to rest: a
// contact closes, its bound grows, friction holds its bodies, its normal force becomes negative, it opens, and so on. Others turn the
// direction of their slip by a right angle each time. What such a contact does spreads to its neighbours. The cure is to take a share of the changes of those
// contacts alone:
//
//   pi0   normal force known so far             b     normal force that bounds friction, b = pi0 without damping
//   f     friction force of a group             x     b, or f of one group
//   x1    what an iteration makes of x          dx    x1 - x of this iteration, dx' of the one before
//
//   x <- x + share dx,    share <- share SHRINK  where dx.dx' < SAME |dx||dx'|    (LEAST_SHARE at least)
//                         share <- share GROWTH  otherwise                         (1 at most)
//
// A contact that opened and closed before also opens slowly: while its soft law pulls, its force becomes pi0 + OPENING (pi - pi0). Forces that
// no longer change are the same with damping and without, so that the answer stays what it was.
//
// Where the changes of all contacts together hardly turn from one iteration to the next, soft.c lets them go on (hfi_damp_go_on).
#include "solve/damp.h"

#include "math/vec3.h"

static const double SHRINK = 0.5;
static const double GROWTH = 1.3;
static const double LEAST_SHARE = 0.2;
// Two changes go the same way if the cosine of the angle between them is at least this [-]. In one row any number of (0, 1] says the same.
static const double SAME = 0.5;
// Share of the change of the normal force of a contact that opens once more [-].
static const double OPENING = 0.3;
// The bound of friction is at least this share of the normal force [-].
static const double LEAST_BOUND = 0.1;
// A normal force that goes on falling keeps at least this share [-].
static const double LEAST_LEFT = 0.1;
enum { FEW_FLIPS = 2 }; // A contact that opened or closed less often than this opens at once.

void hfi_damp_begin(hfiIsland* I, int32_t k) {
  I->damping[k] = (hfiDamping){.bound_share = 1, .share = {1, 1, 1}};
}

double hfi_damp_normal_force(const hfiIsland* I, int32_t k, double next) {
  if (next < 0 && I->damping[k].flips >= FEW_FLIPS) next = I->pi0[k] + OPENING * (next - I->pi0[k]);
  return max2(0, next);
}

static double adapt_share(double share, int same) { return same ? min2(1, GROWTH * share) : max2(LEAST_SHARE, SHRINK * share); }

// Moves the force f of a group of n rows towards f1. `before` is its last change.
static void move_group(double* f, const double* f1, int n, double* share, double* before) {
  double dot = 0, now2 = 0, before2 = 0;
  for (int i = 0; i < n; ++i) {
    double d = f1[i] - f[i];
    dot += d * before[i], now2 += sqr(d), before2 += sqr(before[i]);
    before[i] = d;
  }
  *share = adapt_share(*share, !(dot < SAME * sqrt(now2 * before2)));
  for (int i = 0; i < n; ++i) f[i] += *share * before[i];
}

void hfi_damp_friction(hfiIsland* I, int32_t k, double next, const double* f) {
  const hfiIslandBlock* b = I->block + k;
  hfiDamping* D = I->damping + k;
  double change = next - I->lag[k];
  int acted = I->pi0[k] > 0, closes = next > 0 && !acted;
  D->flips += (next > 0) != acted;
  D->steady = next > 0 && acted;
  D->normal_change = next - I->pi0[k];
  D->bound_share = adapt_share(D->bound_share, !(change * D->bound_change < 0));
  D->bound_change = change;
  for (int g = 0; g < hfi_group_count(b->dim); ++g) {
    int row = hfi_group_row(g);
    move_group(I->force + b->row + 1 + row, f + row, hfi_group_dim(g), D->share + g, D->change + row);
  }
  I->lag[k] = next > 0 ? max2(I->lag[k] + (closes ? 1 : D->bound_share) * change, LEAST_BOUND * next) : 0;
}

int hfi_damp_go_on(hfiIsland* I, int32_t k, double extra) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDamping* D = I->damping + k;
  double* f = I->force + b->row + 1;
  if (!D->steady) return 0;
  I->pi0[k] = max2(LEAST_LEFT * I->pi0[k], I->pi0[k] + extra * D->normal_change);
  I->lag[k] = max2(LEAST_BOUND * I->pi0[k], I->lag[k] + extra * D->bound_share * D->bound_change);
  for (int i = 0; i + 1 < b->dim; ++i) f[i] += extra * D->share[hfi_row_group(i + 1)] * D->change[i];
  return 1;
}
