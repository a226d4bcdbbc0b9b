// Modes of contacts without slip: an active set over the rows of the rigid problem.
//
//   rolling group   |f_t| <= mu f_n, else it slides along -f_t
//   sliding group   its motion m along its direction d does not turn back: m . d >= 0, else it rolls;
//                   in two dimensions d turns into m
//
// At acceleration level m = J vdot + Jdot v, and only groups without slip are tested. An impact is the same problem for
// impulses: b are the velocities before it (with restitution), m is the slip after it, and every group is tested.
//
// If forces are not unique, the set may repeat in a cycle; then friction polygons decide (polygon.c).
#include "methods/switching/rigid.h"

#include "linalg/dense.h"

enum {
  MOST_ROUNDS = 60,    // Most rounds of the active set.
  TURNING_ROUNDS = 12, // After this many rounds directions of sliding no longer turn, so that the search ends.
};
static const double CONE_SLACK = 1e-9;      // A rolling group may leave its friction cone by this share of the bound [-].
static const double FORCE_ROUNDING = 1e-12; // It may also leave it by this share of the largest force of the problem [-].
static const double BACK_SHARE = 1e-9;      // A motion turns back if it goes against d by more than this share of 1 + |m| [-].
static const double LEAST_MOTION = 1e-9;    // A slower motion has no direction [m/s^2, rad/s^2; after an impact m/s, rad/s].
static const double LEAST_TURN = 1e-6;      // A direction that would turn by less than this stays [rad].

// ---- one set of modes -------------------------------------------------------------------------------

// Makes the assembled problem one for impulses: b are the velocities before the impact, with restitution.
static void set_impact(hfRigid* r, const hfiImpact* impact) {
  hfRigidProblem* p = &r->problem;
  for (int i = 0; i < p->n; ++i) {
    double s = hfi_dot(r->rows.row + (size_t)i * (size_t)p->nv, impact->v, p->nv);
    int bounces = !p->rolling[i] && s < -impact->rest_speed;
    p->b[i] = bounces ? (1 + impact->restitution) * s : s;
  }
}

// Solves with the present modes, for accelerations or for the impulses of an impact.
static void solve_level(hfRigid* r, const hfiImpact* impact) {
  hfi_rigid_assemble(r);
  if (!impact) {
    hfi_rigid_solve(r);
    return;
  }
  set_impact(r, impact);
  hfi_rigid_solve_rows(r);
  hfi_rigid_add_forces(r, impact->v, r->v_after);
  hfi_rigid_store_forces(r);
}

// Motion m (dim) of the rows of a group under the solution: acceleration, or slip after the impact. Returns its norm.
static double find_motion(const hfRigid* r, const hfiFrictionGroup* u, const hfiImpact* impact, double* m) {
  const hfAccelProblem* p = r->accel_problem;
  const double* change = impact ? r->v_after : r->problem.vdot;
  double norm = 0;
  for (int k = 0; k < u->dim; ++k) {
    int row = r->point[u->contact].row + u->first + k;
    m[k] = hfi_dot(p->J + (size_t)row * (size_t)p->nv, change, p->nv);
    if (!impact && isfinite(p->Jdot_v[row])) m[k] += p->Jdot_v[row];
    norm += sqr(m[k]);
  }
  return sqrt(norm);
}

// ---- changes of modes -------------------------------------------------------------------------------

// Sets the direction of a group's track from components d along the group's rows.
static void set_direction(hfRigid* r, const hfiFrictionGroup* u, const double* d) {
  hfi_group_track(r, u)->d_W[u->group] = v3_unit(hfi_group_vector(hfi_point_contact(r, u->contact), u->group, d));
}

// Lets a rolling group slide against its force if that is outside the friction cone. Returns 1 if it does.
static int release_rolling(hfRigid* r, const hfiFrictionGroup* u) {
  hfiTrack* t = hfi_group_track(r, u);
  double scale = 0;
  for (int i = 0; i < r->problem.n; ++i) scale = max2(scale, fabs(r->problem.x[i]));
  double bound = u->mu_static * max2(t->f[0], 0) * (1 + CONE_SLACK) + FORCE_ROUNDING * scale;
  if (hfi_group_force(r, u) <= bound) return 0;

  double d[2] = {0, 0};
  for (int k = 0; k < u->dim; ++k) d[k] = -t->f[u->first + k];
  set_direction(r, u, d);
  t->mode[u->group] = HF_MODE_SLIDING;
  return 1;
}

// Lets a sliding group roll if its motion would turn back; otherwise turns its direction into the motion. Returns 1 if
// something changed.
static int reconsider_sliding(hfRigid* r, const hfiFrictionGroup* u, const hfiImpact* impact, int round) {
  double m[2] = {0, 0};
  double norm = find_motion(r, u, impact, m);
  double along = 0;
  for (int k = 0; k < u->dim; ++k) along += m[k] * u->d[k];
  if (along < -BACK_SHARE * (1 + norm)) {
    hfi_group_track(r, u)->mode[u->group] = HF_MODE_ROLLING;
    return u->mu_static > 0;
  }

  if (u->dim == 1 || norm < LEAST_MOTION || round >= TURNING_ROUNDS) return 0;
  double turn = 0;
  for (int k = 0; k < u->dim; ++k) turn += sqr(m[k] / norm - u->d[k]);
  if (turn < sqr(LEAST_TURN)) return 0;
  set_direction(r, u, m);
  return 1;
}

// The active set: solves and changes modes until none changes.
static hfStatus seek_modes(hfRigid* r, const hfiImpact* impact) {
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    int changes = 0;
    solve_level(r, impact);
    if (r->problem.lcp.status != HF_OK) return HF_NO_SOLUTION;

    for (int k = 0; k < r->ngroup; ++k) {
      const hfiFrictionGroup* u = &r->group[k];
      if (!hfi_group_track(r, u)->needs_mode[u->group]) continue;
      changes += u->mode == HF_MODE_ROLLING ? release_rolling(r, u) : reconsider_sliding(r, u, impact, round);
    }
    if (!changes) return HF_OK;
  }
  return HF_NOT_CONVERGED;
}

// ---- friction polygons --------------------------------------------------------------------------------

// Assembles the problem of the final modes, and sets its solution to the forces that the tracks hold.
static void restate(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  hfi_rigid_assemble(r);
  for (int i = 0; i < p->ncontact; ++i)
    if (r->point[i].track >= 0) p->x[p->contact[i].row_n] = r->tracks.list[r->point[i].track].f[0];

  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    if (u->mode != HF_MODE_ROLLING) continue;
    const double* f = hfi_group_track(r, u)->f + u->first;
    for (int d = 0; d < u->nrow; ++d) p->x[u->row + d] = u->t[d][0] * f[0] + (u->dim > 1 ? u->t[d][1] * f[1] : 0);
  }
}

// Finds the modes of all groups that need one at once, by the problem with friction polygons.
static hfStatus solve_polygons(hfRigid* r, const hfiImpact* impact) {
  for (int k = 0; k < r->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    hfiTrack* t = hfi_group_track(r, u);
    if (t->needs_mode[u->group]) t->mode[u->group] = HF_MODE_ROLLING;
  }

  hfi_rigid_assemble(r);
  if (impact) {
    set_impact(r, impact);
    return hfi_rigid_polygon(r, impact->v, r->v_after);
  }
  hfStatus status = hfi_rigid_polygon(r, r->rows.free, r->problem.vdot);
  if (status == HF_OK) restate(r);
  return status;
}

hfStatus hfi_rigid_resolve(hfRigid* r, const hfiImpact* impact) {
  int follow = r->follow;
  r->follow = impact ? 0 : follow;
  hfStatus status = seek_modes(r, impact);
  if (status) status = solve_polygons(r, impact);
  r->follow = follow;
  return status;
}
