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

#include "base/compile.h"
#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/damp.h"
#include "solve/dual.h"
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

// Returns vn(pi) of a contact and sets *slope = -dpi/dvn there, which is k times the root of the quadratic equation's discriminant.
static double find_normal_velocity(const hfContactLaw* law, double h, double pi, double* slope) {
  double d = law->dissipation, b = d * law->depth + h, c = law->depth - pi / law->stiffness;
  double root = sqrt(max2(0, b * b - 4 * h * d * c));
  *slope = law->stiffness * root;
  return b > 0 ? 2 * c / (b + root) : (b - root) / (2 * h * d);
}

// Writes the soft law of friction group g, a constant, with forces f = f0: anchored friction with stiffness rho/h and without damping. rho
// is at most `most`.
HFI_COPIED void soften_group(const hfContactLaw* law, double h, int g, double most, const double* f, hfContactLaw* out) {
  double kappa = h * law->k_t[g] + law->c_t[g], rho = min2(kappa, most);
  int row = hfi_group_row(g);
  out->k_t[g] = rho / h;
  if (!(kappa > 0)) return;
  for (int i = row; i < row + hfi_group_dim(g); ++i) // y at s = 0 is f0 - rho s(f0)
    out->xi0[i] = (f[i] - rho * (f[i] - law->k_t[g] * law->xi0[i]) / kappa) * h / rho;
}

// Begins the soft law I->soft[k] of contact k with what does not change between iterations.
static void begin_soft_law(hfiIsland* I, int32_t k) {
  hfContactLaw* out = I->soft + k;
  *out = *I->block[k].contact;
  out->dissipation = 0;
  for (int g = 0; g < 3; ++g) out->c_t[g] = 0;
}

// Computes the soft law of contact k, which acts. I->force has f0.
static void soften(hfiIsland* I, int32_t k, double cap) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfContactLaw* out = I->soft + k;
  const double *W = I->inverse_mass + b->row, *f = I->force + b->row + 1, h = I->problem->h, pi = I->pi0[k];
  double slope, vn = find_normal_velocity(law, h, pi, &slope);
  out->stiffness = min2(slope, cap / (h * W[0])) / h;
  out->depth = h * vn + pi / out->stiffness;
  if (b->dim >= 3) soften_group(law, h, HF_SLIDING, cap / (h * W[1]), f, out);
  if (b->dim >= 4) soften_group(law, h, HF_TORSION, cap / (h * W[3]), f, out);
  if (b->dim >= 6) soften_group(law, h, HF_ROLLING, cap / (h * W[4]), f, out);
}

static int is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }

// Exchanges the law of contact k with the soft one. A second call exchanges them back.
static void exchange_law(hfiIsland* I, int32_t k) {
  const hfContactLaw* law = I->block[k].contact;
  I->block[k].contact = I->other_law[k];
  I->other_law[k] = law;
}

// Returns the normal force of the soft law of contact k at the normal velocity vn. It is negative where the law would pull.
static double soft_normal_force(const hfiIsland* I, int32_t k, double vn) {
  return I->soft[k].stiffness * (I->soft[k].depth - I->problem->h * vn);
}

// Returns the normal force that stops the two bodies of contact k if nothing else acts on them, or 0 where the row velocities s do
// not close the contact.
static double predict_normal_force(const hfiIsland* I, int32_t k, const hfContactLaw* law, const double* s) {
  double slope, h = I->problem->h, opens = find_normal_velocity(law, h, 0, &slope);
  int32_t row = I->block[k].row;
  return max2(0, opens - s[row]) / (h * I->inverse_mass[row]);
}

// Scales the forces f of friction group g down to its bound where they exceed it.
static void clamp_group(double* f, int g, double bound) {
  double norm = hfi_group_dim(g) == 2 ? sqrt(sqr(f[0]) + sqr(f[1])) : fabs(f[0]);
  if (!(norm > bound)) return;
  for (int i = 0; i < hfi_group_dim(g); ++i) f[i] *= bound / norm;
}

// Returns the normal force with which contact k starts: that of the start of the step, or the one that stops its bodies alone. The law
// of Hunt and Crossley gives a deep contact of a fast body a force at the start of the step that no answer can have. It is
// recognised by its impulse, which moves the bodies more than the momentum of the whole island could.
static double start_normal_force(const hfiIsland* I, int32_t k) {
  const hfContactLaw* law = I->block[k].contact;
  double pi = law->normal_force0, moved = I->problem->h * pi * sqrt(I->inverse_mass[I->block[k].row]);
  return pi > 0 && moved <= I->p_norm ? pi : predict_normal_force(I, k, law, I->s);
}

// Sets the friction duals of contact k to the forces f0 over their bounds.
static void set_duals(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const double* f = I->force + b->row + 1;
  double* w = I->dual + b->row + 1;
  for (int i = 0; i + 1 < b->dim; ++i) {
    double bound = b->contact->mu[hfi_row_group(i + 1)] * I->lag[k];
    w[i] = bound > 0 ? f[i] / bound : 0;
  }
}

// Did an earlier solution of this step have contact k? Then I->v0 is that solution.
static int is_known(const hfiIsland* I, int32_t k) { return I->block[k].source < I->known_rows; }

// Sets pi0 and f0 of contact k: the forces of an earlier solution, or else the forces at the start of the step. Duals of contacts that no earlier solution had start with zero, because nothing is known of their slip.
static void start_contact(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  double *f = I->force + b->row + 1, h = I->problem->h;
  const double* weight = hfi_system_row_weights(I) + b->row;
  for (int i = 0; i < b->dim; ++i) I->inverse_mass[b->row + i] = sqr(weight[i]);
  I->other_law[k] = I->soft + k;
  begin_soft_law(I, k);
  if (is_known(I, k)) {
    const double* gamma = I->known_impulse + b->source;
    I->lag[k] = gamma[0] / h;
    for (int i = 0; i + 1 < b->dim; ++i) f[i] = -gamma[i + 1] / h;
    set_duals(I, k);
    return;
  }
  int touched = law->normal_force0 > 0; // at the start of the step
  I->lag[k] = start_normal_force(I, k);
  for (int i = 0; i + 1 < b->dim; ++i) f[i] = law->k_t[hfi_row_group(i + 1)] * law->xi0[i];
  for (int g = 0; g < hfi_group_count(b->dim); ++g) clamp_group(f + hfi_group_row(g), g, touched ? law->mu[g] * I->lag[k] : 0);
}

// Bounds the friction forces of contact k and sets its duals to them. Either law of the contact will do.
static void bound_friction(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  for (int g = 0; g < hfi_group_count(b->dim); ++g)
    clamp_group(I->force + b->row + 1 + hfi_group_row(g), g, b->contact->mu[g] * I->lag[k]);
  set_duals(I, k);
}

// Sets pi0 and f0 of contact k to the forces of its soft law at I->s1, or moves them towards these where the heap is damped. The caller has
// updated the friction duals for that step, and the laws of the blocks are the soft ones. The duals belonged to the bound of this iteration;
// those of f0 over the new bound take their place.
static void update_contact(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  const double* w = I->dual + b->row + 1;
  double *f = I->force + b->row + 1, f1[5], pi = I->pi0[k], bound = I->lag[k], next;
  if (pi > 0) {
    next = soft_normal_force(I, k, I->s1[b->row]);
    next = I->is_damped ? hfi_damp_normal_force(I, k, next) : max2(0, next);
  } else
    next = predict_normal_force(I, k, I->other_law[k], I->s1);
  for (int i = 0; i + 1 < b->dim; ++i) f1[i] = law->mu[hfi_row_group(i + 1)] * bound * w[i];
  if (I->is_damped)
    hfi_damp_friction(I, k, next, f1);
  else {
    memcpy(f, f1, sizeof *f * (size_t)(b->dim - 1));
    I->lag[k] = next;
  }
  I->pi0[k] = next;
  bound_friction(I, k);
}

// Evaluates the soft laws at I->s. A contact acts while pi0 > 0, even where its soft law would pull: it opens between iterations only.
static void respond_softly(hfiIsland* I) {
  double h = I->problem->h;
  hfi_system_impulses(I, HFI_COUPLING_LAGGED);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!is_contact(I, k)) continue;
    int acts = I->pi0[k] > 0;
    int32_t row = I->block[k].row;
    I->response[k] = (hfiContactResponse){.pi = I->lag[k], .gnn = acts ? h * h * I->soft[k].stiffness : 0, .active = acts};
    I->gamma[row] = acts ? h * soft_normal_force(I, k, I->s[row]) : 0;
  }
  hfi_system_residual(I);
  hfi_dual_set_responses(I);
}

// Takes a Newton step on the soft laws from I->v and I->s. Returns 0 where there is no finite step.
static int take_step(hfiIsland* I, double cap) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!is_contact(I, k)) continue;
    if (I->pi0[k] > 0) soften(I, k, cap); // Nothing but the bounds of friction is asked of the other laws.
    exchange_law(I, k);
  }
  respond_softly(I);
  int failed = hfi_system_factor(I);
  hfi_scale(I->dv, -1.0, I->r, I->n);
  if (!failed) hfi_block_solve(&I->K, I->dv);
  hfi_move(I->v1, I->v, 1.0, I->dv, I->n);
  hfi_system_rows(I, I->v1, I->s1);
  hfi_dual_update(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!is_contact(I, k)) continue;
    update_contact(I, k);
    exchange_law(I, k);
  }
  double *v = I->v, *s = I->s;
  I->v = I->v1, I->v1 = v, I->s = I->s1, I->s1 = s;
  return !failed && isfinite(hfi_system_velocity_norm(I, I->dv));
}

// Is the residual of the true laws at I->v and I->s below the share `close` of its scale?
static int is_close(hfiIsland* I, double close) {
  hfi_system_impulses(I, HF_COUPLING_TWO_WAY);
  hfi_system_residual(I);
  return hfi_system_momentum_norm(I, I->r) <= close * hfi_system_scale(I);
}

// Do all contacts have anchored friction? The slope of the other laws changes with the normal force, and what is known of them after
// one iteration does not help the next.
static int is_anchored(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k) && I->block[k].contact->friction != HF_FRICTION_ANCHORED) return 0;
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
    if (is_contact(I, k)) hfi_damp_begin(I, k);
}

int hfi_soft_begin(hfiIsland* I, hfiSoft* soft) {
  int unknown = 0; // 1: some contact was in no earlier solution
  I->is_damped = I->ntree > HFI_MANY_TREES;
  *soft = (hfiSoft){I->is_damped && I->known_rows > 0 ? KNOWN_CAP : FIRST_CAP, I->is_damped ? CLOSE_LARGE : CLOSE, 0};
  hfi_dual_reset(I);
  hfi_system_rows(I, I->v, I->s);
  int close = is_close(I, CLOSE);
  if (close && I->known_rows == 0) return 0;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!is_contact(I, k)) continue;
    start_contact(I, k);
    I->pi0[k] = I->lag[k];
    unknown |= !is_known(I, k);
  }
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
    if (is_contact(I, k) && hfi_damp_go_on(I, k, extra)) bound_friction(I, k);
  hfi_axpy(I->v, extra, I->dv, I->n);
  hfi_system_rows(I, I->v, I->s);
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
  hfi_system_rows(I, I->v, I->s);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k)) set_duals(I, k);
  if (!I->is_damped) begin_damping(I);
  soft->close = CLOSER * min2(soft->close, CLOSE_LARGE);
}

// Sets the impulses to those of pi0 and f0. Damping may leave friction bounds above mu pi0.
static void set_impulses(hfiIsland* I) {
  double h = I->problem->h;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (!is_contact(I, k)) continue;
    for (int g = 0; I->is_damped && g < hfi_group_count(b->dim); ++g)
      clamp_group(I->force + b->row + 1 + hfi_group_row(g), g, b->contact->mu[g] * I->pi0[k]);
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
    if (I->is_damped) hfi_dual_reset(I); // Steps with the duals at hand are too long there: in one of three heaps of 1000 bodies they lead away.
    out = hfi_newton_solve(I, &few, HF_COUPLING_TWO_WAY, HF_RUNG_TAMSI, HFI_KEPT_DUALS);
    work += out.iterations, limited += out.limited;
    approach = 1;
  }
  if (!out.converged) memcpy(I->v, I->v0, sizeof(double) * (size_t)I->n);
  out.iterations = work + soft.iterations, out.limited = limited;
  return out;
}
