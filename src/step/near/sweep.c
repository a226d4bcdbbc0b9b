// Sweeping: when, and where, two geoms that are far apart at the start of a step meet within it.
//
// A point and a normal between two geoms that are far apart say little about where they will touch: a ball that flies
// past a corner would hit it. So both are moved along their velocities until they meet, by conservative advancement. At
// a gap d with the normal n, from B into A,
//
//   d(t) >= d - t c,   c = (-n.(v_A - v_B))+ + |w_A| r_A + |w_B| r_B
//
// with the velocities v of the geoms' centres, their spins w and bounding radii r. So they can move on for the time d/c
// without touching, and the bound is computed anew there. If the two do not meet within the step, the points of the
// pair do not act. They act in a second solution of the step if the velocities of the first one make the two meet:
// bodies that fly side by side meet when one of them is stopped. If the two meet, one point with the normal of the
// meeting replaces the points of the pair.
#include "step/near/inside.h"

enum { MOST_ADVANCES = 40 };
// Two geoms have met when their gap is below this share of the smaller bounding radius [-].
static const double MEETING_SHARE = 1e-3;

// Returns the path of geom g: its centre moves with its velocity, after gravity has acted for the time `fall`, and the
// geom turns about it.
static hfiMover make_mover(const hfiNear* near, const hfMotion* V, double fall, int g) {
  const hfDynamics* d = near->dynamics;
  int body = hf_model_geom_body(near->model)[g];
  int link = d->body_link[body];
  hfPose X = d->X_WG[g];
  hfVec3 v = hfi_frame_velocity(d, V, link, X.p);
  hfiMover m = {.shape = &near->scene.shape[g],
                .X0 = X,
                .centre = X.p,
                .v = v,
                .w = V[link].w,
                .radius = hf_model_geom_rbound(near->model)[g]};

  if (hf_model_body_lastdof(near->model)[body] >= 0) m.v = v3_axpy(fall, d->gravity, m.v);
  return m;
}

// Returns the time at which the two meet [s]; negative if they do not meet within h.
static double find_meeting_time(const hfiMover* a, const hfiMover* b, double h) {
  double met = MEETING_SHARE * min2(a->radius, b->radius); // [m]
  double t = 0;

  for (int k = 0; k < MOST_ADVANCES; ++k) {
    hfPose X_A = hfi_mover_pose(a, t);
    hfPose X_B = hfi_mover_pose(b, t);
    hfiContactPoint nearest;
    if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, INFINITY, &nearest)) return -1;

    double gap = -nearest.depth;
    if (gap <= met) return t;

    // they move on for as long as their gap surely stays above half of the gap at which they have met
    double closing = max2(0, -v3_dot(nearest.n_W, v3_sub(a->v, b->v)));
    double c = closing + v3_norm(a->w) * a->radius + v3_norm(b->w) * b->radius;
    if (!(c * (h - t) > gap - met)) return -1;
    t += (gap - 0.5 * met) / c;
  }
  return t;
}

// The gap at which contacts of the pair begin to act, from one of its n points that may act [m].
static double margin_of_pair(const hfiRawContact* point, int n) {
  int i = 0;
  while (i + 1 < n && !isfinite(point[i].depth)) ++i;
  return point[i].depth - point[i].point.depth;
}

// Replaces the n points of a pair by one point, where the two meet at time t: the first point takes its values and acts
// as `acts` says (HFI_ACTS or HFI_ACTS_NEWLY). The others never act.
//
// The gap of this point is the distance by which the centres come nearer along the normal until then; it is zero where
// the bodies only turn towards each other. The point belongs to the faster geom and lies on the line through its centre
// along the normal, so that the spin of that geom does not change the gap.
static void replace_points(hfiRawContact* point, int n, const hfiMover* a, const hfiMover* b, double t, int acts) {
  hfPose X_A = hfi_mover_pose(a, t);
  hfPose X_B = hfi_mover_pose(b, t);
  double margin = margin_of_pair(point, n);
  hfiContactPoint* meeting = &point->point;

  for (int i = 0; i < n; ++i) {
    point[i].acts = 0;
    point[i].depth = -INFINITY;
  }
  if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, INFINITY, meeting)) return;

  // from the centre of the faster geom to its surface, along the normal
  int a_is_faster = v3_norm2(a->v) >= v3_norm2(b->v);
  const hfiMover* m = a_is_faster ? a : b;
  hfVec3 on_surface = a_is_faster ? meeting->p_WCa : meeting->p_WCb;
  double arm = v3_dot(meeting->n_W, v3_sub(on_surface, v3_axpy(t, m->v, m->X0.p)));

  meeting->depth = min2(0, meeting->depth + t * v3_dot(meeting->n_W, v3_sub(a->v, b->v)));
  meeting->p_WCa = v3_axpy(arm, meeting->n_W, m->X0.p);
  meeting->p_WCb = meeting->p_WCa;
  point->depth = meeting->depth + margin;
  point->acts = acts;
}

// Are all n points of a pair across a wide gap?
static int all_are_far(const hfiNear* near, const hfiRawContact* point, int n) {
  const double* radius = hf_model_geom_rbound(near->model);
  double far = HFI_WIDE_GAP * min2(radius[point->geom_a], radius[point->geom_b]);

  if (!(far > 0)) return 0; // The normal of a plane is right at any distance.
  for (int i = 0; i < n; ++i)
    if (point[i].depth > -far) return 0;
  return 1;
}

// Does a point of the pair that an earlier search of the step found act already? It then stands for all points of the
// pair.
static int has_earlier_contact(const hfiRawContact* point, int n, int acts) {
  for (int i = 0; i < n; ++i)
    if (point[i].acts && point[i].acts != acts) return 1;
  return 0;
}

// Sweeps a pair of n points: if its geoms meet within h, one point replaces them; if not, those that act as `acts` says
// no longer act. Nor do they if a point of an earlier search acts, which stands for all. V (nlink): velocities of the
// links; fall: for how long gravity acts on top of them [s].
static void sweep_pair(hfiNear* near, const hfMotion* V, double h, double fall, hfiRawContact* point, int n, int acts) {
  hfiMover a = make_mover(near, V, fall, point->geom_a);
  hfiMover b = make_mover(near, V, fall, point->geom_b);
  int is_served = has_earlier_contact(point, n, acts);
  double t = is_served ? -1 : find_meeting_time(&a, &b, h);

  if (t >= 0) {
    replace_points(point, n, &a, &b, t, acts);
    near->fresh &= ~(uint32_t)HFI_FRESH_FOUND;
    return;
  }
  for (int i = 0; i < n; ++i) {
    if (point[i].acts == acts) point[i].acts = 0;
    if (is_served && !point[i].acts) point[i].depth = -INFINITY; // It never acts.
  }
}

// Sweeps the pairs that act only across wide gaps (inside.h): of `acts`, only the points that act so. Writes
// near->found.
void hfi_near_sweep(hfiNear* near, const hfMotion* V, double h, double fall, int acts) {
  hfiRawContact* found = near->found;

  for (int i = 0; i < near->nfound; ++i) {
    const hfiRawContact* r = &found[i];
    if (r->acts != acts || r->depth > -near->size.least_swept_gap) continue;

    // all points of the pair
    int begin = i;
    int end = i + 1;
    while (begin > 0 && found[begin - 1].candidate == r->candidate) --begin;
    while (end < near->nfound && found[end].candidate == r->candidate) ++end;

    if (all_are_far(near, found + begin, end - begin)) sweep_pair(near, V, h, fall, found + begin, end - begin, acts);
    i = end - 1;
  }
}
