// The contact points of a scene, in three stages: a list of near pairs, a cull of those that are apart, the pair
// functions.
//
// 1. The list of near pairs (Verlet 1967) has all pairs that were nearer than their margin and half the skins of both
//    geoms when the list was made. It is used again as long as every geom has moved so little since then that this
//    motion and its reach are at most half its skin: until then no other pair can touch. A fast geom has a wide skin.
//    How the list is made:
//      few pairs (`listed`)  All pairs stay candidates for good. A pair is near if its bounding spheres, or sphere and
//                            plane, are.
//      many pairs            A pair is near if its boxes, grown by half the usual skin, overlap (broad phase), or if it
//                            is an explicit pair.
//    A point of a geom moves by at most |p - p0| + r |R - R0| with the radius r of its bounding sphere. The second term
//    is left out if spheres make the list. A plane that has turned ends every list.
// 2. The cull leaves out
//      pairs whose bounding spheres, or box and plane, are apart;
//      pairs whose boxes are apart along one of their own six axes (Gottschalk, Lin, Manocha 1996, without the nine
//        products of axes): |d.a| > ha + sum_j |a.b_j| hb_j + margin;
//      pairs that the direction which GJK found the last time still separates;
//      a fixed geom and one that only a hinge moves, as the first link of an arm, if the axis of the hinge separates
//        them: turning never closes that gap;
//      a fixed geom and one that only a slide moves, as a drawer, if an axis of their boxes across the slide separates
//        them, or if they lie flush along it: sliding never changes that gap.
// 3. The pair function finds the points.
//
// Memory from one query to the next only saves work whose result is known. It changes no contact. Whether a hinge or a
// slide keeps two geoms apart depends on the poses alone.
#include "step/geometry/scene.h"

#include "base/compile.h"
#include "base/shares.h"

// A list with a skin is made only if it will serve at least this many queries.
static const double LEAST_QUERIES = 4;
// The skin of a fast geom is this many times its reach, so that a list serves some seven of its steps [-].
static const double SKIN_OF_REACH = 16;

// ---- the cull: cheap bounds ----------------------------------------------------------------------------

// Is the bounding sphere of a geom farther above a plane than the margin? One geom of the pair is a plane. Two planes
// never touch.
static int sphere_is_beyond_plane(const hfModel* m, const hfPose* X_WG, const hfiCandidate* c, double margin) {
  double ra = hf_model_geom_rbound(m)[c->a];
  double rb = hf_model_geom_rbound(m)[c->b];
  hfVec3 d = v3_sub(X_WG[c->b].p, X_WG[c->a].p);

  if (rb > 0) return v3_dot(d, m3_col(X_WG[c->a].R, 2)) > rb + margin;
  if (ra > 0) return -v3_dot(d, m3_col(X_WG[c->b].R, 2)) > ra + margin;
  return 1;
}

// Is the box of a geom farther above a plane than the margin?
static int box_is_beyond_plane(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, double margin) {
  int first_is_plane = hf_model_geom_rbound(s->model)[c->b] > 0;
  int plane = first_is_plane ? c->a : c->b;
  int boxed = first_is_plane ? c->b : c->a;
  hfVec3 n = m3_col(X_WG[plane].R, 2);
  hfVec3 n_box = m3_tmulv(X_WG[boxed].R, n);
  hfVec3 half = s->half[boxed];
  double height = v3_dot(v3_sub(X_WG[boxed].p, X_WG[plane].p), n);
  return height > fabs(n_box.x) * half.x + fabs(n_box.y) * half.y + fabs(n_box.z) * half.z + margin;
}

// Are the frames of two geoms farther apart than `radius`?
static inline int spheres_are_apart(const hfPose* X_WG, const hfiCandidate* c, double radius) {
  return v3_norm2(v3_sub(X_WG[c->b].p, X_WG[c->a].p)) > sqr(radius);
}

// Gap between two boxes along axis i of the first [m]. h_a, h_b: half sizes; d: from the centre of the first box to the
// centre of the second.
static inline double gap_along(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b, const hfVec3* h_b, hfVec3 d,
                               int i) {
  hfVec3 axis = v3(R_a->m[i], R_a->m[3 + i], R_a->m[6 + i]);
  hfVec3 axis_b = m3_tmulv(*R_b, axis);
  double extent_b = fabs(axis_b.x) * h_b->x + fabs(axis_b.y) * h_b->y + fabs(axis_b.z) * h_b->z;
  return fabs(v3_dot(axis, d)) - v3_get(*h_a, i) - extent_b;
}

// Gaps between two boxes along the three axes of the first and the three axes of the second. Each cosine R_ij between
// an axis of one and an axis of the other serves two of them.
static void find_gaps(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b, const hfVec3* h_b, hfVec3 d,
                      double gap[6]) {
  hfVec3 d_a = m3_tmulv(*R_a, d);
  hfVec3 d_b = m3_tmulv(*R_b, d);
  hfVec3 extent_a = v3_zero(); // half of the extent of the first box along the axes of the second

  for (int i = 0; i < 3; ++i) {
    hfVec3 row = m3_tmulv(*R_b, m3_col(*R_a, i));
    hfVec3 cosine = v3(fabs(row.x), fabs(row.y), fabs(row.z));
    double extent_b = cosine.x * h_b->x + cosine.y * h_b->y + cosine.z * h_b->z;
    gap[i] = fabs(v3_get(d_a, i)) - v3_get(*h_a, i) - extent_b;
    extent_a = i ? v3_add(extent_a, v3_scale(v3_get(*h_a, i), cosine)) : v3_scale(h_a->x, cosine);
  }
  for (int j = 0; j < 3; ++j) gap[3 + j] = fabs(v3_get(d_b, j)) - v3_get(*h_b, j) - v3_get(extent_a, j);
}

// Finds an axis of one of the two boxes that separates them by more than the margin. Tries *axis alone, the one of the
// last time, then all of them: 0 to 2 are axes of the first box, 3 to 5 of the second. Writes it to *axis and returns
// 1, or returns 0 if there is none.
static int find_separating_axis(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, double margin,
                                int32_t* axis) {
  const hfPose* A = &X_WG[c->a];
  const hfPose* B = &X_WG[c->b];
  const hfVec3* h_a = &s->half[c->a];
  const hfVec3* h_b = &s->half[c->b];
  const hfVec3 d = v3_sub(B->p, A->p);

  int last = *axis;
  double last_gap;
  if (last < 3) last_gap = gap_along(&A->R, h_a, &B->R, h_b, d, last);
  else last_gap = gap_along(&B->R, h_b, &A->R, h_a, d, last - 3);
  if (last_gap > margin) return 1;

  double gap[6];
  find_gaps(&A->R, h_a, &B->R, h_b, d, gap);
  for (int i = 0; i < 6; ++i) {
    if (!(gap[i] > margin)) continue;
    *axis = i;
    return 1;
  }
  return 0;
}

// Are the geoms of a pair farther apart than the margin, as far as cheap bounds can tell?
HFI_FORCE_INLINE int are_far_apart(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull,
                               double margin) {
  int has_plane = cull->radius < 0;
  if (has_plane) {
    if (sphere_is_beyond_plane(s->model, X_WG, c, margin)) return 1;
    return cull->compares_boxes && box_is_beyond_plane(s, X_WG, c, margin);
  }

  if (spheres_are_apart(X_WG, c, cull->radius + margin)) return 1;
  return cull->compares_boxes && find_separating_axis(s, X_WG, c, margin, &cull->axis);
}

// ---- the list of near pairs ---------------------------------------------------------------------------

// Makes candidates of all pairs whose boxes overlap after they have grown by the margin and by half of the skin (or,
// without skin, by the reach). Returns how many such pairs there are; those for which there is no room beside the
// explicit pairs are left out.
static int find_candidates(hfiScene* s, const hfPose* X_WG, const double* reach, double skin) {
  const hfModel* m = s->model;

  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    hfiAabb box = hfi_shape_aabb(&s->shape[g], &X_WG[g]);

    double further = 0.5 * skin;
    if (!(skin > 0)) further = reach ? reach[g] : 0;
    double grow = hf_model_geom_margin(m)[g] + further;
    s->box[k].lo = v3_sub(box.lo, v3(grow, grow, grow));
    s->box[k].hi = v3_add(box.hi, v3(grow, grow, grow));
  }

  int found;
  int room = s->pairs.capacity - m->npair;
  s->pairs.count = hfi_grid_pairs(&s->grid, s->box, &s->filter, s->options.workers, s->pairs.candidate, room, &found);
  return found;
}

// How geom g has moved since the list was made [m].
static inline hfVec3 displacement_since(const hfiScene* s, const hfPose* X_WG, int g) {
  return v3_sub(X_WG[g].p, s->near.X0_WG[g].p);
}

// The largest distance that a point of geom g can have moved since the list was made; infinite for a plane that turned.
static double travel_since(const hfiScene* s, const hfPose* X_WG, int g) {
  const hfPose* X = &X_WG[g];
  const hfPose* X0 = &s->near.X0_WG[g];
  double radius = hf_model_geom_rbound(s->model)[g];
  double turn2 = 0;
  double turn = 0;

  for (int i = 0; i < 9; ++i) turn2 += sqr(X->R.m[i] - X0->R.m[i]);
  if (turn2 != 0) turn = radius > 0 ? radius * sqrt(turn2) : INFINITY;
  return v3_norm(displacement_since(s, X_WG, g)) + turn;
}

// Is the list of near pairs still complete? It is if for every geom its motion since the list was made, and its reach,
// are at most half its skin.
static int list_is_complete(const hfiScene* s, const hfPose* X_WG, const double* reach) {
  const double* radius = hf_model_geom_rbound(s->model);

  if (!s->near.has_skin) return 0;
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    double allowed = 0.5 * s->near.skin[g] - (reach ? reach[g] : 0);
    if (!(allowed >= 0 && v3_norm2(displacement_since(s, X_WG, g)) <= allowed * allowed)) return 0;

    int turn_counts = !s->pairs.are_listed || !(radius[g] > 0);
    if (turn_counts && !(travel_since(s, X_WG, g) <= allowed)) return 0;
  }
  return 1;
}

// Do geoms move so little from query to query that a list with skin serves at least LEAST_QUERIES of them? The travel
// during the queries of the last list tells. longest_reach: the largest reach of all geoms [m].
static int skin_pays(const hfiScene* s, const hfPose* X_WG, double longest_reach) {
  double allowed = (0.5 * s->near.usual_skin - longest_reach) * s->near.queries / LEAST_QUERIES;
  int k = 0;
  while (k < s->nactive && travel_since(s, X_WG, s->active[k]) <= allowed) k++;
  return s->near.queries > 0 && k == s->nactive;
}

// Lists the near pairs of a scene that keeps all pairs for good.
static void list_near_spheres(hfiScene* s, const hfPose* X_WG) {
  s->near.count = 0;
  for (int i = 0; i < s->pairs.count; ++i) {
    const hfiCandidate* c = &s->pairs.candidate[i];
    hfiCull* cull = &s->pairs.cull[i];
    double margin = cull->margin + 0.5 * (s->near.skin[c->a] + s->near.skin[c->b]);
    cull->pair_reach = INFINITY;

    int has_plane = cull->radius < 0;
    int is_apart;
    if (has_plane) is_apart = sphere_is_beyond_plane(s->model, X_WG, c, margin);
    else is_apart = spheres_are_apart(X_WG, c, cull->radius + margin);
    if (!is_apart) s->near.candidate[s->near.count++] = i;
  }
}

// Lists the near pairs of any other scene. If a skin does not pay, or gives more pairs than there is room for, the list
// is made without skin and serves only this query.
static void list_near_boxes(hfiScene* s, const hfPose* X_WG, const double* reach, int pays, int* dropped) {
  int room = s->pairs.capacity - s->model->npair;
  s->near.has_skin = pays && find_candidates(s, X_WG, reach, s->near.usual_skin) <= room;
  if (!s->near.has_skin) *dropped += find_candidates(s, X_WG, reach, 0) - s->pairs.count;
  hfi_scene_complete_candidates(s);
  s->near.count = s->pairs.count;
  for (int i = 0; i < s->near.count; ++i) s->near.candidate[i] = i;
}

// Makes the list of near pairs. *dropped grows by the pairs without room.
static void list_near(hfiScene* s, const hfPose* X_WG, const double* reach, int* dropped) {
  double longest = 0;
  for (int k = 0; reach && k < s->nactive; ++k) longest = max2(longest, reach[s->active[k]]);
  int pays = !s->pairs.are_listed && skin_pays(s, X_WG, longest);

  // a fast geom has a wide skin, because its reach must not use up the skin
  int widens = s->pairs.are_listed && reach;
  for (int k = 0; k < s->nactive; ++k) {
    int g = s->active[k];
    s->near.X0_WG[g] = X_WG[g];
    s->near.skin[g] = max2(s->near.usual_skin, widens ? SKIN_OF_REACH * reach[g] : 0);
  }

  s->near.queries = 0;
  if (s->pairs.are_listed) list_near_spheres(s, X_WG);
  else list_near_boxes(s, X_WG, reach, pays, dropped);
}

// ---- the points of a pair -----------------------------------------------------------------------------

// An axis of a box is across a slide if their cosine is at most this [-].
static const double ACROSS_SLIDE_COSINE = 1e-12;

// Does an axis of the first box that is across the slide keep two boxes apart by more than the margin? d: from the
// centre of the first to that of the second
static int slide_keeps_apart(const hfMat3* R_a, const hfVec3* h_a, const hfMat3* R_b, const hfVec3* h_b, hfVec3 d,
                             hfVec3 slide_W, double margin) {
  hfVec3 cosine = m3_tmulv(*R_a, slide_W);

  for (int i = 0; i < 3; ++i)
    if (fabs(v3_get(cosine, i)) <= ACROSS_SLIDE_COSINE && gap_along(R_a, h_a, R_b, h_b, d, i) > margin) return 1;
  return 0;
}

// Is the gap of a pair wider than its margin, and never changed by the only joint that moves one geom against the
// other?
HFI_NOINLINE static int joint_keeps_apart(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c,
                                          const hfiCull* cull) {
  const hfPose* A = &X_WG[c->a];
  const hfPose* B = &X_WG[c->b];
  const hfVec3 axis_W = s->options.axis_W[cull->joint];

  if (hf_model_jnt_type(s->model)[cull->joint] == HF_JOINT_HINGE)
    return hfi_apart_along(&s->shape[c->a], A, &s->shape[c->b], B, axis_W, cull->margin);

  // a slide
  const hfVec3* h_a = &s->half[c->a];
  const hfVec3* h_b = &s->half[c->b];
  hfVec3 d = v3_sub(B->p, A->p);
  double margin = cull->margin - s->options.flush; // flush faces may overlap a little
  return slide_keeps_apart(&A->R, h_a, &B->R, h_b, d, axis_W, margin) ||
         slide_keeps_apart(&B->R, h_b, &A->R, h_a, v3_neg(d), axis_W, margin);
}

// Finds the points of a pair that has memories. A has the lower type. Returns their number.
static int collide_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B, const hfPose* X_WB,
                               double margin, const hfiCull* cull, hfiContactPoint* points) {
  if (cull->collide == hfi_ellipsoid_box)
    return hfi_ellipsoid_box_with_memory(A, X_WA, B, X_WB, margin, cull->recent, points);
  if (cull->collide == hfi_cylinder_box)
    return hfi_cylinder_box_with_memory(A, X_WA, B, X_WB, margin, cull->recent, points);
  return hfi_convex_with_memory(A, X_WA, B, X_WB, margin, cull->last, cull->recent, points);
}

// Finds the points of a pair that has memories, in any order of the two types. Returns their number.
HFI_NOINLINE static int call_pair_with_memory(const hfiShape* A, const hfPose* X_WA, const hfiShape* B,
                                              const hfPose* X_WB, double margin, const hfiCull* cull,
                                              hfiContactPoint* points) {
  if (!cull->swapped) return collide_with_memory(A, X_WA, B, X_WB, margin, cull, points);

  int n = collide_with_memory(B, X_WB, A, X_WA, margin, cull, points);
  for (int i = 0; i < n; ++i) swap_point(points + i);
  return n;
}

// Finds the points of a pair with a gap below the margin [m], which contains how far the two may come towards each
// other. Returns their number. cull->is_general: GJK collides the pair.
static inline int find_points(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull,
                              double margin, hfiContactPoint* points) {
  const hfiShape* A = &s->shape[c->a];
  const hfiShape* B = &s->shape[c->b];
  const hfPose* X_WA = &X_WG[c->a];
  const hfPose* X_WB = &X_WG[c->b];
  int has_memory = cull->last || cull->recent;

  if (cull->joint >= 0 && s->options.axis_W && joint_keeps_apart(s, X_WG, c, cull)) return 0;
  if (!cull->is_general) {
    if (has_memory) return call_pair_with_memory(A, X_WA, B, X_WB, margin, cull, points);
    return call_pair(cull->collide, cull->swapped, A, X_WA, B, X_WB, margin, points);
  }

  // a pair of GJK: what separated the two in the last query is tried first, unless that query found them near each
  // other
  int were_near = cull->last && cull->last->face.kind != HFI_NO_FACE;
  if (!were_near && hfi_still_apart(A, X_WA, B, X_WB, margin, &cull->separation)) return 0;

  int n;
  if (has_memory) n = call_pair_with_memory(A, X_WA, B, X_WB, margin, cull, points);
  else n = call_pair(cull->collide, cull->swapped, A, X_WA, B, X_WB, margin, points);
  if (n == 0) hfi_find_separation(A, X_WA, B, X_WB, &cull->separation);
  return n;
}

// Finds the points of a pair within the margin, after the rest of its cull. Returns their number. (find_points for
// callers outside of this file.)
int hfi_scene_points(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, hfiCull* cull, double margin,
                     hfiContactPoint* points) {
  return find_points(s, X_WG, c, cull, margin, points);
}

// Writes the nearest points of a candidate at these poses, if its memory has them. Returns 0 if it has not.
int hfi_scene_recent(const hfiScene* s, const hfPose* X_WG, int candidate, hfiContactPoint* point) {
  if (candidate >= s->pairs.count || !s->pairs.cull[candidate].recent) return 0;

  const hfiCandidate* c = &s->pairs.candidate[candidate];
  const hfiCull* cull = &s->pairs.cull[candidate];
  // A is the geom that the pair function takes first
  const hfPose* X_WA = &X_WG[cull->swapped ? c->b : c->a];
  const hfPose* X_WB = &X_WG[cull->swapped ? c->a : c->b];
  if (!hfi_is_recent(cull->recent, X_WA, X_WB)) return 0;

  *point = cull->recent->single;
  hfi_points_to_world(X_WA, point, 1);
  if (cull->swapped) swap_point(point);
  return 1;
}

// ---- a query ------------------------------------------------------------------------------------------

// A query of the scene, which threads share.
typedef struct SceneQuery {
  hfiScene* scene;
  const hfPose* X_WG;  // (ngeom)
  const double* reach; // (ngeom), or NULL [m]
  hfiRawContact* out;
  hfiShares shares; // of the list of near pairs
} SceneQuery;

// Finds the points of candidate i. Returns their number. Writes how far its geoms come towards each other to the
// pair_reach of its cull; INFINITY if that was not asked, or is no less than the sum of their reaches.
static inline int collide_candidate(const SceneQuery* q, int i, hfiContactPoint* points) {
  hfiScene* s = q->scene;
  const hfiSceneOptions* options = &s->options;
  const hfiCandidate* c = &s->pairs.candidate[i];
  hfiCull* cull = &s->pairs.cull[i];
  cull->pair_reach = INFINITY;
  if (options->still && options->still[c->a] && options->still[c->b]) return 0;

  // how far the two may come towards each other
  double approach = q->reach ? q->reach[c->a] + q->reach[c->b] : 0;
  if (are_far_apart(s, q->X_WG, c, cull, cull->margin + approach)) return 0;

  // geoms that move far may hardly come nearer to each other
  if (approach > HFI_FAR_REACH && options->pair_reach) {
    double pair_reach = options->pair_reach(options->pair_data, c->a, c->b, INFINITY);
    if (pair_reach < approach) {
      approach = pair_reach;
      cull->pair_reach = pair_reach;
      if (are_far_apart(s, q->X_WG, c, cull, cull->margin + approach)) return 0;
    }
  }
  return find_points(s, q->X_WG, c, cull, cull->margin + approach, points);
}

// Finds the points of a share of the near pairs. Writes them, and their number, to the place of the share.
static void collide_share(void* data, int share) {
  SceneQuery* q = data;
  const hfiScene* s = q->scene;
  int begin = hfi_first_element(&q->shares, share);
  int room = hfi_first_element(&q->shares, share + 1) - begin;
  int end = hfi_first_work(&q->shares, share + 1);
  int count = 0;
  int lost = 0;
  hfiContactPoint points[HFI_MAX_POINTS];

  for (int k = hfi_first_work(&q->shares, share); k < end; ++k) {
    int i = s->near.candidate[k];
    int n = collide_candidate(q, i, points);
    const hfiCandidate* c = &s->pairs.candidate[i];
    for (int p = 0; p < n; ++p) {
      if (count == room) {
        lost++;
        continue;
      }
      q->out[begin + count] = (hfiRawContact){
          .geom_a = c->a, .geom_b = c->b, .pair = c->pair, .candidate = i, .point = points[p]};
      count++;
    }
  }
  q->shares.count[share] = count;
  q->shares.lost[share] = lost;
}

// Finds the contact points of the scene at the given poses, sorted by pair. Returns their number. *dropped: number of
// points, or pairs, without room.
int hfi_scene_collide(hfiScene* s, const hfPose* X_WG, const double* reach, hfiRawContact* out,
                      int capacity, int* dropped) {
  *dropped = 0;
  if (s->near.count < 0 || !list_is_complete(s, X_WG, reach)) list_near(s, X_WG, reach, dropped);
  s->near.queries++;

  int lost;
  SceneQuery q = {.scene = s,
                  .X_WG = X_WG,
                  .reach = reach,
                  .out = out,
                  .shares = {.work = s->near.count, .capacity = capacity}};
  int count = hfi_fill_by_shares(s->options.workers, &q.shares, collide_share, &q, out, sizeof *out, &lost);
  *dropped += lost;
  return count;
}
