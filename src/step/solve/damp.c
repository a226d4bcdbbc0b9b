// Damping of the soft iterations (soft.c), which bound friction by the normal force of the last iteration. In a heap of
// 1000 bodies some contacts then never settle: a contact closes, its bound grows, friction holds its bodies, its normal
// force becomes negative, it opens, and so on. At other contacts the direction of slip turns by a right angle in each
// iteration. The cycles of such a contact spread to its neighbours. They end if only a share of the changes of these
// contacts is taken:
//
//   pi0   estimate of the normal force                b     normal force that bounds friction; b = pi0 without damping
//   f     friction force of a group                   x     b, or f of one group
//   x1    x at the end of the iteration, undamped     dx    x1 - x of this iteration, dx' of the last iteration
//
//   x <- x + share dx,    share <- share SHRINK  where dx.dx' < SAME_DIRECTION |dx||dx'|    (LEAST_SHARE at least)
//                         share <- share GROWTH  otherwise                         (1 at most)
//
// A contact that opened or closed at least SLOW_FLIPS times opens slowly: if its soft law has a negative force pi, its
// force becomes pi0 + OPENING_SHARE (pi - pi0). Forces that no longer change are the same with damping and without, so
// that damping does not change the answer.
//
// If the step of the whole heap hardly changes from one iteration to the next, soft.c extrapolates the forces
// (hfi_damp_extrapolate).

#include "step/solve/inside.h"

#include "math/vec3.h"

// A share is multiplied by SHRINK if a change has another direction than the last one, and by GROWTH otherwise. It
// stays above LEAST_SHARE [-].
static const double SHRINK = 0.5;
static const double GROWTH = 1.3;
static const double LEAST_SHARE = 0.2;
// Two changes have the same direction if the cosine of the angle between them is at least this [-]. For a single row
// the cosine is 1 or -1.
static const double SAME_DIRECTION = 0.5;
// A contact that opens slowly takes this share of the change of its normal force [-].
static const double OPENING_SHARE = 0.3;
// The normal force that bounds friction is at least this share of pi0 [-].
static const double LEAST_BOUND = 0.1;
// Extrapolation leaves at least this share of a normal force [-].
static const double LEAST_REST = 0.1;
enum { SLOW_FLIPS = 2 }; // A contact opens slowly after it opened or closed this many times.

// Resets the damping of contact k.
void hfi_damp_begin(hfiIsland* I, int32_t k) {
  I->forces.damping[k] = (hfiDamping){.bound_share = 1, .share = {1, 1, 1}};
}

// Returns the damped normal force of contact k [N]. next: the force of its soft law at the end of the iteration.
double hfi_damp_normal_force(const hfiIsland* I, int32_t k, double next) {
  double pi0 = I->forces.pi0[k];
  if (next < 0 && I->forces.damping[k].flips >= SLOW_FLIPS) next = pi0 + OPENING_SHARE * (next - pi0);
  return max2(0, next);
}

// Returns the share of the next change that is taken, after `share` of the last one.
static double adapt_share(double share, int same_direction) {
  return same_direction ? min2(1, GROWTH * share) : max2(LEAST_SHARE, SHRINK * share);
}

// Moves the force f of a group of n rows towards f1 by its share, which is adapted first. before: the last change
// f1 - f; it is replaced by this one.
static void move_group(double* f, const double* f1, int n, double* share, double* before) {
  // inner products of this change and the last one
  double dot = 0;
  double square_now = 0;
  double square_before = 0;
  for (int i = 0; i < n; ++i) {
    double change = f1[i] - f[i];
    dot += change * before[i];
    square_now += sqr(change);
    square_before += sqr(before[i]);
    before[i] = change;
  }

  int same_direction = !(dot < SAME_DIRECTION * sqrt(square_now * square_before));
  *share = adapt_share(*share, same_direction);
  for (int i = 0; i < n; ++i) f[i] += *share * before[i];
}

// Moves the friction forces and lag of contact k, and updates its damping. next: its normal force after the iteration
// [N]; f (dim - 1): its undamped friction forces.
void hfi_damp_friction(hfiIsland* I, int32_t k, double next, const double* f) {
  const hfiIslandBlock* b = I->block + k;
  hfiForceEstimates* forces = &I->forces;
  hfiDamping* damping = forces->damping + k;

  // did the contact open or close?
  int acted = forces->pi0[k] > 0;
  int acts = next > 0;
  if (acts != acted) damping->flips += 1;
  damping->steady = acts && acted;

  // changes of the normal force and of the bound of friction
  double change = next - forces->lag[k];
  damping->normal_change = next - forces->pi0[k];
  damping->bound_share = adapt_share(damping->bound_share, !(change * damping->bound_change < 0));
  damping->bound_change = change;

  // friction forces
  for (int g = 0; g < hfi_group_count(b->dim); ++g) {
    int row = hfi_group_row(g);
    double* force = forces->friction + b->row + 1 + row;
    move_group(force, f + row, hfi_group_dim(g), damping->share + g, damping->change + row);
  }

  // the bound of friction: a contact that opens has none, one that closes gets all of it
  if (!acts) {
    forces->lag[k] = 0;
    return;
  }
  double share = acted ? damping->bound_share : 1;
  forces->lag[k] = max2(forces->lag[k] + share * change, LEAST_BOUND * next);
}

// Adds `extra` times their last changes to the forces of contact k. Returns whether it changed them.
int hfi_damp_extrapolate(hfiIsland* I, int32_t k, double extra) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDamping* damping = I->forces.damping + k;
  double* pi0 = I->forces.pi0 + k;
  double* lag = I->forces.lag + k;
  double* f = I->forces.friction + b->row + 1;
  if (!damping->steady) return 0;

  *pi0 = max2(LEAST_REST * *pi0, *pi0 + extra * damping->normal_change);
  *lag = max2(LEAST_BOUND * *pi0, *lag + extra * damping->bound_share * damping->bound_change);

  for (int i = 0; i + 1 < b->dim; ++i) {
    double share = damping->share[hfi_row_group(i + 1)];
    f[i] += extra * share * damping->change[i];
  }
  return 1;
}
