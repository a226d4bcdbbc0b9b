// Modes of contacts without slip: an active set over the rows of the rigid problem.
//
//   rolling group   |f_t| <= mu f_n, else it slides along -f_t
//   sliding group   its motion m along its direction d does not turn back: m . d >= 0, else it rolls;
//                   in two dimensions d turns into m
//
// At acceleration level m = J vdot + Jdot v, and only groups without slip are tested. An impact is the same problem for impulses: b are the
// velocities before it (with restitution), m is the slip after it, and every group is tested.
//
// If forces are not unique, the set may repeat in a cycle; then friction polygons decide (polygon.c).
#include "methods/switching/rigid.h"

#include "linalg/dense.h"

enum {
  ROUNDS = 60, // Most rounds of the active set.
  TURNS = 12,  // After this many rounds directions of sliding no longer turn, so that the search ends.
};
static const double SLACK = 1e-9;  // A rolling group may leave its friction cone by this share of the bound [-].
static const double TURNED = 1e-6; // A direction that would turn by less than this stays [rad].

static void set_impact(hfRigid* r, const hfiImpact* impact) {
  hfRigidProblem* p = &r->problem;
  for (int i = 0; i < p->n; ++i) {
    double s = hfi_dot(r->row + (size_t)i * (size_t)p->nv, impact->v, p->nv);
    p->b[i] = !p->rolling[i] && s < -impact->rest_speed ? (1 + impact->restitution) * s : s;
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
  hfi_rigid_add_forces(r, impact->v);
  hfi_rigid_store_forces(r);
}

// Motion m of the rows of a group under the solution, and its norm: acceleration, or slip after the impact.
static double find_motion(const hfRigid* r, const hfiFrictionGroup* u, const hfiImpact* impact, double* m) {
  const hfAccelProblem* p = r->accel_problem;
  double norm = 0;
  for (int k = 0; k < u->dim; ++k) {
    int row = r->point[u->contact].row + u->first + k;
    m[k] = hfi_dot(p->J + (size_t)row * (size_t)p->nv, r->problem.vdot, p->nv);
    if (!impact && isfinite(p->Jdot_v[row])) m[k] += p->Jdot_v[row];
    norm += sqr(m[k]);
  }
  return sqrt(norm);
}

static void set_direction(hfRigid* r, const hfiFrictionGroup* u, hfiTrack* t, const double* d) {
  t->d_W[u->group] = v3_unit(hfi_group_vector(r->accel->contact[u->contact].contact, u->group, d));
}

// Lets a rolling group slide if its force is outside the friction cone. Returns 1 if it does.
static int release(hfRigid* r, const hfiFrictionGroup* u, hfiTrack* t) {
  double f[2] = {0, 0}, scale = 0;
  for (int k = 0; k < u->dim; ++k) f[k] = -t->f[u->first + k];
  for (int i = 0; i < r->problem.n; ++i) scale = max2(scale, fabs(r->problem.x[i]));
  if (hfi_group_force(r, u) <= u->mu_static * max2(t->f[0], 0) * (1 + SLACK) + 1e-12 * scale) return 0;
  set_direction(r, u, t, f);
  t->mode[u->group] = HF_MODE_SLIDING;
  return 1;
}

// Lets a sliding group roll if its motion would turn back; otherwise turns its direction into the motion. Returns 1 if something changed.
static int reconsider(hfRigid* r, const hfiFrictionGroup* u, hfiTrack* t, const hfiImpact* impact,
                      int round) {
  double m[2] = {0, 0}, along = 0, norm = find_motion(r, u, impact, m), turn = 0;
  for (int k = 0; k < u->dim; ++k) along += m[k] * u->d[k];
  if (along < -1e-9 * (1 + norm)) {
    t->mode[u->group] = HF_MODE_ROLLING;
    return u->mu_static > 0;
  }
  if (u->dim == 1 || norm < 1e-9 || round >= TURNS) return 0;
  for (int k = 0; k < u->dim; ++k) turn += sqr(m[k] / norm - u->d[k]);
  if (turn < sqr(TURNED)) return 0;
  set_direction(r, u, t, m);
  return 1;
}

static hfStatus seek_modes(hfRigid* r, const hfiImpact* impact) {
  for (int round = 0; round < ROUNDS; ++round) {
    int changes = 0;
    solve_level(r, impact);
    if (r->problem.lcp.status != HF_OK) return HF_NO_SOLUTION;
    for (int k = 0; k < r->ngroup; ++k) {
      const hfiFrictionGroup* u = &r->group[k];
      hfiTrack* t = &r->track[r->point[u->contact].track];
      if (!t->zero[u->group]) continue;
      changes += u->mode == HF_MODE_ROLLING ? release(r, u, t) : reconsider(r, u, t, impact, round);
    }
    if (!changes) return HF_OK;
  }
  return HF_NOT_CONVERGED;
}

// Assembles the problem of the final modes, and sets its solution to the forces that the tracks hold.
static void restate(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  hfi_rigid_assemble(r);
  for (int i = 0; i < p->ncontact; ++i)
    if (r->point[i].track >= 0) p->x[p->contact[i].row_n] = r->track[r->point[i].track].f[0];
  for (int k = 0; k < r->ngroup; ++k)
    for (int d = 0; r->group[k].mode == HF_MODE_ROLLING && d < r->group[k].nrow; ++d) {
      const hfiFrictionGroup* u = &r->group[k];
      const double* f = r->track[r->point[u->contact].track].f + u->first;
      p->x[u->row + d] = u->t[d][0] * f[0] + (u->dim > 1 ? u->t[d][1] * f[1] : 0);
    }
}

// Finds the modes of all groups without slip at once, by the problem with friction polygons.
static hfStatus solve_polygons(hfRigid* r, const hfiImpact* impact) {
  for (int k = 0; k < r->ngroup; ++k) {
    hfiTrack* t = &r->track[r->point[r->group[k].contact].track];
    if (t->zero[r->group[k].group]) t->mode[r->group[k].group] = HF_MODE_ROLLING;
  }
  hfi_rigid_assemble(r);
  if (impact) set_impact(r, impact);
  hfStatus status = hfi_rigid_polygon(r, impact ? impact->v : r->free);
  if (status == HF_OK && !impact) restate(r);
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
