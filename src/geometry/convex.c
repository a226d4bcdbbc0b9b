// Any two bounded shapes: GJK for the cores apart, EPA where they overlap, Newton's method on the
// normal, then the points of the contact (touch.c). All in A's frame.
#include "geometry/convex.h"

#include "geometry/gjk.h"
#include "geometry/polish.h"
#include "geometry/shape_table.h"
#include "geometry/touch.h"

// Accuracy to which curved pairs are approached before Newton's method takes over.
static const double ROUGH = 1e-6;
// Relative accuracy of the distance of others.
static const double EXACT = 1e-15;
// Relative accuracy of the distance at which its direction is good enough to be remembered.
static const double ROUGH_AXIS = 1e-2;
// A gap counts as larger than the margin where it is so by this share of the sizes: more than all rounding.
static const double SURE = 1e-9;

// Of n and the normal of the simplex' triangle the one with the larger separation: near touching the
// triangle knows the direction better than the tiny vector from the origin to it.
static hfVec3 better_normal(hfiCores* c, const hfiSimplex* s, hfVec3 n) {
  if (s->count != 3) return n;
  hfVec3 a = s->point[0].w, m = v3_unit(v3_cross(v3_sub(s->point[1].w, a), v3_sub(s->point[2].w, a)));
  if (!(v3_norm2(m) > 0)) return n;
  if (v3_dot(m, n) < 0) m = v3_neg(m);
  return hfi_separation(c, m) > hfi_separation(c, n) ? m : n;
}

int hfi_convex_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far, hfiContactPoint* single) {
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  double radius_b = hfi_core_radius(B), radius = hfi_core_radius(A) + radius_b;
  hfiSimplex simplex;
  hfVec3 n;
  int curved = hfi_is_curved(A) || hfi_is_curved(B);
  hfiGjkStatus status = hfi_gjk(&cores, far + radius, curved ? ROUGH : EXACT, &simplex, &n);
  if (status == HFI_GJK_FAR) return 0;
  if (status == HFI_GJK_APART) n = better_normal(&cores, &simplex, n);
  else n = hfi_epa(&cores, (curved ? ROUGH : 1e-14) * cores.scale, &simplex);
  hfiClosest closest = hfi_polish(&cores, &simplex, n);
  put_point(single, v3_axpy(radius_b, closest.n, closest.pb), closest.n, radius - closest.gap, 0);
  return single->depth >= -far;
}

// Does the unit vector n keep the cores and their radii farther apart than the margin, and surely so?
static int are_apart_along(hfiCores* c, hfVec3 n, double margin) {
  double gap = hfi_separation(c, n) - hfi_core_radius(c->A) - hfi_core_radius(c->B);
  return gap > margin + SURE * (c->scale + v3_norm(c->X_AB.p));
}

int hfi_still_apart(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiSeparation* s) {
  hfVec3 n = v3_unit(v3(s->n[0], s->n[1], s->n[2]));
  if (!(v3_norm2(n) > 0)) return 0;
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  cores.hint_a = s->hint_a, cores.hint_b = s->hint_b;
  int apart = are_apart_along(&cores, n, margin);
  s->hint_a = cores.hint_a, s->hint_b = cores.hint_b;
  return apart;
}

int hfi_apart_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 axis_W, double margin) {
  hfVec3 n = m3_tmulv(X_WA->R, axis_W); // No hint of an earlier query: even the last bit of the gap depends on the poses alone.
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  return are_apart_along(&cores, v3_dot(n, cores.X_AB.p) > 0 ? v3_neg(n) : n, margin);
}

void hfi_find_separation(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfiSeparation* s) {
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  hfiSimplex simplex;
  hfVec3 n = v3_zero();
  hfi_gjk(&cores, INFINITY, ROUGH_AXIS, &simplex, &n);
  s->n[0] = (float)n.x, s->n[1] = (float)n.y, s->n[2] = (float)n.z;
  s->hint_a = cores.hint_a, s->hint_b = cores.hint_b;
}

int hfi_nearest_outside(const hfiShape* s, hfVec3 p, hfiNearest* nearest) {
  hfiShape point = {HF_GEOM_SPHERE, {0, 0, 0}, NULL, NULL};
  hfPose at = {m3_identity(), p}, here = pose_identity();
  hfiCores cores = hfi_cores(&point, &at, s, &here);
  hfiSimplex simplex;
  hfVec3 n;
  if (hfi_gjk(&cores, INFINITY, hfi_is_curved(s) ? ROUGH : EXACT, &simplex, &n) == HFI_GJK_TOUCHING) return 0;
  hfiClosest closest = hfi_polish(&cores, &simplex, better_normal(&cores, &simplex, n));
  double radius = hfi_core_radius(s);
  *nearest = (hfiNearest){closest.gap - radius, v3_add(p, v3_axpy(radius, closest.n, closest.pb)), closest.n}; // closest is in the point's frame
  return nearest->distance > 0;
}

int hfi_convex_convex(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiContactPoint* points) {
  hfiContactPoint single;
  if (!hfi_convex_single(A, X_WA, B, X_WB, margin, &single)) return 0;
  hfPose X_AA = pose_identity(), X_AB = pose_inv_mul(*X_WA, *X_WB);
  int count = hfi_touch(A, &X_AA, B, &X_AB, &single, margin, points);
  hfi_points_to_world(X_WA, points, count);
  return count;
}
