// The rigid problem, grasp-switching Eq. (12), for any split of the closed contacts into rolling and
// sliding ones. Step by step:
//
// 1. The unknowns x are contact forces: the normal force of every closed contact, and the friction of every group that
//    rolls. Friction of a group that slides is no unknown, because it is -mu times the normal force along the slip d.
// 2. A force x_j accelerates the bodies by S col_j x_j, where col_j is the direction of that force in generalised
//    coordinates and S maps a force f to M^-1 f with the equalities eliminated (methods/continuous/accel_equality.c):
//      normal force     col = J_n^T - sum over the sliding groups g of the contact of mu_g J_g^T d_g
//      rolling friction col = J_g^T t, with t a unit vector in the 1 or 2 rows of the group
// 3. The results y are accelerations along rows: y_i = row_i . vdot + rowdot_i . v, with row = J_n or t^T J_g. Together
//      y = A x + b,  A_ij = row_i . S col_j,  b_i = row_i . vdot_free + rowdot_i . v + stabilisation
// 4. A contact does not accelerate into itself and does not pull: y_n >= 0, x_n >= 0, x_n y_n = 0. A group that rolls
//    keeps its zero slip: y = 0. This linear complementarity problem is what solution.c solves.
// 5. Errors of integration are drawn to zero in the time T: 2/T v_n + (gap - held)/T^2 is added to b of a normal row,
//    and 2/T v_t to b of a rolling row.
//
// A rolling group of two rows is turned to the eigenvectors of its 2 x 2 inverse mass J_g S J_g^T. A direction in which
// the bodies cannot move gets no row: in a planar mechanism that is the tangent out of the plane.
//
// The rows come in the paper's order: normals of rolling contacts, rolling rows, normals of sliding contacts.
#include "methods/switching/rigid.h"

#include "linalg/dense.h"

#include <string.h>

// A direction of a friction group counts as unable to move if its inverse mass is below this share of those of the
// group and of the normal [-].
static const double IMMOBILE_SHARE = 1e-10;

// ---- the point --------------------------------------------------------------------------------------

// Row k of a contact's Jacobian (nv).
static const double* contact_row(const hfRigid* rigid, int contact, int k) {
  return rigid->accel_problem->J + (size_t)(rigid->point[contact].row + k) * (size_t)rigid->model->nv;
}

// Brings the world to a point. Writes accel_problem, the row velocities and tracks of rigid->point, and rows.free =
// vdot_free. Returns the acceleration problem, or NULL if the mass matrix is singular.
const hfAccelProblem* hfi_rigid_update_point(hfRigid* rigid, double t, const double* q, const double* v,
                                             const double* act) {
  const hfAccelProblem* problem = hf_accel_problem(rigid->accel, t, q, v, act);
  rigid->accel_problem = problem;
  if (!problem) return NULL;

  // contacts and their row velocities
  rigid->problem.nv = problem->nv;
  rigid->problem.ncontact = problem->ncontact;
  for (int i = 0; i < problem->ncontact; ++i) {
    hfiPoint* point = &rigid->point[i];
    point->dim = problem->contact[i].dim;
    point->row = problem->contact[i].row;
    for (int k = 0; k < point->dim; ++k) point->s[k] = hfi_dot(contact_row(rigid, i, k), v, problem->nv);
  }
  hfi_rigid_match_tracks(rigid);

  // accelerations without contact forces
  memcpy(rigid->rows.free, problem->tau, (size_t)problem->nv * sizeof *rigid->rows.free);
  hfi_accel_find_vdot(rigid->accel, rigid->rows.free);
  return problem;
}

// ---- friction groups ------------------------------------------------------------------------------------------

// Lets the direction of sliding follow the present slip. If the slip is too slow or has turned back, the old direction
// stays, so that forces are smooth up to the moment when the slip stopped.
static void follow_slip(const hfRigid* rigid, const hfiPoint* point, hfiFrictionGroup* group) {
  const double* s = point->s + group->first;
  double speed2 = 0;
  double along = 0;
  for (int k = 0; k < group->dim; ++k) {
    speed2 += sqr(s[k]);
    along += s[k] * group->d[k];
  }

  double speed = sqrt(speed2);
  if (!(speed > rigid->config.stick_speed && along > 0)) return;
  for (int k = 0; k < group->dim; ++k) group->d[k] = s[k] / speed;
}

// Appends the friction groups of contact i to rigid->group, with the modes and directions of its track.
static void add_groups(hfRigid* rigid, int i, const hfiTrack* track) {
  hfiPoint* point = &rigid->point[i];
  const hfiContact* contact = hfi_point_contact(rigid, i);

  point->first_group = rigid->ngroup;
  point->ngroup = hfi_group_count(point->dim);

  for (int g = 0; g < point->ngroup; ++g) {
    hfiFrictionGroup group = {
        .contact = i,
        .kind = g,
        .first = hfi_group_first(g),
        .dim = hfi_group_dim(g),
        .mode = track->mode[g],
        .mu_static = contact->material.mu[g],
        .row = -1,
    };

    // coefficient of the mode; a group without friction cannot roll
    group.mu = group.mode == HF_MODE_SLIDING && g == HF_SLIDING ? contact->material.mu_dynamic : group.mu_static;
    if (group.mu_static == 0 && group.mu == 0) group.mode = HF_MODE_SLIDING;

    // direction of sliding
    for (int k = 0; k < group.dim; ++k) group.d[k] = v3_dot(track->d_W[g], hfi_contact_axis(contact, group.first + k));
    if (rigid->follows_slip) follow_slip(rigid, point, &group);

    rigid->group[rigid->ngroup++] = group;
  }
}

// Whether some group of a contact rolls.
static int has_rolling_group(const hfRigid* rigid, const hfiPoint* point) {
  for (int u = point->first_group; u < point->first_group + point->ngroup; ++u)
    if (rigid->group[u].mode == HF_MODE_ROLLING) return 1;
  return 0;
}

// The largest number of rows of A that a contact can need.
static int count_rows(const hfRigid* rigid, const hfiPoint* point) {
  int rows = 1;
  for (int u = point->first_group; u < point->first_group + point->ngroup; ++u)
    rows += rigid->group[u].mode == HF_MODE_ROLLING ? rigid->group[u].dim : 0;
  return rows;
}

// Collects the closed contacts for which A has room, and their friction groups. Writes track, first_group and ngroup of
// each point; track is -1 if the contact is not collected. A contact for which there is no room is counted in
// rigid->dropped.
static void gather_groups(hfRigid* rigid) {
  int rows = 0;
  rigid->ngroup = 0;
  rigid->dropped = 0;

  for (int i = 0; i < rigid->problem.ncontact; ++i) {
    hfiPoint* point = &rigid->point[i];
    const hfiTrack* track = point->match >= 0 ? hfi_point_track(rigid, i) : NULL;
    point->track = track && track->closed ? point->match : -1;
    point->first_group = rigid->ngroup;
    point->ngroup = 0;
    if (point->track < 0) continue;

    // the contact counts if its rows fit
    add_groups(rigid, i, track);
    int more = count_rows(rigid, point);
    if (rows + more <= rigid->max_rows) {
      rows += more;
      continue;
    }

    rigid->ngroup = point->first_group;
    point->ngroup = 0;
    point->track = -1;
    ++rigid->dropped;
  }
}

// ---- rows -------------------------------------------------------------------------------------------

// Jdot v of row k of a contact. It is not finite if a small motion ends the contact. Then only the stabilisation holds
// its rows.
static double rate_of_row(const hfRigid* rigid, int contact, int k) {
  double rate = rigid->accel_problem->Jdot_v[rigid->point[contact].row + k];
  return isfinite(rate) ? rate : 0;
}

// Appends a row to the problem: row_i, response = S col_i, and b_i = b + row_i . vdot_free. k and c are the stiffness
// and damping of the layer along it, which the certificate needs.
static void append_row(hfRigid* rigid, const double* row, const double* response, double b, double k, double c,
                       int rolling) {
  hfRigidProblem* problem = &rigid->problem;
  int i = problem->n++;
  size_t nv = (size_t)problem->nv;

  memcpy(rigid->rows.row + (size_t)i * nv, row, nv * sizeof *row);
  memcpy(rigid->rows.response + (size_t)i * nv, response, nv * sizeof *row);
  problem->b[i] = b + hfi_dot(row, rigid->rows.free, problem->nv);
  problem->rolling[i] = rolling;
  problem->k[i] = k;
  problem->c[i] = c;

  // the force of a rolling row has any sign, a contact does not pull
  rigid->rows.lo[i] = rolling ? -INFINITY : 0;
  rigid->rows.hi[i] = INFINITY;
}

// Damping rate of the stabilisation, 2/T [1/s]; 0 without stabilisation.
static double damping_rate(const hfRigid* rigid) {
  return rigid->config.stabilisation > 0 ? 2 / rigid->config.stabilisation : 0;
}

// Appends the normal row of contact i, with the friction of its sliding groups in the column.
static void append_normal(hfRigid* rigid, int i) {
  hfRigidContact* contact = &rigid->problem.contact[i];
  const double* normal_row = contact_row(rigid, i, 0);
  const hfiPoint* point = &rigid->point[i];
  const int nv = rigid->problem.nv;

  // col = J_n^T - sum of mu J_g^T d; then S col
  double* column = rigid->rows.column;
  memcpy(column, normal_row, (size_t)nv * sizeof *column);
  for (int k = point->first_group; k < point->first_group + point->ngroup; ++k) {
    const hfiFrictionGroup* group = &rigid->group[k];
    if (group->mode != HF_MODE_SLIDING) continue;

    for (int j = 0; j < group->dim; ++j)
      hfi_axpy(column, -group->mu * group->d[j], contact_row(rigid, i, group->first + j), nv);
  }
  hfi_accel_solve(rigid->accel, column, rigid->rows.zero);

  // b without row . vdot_free, which append_row adds; k and c: of the layer along the normal; 0: a normal row
  double T = rigid->config.stabilisation;
  double held = rigid->tracks.list[point->track].held;
  double pull = T > 0 ? (contact->gap - held) / (T * T) : 0;
  double b = rate_of_row(rigid, i, 0) + damping_rate(rigid) * point->s[0] + pull;
  contact->row_n = rigid->problem.n;
  append_row(rigid, normal_row, column, b, contact->k, contact->c, 0);
}

// Appends the normal rows of the closed contacts that roll in some group, or of those that do not. Returns their
// number.
static int append_normals(hfRigid* rigid, int rolling) {
  int before = rigid->problem.n;
  for (int i = 0; i < rigid->problem.ncontact; ++i)
    if (rigid->point[i].track >= 0 && has_rolling_group(rigid, &rigid->point[i]) == rolling) append_normal(rigid, i);
  return rigid->problem.n - before;
}

// Eigenvalues and unit eigenvectors t of the symmetric matrix [a b; b c], the larger eigenvalue first.
static void find_eigenvectors(double a, double b, double c, double* value, double t[2][2]) {
  double half = 0.5 * (a - c);
  double root = sqrt(half * half + b * b);
  double mean = 0.5 * (a + c);
  value[0] = mean + root;
  value[1] = mean - root;

  // of the two forms of the first eigenvector, the one without cancellation
  double x = half >= 0 ? half + root : b;
  double y = half >= 0 ? b : root - half;
  double norm = sqrt(x * x + y * y);

  t[0][0] = norm > 0 ? x / norm : 1;
  t[0][1] = norm > 0 ? y / norm : 0;
  t[1][0] = -t[0][1];
  t[1][1] = t[0][0];
}

// Finds the directions group->t of a rolling group along which the bodies can move and returns their number: 0, 1 or 2.
// rigid->rows.pair then has the accelerations S J^T t of a unit force along each of them. `normal` is the inverse mass
// along the contact's normal [1/kg], which has the unit of the inverse masses of sliding, but of no other group.
static int find_directions(hfRigid* rigid, hfiFrictionGroup* group, double normal) {
  const int nv = rigid->problem.nv;
  double* y[2] = {rigid->rows.pair, rigid->rows.pair + nv};
  double diagonal[2] = {0, 0};

  // inverse masses along the group's rows
  for (int k = 0; k < group->dim; ++k) {
    const double* row = contact_row(rigid, group->contact, group->first + k);
    memcpy(y[k], row, (size_t)nv * sizeof *row);
    hfi_accel_solve(rigid->accel, y[k], rigid->rows.zero);
    diagonal[k] = hfi_dot(row, y[k], nv);
  }

  // a single row: there is no other direction to compare with, so it must not be zero
  const double* first = contact_row(rigid, group->contact, group->first);
  if (group->dim == 1) {
    group->t[0][0] = 1;
    group->t[0][1] = 0;
    return diagonal[0] > 0 && hfi_dot(first, first, nv) > IMMOBILE_SHARE;
  }

  // two rows: the eigenvectors of their inverse mass
  double value[2] = {0, 0};
  find_eigenvectors(diagonal[0], hfi_dot(first, y[1], nv), diagonal[1], value, group->t);
  for (int k = 0; k < nv; ++k) {
    double y0 = y[0][k];
    double y1 = y[1][k];
    y[0][k] = group->t[0][0] * y0 + group->t[0][1] * y1;
    y[1][k] = group->t[1][0] * y0 + group->t[1][1] * y1;
  }

  // directions that cannot move do not count; value[0] is the larger one
  double least = IMMOBILE_SHARE * (value[0] + (group->kind == HF_SLIDING ? normal : 0));
  return (value[0] > least) + (value[1] > least && value[0] > least);
}

// Appends a row for each direction in which a rolling group can move.
static void append_rolling(hfRigid* rigid, hfiFrictionGroup* group) {
  const int nv = rigid->problem.nv;
  const hfRigidContact* contact = &rigid->problem.contact[group->contact];
  const hfiPoint* point = &rigid->point[group->contact];
  double* column = rigid->rows.column;
  double lever2 = hfi_group_lever2(hfi_point_contact(rigid, group->contact), group->kind);

  // inverse mass along the normal
  const double* normal_row = contact_row(rigid, group->contact, 0);
  memcpy(column, normal_row, (size_t)nv * sizeof *column);
  hfi_accel_solve(rigid->accel, column, rigid->rows.zero);
  double normal = hfi_dot(normal_row, column, nv);

  // a row along each direction: J = t^T J_g
  group->row = rigid->problem.n;
  group->nrow = find_directions(rigid, group, normal);
  for (int d = 0; d < group->nrow; ++d) {
    double b = 0;
    memset(column, 0, (size_t)nv * sizeof *column);
    for (int k = 0; k < group->dim; ++k) {
      int row = group->first + k;
      hfi_axpy(column, group->t[d][k], contact_row(rigid, group->contact, row), nv);
      b += group->t[d][k] * (rate_of_row(rigid, group->contact, row) + damping_rate(rigid) * point->s[row]);
    }

    // stiffness and damping of torsion and rolling: r^2 times those of sliding, with the lever r; 1: a rolling row
    append_row(rigid, column, rigid->rows.pair + d * nv, b, lever2 * contact->kt, lever2 * contact->ct, 1);
  }
}

// ---- the public problem -------------------------------------------------------------------------------

// Fills contact i of the public problem, except mode, rows and forces.
static void fill_contact(hfRigid* rigid, int i) {
  static const double none[6] = {0};
  const hfAccelContact* contact = &rigid->accel_problem->contact[i];
  const hfiPoint* point = &rigid->point[i];
  hfRigidContact* out = &rigid->problem.contact[i];

  memset(out, 0, sizeof *out);
  out->geom_a = contact->geom_a;
  out->geom_b = contact->geom_b;
  out->body_a = contact->body_a;
  out->body_b = contact->body_b;
  out->feature = contact->feature;
  out->row_n = -1;
  out->row_t = -1;

  // geometry and motion
  out->p_W = contact->p_W;
  out->n_W = contact->n_W;
  out->t_W[0] = contact->t1_W;
  out->t_W[1] = contact->t2_W;
  out->gap = hfi_point_gap(rigid, i);
  out->vn = point->s[0];
  if (point->dim >= 3) {
    out->vt_W = v3_add(v3_scale(point->s[1], contact->t1_W), v3_scale(point->s[2], contact->t2_W));
    out->mu = hfi_point_contact(rigid, i)->material.mu[0];
  }

  // the layer: stiffness and damping at the last forces of its track
  hfiLayer layer = hfi_layer_linearised(rigid, i, point->match >= 0 ? hfi_point_track(rigid, i)->f : none);
  out->k = layer.k;
  out->c = layer.c;
  out->kt = layer.kt;
  out->ct = layer.ct;
}

// Called when A has its rows. Fills the mode of contact i in the public problem. Turns its tangents t_W to the
// directions of its friction rows (rolling), or along and across the slip (sliding). Fills its Jacobian: W_N, and W_T
// along t_W.
static void fill_mode(hfRigid* rigid, int i) {
  const int nv = rigid->problem.nv;
  hfRigidContact* contact = &rigid->problem.contact[i];
  const hfiPoint* point = &rigid->point[i];
  double t[2][2] = {{1, 0}, {0, 1}}; // directions of the tangents, in components along t1, t2
  int count = point->dim >= 3 ? 2 : 0;

  // mode; the first group of a closed contact is its sliding friction, and one without friction slides
  const hfiFrictionGroup* group = point->track >= 0 && point->ngroup ? &rigid->group[point->first_group] : NULL;
  if (group) {
    contact->mode = group->mode;
    contact->mu = group->mu;
  } else if (point->track >= 0) {
    contact->mode = HF_MODE_SLIDING;
  }

  // directions: along and across the slip, or those of the rows; count: how many get rows in W_T
  if (group && group->mode == HF_MODE_SLIDING) {
    memcpy(t[0], group->d, sizeof t[0]);
    t[1][0] = -group->d[1];
    t[1][1] = group->d[0];
  } else if (group) {
    memcpy(t, group->t, sizeof t);
    contact->nt = group->nrow;
    contact->row_t = group->row;
    count = group->nrow;
  }

  // Jacobian
  double* W_T = rigid->problem.W_T + (size_t)(2 * i) * (size_t)nv;
  hfVec3 t1 = contact->t_W[0];
  hfVec3 t2 = contact->t_W[1];
  memcpy(rigid->problem.W_N + (size_t)i * (size_t)nv, contact_row(rigid, i, 0), (size_t)nv * sizeof *W_T);
  memset(W_T, 0, 2 * (size_t)nv * sizeof *W_T);

  for (int d = 0; d < 2 && point->dim >= 3; ++d) {
    contact->t_W[d] = v3_add(v3_scale(t[d][0], t1), v3_scale(t[d][1], t2));
    for (int k = 0; d < count && k < 2; ++k) hfi_axpy(W_T + d * nv, t[d][k], contact_row(rigid, i, 1 + k), nv);
  }
}

// Fills the rigid problem from the modes of the tracks: contacts, rows, A and b. Its solution is not known yet.
void hfi_rigid_assemble(hfRigid* rigid) {
  hfRigidProblem* problem = &rigid->problem;
  const size_t nv = (size_t)problem->nv;
  problem->n = 0;
  gather_groups(rigid);

  for (int i = 0; i < problem->ncontact; ++i) fill_contact(rigid, i);

  // rows in the paper's order
  problem->nR = append_normals(rigid, 1);
  for (int u = 0; u < rigid->ngroup; ++u)
    if (rigid->group[u].mode == HF_MODE_ROLLING) append_rolling(rigid, &rigid->group[u]);
  problem->nS = append_normals(rigid, 0);

  // A_ij = row_i . response_j
  for (int i = 0; i < problem->n; ++i)
    for (int j = 0; j < problem->n; ++j)
      problem->A[i * problem->n + j] =
          hfi_dot(rigid->rows.row + (size_t)i * nv, rigid->rows.response + (size_t)j * nv, problem->nv);

  for (int i = 0; i < problem->ncontact; ++i) fill_mode(rigid, i);
}
