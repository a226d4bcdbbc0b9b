// The solution of the rigid problem (problem.c): its forces and accelerations, and whether it is the only one.
#include "methods/switching/rigid.h"

#include "base/error.h"
#include "linalg/dense.h"

#include <string.h>

// ---- forces -----------------------------------------------------------------------------------------

// Stores the solution as the forces of contact i and of its track.
static void store_forces(hfRigid* r, int i) {
  hfRigidProblem* p = &r->problem;
  hfRigidContact* c = &p->contact[i];
  const hfiPoint* point = &r->point[i];
  if (point->track < 0) return;
  hfiTrack* track = &r->tracks.list[point->track];
  memset(track->f, 0, sizeof track->f);
  track->f[0] = p->x[c->row_n];
  c->fn = track->f[0];

  // friction group by group
  for (int k = point->first_group; k < point->first_group + point->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    double* f = track->f + u->first;
    for (int j = 0; j < u->dim; ++j) {
      if (u->mode == HF_MODE_SLIDING) f[j] = -u->mu * c->fn * u->d[j];
      else
        for (int d = 0; d < u->nrow; ++d) f[j] += p->x[u->row + d] * u->t[d][j];
    }
  }

  if (point->dim < 3) return;
  const hfAccelContact* frame = &r->accel_problem->contact[i];
  track->ft_W = v3_add(v3_scale(track->f[1], frame->t1_W), v3_scale(track->f[2], frame->t2_W));
  c->ft_W = track->ft_W;
}

void hfi_rigid_store_forces(hfRigid* r) {
  for (int i = 0; i < r->problem.ncontact; ++i) store_forces(r, i);
}

void hfi_rigid_add_forces(const hfRigid* r, const double* base, double* out) {
  const hfRigidProblem* p = &r->problem;
  memcpy(out, base, (size_t)p->nv * sizeof *out);
  for (int i = 0; i < p->n; ++i) hfi_axpy(out, p->x[i], r->rows.response + (size_t)i * (size_t)p->nv, p->nv);
}

// ---- the complementarity problem ----------------------------------------------------------------------

// Tries the solution in which every contact presses: A x = -b. It is the only one where A is a P-matrix, so it is tried
// only where the last certificate, of as many rows, said so; elsewhere the choice among several solutions is left to
// the pivots. Returns whether it is a solution. This spares nearly all pivots: between two events the set of contacts
// that press stays the same.
static int solve_all_pressing(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  const int n = p->n;
  if (!p->certificate.p_matrix || r->certified != n || r->share > 0 || n > p->nv) return 0;

  hfiArena arena = hfi_arena(r->work, r->work_size); // Pivots would need more memory.
  double* LU = HFI_TAKE(&arena, double, n * n);
  int32_t* pivot = HFI_TAKE(&arena, int32_t, n);
  memcpy(LU, p->A, (size_t)(n * n) * sizeof *LU);
  for (int i = 0; i < n; ++i) p->x[i] = -p->b[i];
  if (hfi_lu(LU, n, n, pivot)) return 0;
  hfi_lu_solve(LU, n, n, pivot, p->x);

  for (int i = 0; i < n; ++i)
    if (!isfinite(p->x[i]) || (!p->rolling[i] && !(p->x[i] > 0))) return 0;
  memset(p->y, 0, (size_t)n * sizeof *p->y);
  return 1;
}

void hfi_rigid_solve_rows(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  p->lcp = (hfLcpReport){.status = HF_OK};
  if (p->n == 0 || solve_all_pressing(r)) return;

  hfLcp lcp = {p->n, p->A, p->b, r->rows.lo, r->rows.hi};
  hfLcpConfig config = hf_lcp_config_default();
  double share = p->n > p->nv ? max2(r->share, HFI_RIGID_SHARE) : r->share;
  for (int i = 0; i < p->n; ++i) config.tikhonov += share * fabs(p->A[i * p->n + i]) / p->n;

  // the pivots of one method may succeed where those of the other meet a degenerate corner
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

void hfi_rigid_solve(hfRigid* r) {
  hfi_rigid_solve_rows(r);
  hfi_rigid_add_forces(r, r->rows.free, r->problem.vdot);
  // If there is no solution, the tracks keep the forces of the last one.
  if (r->problem.lcp.status == HF_OK) hfi_rigid_store_forces(r);
}

int hfi_rigid_cones_hold(const hfRigid* r) {
  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    double fn = hfi_group_track(r, u)->f[0];
    if (u->mode == HF_MODE_ROLLING && hfi_group_force(r, u) > u->mu_static * fn) return 0;
  }
  return 1;
}

// ---- the certificate ----------------------------------------------------------------------------------

// Whether a large problem has dependent rows, so that its certificate fails; *margin is the margin of its rank. The
// rank decides that, because the test for a P-matrix would take up to 2^n pivots.
static int is_clearly_dependent(hfRigid* r, double* margin) {
  const hfRigidProblem* p = &r->problem;
  *margin = 0;
  if (p->n <= HF_P_EXACT_MAX / 2) return 0;
  return p->n > p->nv || hf_matrix_rank(p->n, p->n, p->A, margin, r->work, r->work_size) < p->n;
}

// Whether the problem has the bits of the one that was certified last.
static int is_judged(const hfRigid* r) {
  const hfRigidProblem* p = &r->problem;
  const hfiJudged* j = &r->judged;
  size_t n = (size_t)p->n;
  return j->n == p->n && memcmp(j->A, p->A, n * n * sizeof *p->A) == 0 && memcmp(j->k, p->k, n * sizeof *p->k) == 0 &&
         memcmp(j->c, p->c, n * sizeof *p->c) == 0 && memcmp(j->rolling, p->rolling, n * sizeof *p->rolling) == 0;
}

// Computes the certificate of a problem that has rows, and keeps both in r->judged.
static void judge(hfRigid* r) {
  const hfRigidProblem* p = &r->problem;
  hfiJudged* j = &r->judged;
  size_t n = (size_t)p->n;
  j->n = p->n;
  memcpy(j->A, p->A, n * n * sizeof *p->A);
  memcpy(j->k, p->k, n * sizeof *p->k);
  memcpy(j->c, p->c, n * sizeof *p->c);
  memcpy(j->rolling, p->rolling, n * sizeof *p->rolling);

  double margin;
  if (is_clearly_dependent(r, &margin)) j->certificate = (hfRigidCertificate){.rank_margin = margin};
  else j->certificate = hf_rigid_certify(p->n, p->A, p->rolling, p->k, p->c, r->work, r->work_size);
}

void hfi_rigid_certify(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  r->certified = p->n;
  if (p->n == 0) {
    p->certificate = (hfRigidCertificate){.full_rank = 1,
                                          .rolling = 1,
                                          .p_matrix = 1,
                                          .stable = 1,
                                          .holds = 1,
                                          .rank_margin = 1,
                                          .rolling_margin = 1,
                                          .p_margin = 1,
                                          .abscissa = -INFINITY};
    return;
  }
  if (!is_judged(r)) judge(r);
  p->certificate = r->judged.certificate;
}

// ---- one point ----------------------------------------------------------------------------------------

hfStatus hf_rigid_evaluate(hfRigid* r, double t, const double* q, const double* v, const double* act,
                           const hfInput* input,
                           const hfRigidChoice* choice, int nchoice, const hfRigidProblem** problem, hfError* error) {
  hfi_clear_error(error);
  const hfModel* m = r->model;
  for (int i = 0; i < m->nq; ++i)
    if (!isfinite(q[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "rigid contact: q[%d] is not finite", i);
  for (int i = 0; i < m->nv; ++i)
    if (!isfinite(v[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "rigid contact: v[%d] is not finite", i);

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
