// Slip of the bottle in the hand.
//
// A point of contact is a point of the finger and one of the bottle. They part by u in the finger's plane, of which the
// contact's elasticity explains -(f - f0)/k_t: f the friction on the bottle at that point, f0 at the start, k_t the
// tangential stiffness of one point. The rest is slip. Drift is what the whole bottle, its ends too, has moved in the
// palm's frame: at rest under the same load nothing of it is elastic.
#include "tamsi/iiwa.h"

// Friction on the bottle, in the finger's frame.
static hfVec3 friction_on(const hfContact* c, int bottle, const hfPose* finger) {
  double sign = c->body_a == bottle ? 1 : -1;
  return pose_unturn(finger, vec(sign * c->ft.x, sign * c->ft.y, sign * c->ft.z));
}

// k_t of the pair: springs in series, a ratio of the normal ones.
static double pair_stiffness(const hfModel* m, int a, int b) {
  const double* k = hf_model_geom_stiffness(m);
  double ka = k[a] < 0 ? m->world.stiffness : k[a], kb = k[b] < 0 ? m->world.stiffness : k[b];
  return m->world.tangential_ratio * ka * kb / (ka + kb);
}

static void axis_in_hand(const iiwaStation* s, hfVec3* p) {
  static const double height[3] = {0, 0.08, 0.2};
  hfPose bottle = iiwa_station_bottle(s),
         palm = hf_dynamics_body_pose(hf_sim_dynamics(s->sim), s->palm);
  for (int i = 0; i < 3; ++i) p[i] = pose_unapply(&palm, pose_apply(&bottle, vec(0, 0, height[i])));
}

int iiwa_slip_start(iiwaSlip* slip, const iiwaStation* s) {
  const hfDynamics* d = hf_sim_dynamics(s->sim);
  hfPose bottle = iiwa_station_bottle(s);
  slip->count = 0;
  for (int i = 0; i < hf_sim_contact_count(s->sim) && slip->count < IIWA_TOUCHES; ++i) {
    hfContact c = hf_sim_contact(s->sim, i);
    int other = c.body_a == s->bottle ? c.body_b : c.body_b == s->bottle ? c.body_a : -1;
    if ((other != s->left && other != s->right) || c.fn <= 0) continue;
    hfPose finger = hf_dynamics_body_pose(d, other);
    slip->stiffness = pair_stiffness(s->model, c.geom_a, c.geom_b);
    slip->touch[slip->count++] = (iiwaTouch){other,
                                             c.geom_a,
                                             c.geom_b,
                                             c.feature,
                                             pose_unapply(&finger, c.p_W),
                                             pose_unapply(&bottle, c.p_W),
                                             friction_on(&c, s->bottle, &finger)};
  }
  axis_in_hand(s, slip->axis);
  slip->slip = slip->moved = slip->drift = 0;
  return slip->count;
}

static int find_contact(const iiwaStation* s, const iiwaTouch* t, hfContact* c) {
  for (int i = 0; i < hf_sim_contact_count(s->sim); ++i) {
    *c = hf_sim_contact(s->sim, i);
    if (c->geom_a == t->geom_a && c->geom_b == t->geom_b && c->feature == t->feature) return 1;
  }
  return 0;
}

// The finger's plane is normal to its x. A contact that is gone carries nothing.
void iiwa_slip_measure(iiwaSlip* slip, const iiwaStation* s) {
  const hfDynamics* d = hf_sim_dynamics(s->sim);
  hfPose bottle = iiwa_station_bottle(s);
  hfVec3 axis[3];
  axis_in_hand(s, axis);
  slip->slip = slip->moved = slip->drift = 0;
  for (int i = 0; i < 3; ++i)
    slip->drift = fmax(slip->drift, vec_norm(vec_axpy(-1, slip->axis[i], axis[i])));
  for (int i = 0; i < slip->count; ++i) {
    const iiwaTouch* t = &slip->touch[i];
    hfPose finger = hf_dynamics_body_pose(d, t->finger);
    hfVec3 u = vec_axpy(-1, t->p_F, pose_unapply(&finger, pose_apply(&bottle, t->p_B))),
           f = {0, 0, 0};
    hfContact c;
    if (find_contact(s, t, &c)) f = friction_on(&c, s->bottle, &finger);
    double y = u.y + (f.y - t->force.y) / slip->stiffness,
           z = u.z + (f.z - t->force.z) / slip->stiffness;
    slip->slip = fmax(slip->slip, sqrt(y * y + z * z));
    slip->moved = fmax(slip->moved, sqrt(u.y * u.y + u.z * u.z));
  }
}
