// Sweeping: when, and where, two geoms that are far apart at the start of a step meet within it.
//
// A point and a normal between two geoms that are far apart say little about where they will touch: a ball that flies past a
// corner would hit it. So both are moved along their velocities until they meet, by conservative advancement. At a gap d with
// the normal n, from B into A,
//
//   d(t) >= d - t c,   c = (-n.(v_A - v_B))+ + |w_A| r_A + |w_B| r_B
//
// with the velocities v of the geoms' centres, their spins w and bounding radii r. So they can move on for the time d/c without touching, and the
// bound is computed anew there. If the two do not meet within the step, the points of the pair do not act. They act in a second solution of the step
// if the velocities of the first one make the two meet: bodies that fly side by side meet when one of them is stopped. If the two meet, one point
// with the normal of the meeting replaces the points of the pair.
#include "step/world/world.h"

#include "step/near/mover.h"

enum { MAX_ADVANCES = 40 };
static const double WIDE_GAP = 0.5; // A pair is swept if all its gaps are above this share of its smaller bounding radius [-].
static const double MEETING = 1e-3; // Two geoms have met when their gap is below this share of the smaller bounding radius [-].

// The path of a geom: its centre moves with its velocity, after gravity has acted for the time `fall`, and the geom turns about it.
static hfiMover mover_of(const hfiWorld* w, const hfMotion* V, double fall, int g) {
  const hfDynamics* d = &w->dynamics;
  int body = hf_model_geom_body(w->model)[g], link = d->body_link[body];
  hfiMover m = {&w->scene.shape[g], d->X_WG[g], d->X_WG[g].p, V[link].v, V[link].w, hf_model_geom_rbound(w->model)[g]};
  m.v = v3_add(m.v, v3_cross(m.w, v3_sub(m.X0.p, hfi_link_reference(d, link))));
  if (hf_model_body_lastdof(w->model)[body] >= 0) m.v = v3_axpy(fall, d->gravity, m.v);
  return m;
}

// The time at which the two meet; negative if they do not meet within h.
static double meeting_time(const hfiMover* a, const hfiMover* b, double h) {
  double t = 0, near = MEETING * min2(a->radius, b->radius);
  for (int k = 0; k < MAX_ADVANCES; ++k) {
    hfPose X_A = hfi_mover_pose(a, t), X_B = hfi_mover_pose(b, t);
    hfiContactPoint at;
    if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, INFINITY, &at)) return -1;
    if (-at.depth <= near) return t;
    double c = max2(0, -v3_dot(at.n_W, v3_sub(a->v, b->v))) + v3_norm(a->w) * a->radius + v3_norm(b->w) * b->radius;
    if (!(c * (h - t) > -at.depth - near)) return -1;
    t += (-at.depth - 0.5 * near) / c;
  }
  return t;
}

// The gap at which contacts of the pair begin to act, from one of its n found points that may act [m].
static double margin_of(const hfiRawContact* raw, int n) {
  int i = 0;
  while (i + 1 < n && !isfinite(raw[i].depth)) ++i;
  return raw[i].depth - raw[i].point.depth;
}

// Replaces the n points of a pair by one point, where the two meet at time t. The others never act.
//
// The gap of this point is the distance by which the centres come nearer along the normal until then; it is zero where the bodies only
// turn towards each other. The point belongs to the faster geom and lies on the line through its centre along the normal, so that the
// spin of that geom does not change the gap.
static void replace_points(hfiRawContact* raw, int n, const hfiMover* a, const hfiMover* b, double t, int acts) {
  hfPose X_A = hfi_mover_pose(a, t), X_B = hfi_mover_pose(b, t);
  double margin = margin_of(raw, n);
  for (int i = 0; i < n; ++i) raw[i].acts = 0, raw[i].depth = -INFINITY;
  hfiContactPoint* at = &raw->point;
  if (!hfi_distance(a->shape, &X_A, b->shape, &X_B, INFINITY, at)) return;
  int on_a = v3_norm2(a->v) >= v3_norm2(b->v);
  const hfiMover* m = on_a ? a : b;
  double arm = v3_dot(at->n_W, v3_sub(on_a ? at->p_WCa : at->p_WCb, v3_axpy(t, m->v, m->X0.p)));
  at->depth = min2(0, at->depth + t * v3_dot(at->n_W, v3_sub(a->v, b->v)));
  at->p_WCa = at->p_WCb = v3_axpy(arm, at->n_W, m->X0.p);
  raw->depth = at->depth + margin;
  raw->acts = acts;
}

// Whether n points of a pair are all across a wide gap.
static int all_are_far(const hfiWorld* w, const hfiRawContact* raw, int n) {
  const double* radius = hf_model_geom_rbound(w->model);
  double far = WIDE_GAP * min2(radius[raw->geom_a], radius[raw->geom_b]);
  if (!(far > 0)) return 0; // The normal of a plane is right at any distance.
  for (int i = 0; i < n; ++i)
    if (raw[i].depth > -far) return 0;
  return 1;
}

// Whether a point of the pair that an earlier search of the step found acts already. It then stands for all points of the pair.
static int has_other_contact(const hfiRawContact* raw, int n, int acts) {
  for (int i = 0; i < n; ++i)
    if (raw[i].acts && raw[i].acts != acts) return 1;
  return 0;
}

static void sweep_pair(hfiWorld* w, const hfMotion* V, double h, double fall, hfiRawContact* raw, int n, int acts) {
  hfiMover a = mover_of(w, V, fall, raw->geom_a), b = mover_of(w, V, fall, raw->geom_b);
  int is_served = has_other_contact(raw, n, acts);
  double t = is_served ? -1 : meeting_time(&a, &b, h);
  if (t >= 0) replace_points(raw, n, &a, &b, t, acts), w->has_points = 0;
  for (int i = 0; t < 0 && i < n; ++i) {
    if (raw[i].acts == acts) raw[i].acts = 0;
    if (is_served && !raw[i].acts) raw[i].depth = -INFINITY; // never acts
  }
}

void hfi_world_sweep(hfiWorld* w, const hfMotion* V, double h, double fall, int acts) {
  for (int i = 0; i < w->nfound; ++i) {
    const hfiRawContact* r = &w->found[i];
    if (r->acts != acts || r->depth > -w->least_swept_gap) continue;
    int begin = i, end = i + 1;
    while (begin > 0 && w->found[begin - 1].candidate == r->candidate) --begin;
    while (end < w->nfound && w->found[end].candidate == r->candidate) ++end;
    if (all_are_far(w, w->found + begin, end - begin))
      sweep_pair(w, V, h, fall, w->found + begin, end - begin, acts);
    i = end - 1;
  }
}

double hfi_least_swept_gap(const hfModel* m) {
  double least = INFINITY;
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_rbound(m)[g] > 0) least = min2(least, WIDE_GAP * hf_model_geom_rbound(m)[g]);
  return least;
}
