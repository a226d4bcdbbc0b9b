// Mass properties: m = rho int dV, c = (1/V) int x dV, I = rho int (|x|^2 E - x x^T) dV.
//
// A mesh is summed over the tetrahedra that its triangles (a, b, c) span with a point o inside:
//   dV = (a-o).((b-o) x (c-o))/6,   int x x^T dV = dV/20 (s s^T + a a^T + b b^T + c c^T), s = a+b+c.
// HF_MESH_INERTIA_EXACT takes dV with its sign, LEGACY its absolute value (right for star-shaped
// surfaces of either orientation), CONVEX the hull, SHELL triangles of unit surface density.
#include "build/mass.h"

#include "math/eigen3.h"
#include "build/builder.h"
#include "model/shape.h"

// Second moments P = int x x^T (xx yy zz xy xz yz) -> inertia (tr P) E - P.
static void inertia_from_moments(const double* P, double* I) {
  I[0] = P[1] + P[2], I[1] = P[0] + P[2], I[2] = P[0] + P[1];
  I[3] = -P[3], I[4] = -P[4], I[5] = -P[5];
}

static void add_outer(double* P, double w, hfVec3 a) {
  P[0] += w * a.x * a.x, P[1] += w * a.y * a.y, P[2] += w * a.z * a.z;
  P[3] += w * a.x * a.y, P[4] += w * a.x * a.z, P[5] += w * a.y * a.z;
}

typedef struct Surface {
  int ntri;
  const int32_t* tri;
  const double* vert;
  int mode;
} Surface;
typedef struct Triangle {
  hfVec3 a, b, c, cross;
} Triangle;

static Triangle get_triangle(const Surface* s, int i, hfVec3 origin) {
  const int32_t* t = s->tri + 3 * i;
  Triangle r;
  r.a = v3_sub(v3_load(s->vert + 3 * t[0]), origin);
  r.b = v3_sub(v3_load(s->vert + 3 * t[1]), origin);
  r.c = v3_sub(v3_load(s->vert + 3 * t[2]), origin);
  r.cross = v3_cross(v3_sub(r.b, r.a), v3_sub(r.c, r.a));
  return r;
}

// Area-weighted centre of the triangles.
static hfVec3 surface_centre(const Surface* s, double* area) {
  hfVec3 sum = v3_zero(), zero = v3_zero();
  *area = 0;
  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, zero);
    double a = 0.5 * v3_norm(t.cross);
    *area += a;
    sum = v3_axpy(a / 3, v3_add(t.a, v3_add(t.b, t.c)), sum);
  }
  return *area > 0 ? v3_scale(1 / *area, sum) : v3_zero();
}

static double tetra_volume(const Surface* s, const Triangle* t) {
  double v = v3_dot(t->a, t->cross) / 6;
  return s->mode == HF_MESH_INERTIA_LEGACY ? fabs(v) : v;
}

// Volume and centre of mass with the tetrahedra's apex at `apex`.
static double volume_centre(const Surface* s, hfVec3 apex, hfVec3* com) {
  double volume = 0;
  hfVec3 sum = v3_zero();
  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, apex);
    double v = tetra_volume(s, &t);
    volume += v;
    sum = v3_axpy(v / 4, v3_add(t.a, v3_add(t.b, t.c)), sum);
  }
  *com = v3_add(apex, v3_scale(1 / volume, sum));
  return volume;
}

static void volume_moments(const Surface* s, hfiMass* out) {
  double P[6] = {0};
  out->mass = 0;
  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, out->com);
    double v = tetra_volume(s, &t);
    out->mass += v;
    add_outer(P, v / 20, v3_add(t.a, v3_add(t.b, t.c)));
    add_outer(P, v / 20, t.a), add_outer(P, v / 20, t.b), add_outer(P, v / 20, t.c);
  }
  inertia_from_moments(P, out->I);
}

// int x x^T dA = A/12 (s s^T + a a^T + b b^T + c c^T)
static void shell_moments(const Surface* s, hfiMass* out) {
  double P[6] = {0};
  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, out->com);
    double a = 0.5 * v3_norm(t.cross);
    add_outer(P, a / 12, v3_add(t.a, v3_add(t.b, t.c)));
    add_outer(P, a / 12, t.a), add_outer(P, a / 12, t.b), add_outer(P, a / 12, t.c);
  }
  inertia_from_moments(P, out->I);
}

hfStatus hfi_mesh_mass(const hfMeshDef* mesh, hfiMass* out, hfError* error) {
  Surface s = {mesh->ntri, mesh->tri, mesh->vert, mesh->inertia};
  if (mesh->inertia == HF_MESH_INERTIA_CONVEX || mesh->ntri == 0)
    s.ntri = mesh->nhulltri, s.tri = mesh->hulltri;
  double area;
  hfVec3 centre = surface_centre(&s, &area);
  hfiMass m = {area, centre, {0}};
  if (s.mode == HF_MESH_INERTIA_SHELL)
    shell_moments(&s, &m);
  else {
    double volume = volume_centre(&s, centre, &m.com);
    if (!(volume > 1e-14 * area * sqrt(area)))
      return hfi_refuse_def(error, mesh->where, HF_OBJECT_MESH, mesh->name,
                            "volume %g is not positive: the surface is open, flat or inside out",
                            volume);
    volume_moments(&s, &m);
  }
  *out = m;
  return HF_OK;
}

// ---- geoms -----------------------------------------------------------------------------------------

hfiMass hfi_geom_mass(const hfGeomDef* g, const hfiMass* mesh) {
  hfiMass m = {0, v3_load(g->pos), {0}};
  const hfiShapeKind* shape = &hfi_shape_kinds[g->type];
  double I[6] = {0}, measure; // inertia for unit mass; volume or area
  hfMat3 R = m3_from_quat(q_load(g->quat));
  if (shape->uses_mesh) {
    measure = mesh->mass;
    for (int i = 0; i < 6; ++i) I[i] = mesh->I[i] / measure;
    m.com = v3_add(m.com, m3_mulv(R, mesh->com));
  } else
    measure = g->shell_inertia ? shape->shell(g->size, I) : shape->solid(g->size, I);
  m.mass = g->mass >= 0 ? g->mass : g->density * measure;
  sym3_rotate(R, I, m.I);
  for (int i = 0; i < 6; ++i) m.I[i] *= m.mass;
  return m;
}

hfiMass hfi_mass_add(const hfiMass* a, const hfiMass* b) {
  hfiMass r = {a->mass + b->mass, v3_zero(), {0}};
  if (!(r.mass > 0)) return *a;
  r.com = v3_scale(1 / r.mass, v3_add(v3_scale(a->mass, a->com), v3_scale(b->mass, b->com)));
  for (int i = 0; i < 6; ++i) r.I[i] = a->I[i] + b->I[i];
  sym3_add_point(r.I, a->mass, v3_sub(a->com, r.com));
  sym3_add_point(r.I, b->mass, v3_sub(b->com, r.com));
  return r;
}
