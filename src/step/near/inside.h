// What only the files of near/ call.
#ifndef HFI_NEAR_INSIDE_H
#define HFI_NEAR_INSIDE_H

#include "step/geometry/distance.h"
#include "step/near/near.h"

// The pairs of a geom are examined again if it moves further than this beyond its reach [m].
static const double HFI_FURTHER = 5e-4;

// The tree that moves a geom; -1: it is fixed in the world.
static inline int hfi_tree_of_geom(const hfModel* m, int geom) {
  return hf_model_body_tree(m)[hf_model_geom_body(m)[geom]];
}

// Is the geom on a tree that `marked` (ntree) marks?
static inline int hfi_geom_is_marked(const hfModel* m, int geom, const int32_t* marked) {
  int tree = hfi_tree_of_geom(m, geom);
  return tree >= 0 && marked[tree];
}

// Is a geom of the point on such a tree?
static inline int hfi_point_is_marked(const hfModel* m, const hfiRawContact* r, const int32_t* marked) {
  return hfi_geom_is_marked(m, r->geom_a, marked) || hfi_geom_is_marked(m, r->geom_b, marked);
}

// The materials of the pairs that the scene lists. NULL: it lists none, and materials are computed when they are
// needed.
static inline const hfiMaterial* hfi_listed_materials(const hfiNear* near) {
  return near->scene.pairs.are_listed ? near->material : NULL;
}

// The velocity of the origin p of a geom's frame, if links have the velocities V (nlink) [m/s].
static inline hfVec3 hfi_frame_velocity(const hfDynamics* d, const hfMotion* V, int link, hfVec3 p) {
  return v3_add(V[link].v, v3_cross(V[link].w, v3_sub(p, hfi_link_reference(d, link))));
}

// ---- reach.c ----------------------------------------------------------------------------------------

// Computes near->reach.first, and what is farthest, for the velocities of the dynamics. tau: see hfi_near_find.
void hfi_near_reach(hfiNear* near, double horizon, const double* tau);
// Computes near->reach.second: how far velocities V (nlink) move each geom within the horizon. The first reach stays.
void hfi_near_second_reach(hfiNear* near, const hfMotion* V, double horizon);
// Searches the points of a pair again if the second reach of one of its geoms noticeably exceeds the first. Only geoms
// of trees that `marked` (ntree) marks count. The second reach must have been computed, for the same velocities V
// (nlink) and horizon.
void hfi_near_search_again(hfiNear* near, const hfMotion* V, double horizon, const int32_t* marked);
// Whether some pair has reaches so large that links of one tree are asked how far they come towards each other.
int hfi_near_asks_pairs(const hfiNear* near, double horizon);
// Finds the points of all pairs. reach (ngeom): how far geoms may move within the horizon, or NULL.
void hfi_near_collide(hfiNear* near, double horizon, const double* reach);

// ---- missed.c ---------------------------------------------------------------------------------------

// The velocities of the dynamics are those with which contacts are predicted.
void hfi_near_foresee(hfiNear* near);

// ---- choose.c ---------------------------------------------------------------------------------------

// Sets depth and `acts` of the points found. A point acts if its gap is below the limit of its material, grown by `gap`
// [m]. With a horizon [s] above zero, a point also acts if its gap would fall below the limit within the horizon.
// Returns the widest gap of the points that act because of such a motion [m].
double hfi_near_choose(hfiNear* near, double gap, double horizon);
// Sets the depth of a point, to which the margin at which the contact acts is added.
static inline void hfi_near_measure_depth(const hfModel* m, const hfiMaterial* listed, hfiRawContact* r) {
  double margin = listed ? listed[r->candidate].include_margin : hfi_material_margin(m, r->geom_a, r->geom_b, r->pair);
  r->depth = r->point.depth + margin;
}
// The least speed at which the bodies of a point come apart, with velocities V (nlink) and a fall of time t [m/s]: if
// both move, or if one moves while the other is stopped. touched (ntree, or NULL) marks the trees that may be stopped.
double hfi_opening_speed(const hfDynamics* d, const hfMotion* V, double t, const hfiRawContact* r,
                         const int32_t* touched);

// ---- cover.c, sweep.c -------------------------------------------------------------------------------

// Drops points that meet a covered face: they no longer act.
//   V     (nlink) velocities of the links
//   h     time for which a body may tip [s]; 0: it does not
//   acts  HFI_ACTS for the points of the first search, HFI_ACTS_NEWLY for those of the second
void hfi_near_drop_covered(hfiNear* near, const hfMotion* V, double h, int acts);
// Sweeps the pairs that act only across wide gaps. If the two geoms of a pair do not meet within h, their points no
// longer act. If they meet, one point of their meeting replaces their points.
//   V     (nlink) velocities of the links
//   h     the time within which they must meet [s]
//   fall  for how long gravity acts on top of V [s]
//   acts  which points are swept: HFI_ACTS of the first search, or HFI_ACTS_NEWLY of the second
void hfi_near_sweep(hfiNear* near, const hfMotion* V, double h, double fall, int acts);

// ---- sizes.c ----------------------------------------------------------------------------------------

// Computes near->size. The scene must be complete.
void hfi_near_measure(hfiNear* near);
// Two geoms that are nearer to each other than this share of their smaller bounding radius are not swept [-].
static const double HFI_WIDE_GAP = 0.5;
// The width of a pair of geoms with least widths a and b [m].
double hfi_pair_width(double a, double b);

// ---- path.c -----------------------------------------------------------------------------------------

// A geom that moves over a step: a centre moves along a line, and the geom turns about it at a constant rate.
//
// Two movers at a gap d (negative: an overlap) along the normal n, from B into A, come nearer along n by at most
//
//   c = (-n.(v_A - v_B))+ + |n x w_A| r_A + |n x w_B| r_B
//
// in a second, as long as both move: d(t) >= d - c t, since no overlap is larger than the one along n.
typedef struct hfiMover {
  const hfiShape* shape;
  hfPose X0;      // pose of the geom at the start
  hfVec3 centre;  // centre at the start, in the world [m]
  hfVec3 v, w;    // velocity of the centre, and angular velocity, in the world [m/s, rad/s]
  double radius;  // radius of a ball about the centre that contains the geom [m]
} hfiMover;

// The pose of a mover at time t [s].
static inline hfPose hfi_mover_pose(const hfiMover* m, double t) {
  if (!(t > 0) || !(v3_norm2(m->w) > 0)) return (hfPose){m->X0.R, v3_axpy(t, m->v, m->X0.p)};

  hfMat3 turn = m3_from_quat(q_exp(v3_scale(t, m->w)));
  hfVec3 arm = m3_mulv(turn, v3_sub(m->X0.p, m->centre));
  return (hfPose){m3_mul(turn, m->X0.R), v3_add(v3_axpy(t, m->v, m->centre), arm)};
}

// Upper bound on the speed of all points of a mover [m/s].
static inline double hfi_mover_speed(const hfiMover* m) { return v3_norm(m->v) + v3_norm(m->w) * m->radius; }

// Makes movers of two geoms along their paths. If one body carries both, they are seen from a frame that moves with its
// origin.
void hfi_movers_on_paths(const hfiPaths* paths, int geom_a, int geom_b, hfiMover mover[2]);

#endif
