// Broad phase, cull, narrow phase.
//
// A model with few pairs keeps them in a list, and of it a shorter one of those that are near (Verlet 1967):
// pairs whose bounding spheres were less than a skin beyond their margin when it was made. As long as no
// geom has moved, and may reach, further than half the skin from where it was then, no other pair can touch.
// A model with many pairs finds the overlapping boxes anew each time.
// Explicit pairs are always in the list. Culled are pairs whose bounding spheres are apart, or whose
// boxes along their own axes are, on one of these six axes (Gottschalk, Lin, Manocha 1996, without the
// nine products of axes): |d.a| > ha + sum_j |a.b_j| hb_j + margin. The axis that kept a pair apart the last
// time is tried first.
#include "geometry/scene.h"

#include "base/sort.h"
#include "geometry/shape_table.h"

enum { MAX_LISTED = 1024 };

// ---- creation ------------------------------------------------------------------------------------

static void view_shapes(hfiScene* s) {
  const hfModel* m = s->model;
  for (int i = 0; i < m->nmesh; ++i) s->hull[i] = hfi_model_hull(m, i);
  for (int g = 0; g < m->ngeom; ++g) {
    int mesh = hf_model_geom_mesh(m)[g];
    s->shape[g] = hfi_model_shape(m, g, mesh >= 0 ? &s->hull[mesh] : NULL);
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
  const int32_t* g = hf_model_pair_geom(s->model);
  for (int i = 0; i < s->model->npair; ++i, g += 2) {
    hfiCandidate c = {g[0] < g[1] ? g[0] : g[1], g[0] < g[1] ? g[1] : g[0], i};
    s->candidate[s->ncandidate++] = c;
  }
}

static void list_all(hfiScene* s) {
  for (int a = 0; a < s->model->ngeom; ++a)
    for (int b = a + 1; b < s->model->ngeom; ++b)
      if (hfi_filter_test(&s->filter, a, b)) {
        hfiCandidate c = {a, b, -1};
        s->candidate[s->ncandidate++] = c;
      }
  add_explicit(s);
  hfi_sort(s->candidate, (size_t)s->ncandidate, sizeof *s->candidate, compare_candidates);
}

static hfiCull measure_pair(const hfModel* m, const hfiCandidate* c) {
  const double *margin = hf_model_geom_margin(m), *radius = hf_model_geom_rbound(m);
  double own = c->pair >= 0 ? hf_model_pair_margin(m)[c->pair] : max2(margin[c->a], margin[c->b]);
  int round = radius[c->a] > 0 && radius[c->b] > 0;
  const int32_t* type = hf_model_geom_type(m);
  int boxes = !hfi_shape_functions[type[c->a]]->is_quick && !hfi_shape_functions[type[c->b]]->is_quick;
  hfiCull cull = {own, round ? radius[c->a] + radius[c->b] : -1, boxes, 0};
  return cull;
}

static void measure_pairs(hfiScene* s) {
  for (int i = 0; i < s->ncandidate; ++i) s->cull[i] = measure_pair(s->model, &s->candidate[i]);
}

// A quarter of the mean radius: some steps of motion, and few pairs more.
static double choose_skin(const hfModel* m) {
  double sum = 0;
  int round = 0;
  for (int g = 0; g < m->ngeom; ++g)
    if (hf_model_geom_rbound(m)[g] > 0) sum += hf_model_geom_rbound(m)[g], round++;
  return round ? 0.25 * sum / round : 0;
}

void hfi_scene_init(hfiScene* s, const hfModel* m, hfiArena* arena) {
  s->model = m;
  s->shape = HFI_TAKE(arena, hfiShape, m->ngeom);
  s->hull = HFI_TAKE(arena, hfiHull, m->nmesh);
  s->half = HFI_TAKE(arena, hfVec3, m->ngeom);
  hfi_filter_init(&s->filter, m, arena);
  // while planning the filter is not known: reserve for either way
  long most = (long)m->ngeom * (m->ngeom - 1) / 2, grown = 64L * m->ngeom + MAX_LISTED;
  s->max_candidate = (int32_t)(most < grown ? most : grown) + m->npair;
  s->candidate = HFI_TAKE(arena, hfiCandidate, s->max_candidate);
  s->cull = HFI_TAKE(arena, hfiCull, s->max_candidate);
  s->near = HFI_TAKE(arena, int32_t, s->max_candidate);
  s->centre = HFI_TAKE(arena, hfVec3, m->ngeom);
  hfi_grid_init(&s->grid, m->ngeom, arena);
  s->box = HFI_TAKE(arena, hfiAabb, m->ngeom);
  s->ncandidate = 0;
  s->nnear = -1;
  if (!arena->base) return;
  view_shapes(s);
  s->listed = s->filter.npair <= MAX_LISTED;
  if (!s->listed) return;
  list_all(s);
  measure_pairs(s);
  s->skin = choose_skin(m);
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

// Gap between two boxes along axis i of the first, as far as half sizes h and distance d tell.
static inline double gap_along(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b,
                               const hfVec3* h_b, hfVec3 d, int i) {
  hfVec3 a = v3(R_a->m[i], R_a->m[3 + i], R_a->m[6 + i]), b = m3_tmulv(*R_b, a);
  return fabs(v3_dot(a, d)) - v3_get(*h_a, i) -
         (fabs(b.x) * h_b->x + fabs(b.y) * h_b->y + fabs(b.z) * h_b->z);
}

// Does an axis of one of the two boxes separate them by more than the margin?
static int boxes_apart(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c,
                       double margin, int32_t* axis) {
  const hfPose *A = &X_WG[c->a], *B = &X_WG[c->b];
  const hfVec3 *ha = &s->half[c->a], *hb = &s->half[c->b], d = v3_sub(B->p, A->p);
  for (int k = 0, i = *axis; k < 6; ++k, i = i < 5 ? i + 1 : 0) {
    double gap = i < 3 ? gap_along(&A->R, ha, &B->R, hb, d, i) : gap_along(&B->R, hb, &A->R, ha, d, i - 3);
    if (!(gap > margin)) continue;
    *axis = i;
    return 1;
  }
  return 0;
}

// Are the geoms of candidate i farther apart than the margin, as far as cheap bounds can tell?
static int far_apart(const hfiScene* s, const hfPose* X_WG, int i, double margin) {
  const hfiCandidate* c = &s->candidate[i];
  hfiCull* cull = &s->cull[i];
  if (cull->radius < 0) return plane_apart(s->model, X_WG, c, margin);
  if (v3_norm2(v3_sub(X_WG[c->b].p, X_WG[c->a].p)) > sqr(cull->radius + margin)) return 1;
  return cull->boxes && boxes_apart(s, X_WG, c, margin, &cull->axis);
}

static void find_candidates(hfiScene* s, const hfPose* X_WG, const double* reach, int* dropped) {
  const hfModel* m = s->model;
  for (int g = 0; g < m->ngeom; ++g) {
    hfiAabb b = hfi_shape_aabb(&s->shape[g], &X_WG[g]);
    double margin = hf_model_geom_margin(m)[g] + (reach ? reach[g] : 0);
    hfVec3 grow = v3(margin, margin, margin);
    b.lo = v3_sub(b.lo, grow), b.hi = v3_add(b.hi, grow);
    s->box[g] = b;
  }
  int found;
  s->ncandidate = hfi_grid_pairs(&s->grid, s->box, &s->filter, s->candidate,
                                 s->max_candidate - m->npair, &found);
  *dropped += found - s->ncandidate;
  if (m->npair) {
    add_explicit(s);
    hfi_sort(s->candidate, (size_t)s->ncandidate, sizeof *s->candidate, compare_candidates);
  }
  measure_pairs(s);
}

// Has every geom come, and may come, no further than half the skin since the list of near pairs was made?
static int list_holds(const hfiScene* s, const hfPose* X_WG, const double* reach) {
  for (int g = 0; g < s->model->ngeom; ++g) {
    double left = 0.5 * s->far - (reach ? reach[g] : 0);
    if (!(left >= 0 && v3_norm2(v3_sub(X_WG[g].p, s->centre[g])) <= left * left)) return 0;
  }
  return 1;
}

static void list_near(hfiScene* s, const hfPose* X_WG, const double* reach) {
  double most = 0;
  for (int g = 0; reach && g < s->model->ngeom; ++g) most = max2(most, reach[g]);
  double skin = max2(s->skin, 4 * most); // what geoms may reach now must not use it up
  s->nnear = 0;
  s->far = skin;
  for (int g = 0; g < s->model->ngeom; ++g) s->centre[g] = X_WG[g].p;
  for (int i = 0; i < s->ncandidate; ++i) {
    const hfiCandidate* c = &s->candidate[i];
    const hfiCull* cull = &s->cull[i];
    if (cull->radius < 0 ||
        v3_norm2(v3_sub(X_WG[c->b].p, X_WG[c->a].p)) <= sqr(cull->radius + cull->margin + skin))
      s->near[s->nnear++] = i;
  }
}

typedef struct ContactOutput {
  hfiRawContact* out;
  int capacity, count, dropped;
} ContactOutput;

static void collide_pair(const hfiScene* s, const hfPose* X_WG, int i, double margin, ContactOutput* o) {
  const hfiCandidate* c = &s->candidate[i];
  hfiContactPoint points[HFI_MAX_MANIFOLD];
  int n = hfi_collide(&s->shape[c->a], &X_WG[c->a], &s->shape[c->b], &X_WG[c->b], margin, points);
  for (int k = 0; k < n; ++k) {
    hfiRawContact raw = {c->a, c->b, c->pair, i, points[k], 0, 0};
    if (o->count < o->capacity)
      o->out[o->count++] = raw;
    else
      o->dropped++;
  }
}

int hfi_scene_collide(hfiScene* s, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped) {
  ContactOutput o = {out, capacity, 0, 0};
  if (!s->listed)
    find_candidates(s, X_WG, reach, &o.dropped);
  else if (s->nnear < 0 || !list_holds(s, X_WG, reach))
    list_near(s, X_WG, reach);
  int n = s->listed ? s->nnear : s->ncandidate;
  for (int k = 0; k < n; ++k) {
    int i = s->listed ? s->near[k] : k;
    const hfiCandidate* c = &s->candidate[i];
    double margin = s->cull[i].margin + (reach ? reach[c->a] + reach[c->b] : 0);
    if (!far_apart(s, X_WG, i, margin)) collide_pair(s, X_WG, i, margin, &o);
  }
  *dropped = o.dropped;
  return o.count;
}
