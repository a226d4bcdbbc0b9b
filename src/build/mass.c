// Mass properties: m = rho int dV, c = (1/V) int x dV, I = rho int (|x|^2 E - x x^T) dV.
//
// A mesh is summed over the tetrahedra that its triangles (a, b, c) span with a point o inside:
//   dV = (a-o).((b-o) x (c-o))/6,   int x x^T dV = dV/20 (s s^T + a a^T + b b^T + c c^T), s = a+b+c.
// HF_MESH_INERTIA_EXACT takes dV with its sign, LEGACY its absolute value (right for star-shaped
// surfaces of either orientation), CONVEX the hull, SHELL triangles of unit surface density.
#include "build/inside.h"

#include "math/eigen3.h"
#include "model/shape.h"

// ---- meshes ----------------------------------------------------------------------------------------

typedef struct Surface {
  int ntri;
  const int32_t* tri;
  const double* vert;
  int mode; // hfMeshInertia
} Surface;

// A triangle, relative to a point.
typedef struct Triangle {
  hfVec3 a, b, c;
  hfVec3 cross; // (b - a) x (c - a)
} Triangle;

// Turns second moments P = int x x^T (xx yy zz xy xz yz) into the inertia (tr P) E - P.
static void inertia_from_moments(const double* P, double* I) {
  I[0] = P[1] + P[2];
  I[1] = P[0] + P[2];
  I[2] = P[0] + P[1];
  I[3] = -P[3];
  I[4] = -P[4];
  I[5] = -P[5];
}

// P += w a a^T
static void add_outer(double* P, double w, hfVec3 a) {
  P[0] += w * a.x * a.x;
  P[1] += w * a.y * a.y;
  P[2] += w * a.z * a.z;
  P[3] += w * a.x * a.y;
  P[4] += w * a.x * a.z;
  P[5] += w * a.y * a.z;
}

// P += w (s s^T + a a^T + b b^T + c c^T)
static void add_triangle(double* P, double w, const Triangle* t) {
  add_outer(P, w, v3_add(t->a, v3_add(t->b, t->c)));
  add_outer(P, w, t->a);
  add_outer(P, w, t->b);
  add_outer(P, w, t->c);
}

// Returns triangle i, relative to the point `origin`.
static Triangle get_triangle(const Surface* s, int i, hfVec3 origin) {
  const int32_t* vertex = s->tri + 3 * i;
  Triangle t;
  t.a = v3_sub(v3_load(s->vert + 3 * vertex[0]), origin);
  t.b = v3_sub(v3_load(s->vert + 3 * vertex[1]), origin);
  t.c = v3_sub(v3_load(s->vert + 3 * vertex[2]), origin);
  t.cross = v3_cross(v3_sub(t.b, t.a), v3_sub(t.c, t.a));
  return t;
}

// Computes the area of the triangles, and returns their centre, weighted by area.
static hfVec3 surface_centre(const Surface* s, double* area) {
  hfVec3 sum = v3_zero();
  *area = 0;

  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, v3_zero());
    double part = 0.5 * v3_norm(t.cross);
    *area += part;
    sum = v3_axpy(part / 3, v3_add(t.a, v3_add(t.b, t.c)), sum);
  }

  return *area > 0 ? v3_scale(1 / *area, sum) : v3_zero();
}

// Volume of the tetrahedron between a triangle and the point to which it is relative.
static double tetra_volume(const Surface* s, const Triangle* t) {
  double v = v3_dot(t->a, t->cross) / 6;
  return s->mode == HF_MESH_INERTIA_LEGACY ? fabs(v) : v;
}

// Volume and centre of mass, with the apex of the tetrahedra at `apex`.
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

// Volume and inertia about the centre of mass, which is known.
static void volume_moments(const Surface* s, hfiMass* out) {
  double P[6] = {0};
  out->mass = 0;

  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, out->com);
    double v = tetra_volume(s, &t);
    out->mass += v;
    add_triangle(P, v / 20, &t);
  }

  inertia_from_moments(P, out->I);
}

// Inertia of a shell about its centre of mass: int x x^T dA = A/12 (s s^T + a a^T + b b^T + c c^T).
static void shell_moments(const Surface* s, hfiMass* out) {
  double P[6] = {0};
  for (int i = 0; i < s->ntri; ++i) {
    Triangle t = get_triangle(s, i, out->com);
    add_triangle(P, 0.5 * v3_norm(t.cross) / 12, &t);
  }
  inertia_from_moments(P, out->I);
}

// Computes mass, centre and inertia of a mesh of density 1 by its kind of inertia (file's head). Refuses a mesh without
// volume. A mesh without triangles of its own has those of its hull.
hfStatus hfi_mesh_mass(const hfMeshDef* mesh, hfiMass* out, hfError* error) {
  Surface s = {mesh->ntri, mesh->tri, mesh->vert, mesh->inertia};
  if (mesh->inertia == HF_MESH_INERTIA_CONVEX || mesh->ntri == 0) {
    s.ntri = mesh->nhulltri;
    s.tri = mesh->hulltri;
  }

  // A closed surface with less volume over area^(3/2) is flat [-].
  static const double LEAST_VOLUME_SHARE = 1e-14;

  double area;
  hfVec3 centre = surface_centre(&s, &area);
  // as a shell of unit density, whose mass is its area; a solid replaces mass and centre
  hfiMass m = {area, centre, {0}};

  if (s.mode == HF_MESH_INERTIA_SHELL) {
    shell_moments(&s, &m);
  } else {
    double volume = volume_centre(&s, centre, &m.com);
    if (!(volume > LEAST_VOLUME_SHARE * area * sqrt(area)))
      return HFI_REFUSE(mesh, HF_OBJECT_MESH, "volume %g is not positive: the surface is open, flat or inside out",
                        volume);
    volume_moments(&s, &m);
  }

  *out = m;
  return HF_OK;
}

// ---- geoms -----------------------------------------------------------------------------------------

// Returns mass, centre and inertia of a geom in the frame of its body. `mesh` is what hfi_mesh_mass found for its mesh.
// The shape gives inertia and volume (or area), which mass or density scale.
hfiMass hfi_geom_mass(const hfGeomDef* g, const hfiMass* mesh) {
  const hfiShapeKind* shape = &hfi_shape_kinds[g->type];
  hfMat3 R = m3_from_quat(q_load(g->quat));
  hfiMass m = {0, v3_load(g->pos), {0}};

  double I[6] = {0}; // for unit mass, in the frame of the geom
  double measure;    // volume or area
  if (shape->uses_mesh) {
    measure = mesh->mass;
    for (int i = 0; i < 6; ++i) I[i] = mesh->I[i] / measure;
    m.com = v3_add(m.com, m3_mulv(R, mesh->com));
  } else {
    measure = g->shell_inertia ? shape->shell(g->size, I) : shape->solid(g->size, I);
  }

  m.mass = g->mass >= 0 ? g->mass : g->density * measure;
  sym3_rotate(R, I, m.I);
  for (int i = 0; i < 6; ++i) m.I[i] *= m.mass;
  return m;
}

// Returns the sum of two masses, with the inertia about the common centre.
hfiMass hfi_mass_add(const hfiMass* a, const hfiMass* b) {
  hfiMass sum = {a->mass + b->mass, v3_zero(), {0}};
  if (!(sum.mass > 0)) return *a;

  sum.com = v3_scale(1 / sum.mass, v3_add(v3_scale(a->mass, a->com), v3_scale(b->mass, b->com)));
  for (int i = 0; i < 6; ++i) sum.I[i] = a->I[i] + b->I[i];
  sym3_add_point(sum.I, a->mass, v3_sub(a->com, sum.com));
  sym3_add_point(sum.I, b->mass, v3_sub(b->com, sum.com));
  return sum;
}
