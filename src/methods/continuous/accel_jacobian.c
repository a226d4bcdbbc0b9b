// The analytic Jacobian J of the right-hand side xdot = (v, vdot, actdot), x = (q, v, act).
//
//   d vdot = (KKT)^-1 (dtau/dq dq + dtau/dv dv + dtau/dact dact)
//
//   tau  generalised forces (nv)       KKT  mass matrix with the equalities
//   m    moment row of an actuator     F_l, F_v, F_u  slopes of its force with length, velocity, activation
//   Jn, Jt  rows of a contact          s_n, s_t  its row velocities       fn, ft  its forces
//
// dtau collects springs, dampers, actuators, limits, friction losses and contacts:
//
//   actuator  df = F_l m dq + F_v m dv + F_u dact;  zero where it is at a limit of force
//   contact   dfn = n_v ds_n - n_x Jn dq
//             dft = (dft/dfn) dfn - G (ds_t + r dxi),  dxi = Jt dq,  r = k_t/c_t for anchored friction, else 0
//
// The changes of M, of the bias and of the directions of rows with the configuration are left out. Everything that is
// stiff is included, so that Newton's method still converges, by a factor of the order of h times the terms that are
// left out. accel_activation.c has the rows and columns of activations.
#include "methods/continuous/inside.h"

#include "linalg/dense.h"
#include "model/actuator.h"
#include "model/spring.h"
#include "step/law/law.h"

#include <string.h>

// D += scale J^T J for a sparse row J (n) of the dofs `dof`.
static void add_row(double* D, int nv, int n, const int32_t* dof, const double* J, double scale) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) D[dof[i] * nv + dof[k]] += scale * J[i] * J[k];
}

// ---- joints, tendons, actuators ---------------------------------------------------------------------

// The slope of a joint's spring; for a joint with several dofs only its linear part.
static double spring_slope(const hfAccel* a, int j) {
  const hfModel* m = a->model;
  int adr = hf_model_jnt_qposadr(m)[j];
  double k = hf_model_jnt_stiffness(m)[j];
  if (!hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) return k;
  double stretch = a->world->q[adr] - hfi_rest_positions(a->dynamics)[adr];
  return hfi_polynomial_slope(k, hf_model_jnt_stiffness_poly(m) + 2 * j, stretch);
}

static void add_joints(hfAccel* a) {
  const hfModel* m = a->model;
  for (int i = 0; i < m->nv; ++i) {
    int diagonal = i * m->nv + i;
    if (!m->world.disable_damper) {
      const double* poly = hf_model_dof_damping_poly(m) + 2 * i;
      a->slopes.dtau_dv[diagonal] -= hfi_polynomial_slope(hf_model_dof_damping(m)[i], poly, fabs(a->dynamics->v[i]));
    }
    if (!m->world.disable_spring) a->slopes.dtau_dq[diagonal] -= spring_slope(a, hf_model_dof_jnt(m)[i]);
  }
}

// Adds the springs of joints that bend.
static void add_bends(hfAccel* a) {
  const hfModel* m = a->model;
  if (!a->actuation->passive.bends || m->world.disable_spring) return;
  for (int j = 0; j < m->njnt; ++j) {
    if (!hfi_joint_bends(m, j)) continue;
    hfQuat turn;
    int dof = hf_model_jnt_dofadr(m)[j];
    hfi_bend_of(m, j, a->world->q + hf_model_jnt_qposadr(m)[j], &turn);
    hfMat3 K = hfi_bend_stiffness(m, j, turn);
    for (int i = 0; i < 9; ++i) a->slopes.dtau_dq[(dof + i / 3) * m->nv + dof + i % 3] -= K.m[i];
  }
}

static void add_tendons(hfAccel* a) {
  const hfModel* m = a->model;
  const hfActuation* u = a->actuation;
  for (int t = 0; t < m->ntendon; ++t) {
    int start = u->tendons.start[t];
    int n = u->tendons.start[t + 1] - start;
    const int32_t* dof = u->tendons.dof + start;
    const double* J = u->tendons.J + start;

    // a tendon has no spring force between its two rest lengths
    const double* rest = hfi_rest_lengths(a->dynamics, t);
    double length = u->tendons.length[t];
    double stretch = length - clamp(length, rest[0], rest[1]);
    double k = hfi_polynomial_slope(hf_model_tendon_stiffness(m)[t], hf_model_tendon_stiffness_poly(m) + 2 * t,
                                    stretch);
    int stretched = length < rest[0] || length > rest[1] || rest[0] == rest[1];
    double speed = fabs(u->tendons.velocity[t]);
    double c = hfi_polynomial_slope(hf_model_tendon_damping(m)[t], hf_model_tendon_damping_poly(m) + 2 * t, speed);
    if (!m->world.disable_damper) add_row(a->slopes.dtau_dv, m->nv, n, dof, J, -c);
    if (!m->world.disable_spring && stretched) add_row(a->slopes.dtau_dq, m->nv, n, dof, J, -k);
  }
}

static void add_actuators(hfAccel* a) {
  const hfModel* m = a->model;
  const hfActuation* u = a->actuation;
  for (int i = 0; i < m->nu; ++i) {
    if (!hfi_accel_actuator_is_free(a, i)) continue;
    int start = u->moments.start[i];
    int n = u->moments.start[i + 1] - start;
    hfiAffine f = hfi_is_motor(m, i) ? hfi_motor_slopes(u, i).force : hfi_affine_force(u, i);
    add_row(a->slopes.dtau_dq, m->nv, n, u->moments.dof + start, u->moments.entry + start, f.length);
    add_row(a->slopes.dtau_dv, m->nv, n, u->moments.dof + start, u->moments.entry + start, f.velocity);
  }
}

static void add_stops(hfAccel* a) {
  for (int i = 0; i < a->stops.count; ++i) {
    const hfiStop* stop = &a->stops.list[i];
    const double* J = hfi_stop_row(stop);
    add_row(a->slopes.dtau_dv, a->model->nv, stop->n, stop->dof, J, stop->df_ds);
    add_row(a->slopes.dtau_dq, a->model->nv, stop->n, stop->dof, J, stop->df_dx);
  }
}

// ---- contacts ---------------------------------------------------------------------------------------

// Entry (i, k) of G, the derivative of friction; rows are counted from t1.
static double friction_slope(const hfiAccelContact* c, int i, int k) {
  static const int place[5][5] = {
      {0, 1, -1, -1, -1}, {1, 2, -1, -1, -1}, {-1, -1, 3, -1, -1}, {-1, -1, -1, 4, 5}, {-1, -1, -1, 5, 6}};
  return place[i][k] < 0 ? 0 : c->gtt[place[i][k]];
}

// Computes the derivatives of the forces of a contact with its row velocities, Dv, and with displacements along its
// rows, Dx.
static void find_force_slopes(const hfiAccelContact* c, double Dv[6][6], double Dx[6][6]) {
  memset(Dv, 0, 36 * sizeof(double));
  memset(Dx, 0, 36 * sizeof(double));
  Dv[0][0] = c->dn_dv;
  Dx[0][0] = -c->dn_dx;

  for (int i = 1; i < c->dim; ++i) {
    int g = hfi_row_group(i);
    double ratio = c->law.friction == HF_FRICTION_ANCHORED && c->law.c_t[g] > 0 ? c->law.k_t[g] / c->law.c_t[g] : 0;
    Dv[i][0] = c->dt_dn[i - 1] * c->dn_dv;
    Dx[i][0] = -c->dt_dn[i - 1] * c->dn_dx;
    for (int k = 1; k < c->dim; ++k) {
      Dv[i][k] = -friction_slope(c, i - 1, k - 1);
      Dx[i][k] = ratio * Dv[i][k];
    }
  }
}

// D += J^T S J with the rows J of a contact, D column by column.
static void add_block(hfAccel* a, const hfiAccelContact* c, double S[6][6], double* D) {
  const int nv = a->model->nv;
  const int dim = c->dim;
  const int n = c->n;
  const double* J = c->J;

  // S J (dim x n)
  double* T = a->rows.block;
  memset(T, 0, (size_t)(dim * n) * sizeof *T);
  for (int i = 0; i < dim; ++i)
    for (int k = 0; k < dim; ++k)
      if (S[i][k] != 0) hfi_axpy(T + i * n, S[i][k], J + k * n, n);

  // row by row of J^T (S J)
  double* row = T + 6 * a->rows.max_cols;
  for (int l = 0; l < n; ++l) {
    memset(row, 0, (size_t)n * sizeof *row);
    for (int i = 0; i < dim; ++i) hfi_axpy(row, J[i * n + l], T + i * n, n);
    for (int k = 0; k < n; ++k) D[c->cols[k] * nv + c->cols[l]] += row[k];
  }
}

void hfi_accel_add_slopes(hfAccel* a, const hfiAccelContact* c, double Dv[6][6], double Dx[6][6]) {
  add_block(a, c, Dv, a->slopes.dtau_dv);
  add_block(a, c, Dx, a->slopes.dtau_dq);
}

// ---- the whole --------------------------------------------------------------------------------------

// Writes a column of J, which is zero before: the accelerations for the forces in column j of D, to which the
// equalities add -rate Je_j.
static void store_column(hfAccel* a, const double* D, int j, const double* rate, int n, int column, double* J) {
  const int nv = a->model->nv;
  hfiEqualityRows* e = &a->equalities;
  double* x = a->slopes.column;
  memcpy(x, D + (size_t)j * (size_t)nv, (size_t)nv * sizeof *x);
  for (int r = 0; r < e->count; ++r) e->lambda[r] = -rate[r] * e->J[r * nv + j];
  hfi_accel_solve(a, x, e->lambda);

  for (int i = 0; i < nv; ++i)
    if (x[i] != 0) J[(nv + i) * n + column] = x[i];
}

void hfi_accel_begin_jacobian(hfAccel* a, int n, double* J) {
  size_t bytes = (size_t)(a->model->nv * a->model->nv) * sizeof(double);
  memset(J, 0, (size_t)(n * n) * sizeof *J);
  memset(a->slopes.dtau_dq, 0, bytes);
  memset(a->slopes.dtau_dv, 0, bytes);
  add_joints(a);
  add_bends(a);
  add_tendons(a);
  add_actuators(a);
  add_stops(a);
}

void hfi_accel_finish_jacobian(hfAccel* a, int n, double* J) {
  const int nv = a->model->nv;
  for (int j = 0; j < nv; ++j) {
    J[j * n + nv + j] = 1;
    store_column(a, a->slopes.dtau_dq, j, a->equalities.stiffness, n, j, J);
    store_column(a, a->slopes.dtau_dv, j, a->equalities.damping, n, nv + j, J);
  }
  hfi_accel_activation_jacobian(a, n, J);
}

hfStatus hfi_accel_jacobian(hfAccel* a, double t, const double* x, double* J) {
  const int n = 2 * a->model->nv + a->model->na;
  hfStatus status = hfi_accel_visit(a, t, x);
  if (status) return status;

  hfi_accel_begin_jacobian(a, n, J);
  for (int i = 0; i < a->ncontact; ++i) {
    double Dv[6][6], Dx[6][6];
    if (!(a->contact[i].f[0] > 0)) continue;
    find_force_slopes(&a->contact[i], Dv, Dx);
    hfi_accel_add_slopes(a, &a->contact[i], Dv, Dx);
  }
  hfi_accel_finish_jacobian(a, n, J);
  return HF_OK;
}
