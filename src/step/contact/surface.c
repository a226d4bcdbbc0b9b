// Moving surfaces, see surface.h.
#include "step/contact/surface.h"

#include "base/finite.h"

// Returns the motion of a geom's surface at p_W over a time h [m], or its velocity if h is 0 [m/s]. *turn: how far, or
// how fast, it turns [rad, rad/s].
static hfVec3 find_surface_motion(const hfModel* m, const hfPose* X_WB, int geom, hfVec3 p_W, double h, hfVec3* turn) {
  const double* given = hf_model_geom_surface_velocity(m) + 6 * geom;
  *turn = v3_zero();
  if (!hfi_any_nonzero(given, 6)) return v3_zero();

  // w and u(p) in the world
  hfPose X_BG = pose_from(v3_load(hf_model_geom_pos(m) + 3 * geom), q_load(hf_model_geom_quat(m) + 4 * geom));
  hfPose X = pose_mul(X_WB[hf_model_geom_body(m)[geom]], X_BG);
  hfVec3 w = m3_mulv(X.R, v3_load(given + 3));
  hfVec3 u = v3_add(m3_mulv(X.R, v3_load(given)), v3_cross(w, v3_sub(p_W, X.p)));

  if (!(h > 0)) {
    *turn = w;
    return u;
  }
  *turn = v3_scale(h, w);
  return v3_scale(h, v3_mean_turned(*turn, u));
}

// Returns the motion of both surfaces at a contact over a time h, or their velocities if h is 0.
hfiSurfaceMotion hfi_surface_motion(const hfModel* m, const hfPose* X_WB, const hfiContact* c, double h) {
  hfiSurfaceMotion motion;
  motion.a = find_surface_motion(m, X_WB, c->geom_a, c->p_W, h, &motion.turn_a);
  motion.b = find_surface_motion(m, X_WB, c->geom_b, c->p_W, h, &motion.turn_b);
  return motion;
}

// Returns the velocity that the surfaces add to a row of a contact [m/s or rad/s].
double hfi_surface_drift(const hfiSurfaceMotion* motion, const hfiContact* c, int row, double h) {
  hfVec3 slide = v3_sub(motion->a, motion->b);
  hfVec3 turn = v3_sub(motion->turn_a, motion->turn_b);
  double moved = 0;

  if (row < 3) moved = v3_dot(hfi_contact_axis(c, row), slide);
  else if (row == 3) moved = v3_dot(c->n, turn);

  return h > 0 ? moved / h : moved;
}
