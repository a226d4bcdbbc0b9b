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

// D += scale J^T J for a sparse row J (n), whose columns are the dofs `dof`.
static void add_row(double* D, int nv, int n, const int32_t* dof, const double* J, double scale) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) D[dof[i] * nv + dof[k]] += scale * J[i] * J[k];
}

// ---- joints, tendons, actuators ---------------------------------------------------------------------

// The slope of joint j's spring [N/m, N m/rad]; for a joint with several dofs only its linear part.
static double find_spring_slope(const hfAccel* accel, int j) {
  const hfModel* model = accel->model;
  int adr = hf_model_jnt_qposadr(model)[j];
  double k = hf_model_jnt_stiffness(model)[j];

  if (!hfi_joint_is_scalar(hf_model_jnt_type(model)[j])) return k;
  double stretch = accel->world->q[adr] - hfi_rest_positions(accel->dynamics)[adr];
  return hfi_polynomial_slope(k, hf_model_jnt_stiffness_poly(model) + 2 * j, stretch);
}

// Subtracts the slopes of the dampers and springs of all joints from the diagonals of dtau_dv and dtau_dq.
static void add_joints(hfAccel* accel) {
  const hfModel* model = accel->model;
  for (int i = 0; i < model->nv; ++i) {
    int diagonal = i * model->nv + i;

    if (!model->world.disable_damper) {
      const double* poly = hf_model_dof_damping_poly(model) + 2 * i;
      double slope = hfi_polynomial_slope(hf_model_dof_damping(model)[i], poly, fabs(accel->dynamics->v[i]));
      accel->slopes.dtau_dv[diagonal] -= slope;
    }
    if (!model->world.disable_spring)
      accel->slopes.dtau_dq[diagonal] -= find_spring_slope(accel, hf_model_dof_jnt(model)[i]);
  }
}

// Adds the springs of joints that bend.
static void add_bends(hfAccel* accel) {
  const hfModel* model = accel->model;
  if (!accel->actuation->passive.bends || model->world.disable_spring) return;

  for (int j = 0; j < model->njnt; ++j) {
    if (!hfi_joint_bends(model, j)) continue;

    hfQuat turn;
    int dof = hf_model_jnt_dofadr(model)[j];

    hfi_bend_of(model, j, accel->world->q + hf_model_jnt_qposadr(model)[j], &turn);
    hfMat3 K = hfi_bend_stiffness(model, j, turn);
    for (int i = 0; i < 9; ++i) accel->slopes.dtau_dq[(dof + i / 3) * model->nv + dof + i % 3] -= K.m[i];
  }
}

// Adds the slopes of the springs and dampers of tendons.
static void add_tendons(hfAccel* accel) {
  const hfModel* model = accel->model;
  const hfActuation* actuation = accel->actuation;
  for (int t = 0; t < model->ntendon; ++t) {
    // J (n): derivative of the length with v; dof (n): the dofs of these entries
    int start = actuation->tendons.start[t];
    int n = actuation->tendons.start[t + 1] - start;
    const int32_t* dof = actuation->tendons.dof + start;
    const double* J = actuation->tendons.J + start;

    // the spring, which has no force between its two rest lengths
    const double* rest = hfi_rest_lengths(accel->dynamics, t);
    double length = actuation->tendons.length[t];
    double stretch = length - clamp(length, rest[0], rest[1]);
    double k = hfi_polynomial_slope(hf_model_tendon_stiffness(model)[t], hf_model_tendon_stiffness_poly(model) + 2 * t,
                                    stretch);
    int is_stretched = length < rest[0] || length > rest[1] || rest[0] == rest[1];
    if (!model->world.disable_spring && is_stretched) add_row(accel->slopes.dtau_dq, model->nv, n, dof, J, -k);

    // the damper
    double speed = fabs(actuation->tendons.velocity[t]);
    double c = hfi_polynomial_slope(hf_model_tendon_damping(model)[t], hf_model_tendon_damping_poly(model) + 2 * t,
                                    speed);
    if (!model->world.disable_damper) add_row(accel->slopes.dtau_dv, model->nv, n, dof, J, -c);
  }
}

// Adds the slopes of the forces of actuators that are not at a limit of force.
static void add_actuators(hfAccel* accel) {
  const hfModel* model = accel->model;
  const hfActuation* actuation = accel->actuation;
  for (int i = 0; i < model->nu; ++i) {
    if (!hfi_accel_actuator_is_free(accel, i)) continue;

    int start = actuation->moments.start[i];
    int n = actuation->moments.start[i + 1] - start;
    const int32_t* dof = actuation->moments.dof + start;
    const double* moment = actuation->moments.entry + start;
    hfiAffine f = hfi_is_motor(model, i) ? hfi_motor_slopes(actuation, i).force : hfi_affine_force(actuation, i);
    add_row(accel->slopes.dtau_dq, model->nv, n, dof, moment, f.length);
    add_row(accel->slopes.dtau_dv, model->nv, n, dof, moment, f.velocity);
  }
}

// Adds the slopes of limits and friction losses.
static void add_stops(hfAccel* accel) {
  for (int i = 0; i < accel->stops.count; ++i) {
    const hfiStop* stop = &accel->stops.list[i];
    const double* J = hfi_stop_row(stop);
    add_row(accel->slopes.dtau_dv, accel->model->nv, stop->n, stop->dof, J, stop->df_ds);
    add_row(accel->slopes.dtau_dq, accel->model->nv, stop->n, stop->dof, J, stop->df_dx);
  }
}

// ---- contacts ---------------------------------------------------------------------------------------

// Entry (i, k) of G, the derivative of friction by slip; rows are counted from t1. Only entries within a friction group
// differ from zero: sliding 11, 12, 22; torsion; rolling 11, 12, 22.
static double friction_slope(const hfiAccelContact* contact, int i, int k) {
  static const int place_in_gtt[5][5] = {
      {0, 1, -1, -1, -1},
      {1, 2, -1, -1, -1},
      {-1, -1, 3, -1, -1},
      {-1, -1, -1, 4, 5},
      {-1, -1, -1, 5, 6},
  };
  int place = place_in_gtt[i][k];
  return place < 0 ? 0 : contact->gtt[place];
}

// Computes the derivatives of the forces of a contact with its row velocities, Dv, and with displacements along its
// rows, Dx.
static void find_force_slopes(const hfiAccelContact* contact, double Dv[6][6], double Dx[6][6]) {
  memset(Dv, 0, 36 * sizeof(double));
  memset(Dx, 0, 36 * sizeof(double));

  // normal force; dn_dx is its derivative with the depth, and a displacement along the normal makes the depth smaller
  Dv[0][0] = contact->dn_dv;
  Dx[0][0] = -contact->dn_dx;

  // friction, as in the file's head; friction_slope is G, minus the derivative with the slip
  for (int i = 1; i < contact->dim; ++i) {
    int g = hfi_row_group(i);
    int is_damped_spring = contact->law.friction == HF_FRICTION_ANCHORED && contact->law.c_t[g] > 0;
    double ratio = is_damped_spring ? contact->law.k_t[g] / contact->law.c_t[g] : 0;
    Dv[i][0] = contact->dt_dn[i - 1] * contact->dn_dv;
    Dx[i][0] = -contact->dt_dn[i - 1] * contact->dn_dx;
    for (int k = 1; k < contact->dim; ++k) {
      Dv[i][k] = -friction_slope(contact, i - 1, k - 1);
      Dx[i][k] = ratio * Dv[i][k];
    }
  }
}

// D += J^T S J with the rows J of a contact; D (nv x nv) lies column by column.
static void add_block(hfAccel* accel, const hfiAccelContact* contact, double S[6][6], double* D) {
  const int nv = accel->model->nv;
  const int dim = contact->dim;
  const int n = contact->n;
  const double* J = contact->J;

  // S J (dim x n), then one row of n numbers: rows.block has room for 7 rows
  double* T = accel->rows.block;
  memset(T, 0, (size_t)(dim * n) * sizeof *T);
  for (int i = 0; i < dim; ++i)
    for (int k = 0; k < dim; ++k)
      if (S[i][k] != 0) hfi_axpy(T + i * n, S[i][k], J + k * n, n);

  // J^T (S J) row by row, added to the dofs of the contact
  double* row = T + 6 * accel->rows.max_cols;
  for (int l = 0; l < n; ++l) {
    memset(row, 0, (size_t)n * sizeof *row);
    for (int i = 0; i < dim; ++i) hfi_axpy(row, J[i * n + l], T + i * n, n);
    for (int k = 0; k < n; ++k) D[contact->cols[k] * nv + contact->cols[l]] += row[k];
  }
}

// Adds the derivatives of a contact's forces by its row velocities, Dv, and by displacements along its rows, Dx.
void hfi_accel_add_slopes(hfAccel* accel, const hfiAccelContact* contact, double Dv[6][6], double Dx[6][6]) {
  add_block(accel, contact, Dv, accel->slopes.dtau_dv);
  add_block(accel, contact, Dx, accel->slopes.dtau_dq);
}

// ---- the whole --------------------------------------------------------------------------------------

// Writes the rows nv to 2 nv - 1 of one column of J (n x n, row by row), which is zero before: d vdot by coordinate
// `column` of x. They are the accelerations for the forces in column j of D (nv x nv, column by column). At row r of
// the equalities the target changes by -rate[r] Je_rj. rate: their stiffness for a displacement of dof j, their damping
// for its velocity.
static void store_column(hfAccel* accel, const double* D, int j, const double* rate, int n, int column, double* J) {
  const int nv = accel->model->nv;
  hfiEqualityRows* rows = &accel->equalities;
  double* x = accel->slopes.column;

  // x <- the accelerations
  memcpy(x, D + (size_t)j * (size_t)nv, (size_t)nv * sizeof *x);
  for (int r = 0; r < rows->count; ++r) rows->lambda[r] = -rate[r] * rows->J[r * nv + j];
  hfi_accel_solve(accel, x, rows->lambda);

  for (int i = 0; i < nv; ++i)
    if (x[i] != 0) J[(nv + i) * n + column] = x[i];
}

// Clears J (n x n) and collects all slopes but those of contacts in accel->slopes.
void hfi_accel_begin_jacobian(hfAccel* accel, int n, double* J) {
  size_t bytes = (size_t)(accel->model->nv * accel->model->nv) * sizeof(double);
  memset(J, 0, (size_t)(n * n) * sizeof *J);
  memset(accel->slopes.dtau_dq, 0, bytes);
  memset(accel->slopes.dtau_dv, 0, bytes);

  add_joints(accel);
  add_bends(accel);
  add_tendons(accel);
  add_actuators(accel);
  add_stops(accel);
}

// Writes J from the collected slopes: d qdot/dv = 1, d vdot/dq, d vdot/dv, and the rows and columns of activations.
void hfi_accel_finish_jacobian(hfAccel* accel, int n, double* J) {
  const int nv = accel->model->nv;
  for (int j = 0; j < nv; ++j) {
    J[j * n + nv + j] = 1;
    store_column(accel, accel->slopes.dtau_dq, j, accel->equalities.stiffness, n, j, J);
    store_column(accel, accel->slopes.dtau_dv, j, accel->equalities.damping, n, nv + j, J);
  }
  hfi_accel_fill_activations(accel, n, J);
}

// J (n x n) of hf_accel_ode at x.
hfStatus hfi_accel_fill_jacobian(hfAccel* accel, double t, const double* x, double* J) {
  const int n = 2 * accel->model->nv + accel->model->na;
  hfStatus status = hfi_accel_update_forces(accel, t, x);
  if (status) return status;

  hfi_accel_begin_jacobian(accel, n, J);
  for (int i = 0; i < accel->ncontact; ++i) {
    if (!(accel->contact[i].f[0] > 0)) continue;

    double Dv[6][6];
    double Dx[6][6];
    find_force_slopes(&accel->contact[i], Dv, Dx);
    hfi_accel_add_slopes(accel, &accel->contact[i], Dv, Dx);
  }
  hfi_accel_finish_jacobian(accel, n, J);
  return HF_OK;
}
