// R, the energy that violated limits and equalities may give while they close at the release speed u (energy.c):
//
//   a joint beyond its limit               sum of M_ii u^2/2 over its dofs
//   two points that are held together and
//   apart by more than WIDE_GAP            m u^2/2: their rows aim at no more (step/actuation/equality_rows.c)
//   another group of up to three rows      (m + 3 sum M_ii) u^2/2, which is at least u^2/(2 w)
//   a soft equality                        GROUPS_OF_SPRING such groups: it is a spring whose energy is not known here
//   a tendon beyond its range              one such group
//
//   m  mass of the world    M  mass matrix    w  mean inverse mass of the rows
#include "sim/energy.h"

static const double CLOSED_ERROR = 1e-3; // An equality counts as closed up to this error [m or rad].
// The mass of the trees bounds the release of points that are further apart than this [m].
static const double WIDE_GAP = 0.02;
enum { GROUPS_OF_SPRING = 12 };          // A group of rows of a soft equality counts as this many groups.

// Is joint j, which has limits, beyond one of them?
static int joint_is_beyond(const hfModel* m, int j, const double* q) {
  hfiJointLimit limit[HFI_MAX_JOINT_LIMITS];
  int count = hfi_joint_limits(m, j, q + hf_model_jnt_qposadr(m)[j], limit);
  for (int k = 0; k < count; ++k)
    if (limit[k].phi < 0) return 1;
  return 0;
}

// Sum of M_ii over the dofs of joints that are beyond a limit.
static double mass_beyond_limits(const hfDynamics* d, const double* q) {
  const hfModel* m = d->model;
  double sum = 0;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hf_model_jnt_limited(m)[j] || !joint_is_beyond(m, j, q)) continue;
    int first = hf_model_jnt_dofadr(m)[j];
    int end = first + hfi_joint_nv(hf_model_jnt_type(m)[j]);
    for (int i = first; i < end; ++i) sum += hfi_diagonal_mass(d, i);
  }
  return sum;
}

static int tendon_is_beyond(const hfSim* s, int t) {
  const double length = s->world->actuation.tendons.length[t];
  const double* range = hf_model_tendon_range(s->model) + 2 * t;
  return hf_model_tendon_limited(s->model)[t] && (length < range[0] || length > range[1]);
}

// How many groups of rows of equalities and tendons may give energy.
typedef struct OpenGroups {
  int points;  // points that are apart by more than WIDE_GAP
  int others;  // other groups of rigid equalities
  int springs; // groups that soft equalities count as, and those of tendons
} OpenGroups;

// Is equality i a spring? The option rigid_equalities makes all of them rigid.
static int is_soft(const hfSim* s, int i) {
  if (s->config.rigid_equalities) return 0;
  return hf_model_eq_solref(s->model)[2 * i] != 0 || s->config.mujoco_softness;
}

// Adds the groups of equality i where it is open. A weld has six rows, which are two groups.
static void add_open_groups(const hfSim* s, int i, const double* q, OpenGroups* open) {
  hfiEquality e = hfi_equality_evaluate(&s->world->actuation, &s->world->dynamics, i, q);
  int groups = e.dim == 6 ? 2 : 1;
  double error = 0;
  for (int k = 0; k < e.dim; ++k) error = max2(error, fabs(e.r[k]));
  if (!(error > CLOSED_ERROR)) return;

  if (is_soft(s, i)) {
    open->springs += GROUPS_OF_SPRING * groups;
    return;
  }
  int points = e.dim > 1 && v3_norm(v3_load(e.r)) > WIDE_GAP;
  open->points += points;
  open->others += groups - points;
}

// Returns R at coordinates q (nq) [J]. Computes the mass matrix of the world.
double hfi_release_energy(hfSim* s, const double* q) {
  hfDynamics* d = &s->world->dynamics;
  OpenGroups open = {0, 0, 0};
  for (int i = 0; i < s->model->neq; ++i) add_open_groups(s, i, q, &open);
  for (int t = 0; t < s->model->ntendon; ++t) open.springs += tendon_is_beyond(s, t);

  // m, and m + 3 sum M_ii
  double mass = hf_model_body_subtreemass(s->model)[0];
  double group_mass = mass;
  hf_dynamics_update_mass_matrix(d);
  for (int i = 0; open.others + open.springs && i < s->model->nv; ++i) group_mass += 3 * hfi_diagonal_mass(d, i);

  double half_u2 = 0.5 * sqr(s->model->world.release_speed);
  double rigid = half_u2 * (open.points * mass + open.others * group_mass);
  if (s->method->energy.closing) rigid = min2(rigid, s->method->energy.closing(s->run));
  return rigid + half_u2 * (mass_beyond_limits(d, q) + open.springs * group_mass);
}
