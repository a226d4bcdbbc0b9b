// The paths of geoms over a step whose velocities are known (docs/theory/impacts.md).
//
//   free body    its centre moves along a line, and the body turns about it
//   other link   moves along the screw of its velocity v and spin w, whose axis goes through p + w x v/|w|^2 for the
//                velocity v at p
#include "step/near/inside.h"

// Computes near->passage.about, at the start of the step and for the velocities v (nv): a free body turns about its
// centre of mass; without gyroscopic motion about its origin. Other trees get no centre.
void hfi_near_turning_centres(hfiNear* near, const hfiFlight* flight, int gyroscopic, const double* v) {
  const hfDynamics* d = near->dynamics;
  hfiTurningCentre* about = near->passage.about;

  for (int t = 0; t < near->model->ntree; ++t) about[t].known = 0;
  for (int i = 0; i < flight->nbody; ++i) {
    const hfiFreeBody* b = &flight->body[i];
    const hfiLink* link = &d->link[b->link];
    hfiTurningCentre* centre = &about[b->tree];
    centre->known = 1;
    centre->p = gyroscopic ? hfi_free_body_centre(d, b) : d->X_WB[link->body].p;
    centre->v = gyroscopic ? hfi_free_body_velocity(d, b, v) : v3_load(v + link->dof);
  }
}

// A body with velocity v at p and spin w moves along a screw. Returns the point of the screw's axis that is nearest to
// p.
static hfVec3 screw_centre(hfVec3 p, hfVec3 v, hfVec3 w) { return v3_axpy(1 / v3_norm2(w), v3_cross(w, v), p); }

// Finds the link that carries links a and b through the world: their last common ancestor whose parent never turns and
// which a free joint or slides move. Returns 0, the world, if there is none.
static int find_carrying_link(const hfDynamics* d, int a, int b) {
  while (a != b) { // parents come first
    if (a > b) a = d->link[a].parent;
    else b = d->link[b].parent;
  }
  while (!d->kinematics.only_slides[d->link[d->link[a].parent].body]) a = d->link[a].parent;

  if (a == 0) return 0;
  int first = hf_model_jnt_type(d->model)[d->link[a].joint];
  return first == HF_JOINT_FREE || first == HF_JOINT_SLIDE ? a : d->link[a].parent;
}

// The velocity of the frame in which the paths of two geoms are computed [m/s]. Two links of a tree that flies or
// slides are seen from the origin of the body that carries both: their own screws would be circles of a radius of
// |v|/|w|, far from the paths of the links where the tree is fast.
static hfVec3 carrying_velocity(const hfiPaths* paths, int geom_a, int geom_b) {
  const hfDynamics* d = paths->near->dynamics;
  const int32_t* body = hf_model_geom_body(paths->near->model);
  int link = find_carrying_link(d, d->body_link[body[geom_a]], d->body_link[body[geom_b]]);

  if (link == 0) return v3_zero();
  return hfi_frame_velocity(d, paths->V, link, d->X_WB[d->link[link].body].p);
}

// Returns the path of geom g: a free body turns about the centre that is known for its tree, any other link about its
// screw axis, seen from a frame that moves with velocity u. u: of the body that carries both geoms of the pair; zero if
// there is none, and so for every free body.
static hfiMover make_mover(const hfiPaths* paths, hfVec3 u, int g) {
  const hfiNear* near = paths->near;
  const hfDynamics* d = near->dynamics;
  const hfMotion* V = paths->V;
  int body = hf_model_geom_body(near->model)[g];
  int link = d->body_link[body];
  int tree = hf_model_body_tree(near->model)[body];
  hfPose X = d->X_WG[g];
  hfiMover m = {.shape = &near->scene.shape[g],
                .X0 = X,
                .centre = X.p,
                .v = v3_zero(),
                .w = V[link].w,
                .radius = hf_model_geom_rbound(near->model)[g]};
  if (tree < 0) return m;

  const hfiTurningCentre* about = &near->passage.about[tree];
  if (about->known) {
    m.centre = about->p;
    m.v = about->v;
  } else {
    m.v = v3_sub(hfi_frame_velocity(d, V, link, m.centre), u);
    if (v3_norm2(m.w) > 0) {
      hfVec3 axis = v3_unit(m.w);
      m.centre = screw_centre(m.centre, m.v, m.w);
      m.v = v3_scale(v3_dot(axis, m.v), axis);
    }
  }

  // the ball about the new centre
  m.radius += v3_norm(v3_sub(m.X0.p, m.centre));
  return m;
}

// Makes movers of two geoms along their paths, seen from the frame that carries both.
void hfi_movers_on_paths(const hfiPaths* paths, int geom_a, int geom_b, hfiMover mover[2]) {
  hfVec3 u = carrying_velocity(paths, geom_a, geom_b);
  mover[0] = make_mover(paths, u, geom_a);
  mover[1] = make_mover(paths, u, geom_b);
}

// Velocity at time t of the material point of a mover that is at p then [m/s].
static hfVec3 velocity_on_path(const hfiMover* m, double t, hfVec3 p) {
  return v3_add(m->v, v3_cross(m->w, v3_sub(p, v3_axpy(t, m->v, m->centre))));
}

// Returns where the point of a mover that is at p at the start has come to when the mover has the pose X.
static hfVec3 carry_point(const hfiMover* m, const hfPose* X, hfVec3 p) {
  return pose_point(*X, pose_inv_point(m->X0, p));
}

// Moves two geoms along their paths to the end of the step and describes their contact there. Returns 0 if they are
// more than `far` apart [m].
int hfi_near_path_end(const hfiPaths* paths, int geom_a, int geom_b, hfVec3 p_W, double far, hfiPathEnd* end) {
  double h = paths->h;
  hfiMover mover[2];
  hfi_movers_on_paths(paths, geom_a, geom_b, mover);
  const hfiMover* a = &mover[0];
  const hfiMover* b = &mover[1];

  // the nearest points at the end
  hfPose X_A = hfi_mover_pose(a, h);
  hfPose X_B = hfi_mover_pose(b, h);
  hfiContactPoint nearest;
  if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, far, &nearest)) return 0;

  // how far the contact has travelled over each body, and how fast A's point moves from B's there
  double travel_on_a = v3_norm(v3_sub(nearest.p_WCa, carry_point(a, &X_A, p_W)));
  double travel_on_b = v3_norm(v3_sub(nearest.p_WCb, carry_point(b, &X_B, p_W)));
  hfVec3 opening = v3_sub(velocity_on_path(a, h, nearest.p_WCa), velocity_on_path(b, h, nearest.p_WCb));
  end->gap = -nearest.depth;
  end->travel = max2(travel_on_a, travel_on_b);
  end->n = nearest.n_W;
  end->v0 = v3_sub(velocity_on_path(a, 0, p_W), velocity_on_path(b, 0, p_W));
  end->v1 = opening;
  end->rate = v3_dot(nearest.n_W, opening);
  return 1;
}
