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
static const double* contact_row(const hfRigid* r, int contact, int k) {
  return r->accel_problem->J + (size_t)(r->point[contact].row + k) * (size_t)r->model->nv;
}

const hfAccelProblem* hfi_rigid_look(hfRigid* r, double t, const double* q, const double* v, const double* act) {
  const hfAccelProblem* p = hf_accel_problem(r->accel, t, q, v, act);
  r->accel_problem = p;
  if (!p) return NULL;

  r->problem.nv = p->nv;
  r->problem.ncontact = p->ncontact;
  for (int i = 0; i < p->ncontact; ++i) {
    hfiPoint* point = &r->point[i];
    point->dim = p->contact[i].dim;
    point->row = p->contact[i].row;
    for (int k = 0; k < point->dim; ++k) point->s[k] = hfi_dot(contact_row(r, i, k), v, p->nv);
  }
  hfi_rigid_match(r);

  memcpy(r->rows.free, p->tau, (size_t)p->nv * sizeof *r->rows.free);
  hfi_accel_finish(r->accel, r->rows.free);
  return p;
}

// ---- friction groups ------------------------------------------------------------------------------------------

// Lets the direction of sliding follow the present slip. If the slip is too slow or has turned back, the old direction
// stays, so that forces are smooth up to the moment when the slip stopped.
static void follow_slip(const hfRigid* r, const hfiPoint* point, hfiFrictionGroup* u) {
  const double* s = point->s + u->first;
  double speed2 = 0;
  double along = 0;
  for (int k = 0; k < u->dim; ++k) {
    speed2 += sqr(s[k]);
    along += s[k] * u->d[k];
  }

  double speed = sqrt(speed2);
  if (!(speed > r->config.stick_speed && along > 0)) return;
  for (int k = 0; k < u->dim; ++k) u->d[k] = s[k] / speed;
}

// Appends the friction groups of contact i, with the modes and directions of its track.
static void add_groups(hfRigid* r, int i, const hfiTrack* track) {
  hfiPoint* point = &r->point[i];
  const hfiContact* c = hfi_point_contact(r, i);
  point->first_group = r->ngroup;
  point->ngroup = hfi_group_count(point->dim);

  for (int g = 0; g < point->ngroup; ++g) {
    hfiFrictionGroup u = {.contact = i,
                          .group = g,
                          .first = hfi_group_first(g),
                          .dim = hfi_group_dim(g),
                          .mode = track->mode[g],
                          .mu_static = c->material.mu[g],
                          .row = -1};
    u.mu = u.mode == HF_MODE_SLIDING && g == HF_SLIDING ? c->material.mu_dynamic : u.mu_static;
    if (u.mu_static == 0 && u.mu == 0) u.mode = HF_MODE_SLIDING; // A group without friction cannot roll.
    for (int k = 0; k < u.dim; ++k) u.d[k] = v3_dot(track->d_W[g], hfi_contact_axis(c, u.first + k));
    if (r->follow) follow_slip(r, point, &u);
    r->group[r->ngroup++] = u;
  }
}

// Whether some group of a contact rolls.
static int rolls(const hfRigid* r, const hfiPoint* point) {
  for (int u = point->first_group; u < point->first_group + point->ngroup; ++u)
    if (r->group[u].mode == HF_MODE_ROLLING) return 1;
  return 0;
}

// The largest number of rows of A that a contact can need.
static int count_rows(const hfRigid* r, const hfiPoint* point) {
  int rows = 1;
  for (int u = point->first_group; u < point->first_group + point->ngroup; ++u)
    rows += r->group[u].mode == HF_MODE_ROLLING ? r->group[u].dim : 0;
  return rows;
}

// Collects the closed contacts for which A has room, and their friction groups. A contact for which there is no room
// stays open.
static void gather_groups(hfRigid* r) {
  int rows = 0;
  r->ngroup = 0;
  r->dropped = 0;
  for (int i = 0; i < r->problem.ncontact; ++i) {
    hfiPoint* point = &r->point[i];
    const hfiTrack* track = point->match >= 0 ? hfi_point_track(r, i) : NULL;
    point->track = track && track->closed ? point->match : -1;
    point->first_group = r->ngroup;
    point->ngroup = 0;
    if (point->track < 0) continue;

    add_groups(r, i, track);
    int more = count_rows(r, point);
    if (rows + more <= r->max_rows) {
      rows += more;
      continue;
    }
    r->ngroup = point->first_group;
    point->ngroup = 0;
    point->track = -1;
    ++r->dropped;
  }
}

// ---- rows -------------------------------------------------------------------------------------------

// Jdot v of row k of a contact. It is not finite if a small motion ends the contact. Then only the stabilisation holds
// its rows.
static double rate_of_row(const hfRigid* r, int contact, int k) {
  double rate = r->accel_problem->Jdot_v[r->point[contact].row + k];
  return isfinite(rate) ? rate : 0;
}

// Appends a row to the problem: row_i, response = S col_i, and b_i = b + row_i . vdot_free. k and c are the stiffness
// and damping of the layer along it, which the certificate needs.
static void append_row(hfRigid* r, const double* row, const double* response, double b, double k, double c,
                       int rolling) {
  hfRigidProblem* p = &r->problem;
  int i = p->n++;
  size_t nv = (size_t)p->nv;
  memcpy(r->rows.row + (size_t)i * nv, row, nv * sizeof *row);
  memcpy(r->rows.response + (size_t)i * nv, response, nv * sizeof *row);
  p->b[i] = b + hfi_dot(row, r->rows.free, p->nv);
  p->rolling[i] = rolling;
  p->k[i] = k;
  p->c[i] = c;
  r->rows.lo[i] = rolling ? -INFINITY : 0;
  r->rows.hi[i] = INFINITY;
}

// 2/T of the stabilisation [1/s].
static double damping_rate(const hfRigid* r) {
  return r->config.stabilisation > 0 ? 2 / r->config.stabilisation : 0;
}

// Appends the normal row of a contact, with the friction of its sliding groups in the column.
static void append_normal(hfRigid* r, int contact) {
  hfRigidContact* c = &r->problem.contact[contact];
  const hfiPoint* point = &r->point[contact];
  const int nv = r->problem.nv;

  // col = J_n^T - sum of mu J_g^T d
  double* column = r->rows.column;
  memcpy(column, contact_row(r, contact, 0), (size_t)nv * sizeof *column);
  for (int k = point->first_group; k < point->first_group + point->ngroup; ++k) {
    const hfiFrictionGroup* u = &r->group[k];
    if (u->mode != HF_MODE_SLIDING) continue;
    for (int j = 0; j < u->dim; ++j) hfi_axpy(column, -u->mu * u->d[j], contact_row(r, contact, u->first + j), nv);
  }
  hfi_accel_solve(r->accel, column, r->rows.zero);

  double T = r->config.stabilisation;
  double held = r->tracks.list[point->track].held;
  double b = rate_of_row(r, contact, 0) + damping_rate(r) * point->s[0] + (T > 0 ? (c->gap - held) / (T * T) : 0);
  c->row_n = r->problem.n;
  append_row(r, contact_row(r, contact, 0), column, b, c->k, c->c, 0);
}

// Appends the normal rows of the closed contacts that roll in some group, or of those that do not. Returns their
// number.
static int append_normals(hfRigid* r, int rolling) {
  int before = r->problem.n;
  for (int i = 0; i < r->problem.ncontact; ++i)
    if (r->point[i].track >= 0 && rolls(r, &r->point[i]) == rolling) append_normal(r, i);
  return r->problem.n - before;
}

// Eigenvalues and unit eigenvectors t of the symmetric matrix [a b; b c], the larger eigenvalue first.
static void find_eigenvectors(double a, double b, double c, double* value, double t[2][2]) {
  double half = 0.5 * (a - c);
  double root = sqrt(half * half + b * b);
  double mean = 0.5 * (a + c);
  value[0] = mean + root;
  value[1] = mean - root;

  double x = half >= 0 ? half + root : b;
  double y = half >= 0 ? b : root - half;
  double norm = sqrt(x * x + y * y);
  t[0][0] = norm > 0 ? x / norm : 1;
  t[0][1] = norm > 0 ? y / norm : 0;
  t[1][0] = -t[0][1];
  t[1][1] = t[0][0];
}

// Finds the directions u->t of a rolling group along which the bodies can move and returns their number. r->rows.pair
// then has the accelerations S J^T t of a unit force along each of them. normal: inverse mass along the contact's
// normal, which has the unit of the inverse masses of sliding, and of no other group.
static int find_directions(hfRigid* r, hfiFrictionGroup* u, double normal) {
  const int nv = r->problem.nv;
  double* y[2] = {r->rows.pair, r->rows.pair + nv};
  double diagonal[2] = {0, 0};
  for (int k = 0; k < u->dim; ++k) {
    const double* row = contact_row(r, u->contact, u->first + k);
    memcpy(y[k], row, (size_t)nv * sizeof *row);
    hfi_accel_solve(r->accel, y[k], r->rows.zero);
    diagonal[k] = hfi_dot(row, y[k], nv);
  }

  // a single row: there is no other direction to compare with, so it must not be zero
  const double* first = contact_row(r, u->contact, u->first);
  if (u->dim == 1) {
    u->t[0][0] = 1;
    u->t[0][1] = 0;
    return diagonal[0] > 0 && hfi_dot(first, first, nv) > IMMOBILE_SHARE;
  }

  // two rows: the eigenvectors of their inverse mass
  double value[2] = {0, 0};
  find_eigenvectors(diagonal[0], hfi_dot(first, y[1], nv), diagonal[1], value, u->t);
  for (int k = 0; k < nv; ++k) {
    double y0 = y[0][k], y1 = y[1][k];
    y[0][k] = u->t[0][0] * y0 + u->t[0][1] * y1;
    y[1][k] = u->t[1][0] * y0 + u->t[1][1] * y1;
  }
  double least = IMMOBILE_SHARE * (value[0] + (u->group == HF_SLIDING ? normal : 0));
  return (value[0] > least) + (value[1] > least && value[0] > least);
}

// Appends a row for each direction in which a rolling group can move.
static void append_rolling(hfRigid* r, hfiFrictionGroup* u) {
  const int nv = r->problem.nv;
  const hfRigidContact* c = &r->problem.contact[u->contact];
  const hfiPoint* point = &r->point[u->contact];
  double* column = r->rows.column;
  double lever2 = hfi_group_lever2(hfi_point_contact(r, u->contact), u->group);

  // inverse mass along the normal
  const double* normal_row = contact_row(r, u->contact, 0);
  memcpy(column, normal_row, (size_t)nv * sizeof *column);
  hfi_accel_solve(r->accel, column, r->rows.zero);
  double normal = hfi_dot(normal_row, column, nv);

  u->row = r->problem.n;
  u->nrow = find_directions(r, u, normal);
  for (int d = 0; d < u->nrow; ++d) {
    double b = 0;
    memset(column, 0, (size_t)nv * sizeof *column);
    for (int k = 0; k < u->dim; ++k) {
      int row = u->first + k;
      hfi_axpy(column, u->t[d][k], contact_row(r, u->contact, row), nv);
      b += u->t[d][k] * (rate_of_row(r, u->contact, row) + damping_rate(r) * point->s[row]);
    }
    append_row(r, column, r->rows.pair + d * nv, b, lever2 * c->kt, lever2 * c->ct, 1);
  }
}

// ---- the public problem -------------------------------------------------------------------------------

// Fills contact i of the public problem, except mode, rows and forces.
static void fill_contact(hfRigid* r, int i) {
  static const double none[6] = {0};
  const hfAccelContact* c = &r->accel_problem->contact[i];
  const hfiPoint* point = &r->point[i];
  hfRigidContact* out = &r->problem.contact[i];
  memset(out, 0, sizeof *out);
  out->geom_a = c->geom_a;
  out->geom_b = c->geom_b;
  out->body_a = c->body_a;
  out->body_b = c->body_b;
  out->feature = c->feature;
  out->row_n = -1;
  out->row_t = -1;

  // geometry and motion
  out->p_W = c->p_W;
  out->n_W = c->n_W;
  out->t_W[0] = c->t1_W;
  out->t_W[1] = c->t2_W;
  out->gap = hfi_point_gap(r, i);
  out->vn = point->s[0];
  if (point->dim >= 3) {
    out->vt_W = v3_add(v3_scale(point->s[1], c->t1_W), v3_scale(point->s[2], c->t2_W));
    out->mu = hfi_point_contact(r, i)->material.mu[0];
  }

  // the layer
  hfiLayer layer = hfi_layer_linearised(r, i, point->match >= 0 ? hfi_point_track(r, i)->f : none);
  out->k = layer.k;
  out->c = layer.c;
  out->kt = layer.kt;
  out->ct = layer.ct;
}

// Called when A has its rows. Fills the mode of contact i in the public problem, turns its tangents t_W to the
// directions of its friction rows (rolling) or along and across the slip (sliding), and fills its Jacobian: W_N, and
// W_T along t_W.
static void fill_mode(hfRigid* r, int i) {
  const int nv = r->problem.nv;
  hfRigidContact* c = &r->problem.contact[i];
  const hfiPoint* point = &r->point[i];
  double t[2][2] = {{1, 0}, {0, 1}}; // directions of the tangents, in components along t1, t2
  int count = point->dim >= 3 ? 2 : 0;

  // mode and directions
  const hfiFrictionGroup* u = point->track >= 0 && point->ngroup ? &r->group[point->first_group] : NULL;
  if (u) {
    c->mode = u->mode;
    c->mu = u->mu;
  } else if (point->track >= 0) {
    c->mode = HF_MODE_SLIDING;
  }
  if (u && u->mode == HF_MODE_SLIDING) {
    memcpy(t[0], u->d, sizeof t[0]);
    t[1][0] = -u->d[1];
    t[1][1] = u->d[0];
  } else if (u) {
    memcpy(t, u->t, sizeof t);
    c->nt = u->nrow;
    c->row_t = u->row;
    count = u->nrow;
  }

  // Jacobian
  double* W_T = r->problem.W_T + (size_t)(2 * i) * (size_t)nv;
  hfVec3 t1 = c->t_W[0];
  hfVec3 t2 = c->t_W[1];
  memcpy(r->problem.W_N + (size_t)i * (size_t)nv, contact_row(r, i, 0), (size_t)nv * sizeof *W_T);
  memset(W_T, 0, 2 * (size_t)nv * sizeof *W_T);
  for (int d = 0; d < 2 && point->dim >= 3; ++d) {
    c->t_W[d] = v3_add(v3_scale(t[d][0], t1), v3_scale(t[d][1], t2));
    for (int k = 0; d < count && k < 2; ++k) hfi_axpy(W_T + d * nv, t[d][k], contact_row(r, i, 1 + k), nv);
  }
}

void hfi_rigid_assemble(hfRigid* r) {
  hfRigidProblem* p = &r->problem;
  const size_t nv = (size_t)p->nv;
  p->n = 0;
  gather_groups(r);
  for (int i = 0; i < p->ncontact; ++i) fill_contact(r, i);

  // rows in the paper's order
  p->nR = append_normals(r, 1);
  for (int u = 0; u < r->ngroup; ++u)
    if (r->group[u].mode == HF_MODE_ROLLING) append_rolling(r, &r->group[u]);
  p->nS = append_normals(r, 0);

  // A_ij = row_i . response_j
  for (int i = 0; i < p->n; ++i)
    for (int j = 0; j < p->n; ++j)
      p->A[i * p->n + j] = hfi_dot(r->rows.row + (size_t)i * nv, r->rows.response + (size_t)j * nv, p->nv);
  for (int i = 0; i < p->ncontact; ++i) fill_mode(r, i);
}
