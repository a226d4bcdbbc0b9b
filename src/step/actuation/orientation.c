// Orientation servos (docs/theory/actuation.md). With the rotation q of a ball joint, or of a site in its reference,
// and its rate w in the axes of the child, the torque towards the rotation q_d is
//
//   tau = kp e - kv w,   e = log(q^-1 q_d),   |tau| <= F
//
// Its three components are those of three actuators with lengths l = log(q) and velocities w. Each has the affine
// force kp (u - l) - kv w for the input u = l + e. A step of rotation h w changes e by -h w along e and by less across
// it, so that the law of servos, e - h w, is as implicit and stable as that of a hinge.
//
// The bound F on the size becomes a bound on each component: what the other two leave of F. If the torque at the start
// is larger than F, the bound is the component of the torque shortened to F.
#include "step/actuation/inside.h"
#include "model/actuator.h"

// Returns the present force of actuator i, one axis of an orientation servo [N m].
static double find_axis_torque(const hfActuation* a, int i) {
  hfiAffine f = hfi_affine_force(a, i);
  return f.constant + f.length * a->length[i] + f.velocity * a->velocity[i];
}

// Sets the bounds of the three actuators from x on, the axes of one servo, in drives.servo.
static void set_torque_bounds(hfActuation* a, int x) {
  int is_limited = hf_model_actuator_forcelimited(a->model)[x];
  double largest = is_limited ? hf_model_actuator_forcerange(a->model)[2 * x + 1] : INFINITY;
  hfVec3 tau = v3(find_axis_torque(a, x), find_axis_torque(a, x + 1), find_axis_torque(a, x + 2));
  double size = v3_norm(tau);

  // the torque at the start, shortened to the bound F
  double kept[3];
  v3_store(kept, size > largest ? v3_scale(largest / size, tau) : tau);

  for (int k = 0; k < 3; ++k) {
    hfiServo* s = &a->drives.servo[x + k];
    if (size > largest) s->hi = fabs(kept[k]);
    else if (largest < INFINITY) s->hi = sqrt(sqr(largest) - sqr(size) + sqr(kept[k]));
    else s->hi = INFINITY;
    s->lo = -s->hi;
  }
}

// Writes inputs and bounds of all orientation servos from their present and wanted rotations.
void hfi_update_orientations(hfActuation* a) {
  for (int g = 0; g < a->drives.norientation; ++g) {
    int first = a->drives.orientation[g];
    int x = hfi_orientation_first_axis(a->model, first);
    hfVec3 l = v3_load(a->length + x);
    hfQuat target = x > first ? q_unit(q_load(a->input + first)) : q_exp(v3_load(a->input + first));

    // u = l + log(q^-1 q_d); the first of four actuators, the component w of a quaternion, has no force
    a->input[first] = 0;
    v3_store(a->input + x, v3_add(l, q_log(q_mul(q_exp(v3_neg(l)), target))));
    set_torque_bounds(a, x);
  }
}

// Replaces the activations (na) of orientation servos, which are rotation vectors, by the shortest vectors of the same
// rotations.
void hfi_orientations_advance(const hfActuation* a, double* act) {
  for (int g = 0; g < a->drives.norientation; ++g) {
    int first = a->drives.orientation[g];
    int adr = hf_model_actuator_actadr(a->model)[first];
    if (adr < 0) continue;

    hfVec3 turn = v3_load(act + adr);
    if (v3_norm(turn) > HFI_PI) v3_store(act + adr, q_log(q_exp(turn)));
  }
}

// Clamps a->force of orientation servos to the bounds that hfi_update_orientations has written.
void hfi_bound_orientations(const hfActuation* a) {
  for (int g = 0; g < a->drives.norientation; ++g) {
    int x = hfi_orientation_first_axis(a->model, a->drives.orientation[g]);
    for (int k = x; k < x + 3; ++k) a->force[k] = clamp(a->force[k], a->drives.servo[k].lo, a->drives.servo[k].hi);
  }
}
