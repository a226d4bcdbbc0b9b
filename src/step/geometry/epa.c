// The penetration depth of two cores that overlap, by the expanding polytope algorithm (EPA, van den Bergen 2001): the
// point on the surface of the difference A - B that is nearest to the origin, which lies inside.
//
//   w(m)  support point of A - B, the one farthest along m      h(m)  m.w(m), its distance along m
//
// 1. Start with a tetrahedron of support points.
// 2. Take the face that is nearest to the origin, with outward normal m and distance d. Since the polytope lies inside
//    A - B, d is a lower bound of the depth; h(m) is an upper bound.
// 3. If h(m) and d agree, stop. Otherwise add the support point w(m): remove all faces that see it, and close the hole
//    with the fan of faces from w(m) over its outline. Go to 2.
//
// The answer is the m with the smallest h(m) of all faces that were taken: A and B overlap by no more than h(m) along
// m, even where rounding has spoilt the polytope. The distance d of a face is negative where rounding puts the origin
// outside of the polytope. Such a face is the nearest one and is taken next, so that the polytope grows around the
// origin.
//
// If the caller asks for the polytope, it is grown further than the answer needs, so that all other faces are clearly
// farther away than the best one. The next query of the same hulls may then find that this face is still the best
// (difference_face.c).
#include "step/geometry/gjk.h"

enum { MOST_VERTICES = 128, MOST_FACES = 2 * MOST_VERTICES }; // capacity of the polytope
enum { MOST_GROWTH = 16 }; // Largest number of support points that are added after the answer is known.
// Corners that are less than this share of the sizes below the best face belong to it [-].
static const double FLAT_SHARE = 1e-12;
// The polytope has grown enough if all other faces are farther away than the best one by this share of the sizes [-].
static const double FAR_ABOVE_SHARE = 0.1;
// It has also grown enough if A - B reaches beyond the nearest other face by at most this share of the distance by
// which this face is farther than the best one [-].
static const double CLOSE_TO_SHARE = 0.25;
// A height above a face below this share of the sizes is rounding [-].
static const double TINY_SHARE = 1e-15;

typedef struct Face {
  int is_alive;  // 0: the face was removed
  int vertex[3]; // counter-clockwise seen from outside
  int beside[3]; // face across the edge vertex[i] -> vertex[i + 1]
  hfVec3 normal; // outward unit normal
} Face;

// Where a hole ends: edge `edge` of face `face`, which stays.
typedef struct OutlineEdge {
  int face, edge;
} OutlineEdge;

typedef struct Polytope {
  int nvertex, nface;
  double tiny; // A height above a face below this is rounding [m].
  hfiSupportPoint vertex[MOST_VERTICES];
  Face face[MOST_FACES];
  // distance of each face's plane from the origin; infinite for removed faces and those without area [m]
  double distance[MOST_FACES];
  int nfree, unused[MOST_FACES]; // indices of removed faces, to be used again
  int nhorizon;
  OutlineEdge horizon[MOST_FACES]; // outline of the hole, in order
} Polytope;

// The corner, or edge, of a triangle that follows number i.
static inline int next_corner(int i) { return i < 2 ? i + 1 : 0; }

// Writes face f with the corners a, b and c. Its neighbours are left to the caller.
static inline void set_face(Polytope* p, int f, int a, int b, int c) {
  Face* face = p->face + f;
  hfVec3 x = p->vertex[a].w;
  hfVec3 m = v3_cross(v3_sub(p->vertex[b].w, x), v3_sub(p->vertex[c].w, x));
  double area = v3_norm(m);

  face->is_alive = 1;
  face->vertex[0] = a;
  face->vertex[1] = b;
  face->vertex[2] = c;
  face->normal = area > 0 ? v3_scale(1 / area, m) : v3_zero();

  // A face without area has no normal. It is never the nearest one, and it is removed with the first of its neighbours
  // (see face_sees).
  p->distance[f] = area > p->tiny * p->tiny ? v3_dot(face->normal, x) : INFINITY;
}

// Removes face f. Its neighbours can be read until its place is used again.
static void drop_face(Polytope* p, int f) {
  p->face[f].is_alive = 0;
  p->distance[f] = INFINITY;
  p->unused[p->nfree++] = f;
}

// Adds support points to the simplex until it has four, each as far as possible from the point, the line or the plane
// of those before.
static void complete_tetrahedron(hfiCores* c, hfiSimplex* s) {
  static const double AXIS[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  while (s->count < 4) {
    hfVec3 a = s->point[0].w;
    hfVec3 ab = s->count > 1 ? v3_sub(s->point[1].w, a) : v3_zero();
    hfVec3 m = s->count == 3 ? v3_cross(ab, v3_sub(s->point[2].w, a)) : v3_zero();

    hfiSupportPoint best = s->point[0];
    double largest = -1;
    for (int k = 0; k < 6; ++k) {
      // one of six directions away from the point, the line or the plane
      hfVec3 d = v3_load(AXIS[k]);
      if (s->count == 3) d = k & 1 ? v3_neg(m) : m;
      else if (s->count == 2) d = v3_cross(ab, d);
      if (!(v3_norm2(d) > 0)) continue;

      // the distance from the point or line, squared, or from the plane; each times a constant
      hfiSupportPoint x = hfi_support_pair(c, d);
      hfVec3 ax = v3_sub(x.w, a);
      double size;
      if (s->count == 1) size = v3_norm2(ax);
      else if (s->count == 2) size = v3_norm2(v3_cross(ab, ax));
      else size = fabs(v3_dot(m, ax));

      if (!(size > largest)) continue;
      largest = size;
      best = x;
    }
    s->point[s->count++] = best;
  }
}

// Makes a tetrahedron of the simplex and of support points that it lacks. Writes all of *p that is read later.
static void start_polytope(hfiCores* c, hfiSimplex* s, Polytope* p) {
  static const int FACE[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  static const int BESIDE[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
  complete_tetrahedron(c, s);

  // The faces of the table look outward if point 3 is below the triangle (0, 1, 2); otherwise exchange two points.
  hfVec3 a = s->point[0].w;
  double above = v3_dot(v3_cross(v3_sub(s->point[1].w, a), v3_sub(s->point[2].w, a)), v3_sub(s->point[3].w, a));
  for (int i = 0; i < 4; ++i) p->vertex[i] = s->point[i];
  if (above > 0) {
    p->vertex[1] = s->point[2];
    p->vertex[2] = s->point[1];
  }

  p->tiny = TINY_SHARE * c->scale;
  p->nvertex = 4;
  p->nface = 4;
  p->nfree = 0;
  for (int f = 0; f < 4; ++f) {
    set_face(p, f, FACE[f][0], FACE[f][1], FACE[f][2]);
    for (int i = 0; i < 3; ++i) p->face[f].beside[i] = BESIDE[f][i];
  }
}

// Returns the face that is nearest to the origin.
static int nearest_face(const Polytope* p) {
  int best = 0;
  double least = p->distance[0];
  for (int f = 1; f < p->nface; ++f) {
    if (!(p->distance[f] < least)) continue;
    least = p->distance[f];
    best = f;
  }
  return best;
}

// Does face f see w: does w lie above the plane of the face? A face without area counts as seeing every point.
static int face_sees(const Polytope* p, int f, hfVec3 w) {
  const Face* face = p->face + f;
  return v3_dot(face->normal, v3_sub(w, p->vertex[face->vertex[0]].w)) > p->tiny || !(p->distance[f] < INFINITY);
}

// Removes face f, which sees w, and visits its neighbours across `count` edges, beginning with edge `first`. A
// neighbour that sees w is removed in the same way; another one belongs to the outline. The walk lists the outline in
// order.
static void remove_seen(Polytope* p, int f, int first, int count, hfVec3 w) {
  drop_face(p, f);
  for (int k = first; count > 0; k = next_corner(k), --count) {
    // the number that this edge has in the neighbour
    int neighbour = p->face[f].beside[k];
    int edge = 0;
    while (edge < 3 && p->face[neighbour].beside[edge] != f) ++edge;
    if (edge == 3 || !p->face[neighbour].is_alive) continue;

    if (face_sees(p, neighbour, w)) {
      remove_seen(p, neighbour, next_corner(edge), 2, w);
    } else {
      p->horizon[p->nhorizon++] = (OutlineEdge){.face = neighbour, .edge = edge};
    }
  }
}

// Closes the hole with faces from the newest vertex to each edge of the outline. Returns 0 if there is no room for the
// faces, or if rounding has torn the outline.
static int close_hole(Polytope* p) {
  int made[MOST_FACES]; // numbers of the new faces
  int tip = p->nvertex - 1;
  int n = p->nhorizon;
  int room = p->nfree + MOST_FACES - p->nface;
  if (n < 3 || n > room) return 0;

  // a face at each edge i of the outline, which it runs through in the other direction than the face that stays
  for (int k = 0; k < n; ++k) {
    const int f = p->horizon[k].face;
    const int i = p->horizon[k].edge;
    if (p->nfree) made[k] = p->unused[--p->nfree];
    else made[k] = p->nface++;
    set_face(p, made[k], p->face[f].vertex[next_corner(i)], p->face[f].vertex[i], tip);
    p->face[made[k]].beside[0] = f;
    p->face[f].beside[i] = made[k];
  }

  // each is beside the next one
  for (int k = 0; k < n; ++k) {
    int next = k + 1 < n ? k + 1 : 0;
    // The end of edge k must be the start of edge k + 1.
    if (p->face[made[k]].vertex[1] != p->face[made[next]].vertex[0]) return 0;
    p->face[made[k]].beside[1] = made[next];
    p->face[made[next]].beside[2] = made[k];
  }
  return 1;
}

// Adds the support point w, which face f sees. Returns 0 if that is not possible.
static int grow(Polytope* p, int f, const hfiSupportPoint* w) {
  if (p->nvertex == MOST_VERTICES) return 0;
  p->vertex[p->nvertex++] = *w;
  p->nhorizon = 0;
  remove_seen(p, f, 0, 3, w->w);
  return close_hole(p);
}

// Writes the triangle of a face, with the weights of the projection of the origin clamped to the triangle.
static void write_simplex(const Polytope* p, const int vertex[3], hfiSimplex* s) {
  s->count = 3;
  for (int i = 0; i < 3; ++i) s->point[i] = p->vertex[vertex[i]];

  hfVec3 a = s->point[0].w;
  hfVec3 ab = v3_sub(s->point[1].w, a);
  hfVec3 ac = v3_sub(s->point[2].w, a);
  hfVec3 m = v3_cross(ab, ac);
  double area = v3_norm2(m);
  double u = area > 0 ? clamp(v3_dot(v3_cross(ac, a), m) / area, 0, 1) : 0;
  double v = area > 0 ? clamp(v3_dot(v3_cross(a, ab), m) / area, 0, 1 - u) : 0;

  s->weight[0] = 1 - u - v;
  s->weight[1] = u;
  s->weight[2] = v;
}

// Are all corners of face f above `floor` along m?
static int is_above(const Polytope* p, int f, hfVec3 m, double floor) {
  const int* v = p->face[f].vertex;
  return v3_dot(m, p->vertex[v[0]].w) >= floor && v3_dot(m, p->vertex[v[1]].w) >= floor &&
         v3_dot(m, p->vertex[v[2]].w) >= floor;
}

// The nearest face that is not above the floor, or -1.
static int nearest_below(const Polytope* p, hfVec3 m, double floor) {
  int best = -1;
  double least = INFINITY;
  for (int f = 0; f < p->nface; ++f) {
    if (!(p->distance[f] < least) || is_above(p, f, m, floor)) continue;
    least = p->distance[f];
    best = f;
  }
  return best;
}

// Grows the polytope at faces that are hardly farther from the origin than the floor, if A - B reaches far beyond them.
// m: normal of the best face; floor: distance of the best face, less a little [m]. Returns 1 if all other faces are
// clearly farther than the best one or cannot grow, 0 if growing spoils the polytope.
static int grow_further(hfiCores* c, Polytope* p, hfVec3 m, double floor) {
  for (int k = 0; k < MOST_GROWTH; ++k) {
    int f = nearest_below(p, m, floor);
    if (f < 0) return 0;

    // how much farther the face is than the best one, and how far A - B reaches beyond it
    double spare = p->distance[f] - floor;
    hfiSupportPoint w = hfi_support_pair(c, p->face[f].normal);
    double beyond = v3_dot(p->face[f].normal, w.w) - p->distance[f];
    if (spare > FAR_ABOVE_SHARE * c->scale || beyond <= max2(FLAT_SHARE * c->scale, CLOSE_TO_SHARE * spare)) return 1;
    if (!grow(p, f, &w)) return 0;
  }
  return 1;
}

// Adds face f to the shell.
static void add_to_shell(const Polytope* p, int f, hfiShell* shell) {
  for (int i = 0; i < 3; ++i) shell->face[shell->nface][i] = (uint8_t)p->face[f].vertex[i];
  shell->nface++;
}

// Writes the polytope, beginning with its top faces, which are above the floor along m, the normal of the best face.
// Writes nothing if the polytope is too large.
static void write_shell(const Polytope* p, hfVec3 m, double floor, hfiShell* shell) {
  if (p->nvertex > HFI_SHELL_VERTICES || p->nface - p->nfree > HFI_SHELL_FACES) return;
  shell->nvertex = (int16_t)p->nvertex;
  for (int i = 0; i < p->nvertex; ++i) {
    shell->a[i] = p->vertex[i].vertex_a;
    shell->b[i] = p->vertex[i].vertex_b;
  }

  for (int f = 0; f < p->nface; ++f)
    if (p->face[f].is_alive && is_above(p, f, m, floor)) add_to_shell(p, f, shell);
  shell->ntop = shell->nface;
  for (int f = 0; f < p->nface; ++f)
    if (p->face[f].is_alive && !is_above(p, f, m, floor)) add_to_shell(p, f, shell);
}

// Returns the unit normal from B into A along which the cores overlap least, up to `accuracy` [m]. s: the simplex of
// GJK; it becomes the triangle of the answer. shell: NULL, or where the polytope is kept.
hfVec3 hfi_epa(hfiCores* c, double accuracy, hfiSimplex* s, hfiShell* shell) {
  Polytope p;
  start_polytope(c, s, &p);

  hfVec3 best = v3(0, 0, 1);
  double least = INFINITY;
  int triangle[3] = {0, 1, 2};
  int can_grow = 1; // 0: rounding has spoilt the polytope, or it is full
  for (;;) {
    int f = nearest_face(&p);
    if (!(p.distance[f] < least)) break;

    // the bounds of the depth along its normal
    hfVec3 m = p.face[f].normal;
    hfiSupportPoint w = hfi_support_pair(c, m);
    double h = v3_dot(m, w.w);
    double distance = p.distance[f];
    if (h < least) {
      least = h;
      best = m;
      for (int i = 0; i < 3; ++i) triangle[i] = p.face[f].vertex[i];
    }
    if (h - distance <= accuracy) break;

    can_grow = grow(&p, f, &w);
    if (!can_grow) break;
  }
  write_simplex(&p, triangle, s);

  // the polytope for the next query
  double floor = least - FLAT_SHARE * c->scale;
  if (shell) shell->nface = 0;
  if (shell && can_grow && grow_further(c, &p, best, floor)) write_shell(&p, best, floor, shell);
  return v3_neg(best); // A moves out of B against m.
}
