// Support functions. Large meshes are climbed along their edges from the last vertex found: a linear
// function on a convex polyhedron has no local maximum but the global ones.
#include "geometry/support.h"

enum { CLIMB = 24 }; // vertices from which on a mesh is climbed

static hfVec3 support_mesh(const hfiHull* hull, hfVec3 d, int32_t* hint) {
  int32_t best = *hint;
  double top = v3_dot(d, v3_load(hull->vert + 3 * best));
  if (hull->nvert < CLIMB) {
    for (int32_t i = 0; i < hull->nvert; ++i) {
      double h = v3_dot(d, v3_load(hull->vert + 3 * i));
      if (h > top) { top = h; best = i; }
    }
  } else {
    for (int32_t from = -1; from != best;) {
      from = best;
      for (int32_t k = hull->edge_start[from]; k < hull->edge_start[from + 1]; ++k) {
        double h = v3_dot(d, v3_load(hull->vert + 3 * hull->edge_vert[k]));
        if (h > top) { top = h; best = hull->edge_vert[k]; }
      }
    }
  }
  *hint = best;
  return v3_load(hull->vert + 3 * best);
}

hfVec3 hfi_support(const hfiShape* s, hfVec3 d, int32_t* hint) {
  const double* a = s->size;
  switch (s->type) {
    case HF_GEOM_SPHERE: return v3_zero();
    case HF_GEOM_CAPSULE: return v3(0, 0, d.z < 0 ? -a[1] : a[1]);
    case HF_GEOM_ELLIPSOID: {
      hfVec3 e = v3_load(a), Ed = v3_mul(e, d);
      return v3_scale(1 / v3_norm(Ed), v3_mul(e, Ed));
    }
    case HF_GEOM_CYLINDER: {
      double across = sqrt(d.x * d.x + d.y * d.y), scale = across > 0 ? a[0] / across : 0;
      return v3(scale * d.x, scale * d.y, d.z < 0 ? -a[1] : a[1]);
    }
    case HF_GEOM_BOX: return v3(d.x < 0 ? -a[0] : a[0], d.y < 0 ? -a[1] : a[1], d.z < 0 ? -a[2] : a[2]);
    default: return support_mesh(s->hull, d, hint);
  }
}

// About the size of a core, by coordinates: what rounding and tolerances are relative to.
static double extent(const hfiShape* s) {
  const double* a = s->size;
  switch (s->type) {
    case HF_GEOM_SPHERE: return 0;
    case HF_GEOM_CAPSULE: return a[1];
    case HF_GEOM_CYLINDER: return max2(a[0], a[1]);
    case HF_GEOM_MESH: {
      hfVec3 x = v3_load(s->hull->vert), y = v3_load(s->hull->vert + 3 * (s->hull->nvert / 2));
      return max2(v3_norm(v3_sub(x, y)), max2(v3_norm(x), v3_norm(y)));
    }
    default: return max2(a[0], max2(a[1], a[2]));
  }
}

hfiCores hfi_cores(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB) {
  hfiCores c = {A, B, pose_inv_mul(*X_WA, *X_WB), 0, 0, extent(A) + extent(B)};
  return c;
}

hfiSupportPoint hfi_support_pair(hfiCores* c, hfVec3 d) {
  hfiSupportPoint s;
  s.a = hfi_support(c->A, d, &c->hint_a);
  s.b = pose_point(c->X_AB, hfi_support(c->B, m3_tmulv(c->X_AB.R, v3_neg(d)), &c->hint_b));
  s.w = v3_sub(s.a, s.b);
  return s;
}

double hfi_separation(hfiCores* c, hfVec3 n) { return v3_dot(n, hfi_support_pair(c, v3_neg(n)).w); }
