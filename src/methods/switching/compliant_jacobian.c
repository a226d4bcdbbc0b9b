// The Jacobian of the compliant phase, xdot = (v, M^-1 (tau + J^T f), actdot, xidot of each layer), by the coordinates
// (q, v, act, xi_B).
//
//   df     = f_s J dv + f_x J dq + f_xi A dxi_B          of a contact
//   dxidot = A^T (rate_s J dv + rate_x J dq + rate_xi A dxi_B)
//
// f_s, f_x, f_xi, rate_s, rate_x and rate_xi are the slopes of its layer (layer.c). A has its axes in the frame of B as
// rows.
//
// Differences of f would not do. A stiff layer that carries a body is deformed by m g/k. From a stiffness of 1e9 N/m
// for 1 kg on, that is less than the displacement that a difference needs (1.5e-8 m). The contact is open at the
// displaced point, so that a hundredth or less of the stiffness would be found. Steps with such a Jacobian throw bodies
// up (docs/theory/switching.md). As in accel_jacobian.c, the changes of M, of the bias and of the directions of rows
// with the configuration are left out.
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
static void fill_axes(const hfAccel* accel, LayerBlock* block, int stride) {
  const hfiAccelContact* contact = block->contact;
  const hfMat3* R = &accel->dynamics->X_WB[contact->source->body_b].R;

  memset(block->A, 0, sizeof block->A);
  for (int j = 0; j < stride; ++j) {
    int first = j < 3 ? 1 : 3;
    int end = imin2(contact->dim, j < 3 ? 3 : 6);

    for (int r = first; r < end; ++r) {
      double axis[3];
      v3_store(axis, m3_tmulv(*R, hfi_contact_axis(contact->source, r)));
      block->A[r][j] = axis[j % 3];
    }
  }
}

// Writes the columns of a layer to J (n x n): the accelerations for J^T f_xi A.
static void store_force_columns(hfiSwitching* s, const LayerBlock* block, int n, double* J) {
  hfAccel* accel = s->rigid->accel;
  const hfiAccelContact* contact = block->contact;
  const int nv = s->model->nv;
  double* column = s->rigid->rows.column;

  for (int j = 0; j < s->layers.stride; ++j) {
    // f = f_xi A, column j
    double f[6] = {0};
    for (int r = 0; r < contact->dim; ++r)
      for (int k = 0; k < contact->dim; ++k) f[r] += block->slopes.f_xi[r][k] * block->A[k][j];

    // its accelerations
    memset(column, 0, (size_t)nv * sizeof *column);
    hfi_accel_add_force(contact, f, column);
    hfi_accel_solve(accel, column, s->rigid->rows.zero);
    for (int i = 0; i < nv; ++i) J[(nv + i) * n + block->first + j] = column[i];
  }
}

// Adds weight times row r of a contact's J to a row of the Jacobian, at the columns of q or of v.
static void add_contact_row(const hfiAccelContact* contact, int r, double weight, double* row) {
  if (weight == 0) return;
  for (int l = 0; l < contact->n; ++l) row[contact->cols[l]] += weight * contact->J[r * contact->n + l];
}

// Writes the rows of a layer to J (n x n): A^T (rate_s J dv + rate_x J dq + rate_xi A dxi_B).
static void store_rate_rows(const hfiSwitching* s, const LayerBlock* block, int n, double* J) {
  const hfiAccelContact* contact = block->contact;
  const hfiLayerSlopes* slopes = &block->slopes;

  // row of coordinate j: the rows r of the contact, by what A has of j along them
  for (int j = 0; j < s->layers.stride; ++j) {
    double* row = J + (block->first + j) * n;

    for (int r = 1; r < contact->dim; ++r) {
      double component = block->A[r][j];
      if (component == 0) continue;

      for (int k = 0; k < contact->dim; ++k) {
        add_contact_row(contact, k, component * slopes->rate_x[r][k], row);
        add_contact_row(contact, k, component * slopes->rate_s[r][k], row + s->model->nv);
        for (int i = 0; i < s->layers.stride; ++i)
          row[block->first + i] += component * slopes->rate_xi[r][k] * block->A[k][i];
      }
    }
  }
}

// Slopes of contact i at the point x, at which the accel and the tracks are.
static hfiLayerSlopes find_slopes(const hfiSwitching* s, const double* x, int i) {
  const hfRigid* rigid = s->rigid;
  hfiDeformation deformation = hfi_compliant_deformation(s, x, rigid->point[i].match);

  hfiLayerState layer = hfi_layer_evaluate(rigid, i, hfi_compliant_rest_gap(rigid, i), &deformation, x + s->model->nq);
  return hfi_layer_slopes(rigid, i, &deformation, &layer);
}

// Derivatives J (n x n) of hfi_compliant_rate at x, in the tangent space there.
hfStatus hfi_compliant_jacobian(void* context, double t, const double* x, double* J) {
  hfiSwitching* s = context;
  hfRigid* rigid = s->rigid;
  hfAccel* accel = rigid->accel;
  const hfModel* model = s->model;
  const double* v = x + model->nq;
  const int layers = 2 * model->nv + model->na;
  const int n = layers + hfi_switching_tail(s);

  ++s->evaluations;
  hfStatus status = hfi_accel_gather_forces(accel, t, x, v, model->na ? v + model->nv : NULL, NULL);
  if (status) return status;

  // the accel's part, then each contact's; one without a layer (k < 0) has only the slopes of its force
  hfi_rigid_match_tracks(rigid);
  hfi_accel_begin_jacobian(accel, n, J);
  for (int i = 0; i < accel->ncontact; ++i) {
    int k = rigid->point[i].match;
    LayerBlock block = {
        .contact = &accel->contact[i],
        .slopes = find_slopes(s, x, i),
        .first = layers + s->layers.stride * k,
    };
    hfi_accel_add_slopes(accel, block.contact, block.slopes.f_s, block.slopes.f_x);

    int has_layer = k >= 0 && k < s->layers.count;
    if (!has_layer) continue;
    fill_axes(accel, &block, s->layers.stride);
    store_force_columns(s, &block, n, J);
    store_rate_rows(s, &block, n, J);
  }

  hfi_accel_finish_jacobian(accel, n, J);
  return HF_OK;
}

// Changes J into the chart around the start of the step, at its point u with the rate udot.
void hfi_compliant_lift_jacobian(void* context, const double* u, const double* udot, double* J) {
  const hfiSwitching* s = context;

  int n = 2 * s->model->nv + s->model->na + hfi_switching_tail(s);
  hfi_accel_lift_jacobian(s->rigid->accel, n, u, udot, J);
}
