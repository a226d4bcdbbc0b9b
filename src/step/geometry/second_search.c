// The second search for contact points. It examines the pairs whose geoms may come nearer to each other than the first
// search assumed: those of a geom whose reach has grown (the caller marks these geoms), and those that the first search
// examined with less than the sum of their two reaches. Bounding spheres leave out most other pairs. If a pair has
// points of the first search that act, these points stay as they are. The points of the second search are added to
// them, and replace the points of the pair that do not act.
#include "step/geometry/scene.h"

#include <string.h>

// The points found so far, sorted by pair.
typedef struct FoundPoints {
  hfiRawContact* point;
  int count, capacity;
  int dropped;            // number of points for which there was no room
  int32_t next_candidate; // candidate number of the next pair that is not in the scene's list and has no points yet
} FoundPoints;

// What all functions of the search read.
typedef struct SecondSearch {
  const hfiScene* scene;
  const hfPose* X_WG;      // (ngeom)
  const double* reach;     // (ngeom) [m]
  const int32_t* extended; // (ngeom) 1: the reach of the geom has grown. NULL: no reach has
} SecondSearch;

// Compares the pair of a point with pair c in the order of pairs: < 0 before c, 0 the same, > 0 after c.
static int compare_pair(const hfiRawContact* r, const hfiCandidate* c) {
  if (r->geom_a != c->a) return r->geom_a < c->a ? -1 : 1;
  if (r->geom_b != c->b) return r->geom_b < c->b ? -1 : 1;
  if (r->pair != c->pair) return r->pair < c->pair ? -1 : 1;
  return 0;
}

// Returns the index of the first point of the pair, or, if it has none, the index at which its points belong.
static int find_pair(const FoundPoints* f, const hfiCandidate* c) {
  int low = 0;
  int high = f->count;

  while (low < high) {
    int middle = (low + high) / 2;
    if (compare_pair(&f->point[middle], c) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int has_feature(const hfiRawContact* points, int n, uint32_t feature) {
  for (int i = 0; i < n; ++i)
    if (points[i].point.feature == feature) return 1;
  return 0;
}

// Replaces the points from index `begin` to `end` - 1 by n points. Those for which there is no room are dropped.
static void replace_range(FoundPoints* f, int begin, int end, const hfiRawContact* points, int n) {
  int room = f->capacity - (f->count - (end - begin));
  int kept = imin2(n, room);

  memmove(f->point + begin + kept, f->point + end, sizeof *f->point * (size_t)(f->count - end));
  memcpy(f->point + begin, points, sizeof *points * (size_t)kept);
  f->count += kept - (end - begin);
  f->dropped += n - kept;
}

// Computes the points of pair c with a margin that is larger by `approach`, and merges them into the found points.
//   candidate  number of the pair in the scene's list, or -1
//   approach   how far the two geoms may come towards each other [m]
// A pair never gets more points than one search can find.
static void search_pair(const SecondSearch* q, const hfiCandidate* c, int candidate, hfiCull* cull, double approach,
                        FoundPoints* f) {
  hfiContactPoint points[HFI_MAX_POINTS];
  hfiRawContact merged[HFI_MAX_POINTS];
  const int32_t* type = hf_model_geom_type(q->scene->model);
  int n = hfi_scene_points(q->scene, q->X_WG, c, cull, cull->margin + approach, points);
  if (!n) return;

  // points that act stay
  int begin = find_pair(f, c);
  int end = begin;
  int count = 0;
  for (; end < f->count && compare_pair(&f->point[end], c) == 0; ++end)
    if (f->point[end].acts && count < HFI_MAX_POINTS) merged[count++] = f->point[end];

  // the number of the pair: as before, or a new one
  if (end > begin) candidate = f->point[begin].candidate;
  else if (candidate < 0) candidate = f->next_candidate++;

  // the new points whose feature no acting point has
  int most = hfi_pair_points(type[c->a], type[c->b]);
  for (int k = 0; k < n && count < most; ++k) {
    if (has_feature(merged, count, points[k].feature)) continue;
    // it does not act yet, and its depth is not known
    merged[count] = (hfiRawContact){c->a, c->b, c->pair, candidate, points[k], 0, 0};
    count++;
  }
  replace_range(f, begin, end, merged, count);
}

// Do the bounding spheres of geoms a and b stay apart if the geoms come nearer by `approach`? Planes have no sphere and
// are never apart.
static inline int spheres_stay_apart(const SecondSearch* q, double approach, int a, int b) {
  const double* radius = hf_model_geom_rbound(q->scene->model);
  const double* margin = hf_model_geom_margin(q->scene->model);
  if (!(radius[a] > 0 && radius[b] > 0)) return 0;
  double reached = radius[a] + radius[b] + approach + margin[a] + margin[b];
  return v3_norm2(v3_sub(q->X_WG[b].p, q->X_WG[a].p)) > reached * reached;
}

// Searches pair i of the scene's list if the reach of one of its geoms has grown, or if the first search used less than
// the sum of both reaches.
static inline void search_listed_pair(const SecondSearch* q, int i, FoundPoints* f) {
  const hfiScene* s = q->scene;
  const hfiSceneOptions* options = &s->options;
  const hfiCandidate* c = &s->pairs.candidate[i];
  hfiCull* cull = &s->pairs.cull[i];
  double first_reach = cull->pair_reach; // INFINITY: the first search used the sum of both reaches

  int has_grown = q->extended && (q->extended[c->a] || q->extended[c->b]);
  if (first_reach == INFINITY && !has_grown) return;

  double approach = q->reach[c->a] + q->reach[c->b];
  if (first_reach < INFINITY && options->pair_reach)
    approach = min2(approach, options->pair_reach(options->pair_data, c->a, c->b, first_reach));
  if (!(approach > 0) || spheres_stay_apart(q, approach, c->a, c->b)) return;
  search_pair(q, c, i, cull, approach, f);
}

// Searches a scene that lists its pairs. If no reach has grown, only pairs that the first search examined can have more
// points.
static void search_listed(const SecondSearch* q, FoundPoints* f) {
  const hfiScene* s = q->scene;
  if (!q->extended) {
    for (int k = 0; k < s->near.count; ++k) search_listed_pair(q, s->near.candidate[k], f);
    return;
  }
  for (int i = 0; i < s->pairs.count; ++i) search_listed_pair(q, i, f);
}

// Searches the pairs of geom g, whose reach has grown, with all other active geoms. If both reaches of a pair have
// grown, only the call for its lower geom searches it.
static void search_around(const SecondSearch* q, int g, FoundPoints* f) {
  const hfiScene* s = q->scene;
  for (int k = 0; k < s->nactive; ++k) {
    int partner = s->active[k];
    int is_searched_for_partner = partner < g && q->extended[partner];
    if (partner == g || is_searched_for_partner) continue;

    int a = imin2(g, partner);
    int b = imax2(g, partner);
    double approach = q->reach[a] + q->reach[b];
    if (spheres_stay_apart(q, approach, a, b) || !hfi_filter_test(&s->filter, a, b)) continue;

    hfiCandidate c = {.a = a, .b = b, .pair = -1};
    hfiCull cull = hfi_scene_cull(s, &c);
    search_pair(q, &c, -1, &cull, approach, f);
  }
}

// Searches the explicit pairs of the model that have a geom whose reach has grown.
static void search_explicit_pairs(const SecondSearch* q, FoundPoints* f) {
  const hfiScene* s = q->scene;
  for (int i = 0; i < s->model->npair; ++i) {
    hfiCandidate c = hfi_explicit_candidate(s->model, i);
    hfiCull cull = hfi_scene_cull(s, &c);
    if (q->extended[c.a] || q->extended[c.b]) search_pair(q, &c, -1, &cull, q->reach[c.a] + q->reach[c.b], f);
  }
}

// Searches pairs again whose geoms may come nearer to each other than the first search assumed. Returns the number of
// all points; *dropped grows by those without room.
int hfi_scene_search_again(hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* extended,
                           hfiRawContact* found, int count, int capacity, int* dropped) {
  SecondSearch q = {.scene = s, .X_WG = X_WG, .reach = reach, .extended = extended};
  FoundPoints f = {.point = found,
                   .count = count,
                   .capacity = capacity,
                   .dropped = 0,
                   .next_candidate = s->pairs.count};

  if (s->pairs.are_listed) {
    search_listed(&q, &f);
  } else {
    for (int k = 0; k < s->nactive; ++k)
      if (extended[s->active[k]]) search_around(&q, s->active[k], &f);
    search_explicit_pairs(&q, &f);
  }
  *dropped += f.dropped;
  return f.count;
}
