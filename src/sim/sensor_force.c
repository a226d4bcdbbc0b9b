// Sensors of forces.
//
// Interaction force: what a body's parent exerts on it. Newton-Euler over the body's subtree,
//   F_parent = sum_b (I_b A_b + V_b x* I_b V_b) - wrenches - contacts - connect and weld forces - pulls of
//              spatial tendons
//
// Touch: normal forces of contacts of the site's body whose outward ray from the contact point meets the
// site's volume. A contact inside the volume always does.
#include "sim/sensor.h"

#include "step/geometry/ray.h"
#include "model/path.h"

// ---- interaction force ------------------------------------------------------------------------------

// Whether a body is `root` or is carried by it.
static int is_in_subtree(const hfModel* m, int body, int root) {
  return body >= root && body < hf_model_body_subtreeend(m)[root];
}

// Returns the force F, about p0, less a force f and torque n that act at p.
static hfForce subtract_wrench(hfForce F, hfVec3 p0, hfVec3 p, hfVec3 f, hfVec3 n) {
  F.f = v3_sub(F.f, f);
  F.n = v3_sub(F.n, v3_add(n, v3_cross(v3_sub(p, p0), f)));
  return F;
}

// Returns F, about p, less the forces of contacts on the subtree of root.
static hfForce subtract_contacts(const hfiSensorInput* in, int root, hfVec3 p, hfForce F) {
  const hfModel* m = in->dynamics->model;
  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    int sign = is_in_subtree(m, c->body_a, root) - is_in_subtree(m, c->body_b, root);
    if (sign) F = subtract_wrench(F, p, c->p_W, v3_scale(sign, hfi_contact_force(c)), v3_scale(sign, c->torque));
  }
  return F;
}

// Returns F, about p, less the forces of connects and welds on the subtree of root. The force on body 1 at its anchor
// is lambda, the torque turn^T lambda_rot; body 2 gets the opposite.
static hfForce subtract_equalities(const hfiSensorInput* in, int root, hfVec3 p, hfForce F) {
  const hfDynamics* d = in->dynamics;
  for (int i = 0; in->constraint && i < d->model->neq; ++i) {
    hfiEquality e = hfi_equality_evaluate(in->actuation, d, i, in->q);
    if (e.dim < 3) continue;

    const double* lambda = in->constraint->equality + 6 * i;
    hfVec3 force = v3_load(lambda);
    hfVec3 torque = e.dim == 6 ? m3_tmulv(e.turn, v3_load(lambda + 3)) : v3_zero();

    for (int k = 0; k < 2; ++k) {
      double sign = k ? -1 : 1;
      if (is_in_subtree(d->model, e.body[k], root))
        F = subtract_wrench(F, p, e.p_W[k], v3_scale(sign, force), v3_scale(sign, torque));
    }
  }
  return F;
}

// Returns the force of everything that acts on a tendon along its length [N], positive where it lengthens it: spring,
// damper, actuators, limits, friction, equalities, and the inertia of its armature.
static double tendon_tension(const hfiSensorInput* in, int t) {
  const hfActuation* a = in->actuation;
  const hfModel* m = a->model;
  double force = hfi_tendon_passive_force(a, in->dynamics, t) + (in->constraint ? in->constraint->tendon[t] : 0);

  // actuators
  for (int i = 0; i < m->nu; ++i)
    // a->force is the force before the gear
    if (hf_model_actuator_trntype(m)[i] == HF_TRANSMISSION_TENDON && hf_model_actuator_trnid(m)[2 * i] == t)
      force += hf_model_actuator_gear(m)[6 * i] * a->force[i];

  // couplings of tendons: with the error r of lengths l1 and l2, lambda dr/dl1 = lambda and lambda dr/dl2 (slope)
  for (int i = 0; in->constraint && i < m->neq; ++i) {
    if (hf_model_eq_type(m)[i] != HF_EQUALITY_TENDON) continue;
    double lambda = in->constraint->equality[6 * i];
    if (hf_model_eq_obj1(m)[i] == t) force += lambda;
    if (hf_model_eq_obj2(m)[i] == t) force += hfi_equality_evaluate(a, in->dynamics, i, in->q).slope * lambda;
  }

  // armature: -a times the second derivative of the length
  double armature = hf_model_tendon_armature(m)[t];
  if (armature == 0) return force;
  double rate = 0;
  for (int k = a->tendons.start[t]; k < a->tendons.start[t + 1]; ++k)
    rate += a->tendons.J[k] * in->vdot[a->tendons.dof[k]];
  return force - armature * (rate + hfi_tendon_gradient_rate(in->dynamics, t));
}

// Returns F, about p, less the pulls of spatial tendons on the subtree of root.
static hfForce subtract_tendons(const hfiSensorInput* in, int root, hfVec3 p, hfForce F) {
  const hfModel* m = in->dynamics->model;
  for (int t = 0; t < m->ntendon; ++t) {
    if (!hfi_tendon_is_spatial(m, t)) continue;
    double tension = tendon_tension(in, t);
    hfiPathWalk walk = hfi_path_begin(m, in->dynamics->X_WB, NULL, t);
    hfiPathSpan span;

    // both ends of each segment
    while (hfi_path_next(&walk, &span))
      for (int e = 0; e < 2 * span.nsegment; ++e) {
        const hfiPathSegment* s = &span.segment[e / 2];
        hfVec3 along = v3_scale(tension * span.scale, v3_unit(v3_sub(s->p_W[1], s->p_W[0])));
        if (!is_in_subtree(m, s->body[e % 2], root)) continue;
        F = subtract_wrench(F, p, s->p_W[e % 2], e % 2 ? along : v3_neg(along), v3_zero());
      }
  }
  return F;
}

// Returns force and torque by which the parent of a body holds it, about p_W in world axes: what the subtree's motion
// needs, less all other forces on it.
hfForce hfi_interaction_force(const hfiSensorInput* in, int body, hfVec3 p_W) {
  const hfDynamics* d = in->dynamics;
  hfForce F = hfi_subtree_force(d, body, p_W);

  for (int b = body; in->wrench && b < hf_model_body_subtreeend(d->model)[body]; ++b)
    F = subtract_wrench(F, p_W, hfi_body_com(d, b), in->wrench[b].f, in->wrench[b].n);

  F = subtract_contacts(in, body, p_W, F);
  F = subtract_equalities(in, body, p_W, F);
  return subtract_tendons(in, body, p_W, F);
}

// ---- touch ------------------------------------------------------------------------------------------

// Returns the sum of the normal forces of the contacts that the volume of a touch sensor's site sees [N].
double hfi_touch_force(const hfiSensorInput* in, int site) {
  const hfModel* m = in->dynamics->model;
  const double* size = hf_model_site_size(m) + 3 * site;
  const int body = hf_model_site_body(m)[site];
  hfPose X = hf_dynamics_site_pose(in->dynamics, site);
  hfiShape volume = {hf_model_site_type(m)[site], {size[0], size[1], size[2]}, NULL, NULL};
  double sum = 0;

  for (int i = 0; i < in->ncontact; ++i) {
    const hfContact* c = &in->contact[i];
    if ((c->body_a != body && c->body_b != body) || c->fn <= 0) continue;

    hfVec3 out = c->body_a == body ? v3_neg(c->n_W) : c->n_W; // n points from B into A
    double distance;
    hfVec3 normal;
    if (hfi_ray_shape(&volume, pose_inv_point(X, c->p_W), m3_tmulv(X.R, out), &distance, &normal)) sum += c->fn;
  }
  return sum;
}
