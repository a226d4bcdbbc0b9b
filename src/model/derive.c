// Derived fields.
//
//   body_subtreemass[b] = sum of masses below b
//   body_iquat          principal axes of body_inertia: those of the field if they are principal, otherwise in
//                       descending order of moments
//   geom_rbound         radius about its centre of a ball around a geom that is no plane, mesh or height field, of
//                       which others know the bounds
//   dof_M0[i]           = S_i^T (sum of inertias below i) S_i + armature, at qpos0
#include "model/derive.h"

#include "base/error.h"
#include "math/eigen3.h"
#include "model/joint.h"
#include "model/object.h"
#include "model/shape.h"

#include <stdlib.h>

// ---- poses at the reference --------------------------------------------------------------------------

// The pose of a body in its parent at qpos0.
static hfPose offset_in_parent(const hfModel* m, int b) {
  return pose_from(v3_load(hf_model_body_pos(m) + 3 * b), q_load(hf_model_body_quat(m) + 4 * b));
}

void hfi_reference_poses(const hfModel* m, hfPose* X_WB) {
  X_WB[0] = pose_identity();
  for (int b = 1; b < m->nbody; ++b) X_WB[b] = pose_mul(X_WB[hf_model_body_parent(m)[b]], offset_in_parent(m, b));
}

// Returns the motion of a joint with one coordinate from qpos0 to the rest of its spring.
static hfPose rest_motion(const hfModel* m, int j) {
  int adr = hf_model_jnt_qposadr(m)[j];
  double x = hf_model_qpos_spring(m)[adr] - hf_model_qpos0(m)[adr];
  hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * j);
  hfVec3 anchor = v3_load(hf_model_jnt_pos(m) + 3 * j);
  if (!hf_joint_info(hf_model_jnt_type(m)[j]).is_angle) return pose_from(v3_scale(x, axis), q_identity());

  hfQuat turn = q_from_axis_angle(axis, x);
  return pose_from(v3_sub(anchor, q_rotate(turn, anchor)), turn);
}

// Joints displace a body one after the other, each in the frame that those before it leave.
void hfi_rest_poses(const hfModel* m, hfPose* X_WB) {
  X_WB[0] = pose_identity();
  for (int b = 1; b < m->nbody; ++b) {
    hfPose X = offset_in_parent(m, b);
    int first = hf_model_body_jntadr(m)[b];

    for (int j = first; j < first + hf_model_body_jntnum(m)[b]; ++j)
      if (hfi_joint_is_scalar(hf_model_jnt_type(m)[j])) X = pose_mul(X, rest_motion(m, j));
    X_WB[b] = pose_mul(X_WB[hf_model_body_parent(m)[b]], X);
  }
}

// Returns the motion of dof i per unit velocity, at the world origin, with the bodies at X_WB. The type of its joint
// computes it.
hfMotion hfi_reference_axis(const hfModel* m, int i, const hfPose* X_WB) {
  int j = hf_model_dof_jnt(m)[i];
  int k = i - hf_model_jnt_dofadr(m)[j];
  hfVec3 axis = v3_load(hf_model_jnt_axis(m) + 3 * j);
  hfVec3 anchor = v3_load(hf_model_jnt_pos(m) + 3 * j);
  const hfiJointKind* joint = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
  return joint->reference_axis(&X_WB[hf_model_dof_body(m)[i]], axis, anchor, hf_model_jnt_pitch(m)[j], k);
}

// ---- inertias at the reference -----------------------------------------------------------------------

// Inertia of body b at the pose X about the world origin.
static hfiInertia reference_inertia(const hfModel* m, int b, const hfPose* X) {
  hfVec3 c = pose_point(*X, v3_load(hf_model_body_com(m) + 3 * b));
  hfiInertia I = {hf_model_body_mass(m)[b], v3_scale(hf_model_body_mass(m)[b], c), {0}};
  sym3_rotate(X->R, hf_model_body_inertia(m) + 6 * b, I.I);
  sym3_add_point(I.I, I.m, c);
  return I;
}

void hfi_reference_composites(const hfModel* m, const hfPose* X_WB, hfiInertia* composite) {
  for (int b = 0; b < m->nbody; ++b) composite[b] = reference_inertia(m, b, &X_WB[b]);
  for (int b = m->nbody - 1; b > 0; --b) inertia_add(&composite[hf_model_body_parent(m)[b]], &composite[b]);
}

// ---- derived fields --------------------------------------------------------------------------------

// Sets body_iquat to the principal axes of a body, unless those in it are principal. Refuses a mass or inertia that no
// matter has.
static hfStatus derive_inertia(hfModel* m, int b, hfError* error) {
  // The least moment of a valid inertia may be negative by this share of the largest, by rounding [-].
  static const double NEGATIVE_MOMENT_SHARE = 1e-10;

  const double* I = hf_model_body_inertia(m) + 6 * b;
  double mass = hf_model_body_mass(m)[b];
  double* iquat = hfi_set_body_iquat(m) + 4 * b;
  double moment[3]; // descending
  hfMat3 R;
  eigen3(I, moment, &R);
  if (!is_principal(q_load(iquat), I)) q_store(iquat, principal_axes(I));

  if (!isfinite(mass) || mass < 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "%s: mass %g is negative or not finite",
                      hfi_model_label(m, HF_OBJECT_BODY, b).text, mass);
  if (!isfinite(moment[2]) || moment[2] < -NEGATIVE_MOMENT_SHARE * fabs(moment[0]))
    return hfi_refuse(error, HF_ERROR_MODEL, "%s: inertia is not positive (principal moments %g %g %g)",
                      hfi_model_label(m, HF_OBJECT_BODY, b).text, moment[0], moment[1], moment[2]);

  return HF_OK;
}

static void derive_subtree_masses(hfModel* m) {
  double* total = hfi_set_body_subtreemass(m);
  for (int b = 0; b < m->nbody; ++b) total[b] = hf_model_body_mass(m)[b];
  for (int b = m->nbody - 1; b > 0; --b) total[hf_model_body_parent(m)[b]] += total[b];
}

static void derive_bounds(hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    const hfiShapeKind* shape = &hfi_shape_kinds[hf_model_geom_type(m)[g]];
    if (shape->radius) hfi_set_geom_rbound(m)[g] = shape->radius(hf_model_geom_size(m) + 3 * g);
  }
}

// Sets dof_M0, with the bodies at X_WB. composite (nbody): scratch. Refuses a dof that moves no inertia; *at_fault is
// its body.
static hfStatus derive_dof_masses(hfModel* m, const hfPose* X_WB, hfiInertia* composite, int* at_fault,
                                  hfError* error) {
  // A dof with a smaller inertia cannot be simulated [kg or kg m^2].
  static const double LEAST_DOF_INERTIA = 1e-15;
  hfi_reference_composites(m, X_WB, composite);

  for (int i = 0; i < m->nv; ++i) {
    int b = hf_model_dof_body(m)[i];
    int j = hf_model_dof_jnt(m)[i];
    hfMotion S = hfi_reference_axis(m, i, X_WB);
    double inertia = fo_dot(inertia_mul(&composite[b], S), S) + hf_model_dof_armature(m)[i];
    *at_fault = b;
    if (!(inertia > LEAST_DOF_INERTIA))
      return hfi_refuse(error, HF_ERROR_MODEL, "%s: %s moves no inertia; give the body mass or the joint armature",
                        hfi_model_label(m, HF_OBJECT_BODY, b).text, hfi_model_label(m, HF_OBJECT_JOINT, j).text);
    hfi_set_dof_M0(m)[i] = inertia;
  }

  return HF_OK;
}

// Sets the derived fields of the file's head. On refusal *at_fault (or NULL) is the body whose mass or inertia is
// wrong.
hfStatus hfi_derive(hfModel* m, int* at_fault, hfError* error) {
  int ignored = 0;
  if (!at_fault) at_fault = &ignored;

  for (int b = 0; b < m->nbody; ++b) {
    *at_fault = b;
    hfStatus status = derive_inertia(m, b, error);
    if (status != HF_OK) return status;
  }

  derive_subtree_masses(m);
  derive_bounds(m);

  hfPose* X_WB = malloc(sizeof *X_WB * (size_t)m->nbody);
  hfiInertia* composite = malloc(sizeof *composite * (size_t)m->nbody);
  hfStatus status = X_WB && composite ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  if (status == HF_OK) {
    hfi_reference_poses(m, X_WB);
    status = derive_dof_masses(m, X_WB, composite, at_fault, error);
  }

  free(X_WB);
  free(composite);
  return status;
}
