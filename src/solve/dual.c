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
#include "solve/dual.h"

#include "base/compile.h"
#include "math/vec3.h"

#include <string.h>

// Evaluates friction group g of a contact with normal force pi at row velocities s. Callers pass a constant for g, as all functions of a
// group below do, so that a copy is made for its number of rows.
HFI_COPIED void evaluate_group(const hfContactLaw* law, double h, double pi, int g, const double* s, hfiDualGroup* out) {
  out->m = -1;
  if (!(law->mu[g] * pi > 0)) return;
  double radius = hfi_contact_stick(law, h, g, pi, s, out->u);
  double norm = sqrt(sqr(out->u[0]) + sqr(out->u[1]));
  int smooth = law->friction == HF_FRICTION_SMOOTH, slips = norm > radius;
  out->m = smooth ? sqrt(sqr(radius) + sqr(norm)) : max2(norm, radius);
  out->t[0] = out->t[1] = 0;
  if (!smooth && !slips) return;
  out->t[0] = out->u[0] / out->m;
  if (hfi_group_dim(g) == 2) out->t[1] = out->u[1] / out->m;
}

// Writes G of a group with friction duals w into its entries of gtt.
HFI_COPIED void set_group_response(const hfContactLaw* law, double h, double pi, int g, const hfiDualGroup* f, const double* w,
                                   double* gtt) {
  if (f->m < 0) return;
  double kappa = law->friction == HF_FRICTION_ANCHORED ? h * law->k_t[g] + law->c_t[g] : 1;
  double slope = h * (law->mu[g] * pi) * kappa / f->m;
  gtt[0] = slope * (1 - w[0] * f->t[0]);
  if (hfi_group_dim(g) == 1) return;
  gtt[1] = -0.5 * slope * (w[0] * f->t[1] + w[1] * f->t[0]);
  gtt[2] = slope * (1 - w[1] * f->t[1]);
}

// w <- w1 for a step to row velocities s1, put back into the unit disc.
HFI_COPIED void update_group(const hfContactLaw* law, double h, int g, const double* s1, const hfiDualGroup* f, double* w) {
  if (f->m < 0) return;
  double end[2];
  hfi_contact_stick(law, h, g, 0, s1, end);
  double t_du = f->t[0] * (end[0] - f->u[0]) + f->t[1] * (end[1] - f->u[1]);
  double w0 = (end[0] - w[0] * t_du) / f->m, w1 = hfi_group_dim(g) == 2 ? (end[1] - w[1] * t_du) / f->m : 0;
  double square = sqr(w0) + sqr(w1), norm = square <= 1 ? 1 : sqrt(square);
  if (norm != 1) w0 /= norm, w1 /= norm;
  w[0] = w0;
  if (hfi_group_dim(g) == 2) w[1] = w1;
}

// Does group g of block k take part in what a loop over contacts does?
static inline int has_group(const hfiIslandBlock* b, int g) { return g < hfi_group_count(b->dim); }

HFI_COPIED void evaluate_block(hfiIsland* I, int32_t k, int g) {
  const hfiIslandBlock* b = I->block + k;
  if (has_group(b, g)) evaluate_group(b->contact, I->problem->h, I->response[k].pi, g, I->s + b->row, I->dual_group + 3 * k + g);
}

HFI_COPIED void set_block_response(hfiIsland* I, int32_t k, int g) {
  const hfiIslandBlock* b = I->block + k;
  hfiContactResponse* response = I->response + k;
  if (!has_group(b, g)) return;
  set_group_response(b->contact, I->problem->h, response->pi, g, I->dual_group + 3 * k + g, I->dual + b->row + 1 + hfi_group_row(g),
                     response->gtt + hfi_group_gtt(g));
}

HFI_COPIED void update_block(hfiIsland* I, int32_t k, int g) {
  const hfiIslandBlock* b = I->block + k;
  if (has_group(b, g))
    update_group(b->contact, I->problem->h, g, I->s1 + b->row, I->dual_group + 3 * k + g, I->dual + b->row + 1 + hfi_group_row(g));
}

void hfi_dual_reset(hfiIsland* I) { memset(I->dual, 0, sizeof *I->dual * (size_t)I->nrow); }

void hfi_dual_evaluate(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law != HF_LAW_CONTACT) continue;
    evaluate_block(I, k, HF_SLIDING), evaluate_block(I, k, HF_TORSION), evaluate_block(I, k, HF_ROLLING);
  }
}

void hfi_dual_set_responses(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law != HF_LAW_CONTACT) continue;
    evaluate_block(I, k, HF_SLIDING), evaluate_block(I, k, HF_TORSION), evaluate_block(I, k, HF_ROLLING);
    set_block_response(I, k, HF_SLIDING), set_block_response(I, k, HF_TORSION), set_block_response(I, k, HF_ROLLING);
  }
}

void hfi_dual_update(hfiIsland* I) {
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law != HF_LAW_CONTACT) continue;
    update_block(I, k, HF_SLIDING), update_block(I, k, HF_TORSION), update_block(I, k, HF_ROLLING);
  }
}
