// The contact points of a scene, in three stages: a list of near pairs, a cull of those that are apart, the pair functions.
//
// 1. The list of near pairs (Verlet 1967) has all pairs that were nearer than their margin and half the skins of both geoms when the list was made.
//    It is used again as long as every geom has moved so little since then that this motion and its reach are at most half its skin: until then no
//    other pair can touch. A fast geom has a wide skin. The geoms of a robot that flies far from all else are followed from one of them, their
//    carrier. How the list is made:
//      few pairs (`listed`)  All pairs stay candidates for good. A pair is near if its bounding spheres, or sphere and plane, are.
//      many pairs            A pair is near if its boxes, grown by half the usual skin, overlap (broad phase), or if it is an explicit pair.
//    A point of a geom moves by at most |p - p0| + r |R - R0| with the radius r of its bounding sphere. The second term is left out if spheres make
//    the list. A plane that has turned ends every list.
// 2. The cull leaves out
//      pairs whose bounding spheres, or box and plane, are apart;
//      pairs whose boxes are apart along one of their own six axes (Gottschalk, Lin, Manocha 1996, without the nine products of axes):
//        |d.a| > ha + sum_j |a.b_j| hb_j + margin;
//      pairs that the direction which GJK found the last time still separates;
//      a fixed geom and one that only a hinge moves, as the first link of an arm, if the axis of the hinge separates them: turning never closes
//        that gap.
// 3. The pair function finds the points.
//
// Memory from one query to the next only saves work whose result is known. It changes no contact. Whether the axis of a hinge separates two geoms
// depends on the poses alone.
#include "geometry/scene.h"

#include "base/compile.h"
#include "base/sort.h"
#include "geometry/box_hull.h"
#include "geometry/shape_table.h"

#include <string.h>

enum { LARGE = 24 };             // A hull of this many vertices or more gets an index.
enum { MAX_LISTED = 8192 };      // A model with at most this many pairs keeps all of them for good.
enum { MAX_REMEMBERED = 1024 };  // At most this many pairs of hulls, or of a hull and a box, have a memory of their last face, 0.7 kB each.
enum { MAX_RECENT = 1024 };      // At most this many pairs that stay candidates for good have a memory of their last contact, 0.3 kB each.
static const double PAYS = 4;  // A list with a skin is made only if it will serve at least this many queries.
static const double WIDE = 16; // The skin of a fast geom is this many times its reach, so that a list serves some seven of its steps [-].

// ---- creation ------------------------------------------------------------------------------------

static void view_shapes(hfiScene* s) {
  const hfModel* m = s->model;
  for (int g = 0; g < m->ngeom; ++g) {
    int mesh = hf_model_geom_mesh(m)[g], hfield = hf_model_geom_hfield(m)[g];
    s->shape[g] = hfi_model_shape(m, g, mesh >= 0 ? &s->hull[mesh] : NULL, hfield >= 0 ? &s->field[hfield] : NULL);
    hfPose own = pose_identity();
    hfiAabb b = hfi_shape_aabb(&s->shape[g], &own);
    s->half[g] = v3(max2(b.hi.x, -b.lo.x), max2(b.hi.y, -b.lo.y), max2(b.hi.z, -b.lo.z));
  }
}

static int compare_candidates(const void* x, const void* y) {
  const hfiCandidate *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->pair < q->pair ? -1 : p->pair > q->pair;
}

static void add_explicit(hfiScene* s) {
  for (int i = 0; i < s->model->npair; ++i) s->candidate[s->ncandidate++] = hfi_explicit_candidate(s->model, i);
}

static void list_all(hfiScene* s) {
  for (int a = 0; a < s->model->ngeom; ++a) {
    hfiPartners others = hfi_filter_partners(&s->filter, a);
    for (int k = s->filter.geom[a].next; k < others.count; ++k) {
      hfiCandidate c = {a, others.geom[k], -1};
      if (hfi_filter_test(&s->filter, c.a, c.b)) s->candidate[s->ncandidate++] = c;
    }
  }
  add_explicit(s);
  hfi_sort(s->candidate, (size_t)s->ncandidate, sizeof *s->candidate, compare_candidates);
}

// Is the body fixed in the world? A mocap body is not.
static int is_fixed(const hfModel* m, int body) { return hf_model_body_lastdof(m)[body] < 0 && hf_model_body_mocap(m)[hf_model_body_weld(m)[body]] < 0; }

// The hinge between a body and the fixed world if nothing else moves the body; otherwise -1.
static int find_only_hinge(const hfModel* m, int body) {
  int dof = hf_model_body_lastdof(m)[body];
  if (dof < 0 || hf_model_dof_parent(m)[dof] >= 0) return -1;
  int joint = hf_model_dof_jnt(m)[dof];
  return hf_model_jnt_type(m)[joint] == HF_JOINT_HINGE && is_fixed(m, hf_model_body_parent(m)[hf_model_jnt_body(m)[joint]]) ? joint : -1;
}

// The hinge that alone moves the geoms of a pair against each other, as those of an arm's base and first link; -1 if there is none.
static int find_hinge_between(const hfModel* m, const hfiCandidate* c) {
  int a = hf_model_geom_body(m)[c->a], b = hf_model_geom_body(m)[c->b];
  return is_fixed(m, a) ? find_only_hinge(m, b) : is_fixed(m, b) ? find_only_hinge(m, a) : -1;
}

static int any_body_has_only_hinge(const hfModel* m) {
  int b = 0;
  while (b < m->nbody && find_only_hinge(m, b) < 0) ++b;
  return b < m->nbody;
}

// Prepares the cull of a pair. kept: 1 if it is kept for later queries.
static hfiCull measure_pair(const hfiScene* s, const hfiCandidate* c, int kept) {
  const hfModel* m = s->model;
  const double *margin = hf_model_geom_margin(m), *radius = hf_model_geom_rbound(m);
  int a = hf_model_geom_type(m)[c->a], b = hf_model_geom_type(m)[c->b];
  int bounded = radius[c->a] > 0 && radius[c->b] > 0, swapped = a > b;
  hfiPairFunction* collide = swapped ? hfi_pair_function(b, a) : hfi_pair_function(a, b);
  int seeks_hull = collide == hfi_sphere_convex && (a == HF_GEOM_MESH || b == HF_GEOM_MESH); // Other shapes find the nearest point quickly.
  hfiCull cull = {.margin = c->pair >= 0 ? hf_model_pair_margin(m)[c->pair] : margin[c->a] + margin[c->b],
                  .radius = bounded ? radius[c->a] + radius[c->b] : -1,
                  .boxes = seeks_hull || (!hfi_shape_functions[a]->is_quick && !hfi_shape_functions[b]->is_quick),
                  .swapped = swapped,
                  .hinge = s->has_hinge && collide == hfi_convex_convex ? find_hinge_between(m, c) : -1,
                  .collide = collide,
                  .is_general = kept && (seeks_hull || collide == hfi_convex_convex)};
  return cull;
}

// Measures all candidates. Pairs of two hulls, or of a hull and a box, have a memory of their last face, and pairs that stay candidates for good one of their
// last contact, as long as there is room.
static void measure_pairs(hfiScene* s) {
  int used = 0, recent = 0;
  for (int i = 0; i < s->ncandidate; ++i) {
    const hfiCandidate* c = &s->candidate[i];
    hfiCull* cull = &s->cull[i];
    *cull = measure_pair(s, c, s->has_skin);
    if (cull->is_general && hfi_are_hulls(&s->shape[c->a], &s->shape[c->b]) && used < s->max_last) cull->last = &s->last[used++];
    if (s->listed && cull->is_general && cull->collide == hfi_convex_convex && recent < s->max_recent) cull->recent = &s->recent[recent++];
  }
  if (recent) memset(s->recent, 0, (size_t)recent * sizeof *s->recent);
  if (used) memset(s->last, 0, (size_t)used * sizeof *s->last);
}

// The largest number of pairs of two hulls, or of a hull and a box, that can have a memory.
static int count_memories(const hfModel* m) {
  long hulls = 0, boxes = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    int type = hf_model_geom_type(m)[g], touches = hfi_geom_may_touch(m, g);
    hulls += type == HF_GEOM_MESH && touches, boxes += type == HF_GEOM_BOX && touches;
  }
  long most = hulls * (hulls - 1) / 2 + hulls * boxes;
  return (int)(most < MAX_REMEMBERED ? most : MAX_REMEMBERED);
}

// The largest number of pairs that can have a memory of their last contact.
static int count_recent(const hfModel* m) {
  long count[HFI_SHAPES] = {0}, most = 0;
  for (int g = 0; g < m->ngeom; ++g) count[hf_model_geom_type(m)[g]] += hfi_geom_may_touch(m, g);
  for (int a = 0; a < HFI_SHAPES; ++a)
    for (int b = a; b < HFI_SHAPES; ++b)
      if (hfi_pair_function(a, b) == hfi_convex_convex) most += a == b ? count[a] * (count[a] - 1) / 2 : count[a] * count[b];
  most += m->npair;
  return (int)(most < MAX_RECENT ? most : MAX_RECENT);
}

hfiCull hfi_scene_cull(const hfiScene* s, const hfiCandidate* c) { return measure_pair(s, c, 0); }

// May a geom touch any other one?
static int is_active(const hfiFilter* f, int a) {
  hfiPartners others = hfi_filter_partners(f, a);
  int active = f->geom[a].is_paired;
  for (int k = 0; k < others.count && !active; ++k) {
    int b = others.geom[k];
    active = a != b && hfi_filter_test(f, a < b ? a : b, a < b ? b : a);
  }
  return active;
}

static void find_active(hfiScene* s) {
  s->nactive = 0;
  for (int a = 0; a < s->model->ngeom; ++a)
    if (is_active(&s->filter, a)) s->active[s->nactive++] = a;
  s->grid.nbox = s->nactive;
  s->grid.geom = s->active;
}

// The usual skin is a quarter of the mean bounding radius of all shapes except height fields. Then a list serves several steps and has few pairs too
// many.
static double choose_skin(const hfiScene* s) {
  const double* radius = hf_model_geom_rbound(s->model);
  double sum = 0;
  int bounded = 0;
  for (int k = 0; k < s->nactive; ++k)
    if (radius[s->active[k]] > 0 && !s->shape[s->active[k]].field) sum += radius[s->active[k]], bounded++;
  return bounded ? 0.25 * sum / bounded : 0;
}

// Whether a mesh is large and belongs to a geom that collides; others are only drawn.
static int needs_index(const hfModel* m, int mesh) {
  int collides = 0;
  if (hf_model_mesh_vertnum(m)[mesh] < LARGE) return 0;
  for (int g = 0; g < m->ngeom && !collides; ++g) collides = hf_model_geom_mesh(m)[g] == mesh && hfi_geom_may_touch(m, g);
  return collides;
}

static void view_hull(hfiScene* s, int mesh, hfiArena* arena) {
  hfiHull hull = hfi_model_hull(s->model, mesh);
  hfiHullIndex plan;
  int indexed = needs_index(s->model, mesh);
  if (indexed) hfi_hull_index_init(s->index ? &s->index[mesh] : &plan, &hull, arena);
  if (!s->index) return;
  if (indexed) hull.index = &s->index[mesh];
  s->hull[mesh] = hull;
}

void hfi_scene_init(hfiScene* s, const hfModel* m, hfiArena* arena) {
  s->model = m;
  s->shape = HFI_TAKE(arena, hfiShape, m->ngeom);
  s->hull = HFI_TAKE(arena, hfiHull, m->nmesh);
  s->index = HFI_TAKE(arena, hfiHullIndex, m->nmesh);
  s->field = HFI_TAKE(arena, hfiHeightField, m->nhfield);
  for (int i = 0; i < m->nmesh; ++i) view_hull(s, i, arena);
  for (int i = 0; s->field && i < m->nhfield; ++i) s->field[i] = hfi_model_height_field(m, i);
  s->half = HFI_TAKE(arena, hfVec3, m->ngeom);
  hfi_filter_init(&s->filter, m, arena);
  // The filter is not known while planning: reserve enough for both cases.
  long most = (long)m->ngeom * (m->ngeom - 1) / 2, grown = 64L * m->ngeom + MAX_LISTED;
  s->max_candidate = (int32_t)(most < grown ? most : grown) + m->npair;
  s->candidate = HFI_TAKE(arena, hfiCandidate, s->max_candidate);
  s->cull = HFI_TAKE(arena, hfiCull, s->max_candidate);
  s->max_last = count_memories(m);
  s->last = HFI_TAKE(arena, hfiLastFace, s->max_last);
  s->max_recent = count_recent(m);
  s->recent = HFI_TAKE(arena, hfiRecent, s->max_recent);
  s->near = HFI_TAKE(arena, int32_t, s->max_candidate);
  s->X0_WG = HFI_TAKE(arena, hfPose, m->ngeom);
  s->far = HFI_TAKE(arena, double, m->ngeom);
  s->active = HFI_TAKE(arena, int32_t, m->ngeom);
  hfi_grid_init(&s->grid, m->ngeom, arena);
  s->box = HFI_TAKE(arena, hfiAabb, m->ngeom);
  s->ncandidate = 0;
  s->nnear = -1;
  s->queries = 0;
  s->has_skin = 1;
  s->axis_W = NULL;
  s->pair_reach = NULL;
  s->query = 0;
  s->any_lessened = 0;
  if (!arena->base) return;
  view_shapes(s);
  find_active(s);
  s->has_hinge = any_body_has_only_hinge(m);
  s->skin = choose_skin(s);
  s->listed = hfi_filter_count(&s->filter, MAX_LISTED + 1) <= MAX_LISTED;
  if (!s->listed) return;
  list_all(s);
  measure_pairs(s);
}

static int any_size_changed(const hfiScene* s) {
  const double* size = hf_model_geom_size(s->model);
  int g = 0;
  while (g < s->model->ngeom && memcmp(s->shape[g].size, size + 3 * g, sizeof s->shape[g].size) == 0) ++g;
  return g < s->model->ngeom;
}

int hfi_scene_refresh(hfiScene* s) {
  if (!any_size_changed(s)) return 0;
  view_shapes(s);
  s->skin = choose_skin(s);
  s->nnear = -1;
  s->queries = 0;
  if (s->listed) measure_pairs(s);
  return 1;
}

// ---- collision -----------------------------------------------------------------------------------

// Is a plane farther from the other geom's sphere than the margin?
static int plane_apart(const hfModel* m, const hfPose* X_WG, const hfiCandidate* c, double margin) {
  double ra = hf_model_geom_rbound(m)[c->a], rb = hf_model_geom_rbound(m)[c->b];
  hfVec3 d = v3_sub(X_WG[c->b].p, X_WG[c->a].p);
  if (rb > 0) return v3_dot(d, m3_col(X_WG[c->a].R, 2)) > rb + margin;
  if (ra > 0) return -v3_dot(d, m3_col(X_WG[c->b].R, 2)) > ra + margin;
  return 1; // two planes
}

// Is a plane farther from the other geom's box than the margin?
static int plane_apart_from_box(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, double margin) {
  int first = hf_model_geom_rbound(s->model)[c->b] > 0, plane = first ? c->a : c->b, other = first ? c->b : c->a;
  hfVec3 n = m3_col(X_WG[plane].R, 2), m = m3_tmulv(X_WG[other].R, n), half = s->half[other];
  double height = v3_dot(v3_sub(X_WG[other].p, X_WG[plane].p), n);
  return height > fabs(m.x) * half.x + fabs(m.y) * half.y + fabs(m.z) * half.z + margin;
}

// Are the frames of two geoms farther apart than `radius`?
static inline int spheres_apart(const hfPose* X_WG, const hfiCandidate* c, double radius) {
  return v3_norm2(v3_sub(X_WG[c->b].p, X_WG[c->a].p)) > sqr(radius);
}

// Gap between two boxes along axis i of the first, from the half sizes h and the distance d.
static inline double gap_along(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b,
                               const hfVec3* h_b, hfVec3 d, int i) {
  hfVec3 a = v3(R_a->m[i], R_a->m[3 + i], R_a->m[6 + i]), b = m3_tmulv(*R_b, a);
  return fabs(v3_dot(a, d)) - v3_get(*h_a, i) -
         (fabs(b.x) * h_b->x + fabs(b.y) * h_b->y + fabs(b.z) * h_b->z);
}

// Gaps between two boxes along the three axes of the first and the three axes of the second. Each cosine R_ij between an axis of one and an axis of the other
// serves two of them.
static void find_gaps(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b, const hfVec3* h_b, hfVec3 d, double gap[6]) {
  hfVec3 d_a = m3_tmulv(*R_a, d), d_b = m3_tmulv(*R_b, d), along_b = v3_zero();
  for (int i = 0; i < 3; ++i) {
    hfVec3 row = m3_tmulv(*R_b, m3_col(*R_a, i)), size = v3(fabs(row.x), fabs(row.y), fabs(row.z));
    gap[i] = fabs(v3_get(d_a, i)) - v3_get(*h_a, i) - (size.x * h_b->x + size.y * h_b->y + size.z * h_b->z);
    along_b = i ? v3_add(along_b, v3_scale(v3_get(*h_a, i), size)) : v3_scale(h_a->x, size);
  }
  for (int j = 0; j < 3; ++j) gap[3 + j] = fabs(v3_get(d_b, j)) - v3_get(*h_b, j) - v3_get(along_b, j);
}

// Does an axis of one of the two boxes separate them by more than the margin? The axis of the last time is tried alone, then all of them.
static int boxes_apart(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c,
                       double margin, int32_t* axis) {
  const hfPose *A = &X_WG[c->a], *B = &X_WG[c->b];
  const hfVec3 *ha = &s->half[c->a], *hb = &s->half[c->b], d = v3_sub(B->p, A->p);
  int last = *axis;
  double gap[6];
  if ((last < 3 ? gap_along(&A->R, ha, &B->R, hb, d, last) : gap_along(&B->R, hb, &A->R, ha, d, last - 3)) > margin) return 1;
  find_gaps(&A->R, ha, &B->R, hb, d, gap);
  for (int i = 0; i < 6; ++i)
    if (gap[i] > margin) {
      *axis = i;
      return 1;
    }
  return 0;
}

// Are the geoms of a pair farther apart than the margin, as far as cheap bounds can tell?
HFI_COPIED int far_apart(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull, double margin) {
  if (cull->radius < 0)
    return plane_apart(s->model, X_WG, c, margin) || (cull->boxes && plane_apart_from_box(s, X_WG, c, margin));
  if (spheres_apart(X_WG, c, cull->radius + margin)) return 1;
  return cull->boxes && boxes_apart(s, X_WG, c, margin, &cull->axis);
}

// Makes candidates of all pairs whose boxes overlap after they have grown by the margin and by half of the skin (or, without skin, by the reach).
// Returns how many such pairs there are; those beyond max_candidate - npair are left out.
static int find_candidates(hfiScene* s, const hfPose* X_WG, const double* reach, double skin) {
  const hfModel* m = s->model;
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    hfiAabb b = hfi_shape_aabb(&s->shape[g], &X_WG[g]);
    double grow = hf_model_geom_margin(m)[g] + (skin > 0 ? 0.5 * skin : reach ? reach[g] : 0);
    s->box[k].lo = v3_sub(b.lo, v3(grow, grow, grow));
    s->box[k].hi = v3_add(b.hi, v3(grow, grow, grow));
  }
  int found;
  s->ncandidate = hfi_grid_pairs(&s->grid, s->box, &s->filter, s->candidate, s->max_candidate - m->npair, &found);
  return found;
}

// How geom g has moved since the list was made, as seen from its carrier.
static inline hfVec3 move_since(const hfiScene* s, const hfPose* X_WG, int g) {
  hfVec3 move = v3_sub(X_WG[g].p, s->X0_WG[g].p);
  int from = s->carrier ? s->carrier[g] : -1;
  return from < 0 ? move : v3_sub(move, v3_sub(X_WG[from].p, s->X0_WG[from].p));
}

// The largest distance that a point of geom g can have moved since the list was made; infinite for a plane that turned.
static double way_since(const hfiScene* s, const hfPose* X_WG, int g) {
  const hfPose *X = &X_WG[g], *X0 = &s->X0_WG[g];
  double radius = hf_model_geom_rbound(s->model)[g], turn2 = 0;
  for (int i = 0; i < 9; ++i) turn2 += sqr(X->R.m[i] - X0->R.m[i]);
  double turn = turn2 == 0 ? 0 : radius > 0 ? radius * sqrt(turn2) : INFINITY;
  return v3_norm(move_since(s, X_WG, g)) + turn;
}

// Is the list of near pairs still complete? It is if for every geom its motion since the list was made, and its reach, are at most half its skin.
static int list_holds(const hfiScene* s, const hfPose* X_WG, const double* reach) {
  const double* radius = hf_model_geom_rbound(s->model);
  if (!s->has_skin) return 0;
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    double left = 0.5 * s->far[g] - (reach ? reach[g] : 0);
    if (!(left >= 0 && v3_norm2(move_since(s, X_WG, g)) <= left * left)) return 0;
    if ((!s->listed || !(radius[g] > 0)) && !(way_since(s, X_WG, g) <= left)) return 0;
  }
  return 1;
}

// Whether geoms move so little from query to query that a list with skin serves many of them.
static int list_pays(const hfiScene* s, const hfPose* X_WG, double most_reach) {
  double most = (0.5 * s->skin - most_reach) * s->queries / PAYS;
  int k = 0;
  while (k < s->nactive && way_since(s, X_WG, s->active[k]) <= most) k++;
  return s->queries > 0 && k == s->nactive;
}

// Lists the near pairs of a scene that keeps all pairs for good.
static void list_near_spheres(hfiScene* s, const hfPose* X_WG) {
  s->nnear = 0;
  for (int i = 0; i < s->ncandidate; ++i) {
    const hfiCandidate* c = &s->candidate[i];
    const hfiCull* cull = &s->cull[i];
    double margin = cull->margin + 0.5 * (s->far[c->a] + s->far[c->b]);
    int apart = cull->radius < 0 ? plane_apart(s->model, X_WG, c, margin) : spheres_apart(X_WG, c, cull->radius + margin);
    if (!apart) s->near[s->nnear++] = i;
  }
}

// Lists the near pairs of any other scene. If a skin does not pay, or gives more pairs than there is room for, the list is made without skin and
// serves only this query.
static void list_near_boxes(hfiScene* s, const hfPose* X_WG, const double* reach, int pays, int* dropped) {
  int room = s->max_candidate - s->model->npair;
  s->has_skin = pays && find_candidates(s, X_WG, reach, s->skin) <= room;
  if (!s->has_skin) *dropped += find_candidates(s, X_WG, reach, 0) - s->ncandidate;
  if (s->model->npair) {
    add_explicit(s);
    hfi_sort(s->candidate, (size_t)s->ncandidate, sizeof *s->candidate, compare_candidates);
  }
  measure_pairs(s);
  s->nnear = s->ncandidate;
  for (int i = 0; i < s->nnear; ++i) s->near[i] = i;
}

static void list_near(hfiScene* s, const hfPose* X_WG, const double* reach, int* dropped) {
  double most = 0;
  for (int k = 0; reach && k < s->nactive; ++k) most = max2(most, reach[s->active[k]]);
  int pays = !s->listed && list_pays(s, X_WG, most);
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    s->X0_WG[g] = X_WG[g];
    s->far[g] = max2(s->skin, s->listed && reach ? WIDE * reach[g] : 0); // The present reach must not use up the skin.
  }
  s->queries = 0;
  if (s->listed) list_near_spheres(s, X_WG);
  else list_near_boxes(s, X_WG, reach, pays, dropped);
}

// call_pair of a pair that has memories.
static int find_again(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB, double margin, hfiCull* cull, hfiContactPoint* points) {
  if (!cull->swapped) return hfi_convex_again(A, X_WA, B, X_WB, margin, cull->last, cull->recent, points);
  int n = hfi_convex_again(B, X_WB, A, X_WA, margin, cull->last, cull->recent, points);
  for (int i = 0; i < n; ++i) swap_point(points + i);
  return n;
}

static inline int find_points(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull, double margin,
                              hfiContactPoint* points) {
  const hfiShape *A = &s->shape[c->a], *B = &s->shape[c->b];
  const hfPose *X_WA = &X_WG[c->a], *X_WB = &X_WG[c->b];
  if (cull->hinge >= 0 && s->axis_W && hfi_apart_along(A, X_WA, B, X_WB, s->axis_W[cull->hinge], cull->margin)) return 0;
  if (!cull->is_general) return call_pair(cull->collide, cull->swapped, A, X_WA, B, X_WB, margin, points);
  int touched = cull->last && cull->last->face.kind != HFI_NO_FACE; // The last query found the two near each other.
  if (!touched && hfi_still_apart(A, X_WA, B, X_WB, margin, &cull->separation)) return 0;
  int n = cull->last || cull->recent ? find_again(A, X_WA, B, X_WB, margin, cull, points) : call_pair(cull->collide, cull->swapped, A, X_WA, B, X_WB, margin, points);
  if (n == 0) hfi_find_separation(A, X_WA, B, X_WB, &cull->separation);
  return n;
}

int hfi_scene_points(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull, double margin,
                     hfiContactPoint* points) {
  return find_points(s, X_WG, c, cull, margin, points);
}

int hfi_scene_recent(const hfiScene* s, const hfPose* X_WG, int candidate, hfiContactPoint* point) {
  if (candidate >= s->ncandidate || !s->cull[candidate].recent) return 0;
  const hfiCandidate* c = &s->candidate[candidate];
  const hfiCull* cull = &s->cull[candidate];
  const hfPose *X_WA = &X_WG[cull->swapped ? c->b : c->a], *X_WB = &X_WG[cull->swapped ? c->a : c->b];
  if (!hfi_is_recent(cull->recent, X_WA, X_WB)) return 0;
  *point = cull->recent->single;
  hfi_points_to_world(X_WA, point, 1);
  if (cull->swapped) swap_point(point);
  return 1;
}

// Lowers how far the geoms of a pair may come towards each other, `both`, to what pair_reach knows. Returns 0 if they are then apart.
HFI_CALLED static int lessen_reach(hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull, double* both) {
  double less = s->pair_reach(s->mover, c->a, c->b, -1);
  if (!(less < *both)) return 1;
  *both = cull->less = less;
  cull->lessened = s->query, s->any_lessened = 1;
  return !far_apart(s, X_WG, c, cull, cull->margin + less);
}

int hfi_scene_collide(hfiScene* s, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped) {
  hfiContactPoint points[HFI_MAX_POINTS];
  int count = 0;
  *dropped = 0;
  if (s->nnear < 0 || !list_holds(s, X_WG, reach)) list_near(s, X_WG, reach, dropped);
  s->queries++;
  s->query++;
  s->any_lessened = 0;
  for (int k = 0; k < s->nnear; ++k) {
    int i = s->near[k];
    const hfiCandidate* c = &s->candidate[i];
    if (s->still && s->still[c->a] && s->still[c->b]) continue;
    hfiCull* cull = &s->cull[i];
    double both = reach ? reach[c->a] + reach[c->b] : 0;
    if (far_apart(s, X_WG, c, cull, cull->margin + both)) continue;
    if (both > HFI_FAR_REACH && s->pair_reach && !lessen_reach(s, X_WG, c, cull, &both)) continue;
    int n = find_points(s, X_WG, c, cull, cull->margin + both, points);
    for (int p = 0; p < n; ++p) {
      hfiRawContact raw = {c->a, c->b, c->pair, i, points[p], 0, 0};
      if (count < capacity) out[count++] = raw;
      else ++*dropped;
    }
  }
  return count;
}
