// Moving surfaces, see surface.h.
#include "step/contact/surface.h"

#include "base/finite.h"

// Motion of a geom's surface at p_W. *turn is how far it turns.
static hfVec3 move_surface(const hfModel* m, const hfPose* X_WB, int geom, hfVec3 p_W, double h, hfVec3* turn) {
  const double* given = hf_model_geom_surface_velocity(m) + 6 * geom;
  *turn = v3_zero();
  if (!hfi_any_nonzero(given, 6)) return v3_zero();
  hfPose X = pose_mul(X_WB[hf_model_geom_body(m)[geom]],
                      pose_from(v3_load(hf_model_geom_pos(m) + 3 * geom), q_load(hf_model_geom_quat(m) + 4 * geom)));
  hfVec3 w = m3_mulv(X.R, v3_load(given + 3)), u = v3_add(m3_mulv(X.R, v3_load(given)), v3_cross(w, v3_sub(p_W, X.p)));
  *turn = h > 0 ? v3_scale(h, w) : w;
  return h > 0 ? v3_scale(h, v3_mean_turned(*turn, u)) : u;
}

hfiSurfaceMotion hfi_surface_motion(const hfModel* m, const hfPose* X_WB, const hfiContact* c, double h) {
  hfiSurfaceMotion motion;
  motion.a = move_surface(m, X_WB, c->geom_a, c->p_W, h, &motion.turn_a);
  motion.b = move_surface(m, X_WB, c->geom_b, c->p_W, h, &motion.turn_b);
  return motion;
}

double hfi_surface_drift(const hfiSurfaceMotion* motion, const hfiContact* c, int row, double h) {
  hfVec3 slide = v3_sub(motion->a, motion->b), turn = v3_sub(motion->turn_a, motion->turn_b);
  double moved = row < 3 ? v3_dot(hfi_contact_axis(c, row), slide) : row == 3 ? v3_dot(c->n, turn) : 0;
  return h > 0 ? moved / h : moved;
}
