// Built-in meshes of MJCF: <mesh builtin="NAME" params="...">, with radius 1.
//
//   sphere N            icosahedron, its triangles divided N times
//   hemisphere N        upper half of an octahedron whose edges are divided into N + 1, and its disc
//   cone N R            N corners of radius 1 at z = -1 and of radius R at z = 1 (one corner for R = 0)
//   supersphere N E F   x = C_F(a) C_E(b), y = C_F(a) S_E(b), z = S_F(a) on N latitudes a and N longitudes b
//   wedge N M A B g     the centres of N x M bins of a sphere about -z: (cos b sin a, sin b, -cos b cos a), a within A
//                       degrees of 0, b within B degrees; edges of bins at g x^5 + (1 - g) x of even x in -1 ... 1,
//                       narrow in the middle
//   plate N M           the centres of N x M bins of the square |x|, |y| <= 1 at z = -1
//   supertorus N R E F  x = C_F(u) (1 + R C_E(v)), y = S_F(u) (1 + R C_E(v)), z = R S_E(v) on N x N angles
//
// with C_E(a) = sign(cos a) |cos a|^E, S_E likewise of the sine. The first three are convex: their hull is their
// surface. The hull of a wedge is taken for the wedge, too. A plate has no volume: a geom with it can only be drawn.
//
// In the functions make_..., x are the parameters of the mesh and p its points.
#include "io/mjcf/mjcf.h"
#include "math/elementary.h"
#include "math/sine.h"

#include <string.h>

// Vertices and triangles, as the attributes `vertex` and `face` would give them: three numbers each.
typedef struct Points {
  hfiReader* r;
  double *vertex, *face;
  int nvertex, nface; // how many numbers there are so far
} Points;

// Room for so many vertices and triangles. Without triangles the hull of the vertices is the mesh.
static Points make_points(hfiReader* r, int vertices, int triangles) {
  Points p = {.r = r};
  p.vertex = HFI_NEW(r, double, 3 * vertices + 1);
  if (triangles) p.face = HFI_NEW(r, double, 3 * triangles);
  return p;
}

// Adds a vertex.
static void add_point(Points* p, double x, double y, double z) {
  if (p->r->status) return;
  const double v[3] = {x, y, z};
  memcpy(p->vertex + p->nvertex, v, sizeof v);
  p->nvertex += 3;
}

// Adds the vertex of the unit sphere in direction d.
static void add_direction(Points* p, hfVec3 d) {
  hfVec3 u = v3_scale(1 / v3_norm(d), d);
  add_point(p, u.x, u.y, u.z);
}

// Adds a triangle of three points.
static void add_face(Points* p, int i, int j, int k) {
  if (p->r->status) return;
  double* face = p->face + p->nface;
  face[0] = i;
  face[1] = j;
  face[2] = k;
  p->nface += 3;
}

// |x|^exponent with the sign of x.
static double power(double x, double exponent) { return copysign(hfi_pow(fabs(x), exponent), x); }

// ---- sphere and hemisphere ----------------------------------------------------------------------

// Adds the middles of the sides of a triangle of directions, and of its parts. A side that two triangles share would
// give the same point twice, up to rounding. So the point is added only by the triangle that runs upward along the
// side, which is one of the two.
static void divide(Points* p, hfVec3 a, hfVec3 b, hfVec3 c, int times) {
  if (times == 0) return;
  hfVec3 corner[3] = {a, b, c};
  hfVec3 middle[3];

  for (int i = 0; i < 3; ++i) {
    hfVec3 from = corner[i];
    hfVec3 to = corner[(i + 1) % 3];
    hfVec3 sum = v3_add(from, to);
    middle[i] = v3_scale(1 / v3_norm(sum), sum);

    // upward: by z, for equal z by y, for equal y by x
    int is_upward = from.x < to.x;
    if (from.y != to.y) is_upward = from.y < to.y;
    if (from.z != to.z) is_upward = from.z < to.z;
    if (is_upward) add_direction(p, sum);
  }

  for (int i = 0; i < 3; ++i) divide(p, corner[i], middle[i], middle[(i + 2) % 3], times - 1);
  divide(p, middle[0], middle[1], middle[2], times - 1);
}

// x: how many times the triangles of the icosahedron are divided.
static Points make_sphere(hfiReader* r, const double* x) {
  static const int face[20][3] = {{0, 11, 5}, {0, 5, 1}, {0, 1, 7}, {0, 7, 10}, {0, 10, 11},
                                  {1, 5, 9}, {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                  {3, 9, 4}, {3, 4, 2}, {3, 2, 6}, {3, 6, 8}, {3, 8, 9},
                                  {4, 9, 5}, {2, 4, 11}, {6, 2, 10}, {8, 6, 7}, {9, 8, 1}};
  const double g = 0.5 * (1 + sqrt(5));
  const hfVec3 corner[12] = {v3(-1, g, 0), v3(1, g, 0), v3(-1, -g, 0), v3(1, -g, 0), v3(0, -1, g), v3(0, 1, g),
                             v3(0, -1, -g), v3(0, 1, -g), v3(g, 0, -1), v3(g, 0, 1), v3(-g, 0, -1), v3(-g, 0, 1)};

  Points p = make_points(r, 10 * (1 << 2 * (int)x[0]) + 2, 0);
  for (int i = 0; i < 12; ++i) add_direction(&p, corner[i]);

  for (int i = 0; i < 20; ++i) {
    hfVec3 c[3];
    for (int k = 0; k < 3; ++k) c[k] = v3_scale(1 / v3_norm(corner[face[i][k]]), corner[face[i][k]]);
    divide(&p, c[0], c[1], c[2], (int)x[0]);
  }
  return p;
}

// x: one less than the parts of each edge of the octahedron.
static Points make_hemisphere(hfiReader* r, const double* x) {
  int n = (int)x[0] + 1;
  Points p = make_points(r, 2 * n * (n + 1) + 2, 0);
  // the top, and the centre of the disc
  add_point(&p, 0, 0, 1);
  add_point(&p, 0, 0, 0);

  for (int k = 1; k <= n; ++k)
    for (int i = 0; i < k; ++i) {
      add_direction(&p, v3(k - i, i, n - k));
      add_direction(&p, v3(-i, k - i, n - k));
      add_direction(&p, v3(i - k, -i, n - k));
      add_direction(&p, v3(i, i - k, n - k));
    }

  return p;
}

// ---- cone, supersphere, supertorus ---------------------------------------------------------------

// x: the number of corners, and the radius at the top.
static Points make_cone(hfiReader* r, const double* x) {
  int n = (int)x[0];
  Points p = make_points(r, 2 * n, 0);
  for (int i = 0; i < n; ++i) add_point(&p, hfi_sine(2 * HFI_PI * i / n).cos, hfi_sine(2 * HFI_PI * i / n).sin, -1);

  int top_corners = x[1] > 0 ? n : 1;
  for (int i = 0; i < top_corners; ++i)
    add_point(&p, x[1] * hfi_sine(2 * HFI_PI * i / n).cos, x[1] * hfi_sine(2 * HFI_PI * i / n).sin, 1);
  return p;
}

// x: the number n of latitudes, and the exponents E and F. Point 0 is the lower pole, then come n - 1 rings of n
// points, the last one is the upper pole (top).
static Points make_supersphere(hfiReader* r, const double* x) {
  int n = (int)x[0];
  Points p = make_points(r, (n - 1) * n + 2, 2 * n * (n - 1));
  int top = (n - 1) * n + 1;

  add_point(&p, 0, 0, -1);
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double a = HFI_PI * i / n - HFI_PI / 2;
      double b = 2 * HFI_PI * j / n - HFI_PI;
      double round = power(hfi_sine(a).cos, x[2]);
      int here = 1 + (i - 1) * n + j;
      int next = 1 + (i - 1) * n + (j + 1) % n;
      add_point(&p, round * power(hfi_sine(b).cos, x[1]), round * power(hfi_sine(b).sin, x[1]),
                power(hfi_sine(a).sin, x[2]));

      if (i == 1) add_face(&p, 0, next, here);
      add_face(&p, here, next, i < n - 1 ? here + n : top);
      if (i < n - 1) add_face(&p, next, next + n, here + n);
    }
  add_point(&p, 0, 0, 1);
  return p;
}

// x: the number of angles, the radius of the tube, and the exponents E and F.
static Points make_supertorus(hfiReader* r, const double* x) {
  int n = (int)x[0];
  Points p = make_points(r, n * n, 2 * n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double u = 2 * HFI_PI * i / n;
      double v = 2 * HFI_PI * j / n;
      double round = 1 + x[1] * power(hfi_sine(v).cos, x[2]);
      int next = (i + 1) % n;
      int up = (j + 1) % n;

      add_point(&p, power(hfi_sine(u).cos, x[3]) * round, power(hfi_sine(u).sin, x[3]) * round,
                x[1] * power(hfi_sine(v).sin, x[2]));
      add_face(&p, i * n + j, next * n + j, i * n + up);
      add_face(&p, next * n + j, next * n + up, i * n + up);
    }
  return p;
}

// ---- wedge and plate ------------------------------------------------------------------------------

// The centre of bin i of n between -1 and 1. g moves the edges of the bins towards the middle.
static double find_centre(int i, int n, double g) {
  double edge[2];
  for (int k = 0; k < 2; ++k) {
    double x = 2.0 * (i + k) / n - 1;
    edge[k] = g * hfi_pow(x, 5) + (1 - g) * x;
  }
  return 0.5 * (edge[0] + edge[1]);
}

// x: the numbers of bins, their angles in degrees, and how much narrower they are in the middle.
static Points make_wedge(hfiReader* r, const double* x) {
  int n = (int)x[0];
  int m = (int)x[1];
  Points p = make_points(r, n * m, 0);

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double a = HFI_PI / 180 * x[2] * find_centre(i, n, x[4]);
      double b = HFI_PI / 180 * x[3] * find_centre(j, m, x[4]);
      add_point(&p, hfi_sine(b).cos * hfi_sine(a).sin, hfi_sine(b).sin, -hfi_sine(b).cos * hfi_sine(a).cos);
    }

  return p;
}

// x: the numbers of bins.
static Points make_plate(hfiReader* r, const double* x) {
  int n = (int)x[0];
  int m = (int)x[1];
  Points p = make_points(r, n * m, 2 * (n - 1) * (m - 1));

  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int here = i * m + j;
      add_point(&p, find_centre(i, n, 0), find_centre(j, m, 0), -1);
      if (i == n - 1 || j == m - 1) continue;
      add_face(&p, here, here + m, here + 1);
      add_face(&p, here + m + 1, here + 1, here + m);
    }

  return p;
}

// ---- the table ----------------------------------------------------------------------------------

// Ranges of the parameters; the first `whole` are whole numbers.
typedef struct Builtin {
  const char* word;
  int count, whole;
  double least[5], most[5];
  Points (*make)(hfiReader* r, const double* x);
} Builtin;

static const Builtin builtins[] = {{"sphere", 1, 1, {0}, {4}, make_sphere},
                {"hemisphere", 1, 1, {0}, {10}, make_hemisphere},
                {"cone", 2, 1, {3, 0}, {1000, 1}, make_cone},
                {"supersphere", 3, 1, {3, 0, 0}, {1000, 100, 100}, make_supersphere},
                {"supertorus", 4, 1, {4, 1e-9, 0, 0}, {1000, 1, 100, 100}, make_supertorus},
                {"wedge", 5, 2, {1, 1, 1e-9, 1e-9, 0}, {1000, 1000, 180, 90, 1}, make_wedge},
                {"plate", 2, 2, {1, 1}, {1000, 1000}, make_plate}};

// Fills the points of a built-in mesh in `spec`. m: the document. Returns 0 if the element asks for none, 1 otherwise,
// also after a refusal.
int hfi_mjcf_make_builtin(hfiMjcf* m, const hfiElem* elem, hfiMeshSpec* spec) {
  const char* word = hfi_attr(elem, "builtin");
  if (!word || strcmp(word, "none") == 0) return 0;

  const Builtin* builtin = NULL;
  for (size_t i = 0; i < sizeof builtins / sizeof *builtins; ++i)
    if (strcmp(builtins[i].word, word) == 0) builtin = &builtins[i];
  if (!builtin) {
    hfi_fail(m->r, elem, HF_ERROR_UNSUPPORTED, "builtin: the mesh \"%.40s\" is unknown or not supported", word);
    return 1;
  }

  // its parameters
  double x[5] = {0};
  hfi_require(m->r, elem, "params");
  hfi_read_reals(m->r, elem, "params", builtin->count, builtin->count, x);
  for (int k = 0; k < builtin->count && !m->r->status; ++k) {
    double least = builtin->least[k];
    double most = builtin->most[k];
    int must_be_whole = k < builtin->whole;
    if (!(x[k] >= least && x[k] <= most) || (must_be_whole && x[k] != floor(x[k])))
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "params of a %s: number %d, %g, is not in %g to %g%s", word, k + 1, x[k],
               least, most, must_be_whole ? " or not whole" : "");
  }
  if (m->r->status) return 1;

  Points p = builtin->make(m->r, x);
  spec->vertex = p.vertex;
  spec->nvertex = p.nvertex;
  spec->face = p.face;
  spec->nface = p.nface;
  return 1;
}
