// The Jacobian of the compliant phase, xdot = (v, M^-1 (tau + J^T f), actdot, xidot of each layer), by the coordinates
// (q, v, act, xi_B).
//
//   df     = f_s J dv + f_x J dq + f_xi A dxi_B          of a contact: slopes of its layer (layer.c), rows A of its axes in the frame of B
//   dxidot = A^T (rate_s J dv + rate_x J dq + rate_xi A dxi_B)
//
// Differences of f would not do. A stiff layer that carries a body is deformed by m g/k, which is less than the
// displacement that a difference needs (1.5e-8 m) from a stiffness of 1e9 N/m for 1 kg on. The contact is open at the
// displaced point, so that a hundredth or less of the stiffness would be found, and steps with such a Jacobian throw
// bodies up (docs/theory/switching.md). As in accel_jacobian.c, the changes of M, of the bias and of the directions of
// rows with the configuration are left out.
#include "methods/switching/inside.h"

#include <string.h>

// A layer whose rows and columns are written.
typedef struct LayerBlock {
  const hfiAccelContact* contact;
  hfiLayerSlopes slopes;
  double A[6][6]; // entry [r][j] is the component of coordinate j of the layer along row r
  int first;      // its first coordinate
} LayerBlock;

// Fills A. The deformation belongs to the rows t1 and t2, the twist to the other three.
static void fill_axes(const hfAccel* a, LayerBlock* block, int stride) {
  const hfiAccelContact* c = block->contact;
  const hfMat3* R = &a->dynamics->X_WB[c->contact->body_b].R;
  memset(block->A, 0, sizeof block->A);
  for (int j = 0; j < stride; ++j) {
    int first = j < 3 ? 1 : 3;
    int end = imin2(c->dim, j < 3 ? 3 : 6);
    for (int r = first; r < end; ++r) {
      double axis[3];
      v3_store(axis, m3_tmulv(*R, hfi_contact_axis(c->contact, r)));
      block->A[r][j] = axis[j % 3];
    }
  }
}

// Writes the columns of a layer to J (n x n): the accelerations for J^T f_xi A.
static void store_force_columns(hfiSwitching* s, const LayerBlock* block, int n, double* J) {
  hfAccel* a = s->rigid->accel;
  const hfiAccelContact* c = block->contact;
  const int nv = s->model->nv;
  double* column = s->rigid->rows.column;

  for (int j = 0; j < s->layers.stride; ++j) {
    double f[6] = {0};
    for (int r = 0; r < c->dim; ++r)
      for (int k = 0; k < c->dim; ++k) f[r] += block->slopes.f_xi[r][k] * block->A[k][j];

    memset(column, 0, (size_t)nv * sizeof *column);
    hfi_accel_add_force(c, f, column);
    hfi_accel_solve(a, column, s->rigid->rows.zero);
    for (int i = 0; i < nv; ++i) J[(nv + i) * n + block->first + j] = column[i];
  }
}

// Adds weight times row r of a contact's J to a row of the Jacobian, at the columns of q or of v.
static void add_contact_row(const hfiAccelContact* c, int r, double weight, double* row) {
  for (int l = 0; weight != 0 && l < c->n; ++l) row[c->cols[l]] += weight * c->J[r * c->n + l];
}

// Writes the rows of a layer to J (n x n).
static void store_rate_rows(const hfiSwitching* s, const LayerBlock* block, int n, double* J) {
  const hfiAccelContact* c = block->contact;
  const hfiLayerSlopes* slopes = &block->slopes;
  for (int j = 0; j < s->layers.stride; ++j) {
    double* row = J + (block->first + j) * n;
    for (int r = 1; r < c->dim; ++r) {
      double component = block->A[r][j];
      for (int k = 0; component != 0 && k < c->dim; ++k) {
        add_contact_row(c, k, component * slopes->rate_x[r][k], row);
        add_contact_row(c, k, component * slopes->rate_s[r][k], row + s->model->nv);
        for (int i = 0; i < s->layers.stride; ++i)
          row[block->first + i] += component * slopes->rate_xi[r][k] * block->A[k][i];
      }
    }
  }
}

// Slopes of contact i at the point x, at which the accel and the tracks are.
static hfiLayerSlopes find_slopes(const hfiSwitching* s, const double* x, int i) {
  const hfRigid* r = s->rigid;
  hfiDeformation deformation = hfi_compliant_deformation(s, x, r->point[i].match);
  hfiLayerState layer = hfi_layer_evaluate(r, i, hfi_compliant_rest(r, i), &deformation, x + s->model->nq);
  return hfi_layer_slopes(r, i, &deformation, &layer);
}

hfStatus hfi_compliant_jacobian(void* context, double t, const double* x, double* J) {
  hfiSwitching* s = context;
  hfRigid* r = s->rigid;
  hfAccel* a = r->accel;
  const hfModel* m = s->model;
  const double* v = x + m->nq;
  const int layers = 2 * m->nv + m->na;
  const int n = layers + hfi_switching_tail(s);
  ++s->looks;
  hfStatus status = hfi_accel_gather(a, t, x, v, m->na ? v + m->nv : NULL, NULL);
  if (status) return status;

  hfi_rigid_match(r);
  hfi_accel_begin_jacobian(a, n, J);
  for (int i = 0; i < a->ncontact; ++i) {
    int k = r->point[i].match;
    LayerBlock block = {.contact = &a->contact[i], .slopes = find_slopes(s, x, i),
                        .first = layers + s->layers.stride * k};
    hfi_accel_add_slopes(a, block.contact, block.slopes.f_s, block.slopes.f_x);
    if (k < 0 || k >= s->layers.count) continue;
    fill_axes(a, &block, s->layers.stride);
    store_force_columns(s, &block, n, J);
    store_rate_rows(s, &block, n, J);
  }
  hfi_accel_finish_jacobian(a, n, J);
  return HF_OK;
}

void hfi_compliant_lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfiSwitching* s = context;
  int n = 2 * s->model->nv + s->model->na + hfi_switching_tail(s);
  hfi_accel_lift_jacobian(s->rigid->accel, n, u, udot, J);
}
