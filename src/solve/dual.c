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

#include "math/vec3.h"

#include <string.h>

// One friction group at given row velocities, in the symbols above.
typedef struct dualGroup {
  double u[2], t[2], m;
  double slope; // h b kappa/m
  double* w;    // (dim) in I->dual
  int dim;      // rows, 1 or 2; with one row u[1] = t[1] = 0
} dualGroup;

// Evaluates friction group g of block k at row velocities s. Returns 0 if its bound is zero.
static int evaluate_group(const hfiIsland* I, int32_t k, int g, const double* s, dualGroup* out) {
  const hfiIslandBlock* b = I->block + k;
  const hfContactLaw* law = b->contact;
  double h = I->problem->h, bound = law->mu[g] * I->response[k].pi;
  if (!(bound > 0)) return 0;
  double radius = hfi_contact_stick(law, h, g, I->response[k].pi, s, out->u);
  double norm = sqrt(sqr(out->u[0]) + sqr(out->u[1]));
  double kappa = law->friction == HF_FRICTION_ANCHORED ? h * law->k_t[g] + law->c_t[g] : 1;
  int smooth = law->friction == HF_FRICTION_SMOOTH, slips = norm > radius;
  out->m = smooth ? sqrt(sqr(radius) + sqr(norm)) : max2(norm, radius);
  for (int i = 0; i < 2; ++i) out->t[i] = smooth || slips ? out->u[i] / out->m : 0;
  out->slope = h * bound * kappa / out->m;
  out->w = I->dual + b->row + 1 + hfi_group_row(g);
  out->dim = hfi_group_dim(g);
  return 1;
}

void hfi_dual_reset(hfiIsland* I) { memset(I->dual, 0, sizeof *I->dual * (size_t)I->nrow); }

// Writes G of a group into its entries of gtt.
static void set_group_response(const dualGroup* f, int g, hfiContactResponse* response) {
  double* gtt = response->gtt + hfi_group_gtt(g);
  gtt[0] = f->slope * (1 - f->w[0] * f->t[0]);
  if (f->dim == 1) return;
  gtt[1] = -0.5 * f->slope * (f->w[0] * f->t[1] + f->w[1] * f->t[0]);
  gtt[2] = f->slope * (1 - f->w[1] * f->t[1]);
}

void hfi_dual_set_responses(hfiIsland* I) {
  dualGroup f;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->law != HF_LAW_CONTACT) continue;
    for (int g = 0; g < hfi_group_count(b->dim); ++g)
      if (evaluate_group(I, k, g, I->s + b->row, &f)) set_group_response(&f, g, I->response + k);
  }
}

// w <- w1 for a step to u + du = end, put back into the unit disc.
static void update_group(const dualGroup* f, const double end[2]) {
  double w[2] = {f->w[0], f->dim == 2 ? f->w[1] : 0};
  double t_du = f->t[0] * (end[0] - f->u[0]) + f->t[1] * (end[1] - f->u[1]);
  for (int i = 0; i < 2; ++i) w[i] = (end[i] - w[i] * t_du) / f->m;
  double norm = max2(1, sqrt(sqr(w[0]) + sqr(w[1])));
  f->w[0] = w[0] / norm;
  if (f->dim == 2) f->w[1] = w[1] / norm;
}

void hfi_dual_update(hfiIsland* I) {
  dualGroup f;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->law != HF_LAW_CONTACT) continue;
    for (int g = 0; g < hfi_group_count(b->dim); ++g) {
      double end[2];
      if (!evaluate_group(I, k, g, I->s + b->row, &f)) continue;
      hfi_contact_stick(b->contact, I->problem->h, g, I->response[k].pi, I->s1 + b->row, end);
      update_group(&f, end);
    }
  }
}
