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
// A rolling group may leave its friction cone by this share of the bound [-].
static const double MODE_CONE_SLACK = 1e-9;
// It may also leave it by this share of the largest force of the problem [-].
static const double FORCE_ROUNDING = 1e-12;
// A motion turns back if it goes against d by more than this share of 1 + |m| [-].
static const double BACK_SHARE = 1e-9;
// A slower motion has no direction [m/s^2, rad/s^2; after an impact m/s, rad/s].
static const double LEAST_MOTION = 1e-9;
// A direction that would turn by less than this stays [rad].
static const double LEAST_TURN = 1e-6;

// ---- one set of modes -------------------------------------------------------------------------------

// Makes the assembled problem one for impulses: b are the velocities before the impact, with restitution.
static void set_impact(hfRigid* rigid, const hfiImpact* impact) {
  hfRigidProblem* problem = &rigid->problem;
  for (int i = 0; i < problem->n; ++i) {
    double s = hfi_dot(rigid->rows.row + (size_t)i * (size_t)problem->nv, impact->v, problem->nv);
    int bounces = !problem->rolling[i] && s < -impact->rest_speed;
    problem->b[i] = bounces ? (1 + impact->restitution) * s : s;
  }
}

// Solves with the present modes: for accelerations, which problem.vdot receives, or for the impulses of an impact,
// after which v_after has the velocities. Stores forces or impulses in the tracks.
static void solve_level(hfRigid* rigid, const hfiImpact* impact) {
  hfi_rigid_assemble(rigid);
  if (!impact) {
    hfi_rigid_solve(rigid);
    return;
  }

  set_impact(rigid, impact);
  hfi_rigid_solve_rows(rigid);
  hfi_rigid_add_forces(rigid, impact->v, rigid->v_after);
  hfi_rigid_store_forces(rigid);
}

// Computes the motion m (dim) of the rows of a group under the solution: its acceleration, or after an impact its slip.
// Returns the norm of m.
static double find_motion(const hfRigid* rigid, const hfiFrictionGroup* group, const hfiImpact* impact, double* m) {
  const hfAccelProblem* problem = rigid->accel_problem;
  const double* change = impact ? rigid->v_after : rigid->problem.vdot;

  double norm = 0;
  for (int k = 0; k < group->dim; ++k) {
    int row = rigid->point[group->contact].row + group->first + k;
    m[k] = hfi_dot(problem->J + (size_t)row * (size_t)problem->nv, change, problem->nv);
    if (!impact && isfinite(problem->Jdot_v[row])) m[k] += problem->Jdot_v[row];
    norm += sqr(m[k]);
  }
  return sqrt(norm);
}

// ---- changes of modes -------------------------------------------------------------------------------

// Sets the direction of a group's track from components d along the group's rows.
static void set_direction(hfRigid* rigid, const hfiFrictionGroup* group, const double* d) {
  const hfiContact* contact = hfi_point_contact(rigid, group->contact);
  hfi_group_track(rigid, group)->d_W[group->kind] = v3_unit(hfi_group_vector(contact, group->kind, d));
}

// Lets a rolling group slide against its force if that is outside the friction cone. Returns 1 if it does.
static int release_rolling(hfRigid* rigid, const hfiFrictionGroup* group) {
  hfiTrack* track = hfi_group_track(rigid, group);

  // the friction cone, and a little more
  double scale = 0;
  for (int i = 0; i < rigid->problem.n; ++i) scale = max2(scale, fabs(rigid->problem.x[i]));
  double bound = group->mu_static * max2(track->f[0], 0) * (1 + MODE_CONE_SLACK) + FORCE_ROUNDING * scale;
  if (hfi_group_force(rigid, group) <= bound) return 0;

  // it slides along -f_t
  double d[2] = {0, 0};
  for (int k = 0; k < group->dim; ++k) d[k] = -track->f[group->first + k];
  set_direction(rigid, group, d);
  track->mode[group->kind] = HF_MODE_SLIDING;
  return 1;
}

// Lets a sliding group roll if its motion would turn back; otherwise turns its direction into the motion. Returns 1 if
// something changed.
static int reconsider_sliding(hfRigid* rigid, const hfiFrictionGroup* group, const hfiImpact* impact, int round) {
  // a motion against the direction d: roll
  double m[2] = {0, 0};
  double norm = find_motion(rigid, group, impact, m);
  double along = 0;
  for (int k = 0; k < group->dim; ++k) along += m[k] * group->d[k];
  if (along < -BACK_SHARE * (1 + norm)) {
    hfi_group_track(rigid, group)->mode[group->kind] = HF_MODE_ROLLING;
    return group->mu_static > 0;
  }

  // otherwise turn d into the motion
  if (group->dim == 1 || norm < LEAST_MOTION || round >= TURNING_ROUNDS) return 0;
  double turn = 0;
  for (int k = 0; k < group->dim; ++k) turn += sqr(m[k] / norm - group->d[k]);
  if (turn < sqr(LEAST_TURN)) return 0;
  set_direction(rigid, group, m);
  return 1;
}

// The active set: solves, and changes modes that the solution contradicts, until it contradicts none.
// HF_NO_SOLUTION: a set of modes has no forces. HF_NOT_CONVERGED: the set repeats.
static hfStatus seek_modes(hfRigid* rigid, const hfiImpact* impact) {
  for (int round = 0; round < MOST_ROUNDS; ++round) {
    int changes = 0;
    solve_level(rigid, impact);
    if (rigid->problem.lcp.status != HF_OK) return HF_NO_SOLUTION;

    for (int k = 0; k < rigid->ngroup; ++k) {
      const hfiFrictionGroup* group = &rigid->group[k];
      if (!hfi_group_track(rigid, group)->needs_mode[group->kind]) continue;

      if (group->mode == HF_MODE_ROLLING) changes += release_rolling(rigid, group);
      else changes += reconsider_sliding(rigid, group, impact, round);
    }
    if (!changes) return HF_OK;
  }
  return HF_NOT_CONVERGED;
}

// ---- friction polygons --------------------------------------------------------------------------------

// Assembles the problem of the final modes, and sets its solution x to the forces that the tracks hold.
static void store_final_problem(hfRigid* rigid) {
  hfRigidProblem* problem = &rigid->problem;
  hfi_rigid_assemble(rigid);

  // normal forces
  for (int i = 0; i < problem->ncontact; ++i) {
    int k = rigid->point[i].track;
    if (k >= 0) problem->x[problem->contact[i].row_n] = rigid->tracks.list[k].f[0];
  }

  // friction of rolling groups, along the directions of their rows
  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    if (group->mode != HF_MODE_ROLLING) continue;

    const double* f = hfi_group_track(rigid, group)->f + group->first;
    for (int d = 0; d < group->nrow; ++d) {
      double along_second = group->dim > 1 ? group->t[d][1] * f[1] : 0;
      problem->x[group->row + d] = group->t[d][0] * f[0] + along_second;
    }
  }
}

// Finds the modes of all groups that need one at once, by the problem with friction polygons. Results as solve_level.
static hfStatus solve_polygons(hfRigid* rigid, const hfiImpact* impact) {
  // all of these groups roll in the problem; those that slide in its solution are set to slide
  for (int k = 0; k < rigid->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    hfiTrack* track = hfi_group_track(rigid, group);
    if (track->needs_mode[group->kind]) track->mode[group->kind] = HF_MODE_ROLLING;
  }

  hfi_rigid_assemble(rigid);
  if (impact) {
    set_impact(rigid, impact);
    return hfi_rigid_solve_polygons(rigid, impact->v, rigid->v_after);
  }

  hfStatus status = hfi_rigid_solve_polygons(rigid, rigid->rows.free, rigid->problem.vdot);
  if (status == HF_OK) store_final_problem(rigid);
  return status;
}

// Finds modes and forces by the active set, or else by friction polygons. In an impact the directions of sliding are
// those of the tracks, because the search turns them itself.
hfStatus hfi_rigid_find_modes(hfRigid* rigid, const hfiImpact* impact) {
  int follow = rigid->follows_slip;
  rigid->follows_slip = impact ? 0 : follow;

  hfStatus status = seek_modes(rigid, impact);
  if (status) status = solve_polygons(rigid, impact);

  rigid->follows_slip = follow;
  return status;
}
