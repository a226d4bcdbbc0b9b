// The share alpha of a Newton step that the rows of an island allow. tals.h has the search for a single row.
//
//   s, s1  row velocities at the start and at the end of the full step
//   r      residual at the start       pi  normal force of a contact at the start
//   b      bound of a row's force      D   1/sqrt(A_ii), the scale of momenta
//
// A jump across the stick region of a row changes its impulse by at most 2 h b. The row may shorten the step only if that change matters:
//
//   2 h b |D J_row^T| > RELEVANT_FORCE |D r|                                  (docs/theory/tals.md)
//
// Otherwise, with many contacts, some row with a negligible force would always demand a tiny alpha.
#include "step/solve/newton_step.h"

#include "math/vec3.h"
#include "step/law/law.h"
#include "step/solve/system.h"

// The search ignores a row if its change of impulse is below this share of the residual [-].
static const double RELEVANT_FORCE = 0.1;

// The numbers that the search needs for every row.
typedef struct rowSearch {
  const hfiIsland* I;
  double norm;  // |D r| [sqrt(kg) m/s]
  hfiSine turn; // largest turn of a slip velocity
} rowSearch;

// Would the residual change noticeably if the force of row i of block b were wrong by `force` [N or N m]?
static int force_matters(const rowSearch* by, const hfiIslandBlock* b, int i, double force) {
  return by->I->problem->h * force * hfi_system_row_weight(by->I, b, i) > RELEVANT_FORCE * by->norm;
}

// Returns alpha, or less if friction group g of contact k demands less. Only a group that slips demands less: inside the stick region the law is linear.
// A jump across the stick region reverses the force, which changes it by twice its bound mu pi.
static inline double limit_group(const rowSearch* by, int32_t k, int g, double alpha) {
  const hfiIsland* I = by->I;
  const hfiIslandBlock* b = I->block + k;
  double pi = I->response[k].pi;
  if (!(I->response[k].slipping >> g & 1)) return alpha;
  double demanded = hfi_tals_contact(b->contact, I->problem->h, g, pi, I->s + b->row, I->s1 + b->row, by->turn);
  return demanded < alpha && force_matters(by, b, 1 + hfi_group_row(g), 2 * b->contact->mu[g] * pi) ? demanded : alpha;
}

// Does the same for all groups of contact k.
static double limit_contact(const rowSearch* by, int32_t k, double alpha) {
  alpha = limit_group(by, k, HF_SLIDING, alpha);
  alpha = limit_group(by, k, HF_TORSION, alpha);
  return limit_group(by, k, HF_ROLLING, alpha);
}

// Does the same for the rows of a saturated block that are at a bound: their slope G is zero. A jump goes from one bound to the other.
static double limit_saturated(const rowSearch* by, const hfiIslandBlock* b, double alpha) {
  const hfiIsland* I = by->I;
  for (int32_t i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* law = b->saturated + i;
    int32_t row = b->row + i;
    if (I->G[row] != 0) continue;
    double demanded = hfi_tals_saturated(law, I->s[row], I->s1[row]);
    if (demanded < alpha && force_matters(by, b, i, law->hi - law->lo)) alpha = demanded;
  }
  return alpha;
}

double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiSine* turn) {
  rowSearch by = {I, norm, *turn};
  double alpha = 1;
  for (int32_t k = 0; k < I->nscalar; ++k)
    if (I->G[k] == 0) alpha = limit_saturated(&by, I->block + k, alpha);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law == HF_LAW_SATURATED)
      alpha = limit_saturated(&by, I->block + k, alpha);
    else if (I->response[k].slipping) {
      if (by.turn.sin == 0) *turn = by.turn = hfi_sine(theta_max);
      alpha = limit_contact(&by, k, alpha);
    }
  }
  return alpha;
}

// Is scalar k at a bound, and would the step carry it across its whole interval to the other bound? Rows with s0 = 0, such as some joint friction, do not
// count: they only resist motion, and a joint mostly reverses its motion without the other joints.
static int crosses_interval(const rowSearch* by, int32_t k) {
  const hfiIsland* I = by->I;
  const hfSaturatedRow* law = I->block[k].saturated;
  return I->G[k] == 0 && law->s0 != 0 && hfi_tals_saturated(law, I->s[k], I->s1[k]) < 1 && force_matters(by, I->block + k, 0, law->hi - law->lo);
}

int32_t hfi_release_crossing_rows(hfiIsland* I, double norm) {
  rowSearch by = {.I = I, .norm = norm};
  double h = I->problem->h;
  int32_t count = 0;
  for (int32_t k = 0; k < I->nscalar; ++k) {
    if (!crosses_interval(&by, k)) continue;
    const hfiScalar* scalar = I->scalar + k;
    const hfSaturatedRow* law = I->block[k].saturated;
    double impulse = h * hfi_saturated_unclamped(law, I->s[k]);
    I->r[scalar->dof] -= scalar->J * (impulse - I->gamma[k]);
    I->gamma[k] = impulse, I->G[k] = h * law->kappa;
    I->K.value[scalar->at] += sqr(scalar->J) * I->G[k];
    ++count;
  }
  return count;
}
