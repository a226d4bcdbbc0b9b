// The solution of the rigid problem (problem.c): its forces and accelerations, and whether it is the only one.
#include "methods/switching/rigid.h"

#include "base/error.h"
#include "linalg/dense.h"

#include <string.h>

// ---- forces -----------------------------------------------------------------------------------------

// Stores the solution as the forces of contact i and of its track.
static void store_forces(hfRigid* rigid, int i) {
  hfRigidProblem* problem = &rigid->problem;
  hfRigidContact* contact = &problem->contact[i];
  const hfiPoint* point = &rigid->point[i];

  if (point->track < 0) return;

  // normal force
  hfiTrack* track = &rigid->tracks.list[point->track];
  memset(track->f, 0, sizeof track->f);
  track->f[0] = problem->x[contact->row_n];
  contact->fn = track->f[0];

  // friction group by group
  for (int k = point->first_group; k < point->first_group + point->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    double* f = track->f + group->first;

    for (int j = 0; j < group->dim; ++j) {
      if (group->mode == HF_MODE_SLIDING) {
        f[j] = -group->mu * contact->fn * group->d[j];
        continue;
      }
      for (int d = 0; d < group->nrow; ++d) f[j] += problem->x[group->row + d] * group->t[d][j];
    }
  }

  // friction as a vector in the world
  if (point->dim < 3) return;

  const hfAccelContact* frame = &rigid->accel_problem->contact[i];
  track->ft_W = v3_add(v3_scale(track->f[1], frame->t1_W), v3_scale(track->f[2], frame->t2_W));
  contact->ft_W = track->ft_W;
}

// Stores the solution x as the forces of all contacts and tracks.
void hfi_rigid_store_forces(hfRigid* rigid) {
  for (int i = 0; i < rigid->problem.ncontact; ++i) store_forces(rigid, i);
}

// out (nv) = base + sum of x_i S col_i: what the forces, or impulses, add to accelerations, or velocities.
void hfi_rigid_add_forces(const hfRigid* rigid, const double* base, double* out) {
  const hfRigidProblem* problem = &rigid->problem;
  memcpy(out, base, (size_t)problem->nv * sizeof *out);

  for (int i = 0; i < problem->n; ++i) {
    const double* response = rigid->rows.response + (size_t)i * (size_t)problem->nv;
    hfi_axpy(out, problem->x[i], response, problem->nv);
  }
}

// ---- the complementarity problem ----------------------------------------------------------------------

// Tries the solution in which every contact presses: A x = -b. Returns 1 if it is a solution; problem.x then has it.
// It is tried only where the last certificate, of as many rows, called A a P-matrix, because it is the only solution
// there; elsewhere the choice among several is left to the pivots. This spares nearly all pivots: between two events
// the set of contacts that press stays the same.
static int solve_all_pressing(hfRigid* rigid) {
  hfRigidProblem* problem = &rigid->problem;
  const int n = problem->n;
  int has_certificate = problem->certificate.p_matrix && rigid->last_certified.current_rows == n;
  if (!has_certificate || rigid->diagonal_share > 0 || n > problem->nv) return 0;

  // A x = -b by LU factors
  hfiArena arena = hfi_arena(rigid->work, rigid->work_size); // It is large enough: it has room for a method of pivots.
  double* LU = HFI_TAKE(&arena, double, n * n);
  int32_t* pivot = HFI_TAKE(&arena, int32_t, n);
  memcpy(LU, problem->A, (size_t)(n * n) * sizeof *LU);
  for (int i = 0; i < n; ++i) problem->x[i] = -problem->b[i];
  if (hfi_lu(LU, n, n, pivot)) return 0;
  hfi_lu_solve(LU, n, n, pivot, problem->x);

  // all normal forces must be positive; the friction of rolling groups may have any sign
  for (int i = 0; i < n; ++i)
    if (!isfinite(problem->x[i]) || (!problem->rolling[i] && !(problem->x[i] > 0))) return 0;

  memset(problem->y, 0, (size_t)n * sizeof *problem->y);
  return 1;
}

// Solves for x and y; problem.lcp reports how. Without a solution x is zero.
void hfi_rigid_solve_rows(hfRigid* rigid) {
  hfRigidProblem* problem = &rigid->problem;
  problem->lcp = (hfLcpReport){.status = HF_OK};
  if (problem->n == 0 || solve_all_pressing(rigid)) return;

  // dependent rows share their forces by an addition to the diagonal
  hfLcp lcp = {problem->n, problem->A, problem->b, rigid->rows.lo, rigid->rows.hi};
  hfLcpConfig config = hf_lcp_config_default();
  double share = rigid->diagonal_share;
  if (problem->n > problem->nv) share = max2(share, HFI_DEPENDENT_ROWS_SHARE);
  for (int i = 0; i < problem->n; ++i) config.tikhonov += share * fabs(problem->A[i * problem->n + i]) / problem->n;

  // the pivots of one method may succeed where those of the other meet a degenerate corner
  hfError error = {HF_OK, ""};
  const int32_t methods[2] = {HF_LCP_LEMKE, HF_LCP_DANTZIG};
  for (int k = 0; k < 2; ++k) {
    config.method = methods[k];
    hfStatus status = hf_lcp_solve(&lcp, &config, problem->x, problem->y, rigid->work, rigid->work_size, &problem->lcp,
                                   &error);
    if (status == HF_OK) return;
    if (status > 0) continue; // no solution found: the other method is tried

    // the problem was refused: it is not finite
    problem->lcp = (hfLcpReport){.status = HF_NO_SOLUTION};
    memset(problem->x, 0, (size_t)problem->n * sizeof *problem->x);
  }
}

// Solves for the contact forces x and the accelerations vdot = vdot_free + S col x.
void hfi_rigid_solve(hfRigid* rigid) {
  hfi_rigid_solve_rows(rigid);
  hfi_rigid_add_forces(rigid, rigid->rows.free, rigid->problem.vdot);
  // If there is no solution, the tracks keep the forces of the last one.
  if (rigid->problem.lcp.status == HF_OK) hfi_rigid_store_forces(rigid);
}

// Whether the friction of each rolling group is inside its cone, |f_t| <= mu f_n.
int hfi_rigid_cones_hold(const hfRigid* rigid) {
  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    double fn = hfi_group_track(rigid, group)->f[0];
    if (group->mode == HF_MODE_ROLLING && hfi_group_force(rigid, group) > group->mu_static * fn) return 0;
  }
  return 1;
}

// ---- the certificate ----------------------------------------------------------------------------------

// Whether a large problem has dependent rows, so that its certificate fails. *margin is the margin of its rank [-]. The
// rank is asked first, because the test for a P-matrix would take up to 2^n pivots.
static int is_clearly_dependent(hfRigid* rigid, double* margin) {
  const hfRigidProblem* problem = &rigid->problem;
  *margin = 0;
  if (problem->n <= HF_P_EXACT_MAX / 2) return 0;
  if (problem->n > problem->nv) return 1;
  return hf_matrix_rank(problem->n, problem->n, problem->A, margin, rigid->work, rigid->work_size) < problem->n;
}

// Whether the problem has the bits of the one that was certified last.
static int was_certified_last(const hfRigid* rigid) {
  const hfRigidProblem* problem = &rigid->problem;
  const hfiCertifiedProblem* last = &rigid->last_certified;
  size_t n = (size_t)problem->n;
  if (last->n != problem->n) return 0;
  if (memcmp(last->A, problem->A, n * n * sizeof *problem->A) != 0) return 0;
  if (memcmp(last->k, problem->k, n * sizeof *problem->k) != 0) return 0;
  if (memcmp(last->c, problem->c, n * sizeof *problem->c) != 0) return 0;
  return memcmp(last->rolling, problem->rolling, n * sizeof *problem->rolling) == 0;
}

// Computes the certificate of a problem that has rows, and keeps both in rigid->last_certified.
static void certify_and_keep(hfRigid* rigid) {
  const hfRigidProblem* problem = &rigid->problem;
  hfiCertifiedProblem* last = &rigid->last_certified;
  size_t n = (size_t)problem->n;
  last->n = problem->n;
  memcpy(last->A, problem->A, n * n * sizeof *problem->A);
  memcpy(last->k, problem->k, n * sizeof *problem->k);
  memcpy(last->c, problem->c, n * sizeof *problem->c);
  memcpy(last->rolling, problem->rolling, n * sizeof *problem->rolling);

  double margin;
  if (is_clearly_dependent(rigid, &margin)) {
    last->certificate = (hfRigidCertificate){.rank_margin = margin};
  } else {
    last->certificate = hf_rigid_certify(problem->n, problem->A, problem->rolling, problem->k, problem->c, rigid->work,
                                         rigid->work_size);
  }
}

// Computes problem.certificate of the assembled problem. A problem without rows is certified.
void hfi_rigid_certify(hfRigid* rigid) {
  hfRigidProblem* problem = &rigid->problem;
  rigid->last_certified.current_rows = problem->n;

  if (problem->n == 0) {
    problem->certificate = (hfRigidCertificate){
        .full_rank = 1,
        .rolling = 1,
        .p_matrix = 1,
        .stable = 1,
        .holds = 1,
        .rank_margin = 1,
        .rolling_margin = 1,
        .p_margin = 1,
        .abscissa = -INFINITY,
    };
    return;
  }

  if (!was_certified_last(rigid)) certify_and_keep(rigid);
  problem->certificate = rigid->last_certified.certificate;
}

// ---- one point ----------------------------------------------------------------------------------------

// Solves the rigid problem at one point, with modes from gap, slip and the caller's choices; *problem is the result.
// HF_SINGULAR: the mass matrix is singular. HF_OVERFLOW: contacts were left out because there was no room.
hfStatus hf_rigid_evaluate(hfRigid* rigid, double t, const double* q, const double* v, const double* act,
                           const hfInput* input, const hfRigidChoice* choice, int nchoice,
                           const hfRigidProblem** problem, hfError* error) {
  hfi_clear_error(error);
  const hfModel* model = rigid->model;
  for (int i = 0; i < model->nq; ++i)
    if (!isfinite(q[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "rigid contact: q[%d] is not finite", i);
  for (int i = 0; i < model->nv; ++i)
    if (!isfinite(v[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "rigid contact: v[%d] is not finite", i);

  // the point
  int64_t dropped_before = hf_accel_statistics(rigid->accel).dropped;
  hf_accel_begin(rigid->accel, NULL, input);
  rigid->last_certified.current_rows = -1;
  rigid->follows_slip = 0;
  if (!hfi_rigid_update_point(rigid, t, q, v, act)) return HF_SINGULAR;

  // modes, forces, certificate
  hfi_rigid_choose_modes(rigid, choice, nchoice);
  hfi_rigid_assemble(rigid);
  hfi_rigid_solve(rigid);
  hfi_rigid_certify(rigid);

  *problem = &rigid->problem;
  int has_dropped = rigid->dropped || hf_accel_statistics(rigid->accel).dropped > dropped_before;
  return has_dropped ? HF_OVERFLOW : HF_OK;
}
