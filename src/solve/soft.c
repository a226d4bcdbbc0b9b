// Soft start of a heap (docs/theory/heaps.md).
//
// Contacts are stiff. Where a body lands at 1 m/s, the true laws have a thousand times the force of the answer at the first guess of
// the velocities, and each Newton step on them opens, closes and releases tens of contacts. The iterations here use soft laws instead,
// which have the forces known so far at their centre and a bounded slope. Their answer moves towards that of the true laws.
//
//   h       step [s]                          W       J_i A^-1 J_i^T of a row, without the off-diagonal terms of A [1/kg]
//   pi0     normal force known so far [N]     f0      friction force of a group known so far [N or N m]
//   mu pi0  bound of friction                 kappa   slope h k_t + c_t of the true law of friction in stick
//   vn, s   normal velocity, slip velocity    cap     largest slope of a soft law over that of the row's inertia, 1/(h W) [-]
//
// The true laws can be solved for the velocity. vn(pi) is the normal velocity at which a contact has the force pi; s(f) is the slip at
// which a group that sticks has the force f:
//
//   pi = k (1 - d vn)(D - h vn)  =>  h d vn^2 - (d D + h) vn + D - pi/k = 0,     s(f) = (f - k_t xi0)/kappa
//
// The soft laws are lines through these points, and friction is clamped to its disc:
//
//   pi = pi0 - a (vn - vn(pi0)),     a = min(-dpi/dvn at pi0, cap/(h W))
//   y = f0 + rho (s - s(f0)),        rho = min(kappa, cap/(h W)),       f = y clamped to |f| <= mu pi0
//
// One iteration:
//   1. Linearise the soft laws at v. The friction duals (dual.c) give the slope of groups that slip. The bound mu pi0 does not
//      change within an iteration, so that K is symmetric. Contacts with pi0 = 0 are left out.
//   2. Solve K dv = -r and take the whole step.
//   3. Take pi0 and f0 from the soft laws at its end. A contact whose pi0 would be negative opens. An open contact that the step
//      would close gets the force that stops its two bodies alone, (vn(0) - vn)/(h W).
//   4. Multiply cap by CAP_GROWTH.
// In a large heap, and after a stall, step 3 takes a share of the changes of contacts that change their state in cycles, and the normal force that bounds
// friction, I->lag, may differ from pi0 (damp.c). Where the steps dv of such iterations hardly turn and hardly become shorter, the last one is
// lengthened by Aitken's rule (go_on): friction follows the normal force with a delay, and where K with that coupling is nearly singular each iteration
// brings a few per cent of the way.
// This is the proximal point method (Rockafellar 1976) for the forces, with one Newton step for each of its problems.
//
// The forces become right long before the velocities do, because a stiff law hardly moves with its force. So the residual of the true
// laws falls suddenly, and then, or after MAX_SOFT iterations, Newton's method on the true laws takes over. Where it stalls, because
// some states of contacts were still wrong, the soft iterations go on from where they were, damped, until the residual is much smaller than
// the last time.
#include "solve/soft.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/damp.h"
#include "solve/dual.h"
#include "solve/soft_law.h"
#include "solve/system.h"

#include <string.h>

// cap of the first iteration, and the factor by which it grows in each [-]. From 30 to 400 and from 1.2 to 1.5 the number of
// iterations changes by a tenth.
static const double FIRST_CAP = 100;
static const double KNOWN_CAP = 1000; // cap of the first iteration in a large heap of which an earlier solution is known
static const double CAP_GROWTH = 1.5;
// Newton's method takes over where the residual of the true laws is below this share of its scale [-]. After a stall the share is
// multiplied by CLOSER.
static const double CLOSE = 0.15;
static const double CLOSE_LARGE = 0.03; // The same in a large heap, where damped iterations come closer.
static const double CLOSE_FIRST = 0.3; // The first estimate of a large heap ends here: it need not do more than show what is about to touch.
static const double CLOSER = 0.03;
// Two steps go the same way if the cosine of the angle between them is at least this [-]. The second is then lengthened to at most
// MOST_AHEAD times its length, where that is at least twice its length.
static const double SAME_WAY = 0.97;
static const double LEAST_AHEAD = 2;
static const double MOST_AHEAD = 5;
// What rough factors may leave of the right-hand side of a step [-].
static const double LINEAR_TOLERANCE = 1e-2;
enum {
  FIRST_TEST = 3,  // The true residual is not computed before this iteration: it is never small so early.
  MAX_SOFT = 16,   // Most iterations on soft laws before Newton's method is tried. 5 to 15 are usual; longer ones are mostly cycles.
  MAX_SOFT_LARGE = 24, // The same in a large heap,
  MAX_KNOWN_LARGE = 12, // and where forces of an earlier solution are known.
  MORE_SOFT = 30,  // The same after Newton's method stalled.
  MAX_NEWTON = 60, // Most iterations of Newton's method each time that it takes over; 5 to 20 are usual.
  MAX_ROUNDS = 6,  // Newton's method takes over at most this many times.
  BETWEEN = 3,     // A step is lengthened at the earliest in this iteration after the last one that was.
};

// Makes the soft law of contact k and evaluates it at I->s. A contact acts while pi0 > 0, even where its soft law would pull: it opens between iterations only.
static void respond_softly(hfiIsland* I, int32_t k, double cap) {
  double h = I->problem->h;
  int acts = I->pi0[k] > 0;
  int32_t row = I->block[k].row;
  hfiContactResponse* response = I->response + k;
  hfi_soft_take_law(I, k, cap);
  response->pi = I->lag[k], response->gnn = acts ? h * h * I->soft[k].stiffness : 0;
  response->active = acts, response->coupled = response->slipping = 0;
  I->gamma[row] = acts ? h * hfi_soft_normal_force(I, k, I->s[row]) : 0;
  hfi_dual_respond(I, k);
}

// Takes a Newton step on the soft laws from I->v and I->s, where I->Av is A v, and computes A v at its end. Returns 0 where there is no finite step.
static int take_step(hfiIsland* I, double cap) {
  hfi_system_respond_saturated(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) respond_softly(I, k, cap);
  hfi_system_residual_again(I);
  int failed = hfi_system_factor(I);
  hfi_scale(I->dv, -1.0, I->r, I->n);
  if (!failed) hfi_system_solve(I, LINEAR_TOLERANCE, I->dv);
  hfi_move(I->v1, I->v, 1.0, I->dv, I->n);
  hfi_system_rows(I, I->v1, I->s1);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!hfi_is_contact(I, k)) continue;
    hfi_dual_update_contact(I, k);
    hfi_soft_give_back_law(I, k);
  }
  hfi_system_exchange_points(I);
  hfi_system_multiply(I, I->v, I->Av);
  return !failed && isfinite(hfi_system_velocity_norm(I, I->dv));
}

// Is the residual of the true laws at I->v and I->s, where I->Av is A v, below the share `close` of its scale?
static int is_close(hfiIsland* I, double close) {
  hfi_system_impulses(I, HF_COUPLING_TWO_WAY);
  hfi_system_residual_again(I);
  return hfi_system_momentum_norm(I, I->r) <= close * hfi_system_scale(I);
}

// Computes s and A v of velocities I->v that were set.
static void set_out(hfiIsland* I) {
  hfi_system_rows(I, I->v, I->s);
  hfi_system_multiply(I, I->v, I->Av);
}

// Do all contacts have anchored friction? The slope of the other laws changes with the normal force, and what is known of them after
// one iteration does not help the next.
static int is_anchored(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k) && I->block[k].contact->friction != HF_FRICTION_ANCHORED) return 0;
  return 1;
}

// Most iterations on soft laws before Newton's method is tried.
static int32_t most_iterations(const hfiIsland* I, const hfSolverConfig* config) {
  int32_t large = I->known_rows > 0 ? MAX_KNOWN_LARGE : MAX_SOFT_LARGE;
  return imin2(I->is_damped ? large : MAX_SOFT, config->max_iterations);
}

// Damps the iterations from here on.
static void begin_damping(hfiIsland* I) {
  I->is_damped = 1;
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) hfi_damp_begin(I, k);
}

int hfi_soft_begin(hfiIsland* I, hfiSoft* soft) {
  I->is_damped = I->ntree > HFI_MANY_TREES;
  *soft = (hfiSoft){I->is_damped && I->known_rows > 0 ? KNOWN_CAP : FIRST_CAP, I->is_damped ? CLOSE_LARGE : CLOSE, 0};
  hfi_dual_reset(I);
  set_out(I);
  int close = is_close(I, CLOSE);
  if (close && I->known_rows == 0) return 0;
  int unknown = hfi_soft_start_contacts(I);
  if (I->is_damped) begin_damping(I);
  return !close && unknown;
}

// By which factor the last step dv should have been longer, if what is left of the way is a geometric series of steps: 1/(1 - q), where q is the component of
// dv along the step before, over that step. Returns 1 where the two do not go the same way. I->v_kept is the step before, and becomes dv.
static double find_factor_ahead(hfiIsland* I) {
  double dot = 0, before2 = 0, now2 = 0;
  for (int32_t i = 0; i < I->n; ++i) {
    double d = I->dv[i], before = I->v_kept[i], mass = I->diag[i];
    dot += mass * d * before, before2 += mass * sqr(before), now2 += mass * sqr(d);
    I->v_kept[i] = d;
  }
  if (!(dot > SAME_WAY * sqrt(before2 * now2))) return 1;
  double q = dot / before2;
  return q < 1 - 1 / MOST_AHEAD ? 1 / (1 - q) : MOST_AHEAD;
}

// Moves velocities and forces on by `extra` times their changes in the last iteration.
static void go_on(hfiIsland* I, double extra) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k) && hfi_damp_go_on(I, k, extra)) hfi_soft_bound_friction(I, k);
  hfi_axpy(I->v, extra, I->dv, I->n);
  set_out(I);
}

int hfi_soft_approach(hfiIsland* I, hfiSoft* soft, int32_t most) {
  int since = 0; // iterations after a step was lengthened, or from here on
  for (most += soft->iterations; soft->iterations < most;) {
    if (!take_step(I, soft->cap)) return 0;
    soft->iterations += 1, since += 1;
    soft->cap *= CAP_GROWTH;
    if (soft->iterations >= FIRST_TEST && is_close(I, soft->close)) break;
    double ahead = I->is_damped ? find_factor_ahead(I) : 1;
    if (since < BETWEEN || !(ahead > LEAST_AHEAD)) continue;
    go_on(I, ahead - 1);
    since = 0;
  }
  return 1;
}

// Goes back from Newton's method to the end of the last soft iteration, whose velocities are in I->v_kept. From there on the iterations are damped, and come closer.
static void resume(hfiIsland* I, hfiSoft* soft) {
  memcpy(I->v, I->v_kept, sizeof(double) * (size_t)I->n);
  set_out(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) hfi_soft_set_duals(I, k);
  if (!I->is_damped) begin_damping(I);
  soft->close = CLOSER * min2(soft->close, CLOSE_LARGE);
}

// Sets the impulses to those of pi0 and f0. Damping may leave friction bounds above mu pi0.
static void set_impulses(hfiIsland* I) {
  double h = I->problem->h;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (!hfi_is_contact(I, k)) continue;
    for (int g = 0; I->is_damped && g < hfi_group_count(b->dim); ++g)
      hfi_clamp_group(I->force + b->row + 1 + hfi_group_row(g), g, b->contact->mu[g] * I->pi0[k]);
    I->gamma[b->row] = h * I->pi0[k];
    for (int i = 1; i < b->dim; ++i) I->gamma[b->row + i] = -h * I->force[b->row + i];
  }
}

hfiNewtonResult hfi_soft_estimate(hfiIsland* I, const hfSolverConfig* config) {
  hfiNewtonResult out = {0, 0, 0, 0};
  hfiSoft soft;
  if (!is_anchored(I) || !hfi_soft_begin(I, &soft)) return out;
  if (I->is_damped && I->known_rows == 0) soft.close = CLOSE_FIRST;
  out.converged = hfi_soft_approach(I, &soft, most_iterations(I, config));
  out.iterations = soft.iterations;
  if (out.converged) set_impulses(I);
  return out;
}

hfiNewtonResult hfi_soft_solve(hfiIsland* I, const hfSolverConfig* config) {
  hfSolverConfig few = *config;
  hfiNewtonResult out = {0, 0, 0, 0};
  hfiSoft soft;
  int32_t work = 0, limited = 0;
  few.max_iterations = imin2(MAX_NEWTON, config->max_iterations);
  if (!is_anchored(I)) return out;
  int approach = hfi_soft_begin(I, &soft), usable = approach || I->known_rows > 0;
  for (int round = 0; usable && round < MAX_ROUNDS && !out.converged; ++round) {
    if (round > 0) resume(I, &soft);
    if (approach && !hfi_soft_approach(I, &soft, round > 0 ? imin2(MORE_SOFT, config->max_iterations) : most_iterations(I, config))) break;
    if (work + soft.iterations >= config->max_iterations) break;
    memcpy(I->v_kept, I->v, sizeof(double) * (size_t)I->n);
    if (I->is_damped && I->ntree <= HFI_MANY_TREES) hfi_dual_reset(I); // Large heaps keep theirs: added inertia bounds their steps.
    out = hfi_newton_solve(I, &few, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_KEPT_DUALS);
    work += out.iterations, limited += out.limited;
    approach = 1;
  }
  if (!out.converged) memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
  out.iterations = work + soft.iterations, out.limited = limited;
  return out;
}
