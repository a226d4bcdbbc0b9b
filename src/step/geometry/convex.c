// Contacts of any two bounded shapes: GJK if their cores are apart, EPA if they overlap, then Newton's method for the
// normal, unless a face of a hull decides (over_face.c); then the points of the contact (touch.c). All is in A's frame.
#include "step/geometry/convex.h"

#include "step/geometry/box_hull.h"
#include "step/geometry/gjk.h"
#include "step/geometry/over_face.h"
#include "step/geometry/polish.h"
#include "step/geometry/shape_table.h"
#include "step/geometry/touch.h"

#include <string.h>

// GJK and EPA find the distance of curved pairs to this relative accuracy, then Newton's method takes over [-].
static const double ROUGH_ACCURACY = 1e-6;
// Relative accuracy of the distance of other pairs [-].
static const double EXACT_ACCURACY = 1e-15;
// Accuracy of the overlap of other pairs, as a share of their sizes [-].
static const double EXACT_OVERLAP_SHARE = 1e-14;
// Relative accuracy of a distance whose direction is good enough to be remembered [-].
static const double AXIS_ACCURACY = 1e-2;
// A gap is surely larger than the margin if it is larger by this share of the sizes, which is more than all rounding
// [-].
static const double SURE_SHARE = 1e-9;

// Returns n or the normal of the simplex' triangle, whichever has the larger separation. Where the shapes nearly touch,
// the triangle gives the direction more accurately than the tiny vector from the origin to it.
static hfVec3 choose_better_normal(hfiCores* c, const hfiSimplex* s, hfVec3 n) {
  if (s->count != 3) return n;

  hfVec3 a = s->point[0].w;
  hfVec3 m = v3_unit(v3_cross(v3_sub(s->point[1].w, a), v3_sub(s->point[2].w, a)));
  if (!(v3_norm2(m) > 0)) return n;
  if (v3_dot(m, n) < 0) m = v3_neg(m);
  return hfi_separation(c, m) > hfi_separation(c, n) ? m : n;
}

// Finds the deepest or nearest points of the cores: of a round shape and a hull from the face of the hull that decides,
// otherwise by GJK, EPA and Newton's method. Returns 0 if they are farther apart than `far`; where a face decides they
// may be farther apart all the same. last: keeps what the next query of two hulls may use; NULL: nothing is kept.
static int find_closest(hfiCores* c, double far, hfiLastFace* last, hfiClosest* closest) {
  if (c->B->hull && !c->A->hull && hfi_closest_over_face(c, closest)) return 1;

  // A pair without a face needs no polytope.
  hfiShell* shell = last && last->face.kind != HFI_NO_FACE ? &last->shell : NULL;
  if (last) {
    last->face.kind = HFI_NO_FACE;
    last->shell.nface = 0;
  }

  // the rough normal
  int is_curved = hfi_is_curved(c->A) || hfi_is_curved(c->B);
  hfiSimplex simplex;
  hfVec3 n;
  hfiGjkStatus status = hfi_gjk(c, far, is_curved ? ROUGH_ACCURACY : EXACT_ACCURACY, &simplex, &n);
  if (status == HFI_GJK_FAR) return 0;
  if (status == HFI_GJK_APART) n = choose_better_normal(c, &simplex, n);
  else n = hfi_epa(c, (is_curved ? ROUGH_ACCURACY : EXACT_OVERLAP_SHARE) * c->scale, &simplex, shell);

  // the accurate one, and the face of the difference that it belongs to
  *closest = hfi_polish(c, &simplex, n);
  hfiDifferenceFace face = {.kind = HFI_NO_FACE};
  if (c->A->hull && c->B->hull) hfi_difference_face_find(c, &simplex, closest, &face);
  if (last) last->face = face;
  return 1;
}

// Finds the deepest or nearest points of two shapes, in A's frame. Returns 0 if they are farther apart than `far`.
// last: what the earlier query of two hulls has kept, and this one keeps; NULL: nothing.
int hfi_convex_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                      hfiLastFace* last, hfiContactPoint* single) {
  hfiBoxHull room[2];
  if (hfi_are_hulls(A, B)) {
    A = hfi_with_hull(A, &room[0]);
    B = hfi_with_hull(B, &room[1]);
  }

  // the contact of the cores, from the last face if it holds
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  double radius_b = hfi_core_radius(B);
  double radius = hfi_core_radius(A) + radius_b;
  hfiClosest closest;
  int known = last && hfi_last_face_holds(last, &cores, &closest);
  if (!known && !find_closest(&cores, far + radius, last, &closest)) return 0;

  put_point(single, v3_axpy(radius_b, closest.n, closest.pb), closest.n, radius - closest.gap, 0);
  if (single->depth >= -far) return 1;

  // The scene remembers a direction that separates the two, which is cheaper to try (scene.c).
  if (last) last->face.kind = HFI_NO_FACE;
  return 0;
}

// Returns the overlap of two shapes [m] up to `accuracy`, and writes the normal in the world.
double hfi_convex_overlap(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double accuracy,
                          hfVec3* n_W) {
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  // Shapes that overlap have cores that are apart by less than this.
  double radius = hfi_core_radius(A) + hfi_core_radius(B);

  hfiSimplex simplex;
  hfVec3 n;
  hfiGjkStatus status = hfi_gjk(&cores, INFINITY, min2(AXIS_ACCURACY, accuracy / radius), &simplex, &n);
  if (status == HFI_GJK_TOUCHING) n = hfi_epa(&cores, accuracy, &simplex, NULL);
  *n_W = m3_mulv(X_WA->R, n);
  return radius - hfi_separation(&cores, n);
}

// Does the unit vector n surely keep the cores with their radii farther apart than the margin?
static int are_apart_along(hfiCores* c, hfVec3 n, double margin) {
  double gap = hfi_separation(c, n) - hfi_core_radius(c->A) - hfi_core_radius(c->B);
  return gap > margin + SURE_SHARE * (c->scale + v3_norm(c->X_AB.p));
}

// Does the remembered direction still separate two shapes by more than the margin? Renews the hints.
int hfi_still_apart(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                    hfiSeparation* s) {
  hfVec3 n = v3_unit(v3(s->n[0], s->n[1], s->n[2]));
  if (!(v3_norm2(n) > 0)) return 0;

  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  cores.hint_a = s->hint_a;
  cores.hint_b = s->hint_b;
  int apart = are_apart_along(&cores, n, margin);
  s->hint_a = cores.hint_a;
  s->hint_b = cores.hint_b;
  return apart;
}

// Does an axis of the world, pointed from B to A, separate two shapes by more than the margin?
int hfi_apart_along(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, hfVec3 axis_W,
                    double margin) {
  hfVec3 n = m3_tmulv(X_WA->R, axis_W);
  // No hint of an earlier query is used, so that even the last bit of the gap depends on the poses alone.
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  return are_apart_along(&cores, v3_dot(n, cores.X_AB.p) > 0 ? v3_neg(n) : n, margin);
}

// Finds a direction, and hints, with which hfi_still_apart may succeed.
void hfi_find_separation(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                         hfiSeparation* s) {
  hfiCores cores = hfi_cores(A, X_WA, B, X_WB);
  hfiSimplex simplex;
  hfVec3 n = v3_zero();
  hfi_gjk(&cores, INFINITY, AXIS_ACCURACY, &simplex, &n);

  s->n[0] = (float)n.x;
  s->n[1] = (float)n.y;
  s->n[2] = (float)n.z;
  s->hint_a = cores.hint_a;
  s->hint_b = cores.hint_b;
}

// Finds the point of the surface nearest to p, both in the frame of the shape. Returns 0 if p is not outside.
int hfi_nearest_outside(const hfiShape* s, hfVec3 p, hfiNearest* nearest) {
  hfiShape point = {HF_GEOM_SPHERE, {0, 0, 0}, NULL, NULL};
  hfPose X_point = {m3_identity(), p};
  hfPose X_shape = pose_identity();
  hfiCores cores = hfi_cores(&point, &X_point, s, &X_shape);

  hfiSimplex simplex;
  hfVec3 n;
  hfiGjkStatus status = hfi_gjk(&cores, INFINITY, hfi_is_curved(s) ? ROUGH_ACCURACY : EXACT_ACCURACY, &simplex, &n);
  if (status == HFI_GJK_TOUCHING) return 0;

  // `closest` is in the point's frame
  hfiClosest closest = hfi_polish(&cores, &simplex, choose_better_normal(&cores, &simplex, n));
  double radius = hfi_core_radius(s);
  hfVec3 surface = v3_axpy(radius, closest.n, closest.pb);
  *nearest = (hfiNearest){closest.gap - radius, v3_add(p, surface), closest.n};
  return nearest->distance > 0;
}

// Does `recent` hold the contact of these very poses?
int hfi_is_recent(const hfiRecent* recent, const hfPose* X_WA, const hfPose* X_WB) {
  return recent->known && memcmp(&recent->X_WA, X_WA, sizeof *X_WA) == 0 &&
         memcmp(&recent->X_WB, X_WB, sizeof *X_WB) == 0;
}

// Finds the deepest or nearest contact of two shapes, in A's frame: takes it from a recent query with the same poses,
// or computes it and keeps it there. Returns 0 if they are farther apart than `far`. recent: NULL for no memory.
static int find_single(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double far,
                       hfiLastFace* last, hfiRecent* recent, hfiContactPoint* single) {
  if (recent && hfi_is_recent(recent, X_WA, X_WB)) {
    *single = recent->single;
    return single->depth >= -far;
  }

  int near = hfi_convex_single(A, X_WA, B, X_WB, far, last, single);
  if (recent && near) *recent = (hfiRecent){1, *X_WA, *X_WB, *single};
  return near;
}

// Finds the contact points of two shapes, in the world, with the memory of earlier queries, which may be NULL. Returns
// their number.
int hfi_convex_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                     hfiLastFace* last, hfiRecent* recent, hfiContactPoint* points) {
  hfiContactPoint single;
  if (!find_single(A, X_WA, B, X_WB, margin, last, recent, &single)) return 0;

  hfPose X_AA = pose_identity();
  hfPose X_AB = pose_inv_mul(*X_WA, *X_WB);
  int count = hfi_touch(A, &X_AA, B, &X_AB, &single, margin, last ? &last->facets : NULL, points);
  hfi_points_to_world(X_WA, points, count);
  return count;
}

// Finds the contact points of two shapes, in the world. Returns their number.
int hfi_convex_convex(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin,
                      hfiContactPoint* points) {
  return hfi_convex_with_memory(A, X_WA, B, X_WB, margin, NULL, NULL, points);
}
