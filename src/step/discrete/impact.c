// Impacts: contacts with a coefficient of restitution e > 0 that close in this step (docs/theory/impacts.md).
//
// Newton's law, one contact after the other, the fastest first, until none approaches any more:
//
//   vn+ = e |vn-|,   gamma_n = (vn+ - vn-)/(Jn M^-1 Jn^T),   |gamma_t| <= mu gamma_n towards vt = 0
//
// So in a row of touching balls an impact runs from ball to ball within one step, as in Newton's cradle.
//
// The impact is taken at the start of the step, across a gap g that would close within it. With the relative
// acceleration a of gravity the speeds at the moment of touching are v_i^2 = vn-^2 + 2 a g and e v_i; The body then
// starts with the speed that it would have when it is back at the gap g, vn+^2 = e^2 v_i^2 - 2 a g, so that its energy
// is that of an impact at the surface. If the speed is below the one that gravity gives within two steps, there is no
// impact: the law of the contact stops the body.
#include "step/discrete/inside.h"

#include <string.h>

// A contact has an impact only if its closing speed is above this [m/s], and above the speed that gravity gives the
// bodies in two steps.
static const double SLOWEST_IMPACT = 1e-3;
// A step has at most this many impacts for each of its contacts: a ball between two others may be hit again and again.
enum { MOST_IMPACTS = 50 };

// x (nv) += gamma J^T of row r of a block.
static void spread_row(const hfStepProblem* p, const hfStepBlock* b, int r, double gamma, double* x) {
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const int32_t* cols = p->cols + piece->col;
    const double* J = p->J + piece->jac + r * piece->ncol;
    double* tree_x = x + p->tree_start[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) tree_x[cols[c]] += gamma * J[c];
  }
}

// Returns J v of row r of a block, without drift.
static double find_row_velocity(const hfStepProblem* p, const hfStepBlock* b, int r, const double* v) {
  double sum = 0;
  for (int k = b->piece; k < b->piece + b->npiece; ++k) {
    const hfStepPiece* piece = &p->piece[k];
    const int32_t* cols = p->cols + piece->col;
    const double* J = p->J + piece->jac + r * piece->ncol;
    const double* tree_v = v + p->tree_start[piece->tree];
    for (int c = 0; c < piece->ncol; ++c) sum += J[c] * tree_v[cols[c]];
  }
  return sum;
}

// Returns the speed after an impact at vn < 0 [m/s]; 0 if there is no impact.
static double find_rebound_speed(const hfiWorld* w, const hfiContact* c, double h, double vn) {
  double a = hfi_closing_acceleration(w, c);
  double gap = max2(0, -c->depth);
  double e = c->material.restitution;
  if (!(-vn > SLOWEST_IMPACT + 2 * h * max2(0, a))) return 0;

  double square = e * e * (vn * vn + 2 * a * gap) - 2 * a * gap;
  return square > 0 ? sqrt(square) : 0;
}

// ---- one impact ---------------------------------------------------------------------------------------

// Applies an impulse along row r, of at most `most`, that changes the row's velocity by dv. Changes v0 and p* of the
// problem; s->v1 is scratch. Returns the impulse [N s].
static double push_row(hfiDiscrete* s, const hfStepBlock* b, int r, double dv, double most) {
  hfStepProblem* p = &s->assembly.problem;
  double* x = s->v1; // M^-1 J^T

  memset(x, 0, sizeof *x * (size_t)p->nv);
  spread_row(p, b, r, 1, x);
  hf_dynamics_solve(&s->world->dynamics, x);

  double w = find_row_velocity(p, b, r, x);
  double gamma = w > 0 ? clamp(dv / w, -most, most) : 0;
  for (int i = 0; i < p->nv; ++i) p->v0[i] += gamma * x[i];
  spread_row(p, b, r, gamma, p->p);
  return gamma;
}

hfiRebound* hfi_discrete_find_impact(const hfiDiscrete* s, const hfiContact* c) {
  for (hfiRebound *i = s->impacts.rebound, *end = i + s->impacts.count; i < end; ++i)
    if (i->geom_a == c->geom_a && i->geom_b == c->geom_b && i->feature == c->feature) return i;
  return NULL;
}

// Returns the entry for the impacts of a contact in this step; a new one if it has none yet.
static hfiRebound* take_impact(hfiDiscrete* s, const hfiContact* c) {
  hfiImpacts* impacts = &s->impacts;
  hfiRebound* found = hfi_discrete_find_impact(s, c);
  if (found) return found;
  if (impacts->count == s->world->config.max_contacts) return &impacts->rebound[impacts->count - 1];

  impacts->rebound[impacts->count] = (hfiRebound){c->geom_a, c->geom_b, c->feature, {0, 0, 0}};
  return &impacts->rebound[impacts->count++];
}

// Applies the impact of contact i, from normal velocity vn to `after`, with friction towards no slip.
static void apply_impact(hfiDiscrete* s, int i, double vn, double after) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfStepBlock* b = &p->block[s->block[i]];
  hfiRebound* impact = take_impact(s, &s->world->near.contact[i]);

  double normal = push_row(s, b, 0, after - vn, INFINITY);
  impact->gamma[0] += normal;
  double most = p->contact[b->param].mu[HF_SLIDING] * normal;
  if (b->dim < 3 || !(most > 0)) return;

  // friction along the slip, which moving surfaces have a share in
  double t1 = find_row_velocity(p, b, 1, p->v0);
  double t2 = find_row_velocity(p, b, 2, p->v0);
  if (p->drift) {
    t1 += p->drift[b->row + 1];
    t2 += p->drift[b->row + 2];
  }
  double slip = sqrt(t1 * t1 + t2 * t2);
  if (!(slip > 0)) return;
  impact->gamma[1] += push_row(s, b, 1, -t1, most * fabs(t1) / slip);
  impact->gamma[2] += push_row(s, b, 2, -t2, most * fabs(t2) / slip);
}

// ---- all impacts --------------------------------------------------------------------------------------

// Returns the contact with an impact that approaches fastest, or -1. before, after: its speeds [m/s].
static int find_fastest(const hfiDiscrete* s, double* before, double* after) {
  const hfStepProblem* p = &s->assembly.problem;
  const hfiWorld* w = s->world;
  int fastest = -1;
  *before = 0;

  for (int i = 0; i < w->near.ncontact; ++i) {
    const hfiContact* c = &w->near.contact[i];
    if (!(c->material.restitution > 0) || s->block[i] < 0) continue;
    double vn = find_row_velocity(p, &p->block[s->block[i]], 0, p->v0);
    double rebound = vn < *before ? find_rebound_speed(w, c, p->h, vn) : 0;
    if (!(rebound > 0)) continue;
    fastest = i;
    *before = vn;
    *after = rebound;
  }
  return fastest;
}

// Applies all impacts of the contacts in the problem, the fastest first. Returns their number.
static int apply_all_impacts(hfiDiscrete* s) {
  int most = MOST_IMPACTS * s->world->near.ncontact;
  int count = 0;
  double before;
  double after;

  for (; count < most; ++count) {
    int i = find_fastest(s, &before, &after);
    if (i < 0) break;
    apply_impact(s, i, before, after);
  }
  return count;
}

// Applies impacts until none closes a contact that was not predicted.
void hfi_discrete_apply_impacts(hfiDiscrete* s, const hfState* state) {
  s->impacts.count = 0;
  if (!s->world->has_restitution) return;
  while (apply_all_impacts(s) && hfi_discrete_add_missed(s, state, s->assembly.problem.v0)) {}
}
