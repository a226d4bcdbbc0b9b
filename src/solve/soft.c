// Soft start of a heap (docs/theory/heaps.md). Contacts are stiff: a body that comes near at 1 m/s has forces at its first guess
// that are a thousand times those of the answer, and each Newton step on stiff laws opens, closes and releases tens of contacts. So
// the first iterations use soft laws, whose answer moves towards that of the true ones from iteration to iteration.
//
//   h       step                                W      J_i A^-1 J_i^T of a row, off-diagonal terms of A left out [1/kg]
//   pi0, f0 forces of a contact as known so far cap    largest slope over that of the row's own inertia, 1/(h W) [-]
//   vn(pi)  the true law of the normal force,   s(f)   the slip at which the true law in stick has the force f,
//           solved for the normal velocity             s(f) = (f - k_t xi0)/kappa
//
// The soft laws go through the true ones at pi0 and f0, with slopes that are bounded:
//
//   pi = pi0 - a (vn - vn(pi0)),     a = min(-dpi/dvn at pi0, cap/(h W))
//   y = f0 + rho (s - s(f0)),        rho = min(kappa, cap/(h W)),    f = y clamped to the disc |f| <= mu pi0
//
// One iteration:
//   1. Linearise the soft laws at v. Friction duals (dual.c) give the slope of what slips. Friction does not follow the normal
//      force within an iteration, so that K is symmetric. Contacts with pi0 = 0 are left out.
//   2. Solve K dv = -r and take the whole step.
//   3. Take pi0 and f0 from the soft laws at its end. A contact with pi0 <= 0 opens. An open one that the step would close gets the
//      force that stops its two bodies alone, (vn(0) - vn)/(h W).
//   4. Raise cap by a factor.
// This is the proximal point method (Rockafellar 1976) for the forces, with one Newton step for each of its problems. The forces are
// right long before the velocities are, because these hardly matter to a stiff law: the true residual becomes small rather
// suddenly, and then Newton's method on the true laws takes over.
#include "solve/soft.h"

#include "linalg/dense.h"
#include "math/vec3.h"
#include "solve/dual.h"
#include "solve/system.h"

#include <string.h>

// cap of the first iteration, and the factor by which it grows in each [-]. Neither matters much: from 30 to 400 and from 1.2 to 1.5 the
// number of iterations changes by a tenth.
static const double FIRST_CAP = 100;
static const double CAP_GROWTH = 1.5;
// Newton's method takes over where the residual of the true laws is below this share of its scale [-].
static const double TAKE_OVER = 0.6;
enum { FIRST_TEST = 3 }; // The true residual is not computed before this iteration: it is never small so early.

// Normal velocity at which the contact has the normal force pi; *slope = -dpi/dvn there. With D = depth:
//   pi = k (1 - d v)(D - h v)  =>  h d v^2 - (d D + h) v + D - pi/k = 0,  -dpi/dv = k root
static double find_normal_velocity(const hfContactLaw* law, double h, double pi, double* slope) {
  double d = law->dissipation, b = d * law->depth + h, c = law->depth - pi / law->stiffness;
  double root = sqrt(max2(0, b * b - 4 * h * d * c));
  *slope = law->stiffness * root;
  return b > 0 ? 2 * c / (b + root) : (b - root) / (2 * h * d);
}

// The soft law of friction group g with forces f0: anchored friction with stiffness rho/h and without damping, rho <= most.
static void soften_group(const hfContactLaw* law, double h, int g, double most, const double* f, hfContactLaw* out) {
  double kappa = h * law->k_t[g] + law->c_t[g], rho = min2(kappa, most);
  int row = hfi_group_row(g);
  out->k_t[g] = rho / h;
  out->c_t[g] = 0;
  if (!(kappa > 0)) return;
  for (int i = row; i < row + hfi_group_dim(g); ++i) // y at s = 0 is f0 - rho s(f0)
    out->xi0[i] = (f[i] - rho * (f[i] - law->k_t[g] * law->xi0[i]) / kappa) * h / rho;
}

// Computes I->soft[k] for I->lag[k] = pi0 and I->force = f0.
static void soften(hfiIsland* I, int32_t k, double cap) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfContactLaw* out = I->soft + k;
  const double *W = I->inverse_mass + b->row, h = I->problem->h, pi = I->lag[k];
  double slope, vn = find_normal_velocity(law, h, pi, &slope);
  *out = *law;
  out->dissipation = 0;
  out->stiffness = min2(slope, cap / (h * W[0])) / h;
  out->depth = h * vn + pi / out->stiffness;
  for (int g = 0; g < hfi_group_count(b->dim); ++g)
    soften_group(law, h, g, cap / (h * W[1 + hfi_group_row(g)]), I->force + b->row + 1, out);
}

static int is_contact(const hfiIsland* I, int32_t k) { return I->block[k].law == HF_LAW_CONTACT; }

// Exchanges the laws of all contacts with the soft ones, or back.
static void exchange_laws(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfContactLaw* law = I->block[k].contact;
    if (!law) continue;
    I->block[k].contact = I->other_law[k];
    I->other_law[k] = law;
  }
}

// Normal force of the soft law of contact k at the normal velocity vn, negative where it would pull.
static double soft_normal_force(const hfiIsland* I, int32_t k, double vn) {
  return I->soft[k].stiffness * (I->soft[k].depth - I->problem->h * vn);
}

// The force of an open contact that stops its two bodies alone, 0 where the row velocities s do not close it.
static double predict_normal_force(const hfiIsland* I, int32_t k, const hfContactLaw* law, const double* s) {
  double slope, h = I->problem->h, opens = find_normal_velocity(law, h, 0, &slope);
  int32_t row = I->block[k].row;
  return max2(0, opens - s[row]) / (h * I->inverse_mass[row]);
}

// Scales the forces f0 of a friction group back to its bound.
static void clamp_group(double* f, int g, double bound) {
  double norm = hfi_group_dim(g) == 2 ? sqrt(sqr(f[0]) + sqr(f[1])) : fabs(f[0]);
  if (!(norm > bound)) return;
  for (int i = 0; i < hfi_group_dim(g); ++i) f[i] *= bound / norm;
}

// Sets pi0 and f0 of contact k to the forces at the start of the step.
static void start_contact(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  double *f = I->force + b->row + 1, pi = law->normal_force0;
  for (int i = 0; i < b->dim; ++i) I->inverse_mass[b->row + i] = sqr(hfi_system_row_weight(I, b, i));
  I->other_law[k] = I->soft + k;
  I->lag[k] = pi > 0 ? pi : predict_normal_force(I, k, law, I->s);
  for (int i = 0; i + 1 < b->dim; ++i) f[i] = law->k_t[hfi_row_group(i + 1)] * law->xi0[i];
  for (int g = 0; g < hfi_group_count(b->dim); ++g) clamp_group(f + hfi_group_row(g), g, law->mu[g] * pi);
}

// Sets pi0 and f0 of contact k to those of its soft law at I->s1. The friction duals are up to date, the laws are the soft ones.
static void update_contact(hfiIsland* I, int32_t k) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  double *f = I->force + b->row + 1, *w = I->dual + b->row + 1, pi = I->lag[k], next;
  if (pi > 0)
    next = max2(0, soft_normal_force(I, k, I->s1[b->row]));
  else
    next = predict_normal_force(I, k, I->other_law[k], I->s1);
  for (int i = 0; i + 1 < b->dim; ++i) {
    f[i] = law->mu[hfi_row_group(i + 1)] * pi * w[i];
    if (!(pi > 0)) w[i] = 0;
  }
  for (int g = 0; g < hfi_group_count(b->dim); ++g) clamp_group(f + hfi_group_row(g), g, law->mu[g] * next);
  I->lag[k] = next;
}

// Evaluates the soft laws at I->s. A contact acts while pi0 > 0, also where its soft law would pull.
static void respond_softly(hfiIsland* I) {
  double h = I->problem->h;
  hfi_system_respond(I, HFI_COUPLING_LAGGED);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (!is_contact(I, k)) continue;
    int acts = I->lag[k] > 0;
    int32_t row = I->block[k].row;
    I->response[k].active = acts;
    I->response[k].gnn = acts ? h * h * I->soft[k].stiffness : 0;
    I->gamma[row] = acts ? h * soft_normal_force(I, k, I->s[row]) : 0;
  }
  hfi_system_residual(I);
  hfi_dual_set_responses(I);
}

// Takes a Newton step on the soft laws from I->v and I->s. Returns 0 where there is no finite step.
static int take_step(hfiIsland* I, double cap) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k)) soften(I, k, cap);
  exchange_laws(I);
  respond_softly(I);
  int failed = hfi_system_factor(I);
  for (int32_t i = 0; i < I->n; ++i) I->dv[i] = -I->r[i];
  if (!failed) hfi_block_solve(&I->K, I->dv);
  for (int32_t i = 0; i < I->n; ++i) I->v1[i] = I->v[i] + I->dv[i];
  hfi_system_rows(I, I->v1, I->s1);
  hfi_dual_update(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k)) update_contact(I, k);
  exchange_laws(I);
  double *v = I->v, *s = I->s;
  I->v = I->v1, I->v1 = v, I->s = I->s1, I->s1 = s;
  return !failed && isfinite(hfi_system_velocity_norm(I, I->dv));
}

// Is the residual of the true laws at I->v and I->s small enough for Newton's method?
static int is_close(hfiIsland* I) {
  hfi_system_respond(I, HF_COUPLING_TWO_WAY);
  hfi_system_residual(I);
  return hfi_system_momentum_norm(I, I->r) <= TAKE_OVER * hfi_system_scale(I);
}

// The soft laws are those of anchored friction: the slope of the others changes with the normal force, and what they know of one
// iteration does not help the next.
static int is_anchored(const hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k) && I->block[k].contact->friction != HF_FRICTION_ANCHORED) return 0;
  return 1;
}

int hfi_soft_start(hfiIsland* I, int32_t most, int32_t* iterations) {
  *iterations = 0;
  if (!is_anchored(I)) return 0;
  hfi_system_rows(I, I->v, I->s);
  if (is_close(I)) return 0;
  hfi_dual_reset(I);
  for (int32_t k = I->nscalar; k < I->nblock; ++k)
    if (is_contact(I, k)) start_contact(I, k);
  memcpy(I->v_kept, I->v, sizeof(double) * (size_t)I->n);
  double cap = FIRST_CAP;
  while (*iterations < most && take_step(I, cap)) {
    *iterations += 1;
    if (*iterations >= FIRST_TEST && is_close(I)) return 1;
    cap *= CAP_GROWTH;
  }
  memcpy(I->v, I->v_kept, sizeof(double) * (size_t)I->n);
  return 0;
}
