// Friction duals: a primal-dual Newton method for friction. Chan, Golub and Mulet (1999) used it for the total
// variation of images.
//
//   u       unclamped force of a friction group, or its slip velocity (hfi_contact_stick in law.h)
//   radius  radius of the stick region, in the units of u
//   b       bound of friction [N or N m]
//   kappa   du/ds
//   w       friction dual -gamma_t/(h b), |w| <= 1: minus the friction force, divided by its bound
//   m(u)    max(|u|, radius), or sqrt(radius^2 + |u|^2) for the smooth law
//   t       grad m: u/|u| in slip, 0 in stick, u/m for the smooth law
//
// 1. By the friction law gamma_t = -h b u/m(u), w = u/m(u). Newton's method linearises the form m(u) w = u instead,
//    with w as an unknown:
//
//      m dw + w (t.du) = du + (u - m w)
//
// 2. This gives the dual at the end of the step, w1 = w + dw:
//
//      w1 = (u + du - w (t.du))/m
//
// 3. If w1 is eliminated from the equations of the velocities, the residual r(v) is unchanged, and the derivative
//    -dgamma_t/ds becomes h b kappa/m (I - w t^T). The method uses its symmetric part:
//
//      G = h b kappa/m (I - (w t^T + t w^T)/2)
//
//    Since |w| <= 1 and |t| <= 1, G is never indefinite. The exact derivative has t t^T in the place of the products of
//    w and t. It has no stiffness along the slip, which makes steps too long.
//
// 4. At the start w = 0. Then G has stiffness along the slip, too, with the slope that would stop the slip, so that a
//    Newton step ends near the stick region and not far beyond it. As w approaches t, G approaches the exact
//    derivative, and convergence becomes quadratic.
//
// 5. A dual outside of the unit disc is moved back to the edge of the disc.
//
// In the code the digits 0 and 1 count the rows of a group: u0 and u1 are the components of u, w0 and w1 of w.
// The dual w1 of step 2 is (x0, x1) there. `slope` of compute_u is kappa; `count` is the number of groups.
//
// The three groups of a contact, sliding, torsion and rolling, are computed together in the lanes of a vector. The
// fourth lane, and the lanes of groups that the contact does not have, repeat sliding; nobody reads their results. The
// code selects between lanes and does not branch on stick and slip, because processors predict these branches badly.

#include "step/solve/inside.h"

#include "base/compile.h"
#include "base/lanes.h"

#include <string.h>

static inline hfiFour load(const double* x) { return *(const hfiFour*)x; }
static inline void store(double* x, hfiFour y) { *(hfiFour*)x = y; }

// Loads one number for each of `count` groups from x (3).
HFI_FORCE_INLINE hfiFour gather_groups(const double* x, int count) {
  int torsion = count > 1 ? 1 : 0;
  int rolling = count > 2 ? 2 : 0;
  return (hfiFour){x[0], x[torsion], x[rolling], x[0]};
}

// Loads the first row of each group from friction rows x (5).
HFI_FORCE_INLINE hfiFour gather_first_rows(const double* x, int count) {
  int torsion = count > 1 ? 2 : 0;
  int rolling = count > 2 ? 3 : 0;
  return (hfiFour){x[0], x[torsion], x[rolling], x[0]};
}

// Loads the second row of each group from friction rows x (5). The second row of torsion is zero.
HFI_FORCE_INLINE hfiFour gather_second_rows(const double* x, int count) {
  int rolling = count > 2 ? 4 : 1;
  hfiFour rows = {x[1], x[1], x[rolling], x[1]};
  hfiFourBits two_rows = {-1, 0, -1, -1};
  return (hfiFour)((hfiFourBits)rows & two_rows);
}

// Stores the first and second rows of the groups to friction rows x (5).
HFI_FORCE_INLINE void scatter_rows(double* x, int count, hfiFour first, hfiFour second) {
  x[0] = first[0];
  x[1] = second[0];
  if (count > 1) x[2] = first[1];
  if (count < 3) return;
  x[3] = first[2];
  x[4] = second[2];
}

// kappa = du/ds
HFI_FORCE_INLINE hfiFour find_kappa(const hfContactLaw* law, double h, int count) {
  if (law->friction != HF_FRICTION_ANCHORED) return (hfiFour){1, 1, 1, 1};
  return h * gather_groups(law->k_t, count) + gather_groups(law->c_t, count);
}

// Computes u at friction rows s. slope: kappa of the groups.
HFI_FORCE_INLINE void compute_u(const hfContactLaw* law, int count, hfiFour slope, const double* s, hfiFour* u0,
                                hfiFour* u1) {
  *u0 = gather_first_rows(s, count);
  *u1 = gather_second_rows(s, count);
  if (law->friction != HF_FRICTION_ANCHORED) return;

  hfiFour k = gather_groups(law->k_t, count);
  *u0 = k * gather_first_rows(law->xi0, count) + slope * *u0;
  *u1 = k * gather_second_rows(law->xi0, count) + slope * *u1;
}

// Evaluates the groups of contact k at I->rows.s: sets u, t and m of its I->duals.groups. m = -1 says that the bound of
// friction is zero. Here and below callers pass a constant for `count` if the contact has all groups, so that its
// branches vanish.
HFI_FORCE_INLINE void evaluate_groups(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfiDualGroups* out = I->duals.groups + k;
  hfiFour zero = {0, 0, 0, 0};
  // b, with the normal force pi_mu that bounds friction
  hfiFour bound = gather_groups(law->mu, count) * I->rows.response[k].pi_mu;

  hfiFour u0;
  hfiFour u1;
  hfiFour kappa = find_kappa(law, I->problem->h, count);
  compute_u(law, count, kappa, I->rows.s + b->row + 1, &u0, &u1);

  // m and t
  hfiFour radius = law->friction == HF_FRICTION_ANCHORED ? bound : gather_groups(law->stiction_speed, count);
  hfiFour norm = hfi_sqrt4(u0 * u0 + u1 * u1);
  hfiFour m = hfi_choose4(norm > radius, norm, radius);
  hfiFourBits has_t = norm > radius; // whether t is not zero
  if (law->friction == HF_FRICTION_SMOOTH) {
    m = hfi_sqrt4(radius * radius + norm * norm);
    has_t = zero == zero; // in all lanes
  }

  store(out->u0, u0);
  store(out->u1, u1);
  store(out->t0, hfi_choose4(has_t, u0 / m, zero));
  store(out->t1, hfi_choose4(has_t, u1 / m, zero));
  store(out->m, hfi_choose4(bound > zero, m, zero - 1));
}

// Sets the friction impulses of contact k, gamma_t = -h b u/m. Its groups must have been evaluated.
HFI_FORCE_INLINE void set_impulses(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->duals.groups + k;
  hfiFour zero = {0, 0, 0, 0};
  hfiFour m = load(f->m);
  hfiFour bound = gather_groups(b->contact->mu, count) * I->rows.response[k].pi_mu;
  hfiFour share = hfi_choose4(m < zero, zero, -I->problem->h * bound / m);
  scatter_rows(I->rows.gamma + b->row + 1, count, share * load(f->u0), share * load(f->u1));
}

// Writes G of the groups of contact k to gtt of its response. The groups must have been evaluated.
HFI_FORCE_INLINE void set_response(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->duals.groups + k;
  hfiContactResponse* response = I->rows.response + k;
  double h = I->problem->h;
  hfiFour zero = {0, 0, 0, 0};

  // h b kappa/m, or zero if the bound is zero
  hfiFour m = load(f->m);
  hfiFour bound = gather_groups(b->contact->mu, count) * response->pi_mu;
  hfiFour slope = h * bound * find_kappa(b->contact, h, count) / m;
  hfiFour acting = hfi_choose4(m < zero, zero, slope);

  // times I - (w t^T + t w^T)/2
  const double* w = I->duals.w + b->row + 1;
  hfiFour w0 = gather_first_rows(w, count);
  hfiFour w1 = gather_second_rows(w, count);
  hfiFour t0 = load(f->t0);
  hfiFour t1 = load(f->t1);
  hfiFour g11 = acting * (1 - w0 * t0);
  hfiFour g12 = -0.5 * acting * (w0 * t1 + w1 * t0);
  hfiFour g22 = acting * (1 - w1 * t1);

  // sliding (11, 12, 22), torsion (11), rolling (11, 12, 22)
  double* gtt = response->gtt;
  gtt[0] = g11[0];
  gtt[1] = g12[0];
  gtt[2] = g22[0];
  gtt[3] = g11[1];
  gtt[4] = g11[2];
  gtt[5] = g12[2];
  gtt[6] = g22[2];
}

// Updates the duals of contact k for a step to the row velocities I->rows.s1: w = w1, moved back into the unit disc.
HFI_FORCE_INLINE void update_duals(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->duals.groups + k;
  double* w = I->duals.w + b->row + 1;
  hfiFour zero = {0, 0, 0, 0};
  hfiFour one = zero + 1;
  hfiFour m = load(f->m);
  hfiFour w0 = gather_first_rows(w, count);
  hfiFour w1 = gather_second_rows(w, count);

  // u + du at the end of the step
  hfiFour end0;
  hfiFour end1;
  hfiFour kappa = find_kappa(b->contact, I->problem->h, count);
  compute_u(b->contact, count, kappa, I->rows.s1 + b->row + 1, &end0, &end1);

  // w1 = (u + du - w (t.du))/m
  hfiFour t_du = load(f->t0) * (end0 - load(f->u0)) + load(f->t1) * (end1 - load(f->u1));
  hfiFour x0 = (end0 - w0 * t_du) / m;
  hfiFour x1 = (end1 - w1 * t_du) / m;

  // back to the edge of the unit disc; a group whose bound is zero (m < 0) keeps its dual
  hfiFour square = x0 * x0 + x1 * x1;
  hfiFour norm = hfi_sqrt4(hfi_choose4(square <= one, one, square));
  scatter_rows(w, count, hfi_choose4(m < zero, w0, x0 / norm), hfi_choose4(m < zero, w1, x1 / norm));
}

// Number of friction groups of block k: 0 if the block is not a contact or has no normal force.
static int count_groups(const hfiIsland* I, int32_t k) {
  int has_friction = I->block[k].law == HF_LAW_CONTACT && I->rows.response[k].pi_mu > 0;
  return has_friction ? hfi_group_count(I->block[k].dim) : 0;
}

void hfi_dual_reset(hfiIsland* I) { memset(I->duals.w, 0, sizeof *I->duals.w * (size_t)I->nrow); }

// Evaluates the groups of the contacts of a part.
static void evaluate_part(void* island, int p) {
  hfiIsland* I = island;
  for (int32_t k = I->parts.block[p]; k < I->parts.block[p + 1]; ++k) {
    int count = count_groups(I, k);
    I->duals.groups[k].count = count;
    if (count > 0) evaluate_groups(I, k, count);
  }
}

// Evaluates the groups of the contacts of a part, and sets the responses.
static void respond_part(void* island, int p) {
  hfiIsland* I = island;
  for (int32_t k = I->parts.block[p]; k < I->parts.block[p + 1]; ++k) {
    int count = count_groups(I, k);
    I->duals.groups[k].count = count;
    if (count == 3) {
      evaluate_groups(I, k, 3);
      set_response(I, k, 3);
    } else if (count > 0) {
      evaluate_groups(I, k, count);
      set_response(I, k, count);
    }
  }
}

void hfi_dual_evaluate(hfiIsland* I) { hfi_for_parts(I, evaluate_part, I); }

void hfi_dual_set_responses(hfiIsland* I) { hfi_for_parts(I, respond_part, I); }

// Evaluates contact k, and sets its friction impulses and its response. A contact without normal force has no friction.
void hfi_dual_respond_contact(hfiIsland* I, int32_t k) {
  int count = count_groups(I, k);
  I->duals.groups[k].count = count;

  if (count == 3) {
    evaluate_groups(I, k, 3);
    set_impulses(I, k, 3);
    set_response(I, k, 3);
  } else if (count > 0) {
    evaluate_groups(I, k, count);
    set_impulses(I, k, count);
    set_response(I, k, count);
  } else {
    double* gamma = I->rows.gamma + I->block[k].row;
    for (int i = 1; i < I->block[k].dim; ++i) gamma[i] = 0;
  }
}

// Updates the duals of contact k for the full step to I->rows.s1.
void hfi_dual_update_contact(hfiIsland* I, int32_t k) {
  int count = I->duals.groups[k].count;
  if (count == 3)
    update_duals(I, k, 3);
  else if (count > 0)
    update_duals(I, k, count);
}

static void update_part(void* island, int p) {
  hfiIsland* I = island;
  for (int32_t k = I->parts.block[p]; k < I->parts.block[p + 1]; ++k) hfi_dual_update_contact(I, k);
}

void hfi_dual_update(hfiIsland* I) { hfi_for_parts(I, update_part, I); }
