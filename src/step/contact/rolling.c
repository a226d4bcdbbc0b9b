// Corrects the deformation of a rolling contact over the last step. The displacement is measured at the material point
// that was at the contact when the step began. As the bodies roll, this point leaves the contact along a cycloid. With
// the contact moving by dc over B, and A turning by theta relative to B, a point that rolls without slip moves by
//
//   -(theta x dc/2 + k theta x (theta x dc) + ...)         (y' = w x y - u, y(0) = 0, displacement y(h) + h u)
//
// across the normal, and none of it is deformation. k is 1/6 if B is flat, and 7/12 if A is flat, because its normal
// turns in the frame of B. For two round bodies the mean of both is taken.
#include "step/contact/inside.h"

#include "model/shape.h"

// A normal belongs to a cap of a cylinder if the cosine of its angle with the axis is above this [-].
static const double ROLLING_CAP_COSINE = 0.99;
// If the bodies turn by more than this, no deformation is left, because contact points come and go within the step
// [rad].
static const double LARGEST_ROLLING_TURN = 1;

// Whether a geom is flat where its normal is n.
static int is_flat(const hfDynamics* d, int geom, hfVec3 n) {
  int type = hf_model_geom_type(d->model)[geom];
  if (type == HF_GEOM_CYLINDER) return fabs(v3_dot(n, m3_col(d->X_WG[geom].R, 2))) > ROLLING_CAP_COSINE;
  return hfi_shape_kinds[type].curvature == HFI_FLAT;
}

// Adds to xi_W of a contact that has stuck and rolls what its material point missed because it left the contact; sets
// xi_W to zero if the bodies turned far. turn: how far A turned relative to B over the last step [rad]; before: what is
// remembered of the contact from the start of that step.
void hfi_correct_rolling(const hfDynamics* d, const hfVec3* turn, const hfContactMemory* before, hfiContact* c) {
  const hfVec3 theta = *turn;

  if (v3_norm2(theta) > LARGEST_ROLLING_TURN * LARGEST_ROLLING_TURN) {
    c->xi_W = v3_zero();
    return;
  }

  // two round bodies, or one of them flat
  double k = 3.0 / 8;
  if (is_flat(d, c->geom_b, c->n)) k = 1.0 / 6;
  else if (is_flat(d, c->geom_a, c->n)) k = 7.0 / 12;

  // theta x dc/2 + k theta x (theta x dc)
  hfVec3 dc = m3_mulv(d->X_WB[c->body_b].R, v3_sub(c->p_BC, v3_load(before->p_BC)));
  hfVec3 turned = v3_cross(theta, dc);
  hfVec3 missed = v3_axpy(k, v3_cross(theta, turned), v3_scale(0.5, turned));
  c->xi_W = v3_add(c->xi_W, hfi_across(c->n, missed));
}
