// Moving surfaces, see surface.h.
#include "contact/surface.h"

static int moves(const hfModel* m, int geom) {
  const double* u = hf_model_geom_surface_velocity(m) + 6 * geom;
  return u[0] != 0 || u[1] != 0 || u[2] != 0 || u[3] != 0 || u[4] != 0 || u[5] != 0;
}

int hfi_any_surface_moves(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g)
    if (moves(m, g)) return 1;
  return 0;
}

// Displacement over h of a point whose velocity is u, in a field that turns by w.
static hfVec3 displace(hfVec3 u, hfVec3 w, double h) {
  hfVec3 t = v3_scale(h, w), tu = v3_cross(t, u);
  double a = v3_norm(t), c = a > 1e-3 ? (1 - cos(a)) / (a * a) : 0.5 - a * a / 24,
         d = a > 1e-2 ? (a - sin(a)) / (a * a * a) : 1. / 6 - a * a / 120;
  return v3_scale(h, v3_axpy(d, v3_cross(t, tu), v3_axpy(c, tu, u)));
}

// Motion of a geom's surface at p_W. *turn is how far it turns.
static hfVec3 move_surface(const hfModel* m, const hfPose* X_WB, int geom, hfVec3 p_W, double h, hfVec3* turn) {
  *turn = v3_zero();
  if (!moves(m, geom)) return v3_zero();
  const double* given = hf_model_geom_surface_velocity(m) + 6 * geom;
  hfPose X = pose_mul(X_WB[hf_model_geom_body(m)[geom]],
                      pose_from(v3_load(hf_model_geom_pos(m) + 3 * geom), q_load(hf_model_geom_quat(m) + 4 * geom)));
  hfVec3 w = m3_mulv(X.R, v3_load(given + 3)), u = v3_add(m3_mulv(X.R, v3_load(given)), v3_cross(w, v3_sub(p_W, X.p)));
  *turn = h > 0 ? v3_scale(h, w) : w;
  return h > 0 ? displace(u, w, h) : u;
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
