// The paths of geoms over a step whose velocities are known (docs/theory/motion.md).
//
//   free body    its centre moves along a line, and the body turns about it
//   other link   moves along the screw of its velocity v and spin w, whose axis goes through p + w x v/|w|^2 for the velocity v at p
#include "step/near/mover.h"

// A body with velocity v at p and spin w moves along a screw. Returns the point of the screw's axis that is nearest to p.
static hfVec3 screw_centre(hfVec3 p, hfVec3 v, hfVec3 w) { return v3_axpy(1 / v3_norm2(w), v3_cross(w, v), p); }

// Finds the link that carries links a and b through the world: their last common ancestor whose parent never turns and which a free joint or slides move.
// Returns 0, the world, if there is none.
static int carrying_link(const hfDynamics* d, int a, int b) {
  while (a != b) { // parents come first
    if (a > b) a = d->link[a].parent;
    else b = d->link[b].parent;
  }
  while (!d->only_slides[d->link[d->link[a].parent].body]) a = d->link[a].parent;
  if (a == 0) return 0;
  int first = hf_model_jnt_type(d->model)[d->link[a].joint];
  return first == HF_JOINT_FREE || first == HF_JOINT_SLIDE ? a : d->link[a].parent;
}

// The velocity of the frame in which the paths of two geoms are computed. Two links of a tree that flies or slides are seen from the origin of the
// body that carries both: their own screws would be circles of a radius of |v|/|w|, far from the paths of the links where the tree is fast.
static hfVec3 carrying_velocity(const hfiPaths* paths, int geom_a, int geom_b) {
  const hfDynamics* d = &paths->world->dynamics;
  const hfMotion* V = paths->V;
  const int32_t* body = hf_model_geom_body(paths->world->model);
  int link = carrying_link(d, d->body_link[body[geom_a]], d->body_link[body[geom_b]]);
  if (link == 0) return v3_zero();
  return v3_add(V[link].v, v3_cross(V[link].w, v3_sub(d->X_WB[d->link[link].body].p, hfi_link_reference(d, link))));
}

// The path of geom g in a frame that moves with velocity u: a free body turns about the centre that is known for its tree, any other link about its
// screw axis.
static hfiMover mover_along_path(const hfiPaths* paths, hfVec3 u, int g) {
  const hfiWorld* w = paths->world;
  const hfDynamics* d = &w->dynamics;
  const hfMotion* V = paths->V;
  int body = hf_model_geom_body(w->model)[g], link = d->body_link[body], tree = hf_model_body_tree(w->model)[body];
  hfiMover m = {&w->scene.shape[g], d->X_WG[g], d->X_WG[g].p, v3_zero(), V[link].w, hf_model_geom_rbound(w->model)[g]};
  if (tree < 0) return m;
  const hfiTurningCentre* about = &paths->about[tree];
  if (about->known) {
    m.centre = about->p, m.v = about->v;
  } else {
    m.v = v3_sub(v3_add(V[link].v, v3_cross(m.w, v3_sub(m.centre, hfi_link_reference(d, link)))), u);
    if (v3_norm2(m.w) > 0) {
      hfVec3 axis = v3_unit(m.w);
      m.centre = screw_centre(m.centre, m.v, m.w);
      m.v = v3_scale(v3_dot(axis, m.v), axis);
    }
  }
  m.radius += v3_norm(v3_sub(m.X0.p, m.centre));
  return m;
}

void hfi_movers_on_paths(const hfiPaths* paths, int geom_a, int geom_b, hfiMover mover[2]) {
  hfVec3 u = carrying_velocity(paths, geom_a, geom_b);
  mover[0] = mover_along_path(paths, u, geom_a);
  mover[1] = mover_along_path(paths, u, geom_b);
}

// Velocity at time t of the material point of a mover that is at p then.
static hfVec3 velocity_on_path(const hfiMover* m, double t, hfVec3 p) {
  return v3_add(m->v, v3_cross(m->w, v3_sub(p, v3_axpy(t, m->v, m->centre))));
}

// Where the point of a mover that is at p at the start has come to at the end, where the mover has the pose X.
static hfVec3 carry(const hfiMover* m, const hfPose* X, hfVec3 p) { return pose_point(*X, pose_inv_point(m->X0, p)); }

int hfi_world_path_end(const hfiPaths* paths, int geom_a, int geom_b, hfVec3 p_W, double far, hfiPathEnd* end) {
  double h = paths->h;
  hfiMover mover[2], *a = &mover[0], *b = &mover[1];
  hfi_movers_on_paths(paths, geom_a, geom_b, mover);
  hfPose X_A = hfi_mover_pose(a, h), X_B = hfi_mover_pose(b, h);
  hfiContactPoint at;
  if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, far, &at)) return 0;
  double on_a = v3_norm(v3_sub(at.p_WCa, carry(a, &X_A, p_W))), on_b = v3_norm(v3_sub(at.p_WCb, carry(b, &X_B, p_W)));
  end->gap = -at.depth, end->travel = max2(on_a, on_b), end->n = at.n_W;
  end->rate = v3_dot(at.n_W, v3_sub(velocity_on_path(a, h, at.p_WCa), velocity_on_path(b, h, at.p_WCb)));
  return 1;
}
