// The Jacobian of the compliant phase, xdot = (v, M^-1 (tau + J^T f), actdot, xidot of each layer), by the coordinates (q, v, act, xi_B).
//
//   df     = f_s J dv + f_x J dq + f_xi A dxi_B          of a contact: slopes of its layer (layer.c), rows A of its axes in the frame of B
//   dxidot = A^T (rate_s J dv + rate_x J dq + rate_xi A dxi_B)
//
// Differences of f would not do. A stiff layer that carries a body is deformed by m g/k, which is less than the displacement that a difference needs
// (1.5e-8 m) from a stiffness of 1e9 N/m for 1 kg on. The contact is open at the displaced point, so that a hundredth or less of the stiffness would be
// found, and steps with such a Jacobian throw bodies up (docs/theory/switching.md). As in accel_jacobian.c, the changes of M, of the bias and of the
// directions of rows with the configuration are left out.
#include "methods/switching/switching.h"

#include "methods/switching/layer.h"

#include <string.h>

// The axis of row r of a contact in the frame of body B.
static hfVec3 axis_in_B(const hfAccel* a, const hfiContact* c, int r) {
  return m3_tmulv(a->dynamics->X_WB[c->body_b].R, hfi_contact_axis(c, r));
}

// Coordinate j of a layer belongs to the rows from `first` to `end`: the deformation along them to t1 and t2, the twist to the other three.
static void rows_of_coordinate(const hfiAccelContact* c, int j, int* first, int* end) {
  *first = j < 3 ? 1 : 3;
  *end = imin2(c->dim, j < 3 ? 3 : 6);
}

// A (6 x 6): entry [r][j] is the component of coordinate j along row r.
static void fill_axes(const hfAccel* a, const hfiAccelContact* c, int stride, double A[6][6]) {
  memset(A, 0, 36 * sizeof(double));
  for (int j = 0; j < stride; ++j) {
    int first, end;
    rows_of_coordinate(c, j, &first, &end);
    for (int r = first; r < end; ++r) {
      double axis[3];
      v3_store(axis, axis_in_B(a, c->contact, r));
      A[r][j] = axis[j % 3];
    }
  }
}

// Writes the columns of a layer that begin at `column`: the accelerations for J^T f_xi A.
static void store_force_columns(hfiSwitching* s, const hfiAccelContact* c,
                                const hfiLayerSlopes* slopes, double A[6][6], int n, int column,
                                double* J) {
  hfAccel* a = s->rigid->accel;
  const int nv = s->model->nv;
  for (int j = 0; j < s->stride; ++j) {
    double f[6] = {0};
    for (int r = 0; r < c->dim; ++r)
      for (int k = 0; k < c->dim; ++k) f[r] += slopes->f_xi[r][k] * A[k][j];
    memset(a->slopes.column, 0, (size_t)nv * sizeof *a->slopes.column);
    hfi_accel_add_force(c, f, a->slopes.column);
    hfi_accel_solve(a, a->slopes.column, s->rigid->zero);
    for (int i = 0; i < nv; ++i) J[(nv + i) * n + column + j] = a->slopes.column[i];
  }
}

// Adds weight times row r of a contact's J to a row of the Jacobian, at the columns of q or of v.
static void add_contact_row(const hfiAccelContact* c, int r, double weight, double* row) {
  for (int l = 0; weight != 0 && l < c->n; ++l) row[c->cols[l]] += weight * c->J[r * c->n + l];
}

// Writes the rows of a layer that begin at `at`.
static void store_rate_rows(const hfiSwitching* s, const hfiAccelContact* c,
                            const hfiLayerSlopes* slopes, double A[6][6], int n, int at,
                            double* J) {
  for (int j = 0; j < s->stride; ++j) {
    double* row = J + (at + j) * n;
    for (int r = 1; r < c->dim; ++r)
      for (int k = 0; A[r][j] != 0 && k < c->dim; ++k) {
        add_contact_row(c, k, A[r][j] * slopes->rate_x[r][k], row);
        add_contact_row(c, k, A[r][j] * slopes->rate_s[r][k], row + s->model->nv);
        for (int i = 0; i < s->stride; ++i)
          row[at + i] += A[r][j] * slopes->rate_xi[r][k] * A[k][i];
      }
  }
}

// Slopes of contact i at the point x, at which the accel and the tracks are.
static hfiLayerSlopes slopes_at(const hfiSwitching* s, const double* x, int i) {
  const hfRigid* r = s->rigid;
  hfiDeformation deformation = hfi_soft_deformation(s, x, r->point[i].match);
  hfiLayerState layer =
      hfi_layer_evaluate(r, i, hfi_soft_rest(r, i), &deformation, x + s->model->nq);
  return hfi_layer_slopes(r, i, &deformation, &layer);
}

hfStatus hfi_soft_jacobian(void* context, double t, const double* x, double* J) {
  hfiSwitching* s = context;
  hfRigid* r = s->rigid;
  hfAccel* a = r->accel;
  const hfModel* m = s->model;
  const double* v = x + m->nq;
  const int layers = 2 * m->nv + m->na, n = layers + s->stride * s->nlayer;
  ++s->looks;
  hfStatus status = hfi_accel_gather(a, t, x, v, m->na ? v + m->nv : NULL, NULL);
  if (status) return status;
  hfi_rigid_match(r);
  hfi_accel_begin_jacobian(a, n, J);
  for (int i = 0; i < a->ncontact; ++i) {
    const hfiAccelContact* c = &a->contact[i];
    double A[6][6];
    int k = r->point[i].match;
    hfiLayerSlopes slopes = slopes_at(s, x, i);
    hfi_accel_add_slopes(a, c, slopes.f_s, slopes.f_x);
    if (k < 0 || k >= s->nlayer) continue;
    fill_axes(a, c, s->stride, A);
    store_force_columns(s, c, &slopes, A, n, layers + s->stride * k, J);
    store_rate_rows(s, c, &slopes, A, n, layers + s->stride * k, J);
  }
  hfi_accel_finish_jacobian(a, n, J);
  return HF_OK;
}

void hfi_soft_lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfiSwitching* s = context;
  hfi_accel_lift_jacobian(s->rigid->accel, 2 * s->model->nv + s->model->na + s->stride * s->nlayer,
                          u, udot, J);
}
