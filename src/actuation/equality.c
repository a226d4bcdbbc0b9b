// Equalities: errors r(q), Jacobians with dr/dt = J v, and rows of a step.
//
//   joint, tendon  r = x1 - x1_ref - P(x2 - x2_ref), P the polynomial of degree 4; P(0) without a second
//   connect        r = p_W1 - p_W2 of the two attachment points
//   weld           r = (p_W1 - p_W2, e), e = log(q_2^-1 q_1 q_rel) the rotation vector of the error
//                  dr_rot/dt = E(e) R_W2^T (w_1 - w_2),
//                  E(e) = 1 - [e]/2 + (1 - (|e|/2) cot(|e|/2)) [e][e]/|e|^2        (left Jacobian of SO(3), inverse)
//
// Where the model gives MuJoCo's solref and solimp, the rows have MuJoCo's law (contact/solref.h) at the violation |r|, for the
// inverse mass of the equality at the reference pose; otherwise they are near-rigid. MuJoCo measures the rotation of a weld by
// g e, g = torquescale/2: its law for that row gives g^2 times the slope for ours. Over a step h from speed s_0 of a row
//
//   f = -(secant r + mass b s + mass (s - s_0)/h + h tangent s)
#include "actuation/actuation.h"

#include "base/compile.h"
#include "contact/solref.h"
#include "linalg/dense.h"
#include "model/joint.h"

#include <string.h>

// ---- errors -----------------------------------------------------------------------------------------

// Coordinate of a joint or length of a tendon, measured from its reference.
static double coordinate(const hfActuation* a, int kind, int id, const double* q) {
  if (kind == HF_OBJECT_TENDON) return a->tendon_length[id] - a->tendon_length0[id];
  int adr = hf_model_jnt_qposadr(a->model)[id];
  return q[adr] - hf_model_qpos0(a->model)[adr];
}

static hfiEquality evaluate_coupling(const hfActuation* a, int i, const double* q) {
  const hfModel* m = a->model;
  const double* p = hf_model_eq_data(m) + 11 * i;
  int kind = hf_model_eq_objkind(m)[i], two = hf_model_eq_obj2(m)[i];
  hfiEquality e = {.dim = 1};
  double x = two < 0 ? 0 : coordinate(a, kind, two, q);
  double value = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
  e.r[0] = coordinate(a, kind, hf_model_eq_obj1(m)[i], q) - value;
  e.slope = -(p[1] + x * (2 * p[2] + x * (3 * p[3] + x * 4 * p[4])));
  return e;
}

static hfPose object_pose(const hfDynamics* d, int kind, int id) { return kind == HF_OBJECT_SITE ? d->X_WS[id] : d->X_WB[id]; }

static hfQuat object_quat(const hfDynamics* d, int kind, int id) {
  if (kind != HF_OBJECT_SITE) return d->q_WB[id];
  return q_mul(d->q_WB[hf_model_site_body(d->model)[id]], q_load(hf_model_site_quat(d->model) + 4 * id));
}

// (1 - (a/2) cot(a/2))/a^2. Where the quotient loses digits, its series.
static double turn_coefficient(double a) { return a > 1e-3 ? (1 - 0.5 * a / tan(0.5 * a)) / (a * a) : 1.0 / 12 + a * a / 720; }

// E(e) R_W2^T
static hfMat3 turn_matrix(hfVec3 e, hfMat3 R_W2) {
  double b = turn_coefficient(v3_norm(e));
  hfVec3 column[3];
  for (int i = 0; i < 3; ++i) {
    hfVec3 w = m3_row(R_W2, i), x = v3_cross(e, w);
    column[i] = v3_axpy(b, v3_cross(e, x), v3_axpy(-0.5, x, w));
  }
  return m3_from_cols(column[0], column[1], column[2]);
}

static hfiEquality evaluate_attachment(const hfDynamics* d, int i) {
  const hfModel* m = d->model;
  const double* data = hf_model_eq_data(m) + 11 * i;
  int kind = hf_model_eq_objkind(m)[i], weld = hf_model_eq_type(m)[i] == HF_EQUALITY_WELD;
  int object[2] = {hf_model_eq_obj1(m)[i], hf_model_eq_obj2(m)[i]};
  hfiEquality e = {.dim = weld && data[10] != 0 ? 6 : 3};
  for (int k = 0; k < 2; ++k) {
    // The data of a connect hold the points on 1 and 2; those of a weld the point on 2, then that
    // on 1.
    const double* point = data + 3 * (weld ? 1 - k : k);
    e.body[k] = kind == HF_OBJECT_SITE ? hf_model_site_body(m)[object[k]] : object[k];
    e.p_W[k] = pose_point(object_pose(d, kind, object[k]), v3_load(point));
  }
  v3_store(e.r, v3_sub(e.p_W[0], e.p_W[1]));
  if (d->body_link[e.body[0]] == d->body_link[e.body[1]]) e.dim = 0; // They move as one.
  if (e.dim < 6) return e;
  hfQuat q1 = object_quat(d, kind, object[0]), q2 = object_quat(d, kind, object[1]);
  hfVec3 turn = q_log(q_mul(q_conj(q2), q_mul(q1, q_load(data + 6))));
  v3_store(e.r + 3, turn);
  e.turn = turn_matrix(turn, object_pose(d, kind, object[1]).R);
  return e;
}

hfiEquality hfi_equality_evaluate(const hfActuation* a, const hfDynamics* d, int i, const double* q) {
  hfiEquality none = {0};
  if (!hf_model_eq_active(a->model)[i] || a->model->world.disable_equality) return none;
  int type = hf_model_eq_type(a->model)[i];
  return type == HF_EQUALITY_JOINT || type == HF_EQUALITY_TENDON ? evaluate_coupling(a, i, q) : evaluate_attachment(d, i);
}

// The size of a vector, if it is the largest so far.
static inline void keep_longest(hfViolation* worst, const double* r, int i) {
  double r2 = sqr(r[0]) + sqr(r[1]) + sqr(r[2]);
  if (r2 > sqr(worst->amount)) *worst = (hfViolation){sqrt(r2), HF_OBJECT_EQUALITY, i};
}

static inline void note_coupling(hfActuation* a, int i, double error) {
  const hfModel* m = a->model;
  int kind = hf_model_eq_objkind(m)[i], one = hf_model_eq_obj1(m)[i];
  int is_angle = kind == HF_OBJECT_JOINT ? hfi_joint_kinds[hf_model_jnt_type(m)[one]].info.is_angle : hfi_coordinate_is_angle(m, kind, one);
  hfViolation* worst = is_angle ? &a->violations.equality_angle : &a->violations.equality_distance;
  if (error > worst->amount) *worst = (hfViolation){error, HF_OBJECT_EQUALITY, i};
}

static inline void note_equality(hfActuation* a, int i, const hfiEquality* e) {
  if (e->dim == 1) {
    note_coupling(a, i, fabs(e->r[0]));
    return;
  }
  keep_longest(&a->violations.equality_distance, e->r, i);
  if (e->dim == 6) keep_longest(&a->violations.equality_angle, e->r + 3, i);
}

void hfi_note_equality(hfActuation* a, int i, const hfiEquality* e) {
  if (e->dim) note_equality(a, i, e);
}

// ---- Jacobians --------------------------------------------------------------------------------------

// Finds the sparse row of a joint or tendon. Returns the number of its entries.
static int coordinate_row(const hfActuation* a, int kind, int id, const int32_t** dofs, const double** J) {
  static const double one = 1;
  if (kind == HF_OBJECT_TENDON) {
    int start = a->tendon_start[id];
    *dofs = a->tendon_dof + start, *J = a->tendon_J + start;
    return a->tendon_start[id + 1] - start;
  }
  *dofs = hf_model_jnt_dofadr(a->model) + id, *J = &one;
  return 1;
}

static int coupling_jacobian(const hfActuation* a, int i, const hfiEquality* e, int32_t* cols, double* J) {
  const hfModel* m = a->model;
  int kind = hf_model_eq_objkind(m)[i], two = hf_model_eq_obj2(m)[i];
  const int32_t *x = NULL, *y = NULL;
  const double *Jx = NULL, *Jy = NULL;
  int nx = coordinate_row(a, kind, hf_model_eq_obj1(m)[i], &x, &Jx), ny = two < 0 ? 0 : coordinate_row(a, kind, two, &y, &Jy);
  int n = hfi_merge_dofs(x, nx, y, ny, cols);
  for (int k = 0, i1 = 0, i2 = 0; k < n; ++k) {
    J[k] = 0;
    if (i1 < nx && x[i1] == cols[k]) J[k] += Jx[i1++];
    if (i2 < ny && y[i2] == cols[k]) J[k] += e->slope * Jy[i2++];
  }
  return n;
}

static void store_column(double* J, int n, hfVec3 v) { J[0] = v.x, J[n] = v.y, J[2 * n] = v.z; }

static int attachment_jacobian(hfActuation* a, const hfDynamics* d, const hfiEquality* e, int32_t* cols, double* J) {
  const int32_t* dofs[2] = {NULL, NULL};
  int n[2], at[2] = {0, 0};
  for (int s = 0; s < 2; ++s) {
    n[s] = hfi_jacobian_dofs(d, e->body[s], &dofs[s]);
    hfi_jacobian_columns(d, e->body[s], e->p_W[s], a->column[s]);
  }
  int ncol = hfi_merge_dofs(dofs[0], n[0], dofs[1], n[1], cols);
  for (int k = 0; k < ncol; ++k) {
    hfMotion V = mo_zero();
    for (int s = 0; s < 2; ++s)
      if (at[s] < n[s] && dofs[s][at[s]] == cols[k]) V = mo_axpy(s ? -1 : 1, a->column[s][at[s]++], V);
    store_column(J + k, ncol, V.v);
    if (e->dim == 6) store_column(J + 3 * ncol + k, ncol, m3_mulv(e->turn, V.w));
  }
  return ncol;
}

int hfi_equality_jacobian(hfActuation* a, const hfDynamics* d, int i, const hfiEquality* e, int32_t* cols, double* J) {
  return e->dim == 1 ? coupling_jacobian(a, i, e, cols, J) : attachment_jacobian(a, d, e, cols, J);
}

// ---- rows -------------------------------------------------------------------------------------------

// Errors are removed at the world's release speed u at most, and not faster than a dof that moves at u alone removes them:
// an equality that is violated at the start does not throw its bodies, however short the lever at which it pulls. One that
// follows a body moved by hand, whose velocity no step knows, must keep up with it.
double hfi_equality_release_speed(const hfModel* m, const hfiEquality* e, const double* J, int n) {
  for (int k = 0; e->dim > 1 && k < 2; ++k)
    if (hf_model_body_mocap(m)[hf_model_body_weld(m)[e->body[k]]] >= 0) return INFINITY;
  double lever = 0;
  for (int i = 0; i < n; ++i) lever = max2(lever, fabs(J[i]));
  return m->world.release_speed * min2(1, lever);
}

static const double LARGEST_TURN = 0.05; // Turn in a step of which errors of the linear motion are made good [rad].
static const double FAST_TURN = 0.3;     // Turn beyond which the linear motion has nothing to do with the true one [rad].

// Speed of the error that a step makes because it moves linearly while the dofs turn: about h |v| |J| |v|/2. It must be
// removed as fast as it comes, or a loop that turns quickly would open.
static double curvature_speed(const hfDynamics* d, const hfiRowBlock* b, const int32_t* cols, const double* J, int n, double h) {
  double turn = 0, fastest = 0;
  for (int k = 0; k < b->ncol; ++k) turn += h * fabs(d->v[cols[k]]);
  for (int i = 0; i < n; ++i) {
    double speed = 0;
    for (int k = 0; k < b->ncol; ++k) speed += fabs(J[i * b->ncol + k] * d->v[cols[k]]);
    fastest = max2(fastest, speed);
  }
  return turn > FAST_TURN ? 0 : 0.5 * min2(turn, LARGEST_TURN) * fastest;
}

// W = J M^-1 J^T of three rows.
static void three_inverse_masses(hfActuation* a, const hfDynamics* d, int ncol, const int32_t* cols, const double* J, double W[9]) {
  double* x = a->dense; // zero before and after
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < ncol; ++k) x[cols[k]] += J[i * ncol + k];
    hf_dynamics_solve(d, x);
    for (int j = 0; j < 3; ++j) {
      W[3 * i + j] = 0;
      for (int k = 0; k < ncol; ++k) W[3 * i + j] += J[j * ncol + k] * x[cols[k]];
    }
    memset(x, 0, sizeof *x * (size_t)d->model->nv);
  }
}

// Returns the factor, at most 1, by which the velocities s0 of three rows are reduced so that their release gives little energy.
// A motion with row velocities s has at least the energy s^T W^-1 s/2. It grows without bound where bodies can hardly follow:
// an arm that is stretched out, bodies tied to places out of reach. It is bounded by what `mass` has at speed u.
// W includes the compliance of the rows, which are near-rigid for the mean inverse mass w.
static double release_share(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiRowBlock* b, int first, double w,
                            double mass, double u) {
  const hfSaturatedRow* row = a->rows.row + b->row + first;
  double W[9], softness = w * sqr(step->near_rigid / (2 * HFI_PI)), s2 = sqr(row[0].s0) + sqr(row[1].s0) + sqr(row[2].s0);
  if (!(s2 > mass * sqr(u) * softness)) return 1; // because s^T W^-1 s <= s2/softness
  three_inverse_masses(a, d, b->ncol, a->rows.cols + b->col, a->rows.J + b->jac + first * b->ncol, W);
  for (int i = 0; i < 3; ++i) W[4 * i] += softness;
  double x[3] = {row[0].s0, row[1].s0, row[2].s0};
  if (hfi_cholesky(W, 3, 3) != 0) return 0;
  hfi_cholesky_solve(W, 3, 3, x);
  double twice_energy = x[0] * row[0].s0 + x[1] * row[1].s0 + x[2] * row[2].s0;
  return min2(1, u * sqrt(mass / twice_energy));
}

// Mean inverse mass of rows [first, first + n) of a block at the present pose.
static double mean_inverse_mass(hfActuation* a, const hfDynamics* d, const hfiRowBlock* b, int first, int n) {
  const double* J = a->rows.J + b->jac;
  double w = 0;
  for (int i = first; i < first + n; ++i) w += hfi_inverse_mass(d, a->dense, b->ncol, a->rows.cols + b->col, J + i * b->ncol) / n;
  return w;
}

// Inverse mass of the rows of an equality for its translation (first = 0) or its rotation: that at the reference pose where it is
// known, else that at the present one.
static double equality_weight(hfActuation* a, const hfDynamics* d, const hfiRowBlock* b, int first, int n) {
  double w = a->equality_weight[2 * b->id + (first > 0)];
  return w > 0 ? w : mean_inverse_mass(a, d, b, first, n);
}

// Errors from which on rows become steeper, in proportion to the error [m or rad]. A steady load then opens an equality by the root of what it would: far less than
// the size of a light body, beyond which forces turn such a body rather than hold it.
static const double LARGE_ERROR = 1e-3;

// Rows that should be so many times steeper than they may are overloaded: they pull with less than a tenth of the force that their error asks for [-].
static const double OVERLOADED = 10;

// Makes rows [first, first + n) of a block steeper: by the factor `steeper`, by their error [m or rad], and by the factor by which their speed is larger than `fastest`, to
// which it falls (hfi_strengthen_slowed_row). Remembers rows that are overloaded. Returns the factor of their slope.
HFI_CALLED static double steepen_rows(hfActuation* a, const hfiRowBlock* b, int first, int n, double speed, double fastest, double error, double steeper) {
  double slowing = max2(1, speed / fastest), wanted = slowing * steeper * max2(1, error / LARGE_ERROR), strength = hfi_strengthen_slowed_row(wanted);
  for (int i = first; i < first + n; ++i) a->rows.row[b->row + i].s0 /= slowing, a->rows.row[b->row + i].kappa *= strength;
  if (wanted > OVERLOADED * strength) a->overload[a->noverload++] = (hfiOverload){b->id, b->row + first, b->jac + first * b->ncol, b->col, b->ncol, n};
  return strength;
}

// Fills rows [first, first + n) of a block with near-rigid rows, made for their mean inverse mass w. Those with a large error, or that may not aim at the speed that it
// asks for, become steeper: by `steeper`, too, which is 1 where the error is not large. scale multiplies their slope;
// mass bounds the energy of a release, see release_share, and may be 0 for one row.
static void fill_rigid_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiRowBlock* b, const hfiEquality* e,
                            int first, int n, double w, double steeper, double scale, double mass) {
  double removal_time = step->h * (1 + step->near_rigid / HFI_PI);
  const double* J = a->rows.J + b->jac;
  hfiCompliance rigid = {0, 0};
  double speed2 = 0, u = hfi_equality_release_speed(a->model, e, J + first * b->ncol, n * b->ncol);
  double fastest = u + curvature_speed(d, b, a->rows.cols + b->col, J + first * b->ncol, n, step->h);
  for (int i = first; i < first + n; ++i) {
    hfSaturatedRow row = hfi_compliant_row(&a->rows, step, rigid, w, e->r[i], removal_time);
    row.kappa *= scale;
    speed2 += sqr(row.s0);
    a->rows.row[b->row + i] = row;
  }
  double strength = 1, least = min2(fastest, LARGE_ERROR / removal_time);
  if (speed2 > sqr(least)) strength = steepen_rows(a, b, first, n, sqrt(speed2), fastest, sqrt(speed2) * removal_time, steeper);
  double share = n == 3 && isfinite(u) ? release_share(a, d, step, b, first, w / strength, mass, u) : 1;
  for (int i = first; share < 1 && i < first + n; ++i) a->rows.row[b->row + i].s0 *= share;
}

static const double APART = 1e-3; // Distance of attachment points from which their forces act at one point [m].

// Forces at points that are apart turn the two bodies together unless they act along the line between them: they are no
// internal forces, and a tie that cannot be closed would spin what carries it, ever faster. Two bodies that both move get
// their forces at the point in the middle. Where one is fixed, or moved by hand, nothing turns together, and the points stay.
// Returns whether they do.
static int join_points(const hfDynamics* d, hfiEquality* e) {
  if (v3_norm(v3_sub(e->p_W[0], e->p_W[1])) < APART || !d->body_link[e->body[0]] || !d->body_link[e->body[1]]) return 0;
  e->p_W[0] = e->p_W[1] = v3_scale(0.5, v3_add(e->p_W[0], e->p_W[1]));
  return 1;
}

double hfi_equality_mass(const hfModel* m, const hfiEquality* e) {
  int tree[2] = {hf_model_body_tree(m)[e->body[0]], hf_model_body_tree(m)[e->body[1]]};
  double mass = 0;
  for (int k = 0; k < 2; ++k)
    if (tree[k] >= 0 && (k == 0 || tree[1] != tree[0])) mass += hf_model_body_subtreemass(m)[hf_model_tree_body(m)[tree[k]]];
  return mass;
}

// The same with MuJoCo's law at the violation `violation`.
static void fill_soft_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiRowBlock* b, const hfiEquality* e,
                           int first, int n, double scale, double violation) {
  const hfModel* m = a->model;
  const double *solref = hf_model_eq_solref(m) + 2 * b->id, *solimp = hf_model_eq_solimp(m) + 5 * b->id;
  double w = equality_weight(a, d, b, first, n), h = step->h;
  hfSaturatedRow inert = {0, 1, -INFINITY, INFINITY};
  if (solref[0] == 0) solref = HFI_DEFAULT_SOLREF, solimp = HFI_DEFAULT_SOLIMP;
  hfiSoftLaw law = hfi_soft_law(solref, solimp, w, m->world.timestep);
  hfiSoftPoint p = hfi_soft_point(&law, violation);
  double kappa = h * p.tangent + p.mass * (law.b + 1 / h);
  for (int i = first; i < first + n; ++i) {
    const double* J = a->rows.J + b->jac + i * b->ncol;
    double speed = 0;
    for (int k = 0; k < b->ncol; ++k) speed += J[k] * d->v[a->rows.cols[b->col + k]];
    hfSaturatedRow row = {(p.mass * speed / h - p.secant * e->r[i]) / kappa, kappa * scale, -INFINITY, INFINITY};
    a->rows.row[b->row + i] = w > 0 ? row : inert;
  }
}

// Size of the violation as MuJoCo measures it: g is half the torquescale.
static double measure_violation(const hfiEquality* e, double g) {
  double sum = 0;
  for (int i = 0; i < e->dim; ++i) sum += sqr(e->r[i] * (i < 3 ? 1 : g));
  return sqrt(sum);
}

static int is_soft(const hfModel* m, const hfiActuationStep* step, int i) {
  return (hf_model_eq_solref(m)[2 * i] != 0 || step->soft_defaults) && !step->rigid_equalities;
}

static void add_rigid_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiRowBlock* b, hfiEquality* e) {
  double torque_scale = hf_model_eq_data(a->model)[11 * b->id + 10];
  int n = imin2(e->dim, 3);
  double w = mean_inverse_mass(a, d, b, 0, n), steeper = 1;
  if (e->dim > 1 && join_points(d, e)) {
    // The lever to the point in the middle would make rows softer, the wider they are open.
    double own = w;
    hfi_equality_jacobian(a, d, b->id, e, a->rows.cols + b->col, a->rows.J + b->jac);
    w = mean_inverse_mass(a, d, b, 0, n);
    if (own > 0) steeper = max2(1, w / own);
  }
  fill_rigid_rows(a, d, step, b, e, 0, n, w, steeper, 1, e->dim > 1 ? hfi_equality_mass(a->model, e) : 0);
  if (e->dim < 6) return;
  w = mean_inverse_mass(a, d, b, 3, 3);
  fill_rigid_rows(a, d, step, b, e, 3, 3, w, 1, min2(1, sqr(torque_scale)), 1 / w);
}

static void add_soft_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, const hfiRowBlock* b, const hfiEquality* e) {
  double g = 0.5 * hf_model_eq_data(a->model)[11 * b->id + 10], violation = measure_violation(e, g);
  for (int first = 0; first < e->dim; first += 3) fill_soft_rows(a, d, step, b, e, first, imin2(e->dim, 3), first ? sqr(g) : 1, violation);
}

static void add_equality(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step, int i) {
  hfiRows* r = &a->rows;
  hfiEquality e = hfi_equality_evaluate(a, d, i, step->q);
  if (e.dim == 0) return;
  note_equality(a, i, &e);
  int soft = is_soft(a->model, step, i);
  int ncol = hfi_equality_jacobian(a, d, i, &e, r->cols + r->n.ncol, r->J + r->n.njac);
  if (ncol == 0) return;
  hfiRowBlock b = hfi_rows_add(r, HFI_ROW_EQUALITY, i, e.dim, ncol);
  if (soft) add_soft_rows(a, d, step, &b, &e);
  else add_rigid_rows(a, d, step, &b, &e);
}

// Overloaded rows let go where their error grows faster than this share of the release speed, with which they should close [-].
static const double OPENING_SHARE = 0.1;

// Speed at which the error of rows grows at velocities v (nv); their aim s0 is against the error.
static double opening_speed(const hfiRows* r, const hfiOverload* o, const double* v) {
  const hfSaturatedRow* row = r->row + o->row;
  double along = 0, aim2 = 0;
  for (int i = 0; i < o->n; ++i) {
    double s = 0;
    for (int k = 0; k < o->ncol; ++k) s += r->J[o->jac + i * o->ncol + k] * v[r->cols[o->col + k]];
    along -= s * row[i].s0, aim2 += sqr(row[i].s0);
  }
  return aim2 > 0 ? along / sqrt(aim2) : 0;
}

int hfi_equalities_let_go(const hfActuation* a, const double* v1, int32_t* first) {
  int count = 0, last = -1;
  for (const hfiOverload *o = a->overload, *end = o + a->noverload; o < end; ++o) {
    if (o->equality == last || !(opening_speed(&a->rows, o, v1) > OPENING_SHARE * a->model->world.release_speed)) continue;
    if (count++ == 0) *first = o->equality;
    last = o->equality; // The two halves of a weld are one equality.
  }
  return count;
}

void hfi_equality_rows(hfActuation* a, const hfDynamics* d, const hfiActuationStep* step) {
  for (int i = 0; i < a->model->neq; ++i) add_equality(a, d, step, i);
}
