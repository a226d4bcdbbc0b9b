// Friction by a primal-dual Newton method (Chan, Golub and Mulet 1999, there for total variation):
// the force is an unknown of its own, w = -gamma_t/(h b), |w| <= 1, bound to the slip by
//
//   m(u) w = u,    m = max(|u|, radius)             anchored, regularised
//                    = sqrt(radius^2 + |u|^2)       smooth
//
//   u unclamped force or slip velocity, radius of the stick region in the same units (law.h), b bound
//   of friction, t = grad m: u/|u| in slip, 0 in stick, u/m for the smooth law.
//
// Linearised at (u, w) and w eliminated, r(v) stays what it is and G becomes
//
//   G = h b kappa/m (I - (w t^T + t w^T)/2),     w1 = (u + du - w t.du)/m
//
// instead of h b kappa/m (I - t t^T): symmetric and, |w| being at most 1, never indefinite. Where
// nothing is known of the force, w = 0, a slip resists in its own direction too, with the slope that
// would stop it; a Newton step then ends near the stick region instead of across it. As w approaches
// t, G becomes the derivative and convergence quadratic. w1 outside of the disc is put back on its
// edge.
#include "solve/dual.h"

#include "math/vec3.h"

#include <string.h>

typedef struct group {
  double u[2], t[2], m;
  double across; // h b kappa/m
  double* w;     // one row or two
  int two;
} group;

// Friction group g of block k at row velocities s. Returns 0 where it has no force.
static int find_group(const hfiIsland* I, int32_t k, int g, const double* s, group* out) {
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
  out->across = h * bound * kappa / out->m;
  out->w = I->dual + b->row + 1 + hfi_group_row(g);
  out->two = hfi_group_dim(g) == 2;
  return 1;
}

void hfi_dual_begin(hfiIsland* I) { memset(I->dual, 0, sizeof *I->dual * (size_t)I->nrow); }

static void weigh_group(const group* f, int g, hfiContactResponse* response) {
  double* gtt = response->gtt + (g == HF_SLIDING ? 0 : g == HF_TORSION ? 3 : 4);
  gtt[0] = f->across * (1 - f->w[0] * f->t[0]);
  if (!f->two) return;
  gtt[1] = -0.5 * f->across * (f->w[0] * f->t[1] + f->w[1] * f->t[0]);
  gtt[2] = f->across * (1 - f->w[1] * f->t[1]);
}

void hfi_dual_weigh(hfiIsland* I) {
  group f;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->law != HF_LAW_CONTACT) continue;
    for (int g = 0; g < hfi_group_count(b->dim); ++g)
      if (find_group(I, k, g, I->s + b->row, &f)) weigh_group(&f, g, I->response + k);
  }
}

static void advance_group(const group* f, const double end[2]) {
  double w[2] = {f->w[0], f->two ? f->w[1] : 0};
  double turn = f->t[0] * (end[0] - f->u[0]) + f->t[1] * (end[1] - f->u[1]);
  for (int i = 0; i < 2; ++i) w[i] = (end[i] - w[i] * turn) / f->m;
  double norm = max2(1, sqrt(sqr(w[0]) + sqr(w[1])));
  f->w[0] = w[0] / norm;
  if (f->two) f->w[1] = w[1] / norm;
}

void hfi_dual_advance(hfiIsland* I) {
  group f;
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    const hfiIslandBlock* b = I->block + k;
    if (b->law != HF_LAW_CONTACT) continue;
    for (int g = 0; g < hfi_group_count(b->dim); ++g) {
      double end[2];
      if (!find_group(I, k, g, I->s + b->row, &f)) continue;
      hfi_contact_stick(b->contact, I->problem->h, g, I->response[k].pi, I->s1 + b->row, end);
      advance_group(&f, end);
    }
  }
}
