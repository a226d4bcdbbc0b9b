// Computed torque for a grasp that slides (plan.h).
//
// The force distribution is the quadratic program  min |f - c|^2/2,  G f = w,  f >= l,  as a complementarity problem
// with bounds:  f - c - G^T nu >= 0 _|_ f >= l,   G f + e nu = w, nu free. With a tiny e it always has a
// solution, also where G has dependent rows (by symmetry) and where no f >= l gives w; in that case e nu is what is missing.
#include "grasp/plan.h"

#include <holdfast/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

hfSetpoint grasp_profile(graspProfile profile, double duration, double t) {
  double u = t / duration;
  if (u < 0) return (hfSetpoint){0, 0, 0};
  if (u > 1) return (hfSetpoint){1, 0, 0};
  if (profile == GRASP_CUBIC)
    return (hfSetpoint){u * u * (3 - 2 * u), 6 * u * (1 - u) / duration,
                        6 * (1 - 2 * u) / (duration * duration)};
  return hf_quintic((hfSetpoint){0, 0, 0}, (hfSetpoint){1, 0, 0}, duration, t);
}

enum { ROWS = GRASP_CONTACTS + GRASP_DOFS };

// Computes the f (nc) with G f = w and f >= least that is nearest to `near` (NULL: 0). If there is none, computes the f >=
// least whose G f is closest to w, and returns 0. row: the rows of W_sigma^T.
static int distribute(const graspScene* s, double (*row)[GRASP_DOFS], const double* w,
                      const double* near, double least, double* f) {
  enum { WORK = 1 << 16 };
  static const double EPSILON = 1e-9;
  const int nc = s->nc, no = s->no, n = nc + no;
  double A[ROWS * ROWS] = {0}, b[ROWS] = {0}, lo[ROWS], hi[ROWS], z[ROWS];
  _Alignas(16) char work[WORK];
  for (int i = 0; i < nc; ++i) {
    A[i * n + i] = 1, b[i] = near ? -near[i] : 0;
    for (int k = 0; k < no; ++k) A[i * n + nc + k] = -row[i][k], A[(nc + k) * n + i] = row[i][k];
    lo[i] = least, hi[i] = INFINITY;
  }
  for (int k = 0; k < no; ++k) {
    A[(nc + k) * n + nc + k] = EPSILON;
    b[nc + k] = -w[k];
    lo[nc + k] = -INFINITY, hi[nc + k] = INFINITY;
  }
  hfLcp problem = {n, A, b, lo, hi};
  hfLcpConfig config = hf_lcp_config_default();
  config.method = HF_LCP_DANTZIG;
  if (hf_lcp_work_size(HF_LCP_DANTZIG, n) > sizeof work) return 0;
  hfStatus status = hf_lcp_solve(&problem, &config, z, NULL, work, sizeof work, NULL, NULL);
  memcpy(f, z, (size_t)nc * sizeof *f);
  int exact = status == HF_OK;
  for (int k = 0; k < no; ++k) exact &= fabs(EPSILON * z[nc + k]) <= 1e-6 * (1 + fabs(w[k]));
  return exact;
}

// Computes contact forces and torques with which the accelerations are a, at the configured q and v, while contacts slide
// along `slip`. Returns 0 where no forces give the object's acceleration exactly; then they come as close as possible. The
// forces are the smallest above f_min or, if `near` is given, those nearest to it that do not pull.
static int find_effort(const graspPlan* plan, const double* v, const double* a, double (*slip)[2],
                       const double* near, graspEffort* out) {
  const graspScene* s = plan->scene;
  double row[GRASP_CONTACTS][GRASP_DOFS], inertial[GRASP_DOFS];
  hf_dynamics_set_velocity(s->dynamics, v);
  hf_dynamics_inverse(s->dynamics, v, a, NULL, inertial);
  grasp_sliding_rows(s, s->mu, slip, row);
  int exact = 0;
  out->least = near ? 0 : plan->least_force;
  for (int halvings = 0; !exact; ++halvings) {
    exact = distribute(s, row, inertial, near, out->least, out->force);
    if (exact || out->least <= 0) break;
    out->least = halvings < 8 ? 0.5 * out->least : 0;
  }
  for (int k = 0; k < s->nf; ++k) {
    out->torque[k] = inertial[s->no + k];
    for (int i = 0; i < s->nc; ++i) out->torque[k] -= row[i][s->no + k] * out->force[i];
  }
  return exact;
}

// At rest the direction of slip is that of the motion that begins there.
static void plan_slip(const graspPlan* plan, double sdot, graspSetpoint* at) {
  double along[GRASP_DOFS];
  memcpy(along, plan->path, sizeof along);
  grasp_keep(plan->scene, along);
  grasp_slip(plan->scene, along, at->slip);
  for (int i = 0; i < plan->scene->nc && sdot > 0; ++i)
    at->slip[i][0] *= sdot, at->slip[i][1] *= sdot;
}

int grasp_plan(const graspPlan* plan, double t, const double* near, graspSetpoint* out) {
  graspScene* s = plan->scene;
  hfSetpoint at = grasp_profile(plan->profile, plan->duration, t);
  memset(out, 0, sizeof *out);
  out->t = t;
  memcpy(out->q, plan->from, (size_t)s->nq * sizeof *out->q);
  if (near) memcpy(out->q + s->nq - s->nf, near + s->nq - s->nf, (size_t)s->nf * sizeof *out->q);
  hf_model_integrate(s->model, out->q, plan->path, at.q); // path has no finger part
  if (grasp_reach(s, out->q, NULL) != CLI_GOOD) return CLI_FAILED;
  for (int k = 0; k < s->no; ++k)
    out->v[k] = at.v * plan->path[k], out->a[k] = at.a * plan->path[k];
  if (grasp_keep(s, out->v) && grasp_keep_acceleration(s, out->q, out->v, 0, out->a)) {
    plan_slip(plan, at.v, out);
    if (find_effort(plan, out->v, out->a, out->slip, NULL, &out->effort)) return CLI_GOOD;
  }
  say_error("at %g s: the plan has no contact forces", t);
  return CLI_FAILED;
}

int grasp_control(const graspPlan* plan, const graspSetpoint* wanted, const double* q,
                  const double* v, double* tau) {
  graspScene* s = plan->scene;
  graspEffort effort;
  double e[GRASP_DOFS], a[GRASP_DOFS] = {0}, slip[GRASP_CONTACTS][2], w = plan->frequency;
  hf_model_difference(s->model, q, wanted->q, 1, e);
  for (int k = 0; k < s->no; ++k)
    a[k] = wanted->a[k] + w * w * e[k] + 2 * w * (wanted->v[k] - v[k]);
  memcpy(slip, wanted->slip, sizeof slip);
  if (!grasp_keep_acceleration(s, q, v, w, a)) return CLI_FAILED;
  find_effort(plan, v, a, slip, wanted->effort.force, &effort);
  memcpy(tau, effort.torque, (size_t)s->nf * sizeof *tau);
  return CLI_GOOD;
}

graspJudgement grasp_judge(graspScene* scene, const double* mu, const graspSetpoint* at) {
  enum { WORK = 1 << 14 };
  _Alignas(16) char work[WORK];
  graspJudgement j = {0};
  double slip[GRASP_CONTACTS][2];
  memcpy(slip, at->slip, sizeof slip);
  grasp_configure(scene, at->q);
  grasp_matrix(scene, mu, slip, j.A);
  j.is_p = hf_matrix_test_p(scene->nc, j.A, 0, work, sizeof work).is_p;
  double minors[1 << GRASP_CONTACTS];
  hf_matrix_minors(scene->nc, j.A, minors, work, sizeof work);
  j.determinant = minors[(1 << scene->nc) - 1];
  j.least_minor = INFINITY;
  for (int mask = 1; mask < 1 << scene->nc; ++mask)
    j.least_minor = fmin(j.least_minor, minors[mask]);
  return j;
}

int grasp_count_solutions(const graspScene* scene, const graspJudgement* j, const graspSetpoint* at,
                          int room, double* z) {
  const int n = scene->nc;
  double b[GRASP_CONTACTS];
  for (int i = 0; i < n; ++i) {
    b[i] = 0;
    for (int k = 0; k < n; ++k) b[i] -= j->A[i * n + k] * at->effort.force[k];
  }
  size_t size = hf_lcp_enumerate_work_size(n);
  void* work = n <= HF_LCP_ENUMERATION_MAX ? malloc(size) : NULL;
  if (!work) return 0;
  hfLcp problem = {n, j->A, b, NULL, NULL};
  hfLcpSolutions solutions = {room, 0, 0, z};
  hf_lcp_enumerate(&problem, &solutions, work, size, NULL);
  free(work);
  return solutions.count;
}

double grasp_layer_rate(graspScene* scene, const graspSetpoint* at, double eps) {
  enum { WORK = 1 << 15 };
  _Alignas(16) char work[WORK];
  double k[GRASP_CONTACTS], c[GRASP_CONTACTS],
      m0 = hf_model_body_mass(scene->model)[scene->object_body];
  graspJudgement j = grasp_judge(scene, scene->mu, at);
  for (int i = 0; i < scene->nc; ++i) k[i] = m0 / eps, c[i] = m0 / sqrt(eps);
  if (hf_certificate_work_size(scene->nc) > sizeof work) return NAN;
  return hf_boundary_layer_test(scene->nc, j.A, k, c, work, sizeof work).abscissa;
}

static int judge_time(const graspPlan* plan, double t, graspSetpoint* at) {
  graspSetpoint here;
  if (grasp_plan(plan, t, at->q, &here) != CLI_GOOD) return -1;
  *at = here;
  return grasp_judge(plan->scene, plan->scene->mu, at).is_p;
}

static double bisect_change(const graspPlan* plan, double lo, double hi, int at_lo,
                            graspSetpoint at) {
  while (hi - lo > 1e-10) {
    double mid = 0.5 * (lo + hi);
    if (judge_time(plan, mid, &at) == at_lo)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi);
}

int grasp_find_changes(const graspPlan* plan, double step, double* times, int room) {
  graspSetpoint at = {0};
  memcpy(at.q, plan->from, sizeof at.q);
  int count = 0, steps = (int)lround(plan->duration / step),
      last = judge_time(plan, 0.5 * step, &at);
  for (int i = 1; i < steps && last >= 0; ++i) { // in the middle of steps: rest has no slip
    graspSetpoint before = at;
    double t = (i + 0.5) * step;
    int now = judge_time(plan, t, &at);
    if (now >= 0 && now != last && count < room)
      times[count++] = bisect_change(plan, t - step, t, last, before);
    last = now;
  }
  return last < 0 ? -1 : count;
}
