// The share alpha of a Newton step that the rows of an island allow. tals.h has the search of a single row.
//
//   s, s1  row velocities at the start of the step and at the end of the full one
//   r      residual at the start       pi  normal force of a contact there
//   b      bound of a row's force      D   1/sqrt(A_ii), the scale of momenta
//
// A row may shorten the step only if the impulse that a jump across its stick region changes, at most 2 h b, matters:
//
//   2 h b |D J_row^T| > RELEVANT_FORCE |D r|                                  (docs/theory/tals.md)
//
// With many contacts some row with hardly any force would otherwise always ask for a tiny alpha.
#include "solve/search.h"

#include "math/vec3.h"
#include "solve/law.h"
#include "solve/system.h"

// The search ignores a row whose missed force is below this share of the residual [-].
static const double RELEVANT_FORCE = 0.1;

// What the search compares the rows with.
typedef struct rowSearch {
  const hfiIsland* I;
  double norm;  // |D r| [sqrt(kg) m/s]
  hfiTurn turn; // largest turn of a slip velocity
} rowSearch;

// Would the residual change noticeably if the force of row i of block b were wrong by `force` [N or N m]?
static int force_matters(const rowSearch* by, const hfiIslandBlock* b, int i, double force) {
  return by->I->problem->h * force * hfi_system_row_weight(by->I, b, i) > RELEVANT_FORCE * by->norm;
}

// Returns alpha, or less where friction group g of contact k asks for less. Only a group that slips does: inside the stick region the
// law is linear. A jump across that region turns the force round, by twice its bound mu pi.
static inline double limit_group(const rowSearch* by, int32_t k, int g, double alpha) {
  const hfiIsland* I = by->I;
  const hfiIslandBlock* b = I->block + k;
  double pi = I->response[k].pi;
  if (!(I->response[k].slipping >> g & 1)) return alpha;
  double asked = hfi_tals_contact(b->contact, I->problem->h, g, pi, I->s + b->row, I->s1 + b->row, by->turn);
  return asked < alpha && force_matters(by, b, 1 + hfi_group_row(g), 2 * b->contact->mu[g] * pi) ? asked : alpha;
}

static double limit_contact(const rowSearch* by, int32_t k, double alpha) {
  alpha = limit_group(by, k, HF_SLIDING, alpha);
  alpha = limit_group(by, k, HF_TORSION, alpha);
  return limit_group(by, k, HF_ROLLING, alpha);
}

// The same for the rows of a saturated block that are at a bound, where their slope G is zero. A jump goes from one bound to the other.
static double limit_saturated(const rowSearch* by, const hfiIslandBlock* b, double alpha) {
  const hfiIsland* I = by->I;
  for (int32_t i = 0; i < b->dim; ++i) {
    const hfSaturatedRow* law = b->saturated + i;
    int32_t row = b->row + i;
    if (I->G[row] != 0) continue;
    double asked = hfi_tals_saturated(law, I->s[row], I->s1[row]);
    if (asked < alpha && force_matters(by, b, i, law->hi - law->lo)) alpha = asked;
  }
  return alpha;
}

double hfi_search_rows(const hfiIsland* I, double norm, double theta_max, hfiTurn* turn) {
  rowSearch by = {I, norm, *turn};
  double alpha = 1;
  for (int32_t k = 0; k < I->nscalar; ++k)
    if (I->G[k] == 0) alpha = limit_saturated(&by, I->block + k, alpha);
  for (int32_t k = I->nscalar; k < I->nblock; ++k) {
    if (I->block[k].law == HF_LAW_SATURATED)
      alpha = limit_saturated(&by, I->block + k, alpha);
    else if (I->response[k].slipping) {
      if (by.turn.sin == 0) *turn = by.turn = (hfiTurn){sin(theta_max), cos(theta_max)};
      alpha = limit_contact(&by, k, alpha);
    }
  }
  return alpha;
}

// Is a scalar at a bound that the step would carry across its whole interval to the other bound? Rows that only resist motion and
// remember none, as some joint friction does, are not asked: a joint mostly reverses without the others.
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
