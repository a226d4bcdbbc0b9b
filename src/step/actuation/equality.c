// Equalities: errors r(q), and Jacobians with dr/dt = J v. equality_rows.c has their rows in a step.
//
//   joint, tendon  r = x1 - x1_ref - P(x2 - x2_ref), P the polynomial of degree 4; P(0) without a second
//   connect        r = p_W1 - p_W2 of the two attachment points
//   weld           r = (p_W1 - p_W2, e), e = log(q_2^-1 q_1 q_rel) the rotation vector of the error
//                  dr_rot/dt = E(e) R_W2^T (w_1 - w_2),
//                  E(e) = 1 - [e]/2 + (1 - (|e|/2) cot(|e|/2)) [e][e]/|e|^2        (left Jacobian of SO(3), inverse)
#include "step/actuation/inside.h"

#include "base/compile.h"

// The numbers of an equality in eq_data: its size, and where q_rel and the torquescale of a weld are.
enum { EQ_DATA_SIZE = 11, EQ_RELATIVE_QUAT = 6, EQ_TORQUESCALE = 10 };

// ---- errors -----------------------------------------------------------------------------------------

// Returns the coordinate of a joint or the length of a tendon at q (nq), measured from its reference; 0 if id is -1.
// d: NULL for the length of the last update, as in hfi_coupling_error.
HFI_FORCE_INLINE double find_coordinate(const hfActuation* a, const hfDynamics* d, int kind, int id, const double* q) {
  if (id < 0) return 0;
  if (kind == HF_OBJECT_TENDON) {
    double length = d ? hfi_tendon_length(d, id, q) : a->tendons.length[id];
    return length - a->tendons.length0[id];
  }

  int adr = hf_model_jnt_qposadr(a->model)[id];
  return q[adr] - hf_model_qpos0(a->model)[adr];
}

// Returns r of a coupling with the coefficients p (5) of P.
static inline double find_coupling_error(const double* p, double x1, double x2) {
  return x1 - (p[0] + x2 * (p[1] + x2 * (p[2] + x2 * (p[3] + x2 * p[4]))));
}

// Returns the error of coupling i at q (nq), with tendon lengths at the configuration of d, or those of the last update
// if d is NULL.
double hfi_coupling_error(const hfActuation* a, const hfDynamics* d, int i, const double* q) {
  const hfModel* m = a->model;
  int kind = hf_model_eq_objkind(m)[i];
  double x1 = find_coordinate(a, d, kind, hf_model_eq_obj1(m)[i], q);
  double x2 = find_coordinate(a, d, kind, hf_model_eq_obj2(m)[i], q);
  return find_coupling_error(hf_model_eq_data(m) + EQ_DATA_SIZE * i, x1, x2);
}

// Returns coupling i at q (nq): its error, slope and bend.
static hfiEquality evaluate_coupling(const hfActuation* a, int i, const double* q) {
  const hfModel* m = a->model;
  const double* p = hf_model_eq_data(m) + EQ_DATA_SIZE * i;
  int kind = hf_model_eq_objkind(m)[i];
  double x1 = find_coordinate(a, NULL, kind, hf_model_eq_obj1(m)[i], q);
  double x2 = find_coordinate(a, NULL, kind, hf_model_eq_obj2(m)[i], q);

  hfiEquality e = {.dim = 1};
  e.r[0] = find_coupling_error(p, x1, x2);
  e.slope = -(p[1] + x2 * (2 * p[2] + x2 * (3 * p[3] + x2 * 4 * p[4])));
  e.bend = -(2 * p[2] + x2 * (6 * p[3] + x2 * 12 * p[4]));
  return e;
}

// Returns the pose of a body or site.
static hfPose object_pose(const hfDynamics* d, int kind, int id) {
  return kind == HF_OBJECT_SITE ? d->X_WS[id] : d->X_WB[id];
}

// Returns the orientation of a body or site as a quaternion.
static hfQuat object_quat(const hfDynamics* d, int kind, int id) {
  if (kind != HF_OBJECT_SITE) return d->q_WB[id];
  return q_mul(d->q_WB[hf_model_site_body(d->model)[id]], q_load(hf_model_site_quat(d->model) + 4 * id));
}

// Returns E(e) R_W2^T, the factor of the rate of a weld's rotation error.
static hfMat3 turn_matrix(hfVec3 e, hfMat3 R_W2) {
  hfVec3 x = v3_of_mean_turned(e, m3_row(R_W2, 0));
  hfVec3 y = v3_of_mean_turned(e, m3_row(R_W2, 1));
  hfVec3 z = v3_of_mean_turned(e, m3_row(R_W2, 2));
  return m3_from_cols(x, y, z);
}

// Returns the connect or weld i at the poses of the dynamics. dim is the number of its rows: 3, for a weld that holds
// the rotation 6, and 0 if both bodies move as one. The rotation error and `turn` are written only for 6. Index 0 of
// body, p_W and object is side 1, index 1 is side 2.
static hfiEquality evaluate_attachment(const hfDynamics* d, int i) {
  const hfModel* m = d->model;
  const double* data = hf_model_eq_data(m) + EQ_DATA_SIZE * i;
  int kind = hf_model_eq_objkind(m)[i];
  int is_weld = hf_model_eq_type(m)[i] == HF_EQUALITY_WELD;
  int object[2] = {hf_model_eq_obj1(m)[i], hf_model_eq_obj2(m)[i]};
  hfiEquality e = {.dim = 3};
  if (is_weld && data[EQ_TORQUESCALE] != 0) e.dim = 6; // without torquescale a weld holds the place only

  // the distance of the attachment points: data begins with the points on bodies 1 and 2 for a connect, and with
  // the points on bodies 2 and 1 for a weld
  for (int k = 0; k < 2; ++k) {
    const double* point = data + 3 * (is_weld ? 1 - k : k);
    e.body[k] = hfi_equality_body(m, i, k);
    e.p_W[k] = pose_point(object_pose(d, kind, object[k]), v3_load(point));
  }
  v3_store(e.r, v3_sub(e.p_W[0], e.p_W[1]));
  if (d->body_link[e.body[0]] == d->body_link[e.body[1]]) e.dim = 0;
  if (e.dim < 6) return e;

  // the rotation of a weld
  hfQuat q1 = object_quat(d, kind, object[0]);
  hfQuat q2 = object_quat(d, kind, object[1]);
  hfVec3 turn = q_log(q_mul(q_conj(q2), q_mul(q1, q_load(data + EQ_RELATIVE_QUAT))));
  v3_store(e.r + 3, turn);
  e.turn = turn_matrix(turn, object_pose(d, kind, object[1]).R);
  return e;
}

// Returns equality i at q (nq). An equality that is off has dim 0.
hfiEquality hfi_equality_evaluate(const hfActuation* a, const hfDynamics* d, int i, const double* q) {
  if (!hf_model_eq_active(a->model)[i] || a->model->world.disable_equality) return (hfiEquality){0};

  int type = hf_model_eq_type(a->model)[i];
  int is_coupling = type == HF_EQUALITY_JOINT || type == HF_EQUALITY_TENDON;
  return is_coupling ? evaluate_coupling(a, i, q) : evaluate_attachment(d, i);
}

// ---- Jacobians --------------------------------------------------------------------------------------

// Finds the sparse Jacobian row of a joint or tendon, as views. Returns the number of its entries.
static int find_coordinate_row(const hfActuation* a, int kind, int id, const int32_t** dofs, const double** J) {
  static const double one = 1;
  if (kind == HF_OBJECT_TENDON) {
    int start = a->tendons.start[id];
    *dofs = a->tendons.dof + start;
    *J = a->tendons.J + start;
    return a->tendons.start[id + 1] - start;
  }
  *dofs = hf_model_jnt_dofadr(a->model) + id;
  *J = &one;
  return 1;
}

// Writes the dofs `cols` of coupling i, ascending, and its Jacobian row J = d r/d(dofs). e: the coupling at this
// configuration, with its slope d r/d x2. Returns the number of columns.
static int write_coupling_jacobian(const hfActuation* a, int i, const hfiEquality* e, int32_t* cols, double* J) {
  const hfModel* m = a->model;
  int kind = hf_model_eq_objkind(m)[i];
  int second = hf_model_eq_obj2(m)[i];
  const int32_t* x = NULL;
  const int32_t* y = NULL;
  const double* Jx = NULL;
  const double* Jy = NULL;
  // x, Jx: dofs and row of the first coordinate; y, Jy: of the second, if there is one
  int nx = find_coordinate_row(a, kind, hf_model_eq_obj1(m)[i], &x, &Jx);
  int ny = second < 0 ? 0 : find_coordinate_row(a, kind, second, &y, &Jy);

  // row of the first coordinate plus slope times row of the second
  int n = hfi_merge_dofs(x, nx, y, ny, cols);
  int next_x = 0;
  int next_y = 0;
  for (int k = 0; k < n; ++k) {
    J[k] = 0;
    if (next_x < nx && x[next_x] == cols[k]) J[k] += Jx[next_x++];
    if (next_y < ny && y[next_y] == cols[k]) J[k] += e->slope * Jy[next_y++];
  }
  return n;
}

// Writes v to the first entries of three rows of n columns.
static void store_column(double* J, int n, hfVec3 v) {
  J[0] = v.x;
  J[n] = v.y;
  J[2 * n] = v.z;
}

// Writes columns and Jacobian rows of a connect or weld. Returns the number of columns.
static int write_attachment_jacobian(hfActuation* a, const hfDynamics* d, const hfiEquality* e, int32_t* cols,
                                     double* J) {
  const int32_t* dofs[2] = {NULL, NULL};
  int n[2];
  int next[2] = {0, 0};
  for (int s = 0; s < 2; ++s) {
    n[s] = hfi_jacobian_dofs(d, e->body[s], &dofs[s]);
    hfi_jacobian_columns(d, e->body[s], e->p_W[s], a->column[s]);
  }

  // velocity of body 1 less that of body 2, dof by dof
  int ncol = hfi_merge_dofs(dofs[0], n[0], dofs[1], n[1], cols);
  for (int k = 0; k < ncol; ++k) {
    hfMotion V = mo_zero();
    for (int s = 0; s < 2; ++s) {
      if (next[s] == n[s] || dofs[s][next[s]] != cols[k]) continue;
      V = mo_axpy(s ? -1 : 1, a->column[s][next[s]++], V);
    }

    store_column(J + k, ncol, V.v);
    if (e->dim == 6) store_column(J + 3 * ncol + k, ncol, m3_mulv(e->turn, V.w));
  }
  return ncol;
}

// Writes columns and Jacobian (dim x ncol, row-major) of equality i. Returns ncol.
int hfi_equality_jacobian(hfActuation* a, const hfDynamics* d, int i, const hfiEquality* e, int32_t* cols, double* J) {
  return e->dim == 1 ? write_coupling_jacobian(a, i, e, cols, J) : write_attachment_jacobian(a, d, e, cols, J);
}

// ---- speeds -----------------------------------------------------------------------------------------

// Returns the rate of the coordinate of a joint or tendon at velocities v (nv); 0 if id is -1.
static double find_coordinate_rate(const hfActuation* a, int kind, int id, const double* v) {
  const int32_t* dofs = NULL;
  const double* J = NULL;
  int n = id < 0 ? 0 : find_coordinate_row(a, kind, id, &dofs, &J);

  double rate = 0;
  for (int k = 0; k < n; ++k) rate += J[k] * v[dofs[k]];
  return rate;
}

// Returns the angular velocity of the body of side 0 or 1 of an attachment and the velocity of its attachment point.
static hfMotion find_attached_velocity(hfActuation* a, const hfDynamics* d, const hfiEquality* e, int side,
                                  const double* v) {
  const int32_t* dofs = NULL;
  hfMotion V = mo_zero();
  int n = hfi_jacobian_dofs(d, e->body[side], &dofs);
  hfi_jacobian_columns(d, e->body[side], e->p_W[side], a->column[side]);

  for (int k = 0; k < n; ++k) V = mo_axpy(v[dofs[k]], a->column[side][k], V);
  return V;
}

// Writes Jdot v (dim) of a connect or weld: of the difference of the two bodies.
void hfi_attachment_rate(const hfDynamics* d, const hfiEquality* e, double* rate) {
  hfMotion A1 = hf_dynamics_jacobian_rate(d, e->body[0], e->p_W[0]);
  hfMotion A2 = hf_dynamics_jacobian_rate(d, e->body[1], e->p_W[1]);
  v3_store(rate, v3_sub(A1.v, A2.v));
  if (e->dim == 6) v3_store(rate + 3, m3_mulv(e->turn, v3_sub(A1.w, A2.w)));
}

// Returns the rate of the size of the error, or of the rotation of a weld, at velocities v (nv).
double hfi_equality_opening_speed(hfActuation* a, const hfDynamics* d, int i, const hfiEquality* e, int is_rotation,
                                  const double* v) {
  const hfModel* m = a->model;
  if (e->dim == 1) {
    int kind = hf_model_eq_objkind(m)[i];
    double rate1 = find_coordinate_rate(a, kind, hf_model_eq_obj1(m)[i], v);
    double rate = rate1 + e->slope * find_coordinate_rate(a, kind, hf_model_eq_obj2(m)[i], v);
    return e->r[0] < 0 ? -rate : rate;
  }

  hfMotion V1 = find_attached_velocity(a, d, e, 0, v);
  hfMotion V2 = find_attached_velocity(a, d, e, 1, v);
  if (is_rotation) return v3_dot(v3_unit(v3_load(e->r + 3)), m3_mulv(e->turn, v3_sub(V1.w, V2.w)));
  return v3_dot(v3_unit(v3_load(e->r)), v3_sub(V1.v, V2.v));
}
