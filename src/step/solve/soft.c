// Soft start of a heap (docs/theory/heaps.md).
//
// Contacts are stiff. If a body lands at 1 m/s, the true laws give a thousand times the force of the answer at the
// first guess of the velocities, and each Newton step on them opens and closes tens of contacts. The iterations here
// use soft laws instead. A soft law goes through the present estimate of the force and has a bounded slope. The answer
// of the soft laws moves towards the answer of the true laws from iteration to iteration.
//
//   h       step [s]
//   pi0     present estimate of a normal force [N]
//   f0      present estimate of the friction force of a group, with the sign of the slip: gamma_t = -h f0 [N or N m]
//   mu pi0  bound of friction
//   vn, s   normal velocity, slip velocity
//   D, d    depth, dissipation of the normal law      k_t, c_t, xi0   stiffness, damping, deformation of friction
//   kappa   slope h k_t + c_t of the true law of friction in stick
//   W       J_i A^-1 J_i^T of a row, without the off-diagonal terms of A [1/kg]
//   cap     largest slope of a soft law, relative to the slope 1/(h W) that the inertia of the row gives [-]
//
// The true laws can be solved for the velocity. vn(pi) is the normal velocity at which a contact has the force pi; s(f)
// is the slip velocity at which a group that sticks has the force f:
//
//   pi = k (1 - d vn)(D - h vn)  =>  h d vn^2 - (d D + h) vn + D - pi/k = 0,     s(f) = (f - k_t xi0)/kappa
//
// The soft laws are lines through these points; friction is clamped to its disc:
//
//   pi = pi0 - a (vn - vn(pi0)),     a = min(-dpi/dvn at pi0, cap/(h W))
//   y = f0 + rho (s - s(f0)),        rho = min(kappa, cap/(h W)),       f = y clamped to |f| <= mu pi0
//
// One iteration:
//   1. Linearise the soft laws at v. The friction duals (dual.c) give the slope of groups that slip. The bound mu pi0
//      does not change within an iteration, so that K is symmetric. Contacts with pi0 = 0 do not act.
//   2. Solve K dv = -r and take the whole step.
//   3. Set pi0 and f0 to the forces of the soft laws at the end of the step. A contact opens if its pi0 would be
//      negative. An open contact that the step would close gets the force that alone stops its two bodies, (vn(0) -
//      vn)/(h W).
//   4. Multiply cap by CAP_GROWTH.
// This is the proximal point method (Rockafellar 1976) for the forces, with one Newton step for each of its problems.
//
// In a large heap, and after a stall, the iterations are damped (damp.c): if a contact changes its state in cycles,
// step 3 adds only a share of its changes, and the normal force that bounds friction, I->forces.lag, may differ from
// pi0. Damped iterations can be slow: friction follows the normal force with a delay, and if K with that coupling is
// nearly singular, each iteration makes a few per cent of the remaining way. The steps dv then hardly change from
// iteration to iteration, and the last one is lengthened by Aitken's rule (lengthen_last_step).
//
// The forces are accurate long before the velocities are, because a change of force hardly changes the velocity of a
// stiff law. So the residual of the true laws falls suddenly. Then, or after MAX_SOFT iterations, Newton's method on
// the true laws takes over. It stalls if some contacts still have the wrong state. The soft iterations then continue
// from their last velocities and forces, damped, until the residual is much smaller than before.

#include "step/solve/inside.h"

#include "linalg/dense.h"
#include "math/vec3.h"

#include <string.h>

// cap of the first iteration, and the factor by which it grows in each iteration [-]. With a first cap from 30 to 400
// and a growth from 1.2 to 1.5 the number of iterations changes by a tenth.
static const double FIRST_CAP = 100;
static const double KNOWN_CAP = 1000; // cap of the first iteration if an earlier solution is known
static const double CAP_GROWTH = 1.5;
// Newton's method takes over when the residual of the true laws is below a share of its scale [-].
static const double CLOSE = 0.15;             // The share in a heap.
static const double CLOSE_LARGE = 0.03;       // The share in a large heap: damped iterations reach a smaller residual.
static const double CLOSE_KNOWN = 0.005;      // The share in a large heap whose contacts were all estimated before.
static const double CLOSE_AFTER_STALL = 0.03; // Each stall of Newton's method multiplies the share by this.
// Two steps have the same direction if the cosine of the angle between them is at least this [-].
static const double SAME_DIRECTION = 0.97;
// A step is lengthened by a factor in this range; with a smaller factor it stays as it is [-].
static const double LEAST_LENGTHENING = 2;
static const double MOST_LENGTHENING = 5;
// With rough factors the error |r + K dv| of a step may be this share of |r| [-].
static const double LINEAR_TOLERANCE = 1e-2;
enum {
  // Number of soft iterations of the first estimate of a step, which only has to show which bodies will touch. They
  // move at about the right velocities long before the residual is small.
  FIRST_ESTIMATE = 4,
  FIRST_TEST = 3, // The residual of the true laws is not computed before this iteration: it is never small so early.
  // Largest number of soft iterations before Newton's method is tried. 5 to 15 are usual; longer runs are mostly
  // cycles.
  MAX_SOFT = 16,             // in a heap
  MAX_SOFT_LARGE = 24,       // in a large heap
  MAX_SOFT_KNOWN = 12,       // in a large heap of which an earlier solution is known
  MAX_SOFT_AFTER_STALL = 30, // after Newton's method stalled
  MAX_NEWTON = 60,           // iterations of Newton's method each time that it takes over; 5 to 20 are usual
  MAX_ROUNDS = 6,            // Newton's method takes over at most this many times.
  LENGTHENING_INTERVAL = 3,  // Of so many consecutive iterations at most one lengthens its step.
};

// Computes the soft law of contact k and evaluates it at I->rows.s: sets gamma and the response. A contact acts while
// pi0 > 0, even if its soft law would pull: contacts open only between iterations.
static void evaluate_soft_law(hfiIsland* I, int32_t k, double cap) {
  double h = I->problem->h;
  int acts = I->forces.pi0[k] > 0;
  int32_t row = I->block[k].row;
  hfiContactResponse* response = I->rows.response + k;
  hfi_soft_begin_iteration(I, k, cap);

  // normal force, and the force that bounds friction
  response->pi_mu = I->forces.lag[k];
  response->gnn = acts ? h * h * I->forces.law[k].stiffness : 0;
  response->active = acts;
  response->coupled = 0;
  response->slipping = 0;

  I->rows.gamma[row] = acts ? h * hfi_soft_normal_force(I, k, I->rows.s[row]) : 0;

  // friction
  hfi_dual_respond_contact(I, k);
}

// What the parts of an island share in an iteration.
typedef struct SoftTask {
  hfiIsland* I;
  double cap;
} SoftTask;

// Computes and evaluates the soft laws of the contacts among the blocks from `first` on to before `end`.
static void evaluate_blocks(hfiIsland* I, int32_t first, int32_t end, double cap) {
  for (int32_t k = first; k < end; ++k)
    if (hfi_is_contact(I, k)) evaluate_soft_law(I, k, cap);
}

// Evaluates the contacts of a part, and adds its compact stacks to J^T gamma and K. All of that is done for one stack
// after the other, whose numbers are in the fastest cache then.
static void evaluate_part(void* context, int p) {
  const SoftTask* task = context;
  hfiIsland* I = task->I;
  hfi_system_begin_impulses(I, p);
  hfi_system_begin_matrix(I, p, 1);

  for (int32_t k = I->parts.stack[p]; k < I->parts.stack[p + 1]; ++k) {
    const hfiStack* stack = I->stacks.list + k;
    evaluate_blocks(I, stack->block, stack->block + stack->nblock, task->cap);
    if (!stack->nfree) continue;
    hfi_system_add_impulse(I, stack, p);
    hfi_system_add_stack(I, stack, p, 1);
  }
}

// Computes and evaluates the soft laws, computes the residual, and forms and factors K, which is symmetric. Returns 0,
// or > 0 if a pivot failed.
static int evaluate_and_factor(hfiIsland* I, double cap) {
  hfi_system_respond_saturated(I);
  if (hfi_is_divided(I)) {
    hfi_for_parts(I, evaluate_part, &(SoftTask){I, cap});
    hfi_system_end_residual(I);
    return hfi_system_end_factor(I, 1);
  }

  evaluate_blocks(I, I->nscalar, I->nblock, cap);
  hfi_system_residual_again(I);
  return hfi_system_factor(I);
}

// Ends the iteration for the contacts of a part.
static void end_part(void* context, int p) {
  hfiIsland* I = ((const SoftTask*)context)->I;
  for (int32_t k = I->parts.block[p]; k < I->parts.block[p + 1]; ++k) {
    if (!hfi_is_contact(I, k)) continue;
    hfi_dual_update_contact(I, k);
    hfi_soft_end_iteration(I, k);
  }
}

// Takes a Newton step on the soft laws from v and s. Av must be A v; it is computed again at the end of the step.
// Returns 0 if there is no finite step.
static int take_soft_step(hfiIsland* I, double cap) {
  hfiDofVectors* x = &I->dofs;

  // dv = -K^-1 r and its end
  int failed = evaluate_and_factor(I, cap);
  hfi_scale(x->dv, -1.0, x->r, I->n);
  if (!failed) hfi_system_solve(I, LINEAR_TOLERANCE, x->dv);
  hfi_move(x->v1, x->v, 1.0, x->dv, I->n);
  hfi_system_rows(I, x->v1, I->rows.s1);

  // the forces there
  hfi_for_parts(I, end_part, &(SoftTask){I, cap});
  hfi_system_exchange_points(I);
  hfi_system_multiply(I, x->v, x->Av);
  return !failed && isfinite(hfi_system_velocity_norm(I, x->dv));
}

// Is the residual r below the share `close` of its scale?
static int is_below(const hfiIsland* I, double close) {
  return hfi_system_momentum_norm(I, I->dofs.r) <= close * hfi_system_scale(I);
}

// Computes the residual of the true laws at I->dofs.v and I->rows.s. Is it below the share `close` of its scale?
// I->dofs.Av must be A v.
static int is_close(hfiIsland* I, double close) {
  hfi_system_impulses(I, HF_COUPLING_TWO_WAY);
  hfi_system_residual_again(I);
  return is_below(I, close);
}

// Computes I->rows.s and I->dofs.Av for the velocities I->dofs.v.
static void evaluate_velocities(hfiIsland* I) {
  hfi_system_rows(I, I->dofs.v, I->rows.s);
  hfi_system_multiply(I, I->dofs.v, I->dofs.Av);
}

// Do all contacts have anchored friction? Only then there are soft iterations. The slope of other friction laws changes
// with the normal force, so that the forces of one iteration are of no use for the next.
static int all_friction_is_anchored(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k) && I->block[k].contact->friction != HF_FRICTION_ANCHORED) return 0;
  return 1;
}

// Largest number of soft iterations before Newton's method is tried for the first time. Before the first stall of
// Newton's method an island is damped if it is a large heap.
static int32_t max_soft_iterations(const hfiIsland* I, const hfSolverConfig* config) {
  int32_t large = I->known.rows > 0 ? MAX_SOFT_KNOWN : MAX_SOFT_LARGE;
  return imin2(I->forces.is_damped ? large : MAX_SOFT, config->max_iterations);
}

// Switches damping on for the following iterations.
static void begin_damping(hfiIsland* I) {
  I->forces.is_damped = 1;
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) hfi_damp_begin(I, k);
}

// Chooses the first forces at the velocities I->dofs.v, and cap and share for the iterations (heap.h). Returns 0 if no
// soft iterations are needed, because the residual of the true laws at v is already small.
int hfi_soft_begin(hfiIsland* I, hfiSoft* soft) {
  int has_known = I->known.rows > 0;
  int is_large = I->ntree > HFI_MANY_TREES;
  I->forces.is_damped = is_large;
  soft->cap = has_known ? KNOWN_CAP : FIRST_CAP;
  soft->close = is_large ? CLOSE_LARGE : CLOSE;
  soft->iterations = 0;
  hfi_dual_reset(I);
  evaluate_velocities(I);

  // are the velocities nearly the answer already? hfi_soft_start_forces needs the residual, too
  int close = is_close(I, CLOSE);
  if (close && !has_known) return 0;

  int has_new_contacts = hfi_soft_start_forces(I);
  if (is_large) begin_damping(I);
  if (has_new_contacts || !is_large) return !close;

  // a large heap all of whose contacts have forces of an earlier solution: it must be closer to the answer
  soft->close = CLOSE_KNOWN;
  return !is_below(I, CLOSE_KNOWN);
}

// Returns the factor (1 or more) by which the last step dv should have been longer. If the steps form a geometric
// series with the ratio q, their sum is 1/(1 - q) dv; q is the component of dv along the step before, relative to the
// length of that step. Returns 1 if the two steps differ in direction. I->kept.v holds the step before; it is replaced
// by dv.
static double find_lengthening(hfiIsland* I) {
  const hfiDofVectors* x = &I->dofs;

  // mass-scaled inner products of the two steps
  double dot = 0;
  double square_before = 0;
  double square_now = 0;
  for (int32_t i = 0; i < I->n; ++i) {
    double d = x->dv[i];
    double before = I->kept.v[i];
    dot += x->diag[i] * d * before;
    square_before += x->diag[i] * sqr(before);
    square_now += x->diag[i] * sqr(d);
    I->kept.v[i] = d;
  }

  if (!(dot > SAME_DIRECTION * sqrt(square_before * square_now))) return 1;

  // 1/(1 - q), but not too large
  double q = dot / square_before;
  return q < 1 - 1 / MOST_LENGTHENING ? 1 / (1 - q) : MOST_LENGTHENING;
}

// Adds `extra` times their changes in the last iteration to the velocities and forces.
static void lengthen_last_step(hfiIsland* I, double extra) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k) && hfi_damp_extrapolate(I, k, extra)) hfi_soft_bound_friction(I, k);
  hfi_axpy(I->dofs.v, extra, I->dofs.dv, I->n);
  evaluate_velocities(I);
}

// Iterates until the residual of the true laws is below soft->close, at most `most` times (heap.h). Returns 0 if an
// iteration had no finite step.
int hfi_soft_approach(hfiIsland* I, hfiSoft* soft, int32_t most) {
  int since_lengthening = 0; // number of iterations since a step was lengthened, or since the call
  int32_t end = soft->iterations + most;

  while (soft->iterations < end) {
    if (!take_soft_step(I, soft->cap)) return 0;
    soft->iterations += 1;
    since_lengthening += 1;
    soft->cap *= CAP_GROWTH;

    // Close enough? Nobody asks that after the last iteration, unless its step is lengthened. find_lengthening must see
    // each step, because it keeps it for the next call.
    double factor = I->forces.is_damped ? find_lengthening(I) : 1;
    int lengthens = since_lengthening >= LENGTHENING_INTERVAL && factor > LEAST_LENGTHENING;
    if (soft->iterations >= end && !lengthens) break;
    if (soft->iterations >= FIRST_TEST && is_close(I, soft->close)) break;

    if (!lengthens) continue;
    lengthen_last_step(I, factor - 1);
    since_lengthening = 0;
  }
  return 1;
}

// Returns to the end of the last soft iteration after Newton's method failed. I->kept.v holds the velocities of that
// iteration. The following iterations are damped, and have to reach a smaller residual than before.
static void return_to_soft_iterations(hfiIsland* I, hfiSoft* soft) {
  memcpy(I->dofs.v, I->kept.v, sizeof(double) * (size_t)I->n);
  evaluate_velocities(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (hfi_is_contact(I, k)) hfi_soft_set_duals(I, k);
  if (!I->forces.is_damped) begin_damping(I);
  soft->close = CLOSE_AFTER_STALL * min2(soft->close, CLOSE_LARGE);
}

// Sets the impulses of the contacts to those of pi0 and f0. Damping may leave friction forces above mu pi0, because lag
// may differ from pi0; they are clamped, also in I->forces.friction.
static void set_impulses(hfiIsland* I) {
  double h = I->problem->h;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    double* f = I->forces.friction + b->row;
    double* gamma = I->rows.gamma + b->row;
    double pi = I->forces.pi0[k];
    if (!hfi_is_contact(I, k)) continue;

    // f and gamma have the normal row first
    for (int g = 0; I->forces.is_damped && g < hfi_group_count(b->dim); ++g)
      hfi_clamp_group(f + 1 + hfi_group_row(g), g, b->contact->mu[g] * pi);
    gamma[0] = h * pi;
    for (int i = 1; i < b->dim; ++i) gamma[i] = -h * f[i];
  }
}

// Estimates a heap by soft iterations alone (heap.h).
hfiNewtonResult hfi_soft_estimate(hfiIsland* I, const hfSolverConfig* config) {
  hfiNewtonResult out = {0, 0, 0, 0};
  hfiSoft soft;
  if (!all_friction_is_anchored(I) || !hfi_soft_begin(I, &soft)) return out;

  int32_t most = max_soft_iterations(I, config);
  if (I->known.rows == 0) most = imin2(FIRST_ESTIMATE, most);
  out.converged = hfi_soft_approach(I, &soft, most);
  out.iterations = soft.iterations;
  if (out.converged) set_impulses(I);
  return out;
}

// Solves a heap in rounds of soft iterations and Newton's method (heap.h). v is v0 afterwards if that fails.
hfiNewtonResult hfi_soft_solve(hfiIsland* I, const hfSolverConfig* config) {
  hfiNewtonResult out = {0, 0, 0, 0};
  if (!all_friction_is_anchored(I)) return out;

  hfSolverConfig few = *config; // for Newton's method in one round
  few.max_iterations = imin2(MAX_NEWTON, config->max_iterations);
  hfiSoft soft;
  int32_t newton_iterations = 0;
  int32_t limited = 0;

  int needs_soft = hfi_soft_begin(I, &soft);
  int has_forces = needs_soft || I->known.rows > 0; // 0: the caller tries Newton's method without them
  for (int round = 0; has_forces && round < MAX_ROUNDS && !out.converged; ++round) {
    // soft iterations
    int32_t most = max_soft_iterations(I, config);
    if (round > 0) {
      return_to_soft_iterations(I, &soft);
      most = imin2(MAX_SOFT_AFTER_STALL, config->max_iterations);
    }
    if (needs_soft && !hfi_soft_approach(I, &soft, most)) break;
    if (newton_iterations + soft.iterations >= config->max_iterations) break;

    // Newton's method. Damped heaps that are not large begin with duals of zero again; large ones keep theirs, because
    // added inertia limits their steps.
    memcpy(I->kept.v, I->dofs.v, sizeof(double) * (size_t)I->n);
    if (I->forces.is_damped && I->ntree <= HFI_MANY_TREES) hfi_dual_reset(I);
    out = hfi_newton_solve(I, &few, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_KEPT_DUALS);
    newton_iterations += out.iterations;
    limited += out.limited;
    needs_soft = 1;
  }

  if (!out.converged) memcpy(I->dofs.v, I->dofs.v0, sizeof(double) * (size_t)I->n);
  out.iterations = newton_iterations + soft.iterations;
  out.limited = limited;
  return out;
}
