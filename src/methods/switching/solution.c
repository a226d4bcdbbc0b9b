// The solution of the rigid problem (problem.c): its forces and accelerations, and whether it is the only one.
#include "methods/switching/rigid.h"

#include "base/error.h"
#include "linalg/dense.h"

#include <stdbool.h>
#include <string.h>

// Stores the solution as the forces of contact i and of its track.
static void store_forces(hfRigid* r, int i) {
  hfRigidProblem* p = &r->problem;
  hfRigidContact* c = &p->contact[i];
  const hfiPoint* at = &r->point[i];
  if (at->track < 0) return;
  hfiTrack* track = &r->track[at->track];
  memset(track->f, 0, sizeof track->f);
  c->fn = track->f[0] = p->x[c->row_n];
  for (int k = at->first_group; k < at->first_group + at->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    for (int j = 0; j < u->dim; ++j)
      if (u->mode == HF_MODE_SLIDING)
        track->f[u->first + j] = -u->mu * c->fn * u->d[j];
      else
        for (int d = 0; d < u->nrow; ++d) track->f[u->first + j] += p->x[u->row + d] * u->t[d][j];
  }
  if (at->dim < 3) return;
  const hfAccelContact* at_W = &r->accel_problem->contact[i];
  track->ft_W = c->ft_W =
      v3_add(v3_scale(track->f[1], at_W->t1_W), v3_scale(track->f[2], at_W->t2_W));
}

void hfi_rigid_store_forces(hfRigid* r) {
  for (int i = 0; i < r->problem.ncontact; ++i) store_forces(r, i);
}

// Tries the solution in which every contact presses: A x = -b. It is the only one where A is a P-matrix, so it is tried
// only where the last certificate, of as many rows, said so; elsewhere the choice among several solutions is left to the
// pivots. Returns whether it is a solution. This spares nearly all pivots: between two events the set of contacts that press
// stays the same.
static bool all_press(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  const int n = p->n;
  if (!p->certificate.p_matrix || r->certified != n || r->share > 0 || n > p->nv) return false;
  hfiArena arena = hfi_arena(r->work, r->work_size); // Pivots would need more memory.
  double* LU = HFI_TAKE(&arena, double, n * n);
  int32_t* pivot = HFI_TAKE(&arena, int32_t, n);
  memcpy(LU, p->A, (size_t)(n * n) * sizeof *LU);
  for (int i = 0; i < n; ++i) p->x[i] = -p->b[i];
  if (hfi_lu(LU, n, n, pivot)) return false;
  hfi_lu_solve(LU, n, n, pivot, p->x);
  for (int i = 0; i < n; ++i)
    if (!isfinite(p->x[i]) || (!p->rolling[i] && !(p->x[i] > 0))) return false;
  memset(p->y, 0, (size_t)n * sizeof *p->y);
  return true;
}

// If not all contacts press, tries Lemke, then Dantzig: the pivots of one may succeed where those of the other meet a degenerate corner.
void hfi_rigid_solve_rows(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  p->lcp = (hfLcpReport){.status = HF_OK};
  if (p->n == 0 || all_press(r)) return;
  hfLcp lcp = {p->n, p->A, p->b, r->lo, r->hi};
  hfLcpConfig config = hf_lcp_config_default();
  double share = p->n > p->nv ? max2(r->share, HFI_RIGID_SHARE) : r->share;
  for (int i = 0; i < p->n; ++i) config.tikhonov += share * fabs(p->A[i * p->n + i]) / p->n;
  hfError error = {HF_OK, ""};
  const int32_t methods[2] = {HF_LCP_LEMKE, HF_LCP_DANTZIG};
  for (int k = 0; k < 2; ++k) {
    config.method = methods[k];
    hfStatus status = hf_lcp_solve(&lcp, &config, p->x, p->y, r->work, r->work_size, &p->lcp, &error);
    if (status == HF_OK) return;
    if (status > 0) continue;
    p->lcp = (hfLcpReport){.status = HF_NO_SOLUTION};
    memset(p->x, 0, (size_t)p->n * sizeof *p->x);
  }
}

void hfi_rigid_add_forces(hfRigid* r, const double* base) {
  hfRigidProblem* p = &r->problem;
  memcpy(p->vdot, base, (size_t)p->nv * sizeof *p->vdot);
  for (int i = 0; i < p->n; ++i) hfi_axpy(p->vdot, p->x[i], r->response + (size_t)i * (size_t)p->nv, p->nv);
}

void hfi_rigid_solve(hfRigid* r) {
  hfi_rigid_solve_rows(r);
  hfi_rigid_add_forces(r, r->free);
  if (r->problem.lcp.status == HF_OK) hfi_rigid_store_forces(r); // If there is no solution, the tracks keep the forces of the last one.
}

int hfi_rigid_cones_hold(const hfRigid* r) {
  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    double fn = r->track[r->point[u->contact].track].f[0];
    if (u->mode == HF_MODE_ROLLING && hfi_group_force(r, u) > u->mu_static * fn) return 0;
  }
  return 1;
}

// Whether a large problem has dependent rows, so that its certificate fails. The rank decides that, because the test for
// a P-matrix would take up to 2^n pivots.
static bool clearly_dependent(hfRigid* r, double* margin) {
  const hfRigidProblem* p = &r->problem;
  *margin = 0;
  if (p->n <= HF_P_EXACT_MAX / 2) return false;
  return p->n > p->nv || hf_matrix_rank(p->n, p->n, p->A, margin, r->work, r->work_size) < p->n;
}

// Computes the certificate of a problem that has rows.
static hfRigidCertificate judge(hfRigid* r) {
  const hfRigidProblem* p = &r->problem;
  double margin;
  if (clearly_dependent(r, &margin)) return (hfRigidCertificate){.rank_margin = margin};
  return hf_rigid_certify(p->n, p->A, p->rolling, p->k, p->c, r->work, r->work_size);
}

// Whether the problem has the bits of the one that was certified last.
static bool is_judged(const hfRigid* r) {
  const hfRigidProblem* p = &r->problem;
  const hfiJudged* j = &r->judged;
  size_t n = (size_t)p->n;
  return j->n == p->n && memcmp(j->A, p->A, n * n * sizeof *p->A) == 0 && memcmp(j->k, p->k, n * sizeof *p->k) == 0 &&
         memcmp(j->c, p->c, n * sizeof *p->c) == 0 && memcmp(j->rolling, p->rolling, n * sizeof *p->rolling) == 0;
}

static void judge_anew(hfRigid* r) {
  const hfRigidProblem* p = &r->problem;
  hfiJudged* j = &r->judged;
  size_t n = (size_t)p->n;
  j->n = p->n;
  memcpy(j->A, p->A, n * n * sizeof *p->A), memcpy(j->rolling, p->rolling, n * sizeof *p->rolling);
  memcpy(j->k, p->k, n * sizeof *p->k), memcpy(j->c, p->c, n * sizeof *p->c);
  j->certificate = judge(r);
}

void hfi_rigid_certify(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  r->certified = p->n;
  if (p->n && !is_judged(r)) judge_anew(r);
  if (p->n)
    p->certificate = r->judged.certificate;
  else
    p->certificate = (hfRigidCertificate){.full_rank = 1, .rolling = 1, .p_matrix = 1, .stable = 1, .holds = 1,
                                          .rank_margin = 1, .rolling_margin = 1, .p_margin = 1,
                                          .abscissa = -INFINITY};
}

hfStatus hf_rigid_evaluate(hfRigid* r, double t, const double* q, const double* v,
                           const double* act, const hfInput* input, const hfRigidChoice* choice,
                           int nchoice, const hfRigidProblem** problem, hfError* error) {
  hfi_clear_error(error);
  const hfModel* m = r->model;
  for (int i = 0; i < m->nq + m->nv; ++i) {
    int k = i < m->nq ? i : i - m->nq;
    if (!isfinite(i < m->nq ? q[k] : v[k]))
      return hfi_refuse(error, HF_ERROR_NONFINITE, "rigid contact: %s[%d] is not finite", i < m->nq ? "q" : "v", k);
  }
  int64_t dropped = hf_accel_statistics(r->accel).dropped;
  hf_accel_begin(r->accel, NULL, input);
  r->certified = -1;
  r->follow = 0;
  if (!hfi_rigid_look(r, t, q, v, act)) return HF_SINGULAR;
  hfi_rigid_choose_modes(r, choice, nchoice);
  hfi_rigid_assemble(r);
  hfi_rigid_solve(r);
  hfi_rigid_certify(r);
  *problem = &r->problem;
  return r->dropped || hf_accel_statistics(r->accel).dropped > dropped ? HF_OVERFLOW : HF_OK;
}
