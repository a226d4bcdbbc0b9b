// Friction duals: a primal-dual Newton method for friction (Chan, Golub and Mulet 1999, who treat
// total variation of images with it).
//
//   u       unclamped force of a friction group, or its slip velocity (hfi_contact_stick in law.h)
//   radius  of its stick region, in the units of u
//   b       bound of friction [N or N m]
//   kappa   du/ds
//   w       friction dual -gamma_t/(h b), |w| <= 1: friction force over its bound, reversed
//   m(u)    max(|u|, radius), or sqrt(radius^2 + |u|^2) for the smooth law
//   t       grad m: u/|u| in slip, 0 in stick, u/m for the smooth law
//
// 1. The friction law gamma_t = -h b u/m(u) says w = u/m(u). Newton's method linearises it in the
//    form m(u) w = u instead, with w as an unknown of its own:
//
//      m dw + w (t.du) = du + (u - m w)
//
// 2. Solved for the dual at the end of the step, w1 = w + dw:
//
//      w1 = (u + du - w (t.du))/m
//
// 3. Eliminating w1 from the equations of the velocities leaves the residual r(v) as it is and
//    gives the derivative -dgamma_t/ds the form h b kappa/m (I - w t^T). Its symmetric part is used:
//
//      G = h b kappa/m (I - (w t^T + t w^T)/2)
//
//    Since |w| <= 1 and |t| <= 1, G is never indefinite. The exact derivative has t t^T there: it
//    has no stiffness along the slip, which makes steps too long.
//
// 4. At the start w = 0: a group that slips resists in the direction of its slip too, with the slope
//    that would stop it, so that a Newton step ends near the stick region instead of beyond it.
//    While w approaches t, G approaches the derivative and convergence becomes quadratic.
//
// 5. A dual outside of the unit disc is put back on its edge.
//
// The three groups of a contact are computed side by side, in the lanes of a vector: sliding, torsion, rolling. The lanes of groups that a contact
// does not have, and the fourth lane, repeat sliding and are not read. Choices between lanes take the place of branches on stick and slip, which
// processors predict badly.
#include "solve/dual.h"

#include "base/compile.h"
#include "base/lanes.h"

#include <string.h>

static inline hfiFour load(const double* x) { return *(const hfiFour*)x; }
static inline void store(double* x, hfiFour y) { *(hfiFour*)x = y; }

// One number x (3) for each of `count` groups.
HFI_COPIED hfiFour take_groups(const double* x, int count) { return (hfiFour){x[0], x[count > 1 ? 1 : 0], x[count > 2 ? 2 : 0], x[0]}; }
// The first rows of the groups, of friction rows x (5); then the second rows, which are zero for torsion.
HFI_COPIED hfiFour take_first(const double* x, int count) { return (hfiFour){x[0], x[count > 1 ? 2 : 0], x[count > 2 ? 3 : 0], x[0]}; }
HFI_COPIED hfiFour take_second(const double* x, int count) {
  hfiFour rows = {x[1], x[1], x[count > 2 ? 4 : 1], x[1]};
  hfiFourBits two_rows = {-1, 0, -1, -1};
  return (hfiFour)((hfiFourBits)rows & two_rows);
}

// Friction rows x = the rows of the groups.
HFI_COPIED void put_rows(double* x, int count, hfiFour first, hfiFour second) {
  x[0] = first[0], x[1] = second[0];
  if (count > 1) x[2] = first[1];
  if (count > 2) x[3] = first[2], x[4] = second[2];
}

// kappa = du/ds
HFI_COPIED hfiFour slope_of(const hfContactLaw* law, double h, int count) {
  if (law->friction != HF_FRICTION_ANCHORED) return (hfiFour){1, 1, 1, 1};
  return h * take_groups(law->k_t, count) + take_groups(law->c_t, count);
}

// u at friction rows s
HFI_COPIED void find_u(const hfContactLaw* law, int count, hfiFour slope, const double* s, hfiFour* u0, hfiFour* u1) {
  *u0 = take_first(s, count), *u1 = take_second(s, count);
  if (law->friction != HF_FRICTION_ANCHORED) return;
  hfiFour k = take_groups(law->k_t, count);
  *u0 = k * take_first(law->xi0, count) + slope * *u0;
  *u1 = k * take_second(law->xi0, count) + slope * *u1;
}

// Evaluates the groups of contact k. Here and below callers pass a constant for `count` where contacts have all groups.
HFI_COPIED void evaluate_groups(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  hfiDualGroups* out = I->dual_groups + k;
  hfiFour zero = {0, 0, 0, 0}, u0, u1, bound = take_groups(law->mu, count) * I->response[k].pi;
  find_u(law, count, slope_of(law, I->problem->h, count), I->s + b->row + 1, &u0, &u1);
  hfiFour radius = law->friction == HF_FRICTION_ANCHORED ? bound : take_groups(law->stiction_speed, count);
  hfiFour norm = hfi_sqrt4(u0 * u0 + u1 * u1), m = hfi_choose4(norm > radius, norm, radius);
  hfiFourBits turns = norm > radius; // t is not zero
  if (law->friction == HF_FRICTION_SMOOTH) m = hfi_sqrt4(radius * radius + norm * norm), turns = zero == zero;
  store(out->u0, u0), store(out->u1, u1);
  store(out->t0, hfi_choose4(turns, u0 / m, zero)), store(out->t1, hfi_choose4(turns, u1 / m, zero));
  store(out->m, hfi_choose4(bound > zero, m, zero - 1));
}

// Sets the friction impulses of contact k, whose groups were evaluated: gamma_t = -h b u/m.
HFI_COPIED void set_impulses(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->dual_groups + k;
  hfiFour zero = {0, 0, 0, 0}, m = load(f->m), bound = take_groups(b->contact->mu, count) * I->response[k].pi;
  hfiFour share = hfi_choose4(m < zero, zero, -I->problem->h * bound / m);
  put_rows(I->gamma + b->row + 1, count, share * load(f->u0), share * load(f->u1));
}

// Writes G of the groups of contact k, which were evaluated, into gtt.
HFI_COPIED void set_response(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->dual_groups + k;
  hfiContactResponse* response = I->response + k;
  const double *w = I->dual + b->row + 1, h = I->problem->h;
  hfiFour zero = {0, 0, 0, 0}, m = load(f->m), t0 = load(f->t0), t1 = load(f->t1), w0 = take_first(w, count), w1 = take_second(w, count);
  hfiFour slope = h * (take_groups(b->contact->mu, count) * response->pi) * slope_of(b->contact, h, count) / m;
  hfiFour acting = hfi_choose4(m < zero, zero, slope);
  hfiFour g11 = acting * (1 - w0 * t0), g12 = -0.5 * acting * (w0 * t1 + w1 * t0), g22 = acting * (1 - w1 * t1);
  double* gtt = response->gtt;
  gtt[0] = g11[0], gtt[1] = g12[0], gtt[2] = g22[0];
  gtt[3] = g11[1];
  gtt[4] = g11[2], gtt[5] = g12[2], gtt[6] = g22[2];
}

// w <- w1 for a step to row velocities I->s1, put back into the unit disc.
HFI_COPIED void update_duals(hfiIsland* I, int32_t k, int count) {
  const hfiIslandBlock* b = I->block + k;
  const hfiDualGroups* f = I->dual_groups + k;
  double* w = I->dual + b->row + 1;
  hfiFour zero = {0, 0, 0, 0}, one = zero + 1, m = load(f->m), w0 = take_first(w, count), w1 = take_second(w, count), end0, end1;
  find_u(b->contact, count, slope_of(b->contact, I->problem->h, count), I->s1 + b->row + 1, &end0, &end1);
  hfiFour t_du = load(f->t0) * (end0 - load(f->u0)) + load(f->t1) * (end1 - load(f->u1));
  hfiFour x0 = (end0 - w0 * t_du) / m, x1 = (end1 - w1 * t_du) / m;
  hfiFour square = x0 * x0 + x1 * x1, norm = hfi_sqrt4(hfi_choose4(square <= one, one, square));
  put_rows(w, count, hfi_choose4(m < zero, w0, x0 / norm), hfi_choose4(m < zero, w1, x1 / norm));
}

// Number of the groups of block k whose friction acts: all of them, or none.
static int count_groups(const hfiIsland* I, int32_t k) {
  return I->block[k].law == HF_LAW_CONTACT && I->response[k].pi > 0 ? hfi_group_count(I->block[k].dim) : 0;
}

void hfi_dual_reset(hfiIsland* I) { memset(I->dual, 0, sizeof *I->dual * (size_t)I->nrow); }

void hfi_dual_evaluate(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    int count = I->dual_groups[k].count = count_groups(I, k);
    if (count > 0) evaluate_groups(I, k, count);
  }
}

void hfi_dual_set_responses(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    int count = I->dual_groups[k].count = count_groups(I, k);
    if (count == 3)
      evaluate_groups(I, k, 3), set_response(I, k, 3);
    else if (count > 0)
      evaluate_groups(I, k, count), set_response(I, k, count);
  }
}

void hfi_dual_respond(hfiIsland* I, int32_t k) {
  int count = I->dual_groups[k].count = count_groups(I, k);
  if (count == 3)
    evaluate_groups(I, k, 3), set_impulses(I, k, 3), set_response(I, k, 3);
  else if (count > 0)
    evaluate_groups(I, k, count), set_impulses(I, k, count), set_response(I, k, count);
  else
    for (int i = 1; i < I->block[k].dim; ++i) I->gamma[I->block[k].row + i] = 0;
}

void hfi_dual_update_contact(hfiIsland* I, int32_t k) {
  int count = I->dual_groups[k].count;
  if (count == 3)
    update_duals(I, k, 3);
  else if (count > 0)
    update_duals(I, k, count);
}

void hfi_dual_update(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) hfi_dual_update_contact(I, k);
}
