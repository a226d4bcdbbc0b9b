// A second search for contact points, of pairs with a geom that may move further than its reach in the first search.
//
// Only these geoms are compared with the others, by bounding spheres: there are few of them. Points of such a pair that the first search found and
// that act stay as they are; the new points replace the others.
#include "geometry/scene.h"

#include <string.h>

// The list of found points, in the order of the pairs.
typedef struct FoundPoints {
  hfiRawContact* at;
  int count, capacity, dropped;
  int32_t next_candidate; // number that the next pair gets which is not in the scene's list and had no points
} FoundPoints;

static int compare_pair(const hfiRawContact* r, const hfiCandidate* c) {
  if (r->geom_a != c->a) return r->geom_a < c->a ? -1 : 1;
  if (r->geom_b != c->b) return r->geom_b < c->b ? -1 : 1;
  return r->pair < c->pair ? -1 : r->pair > c->pair;
}

// The first point that does not come before those of the pair.
static int find_pair(const FoundPoints* f, const hfiCandidate* c) {
  int low = 0, high = f->count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (compare_pair(&f->at[middle], c) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

static int has_feature(const hfiRawContact* points, int n, uint32_t feature) {
  for (int i = 0; i < n; ++i)
    if (points[i].point.feature == feature) return 1;
  return 0;
}

// Puts n points in the place of those from begin to end.
static void replace_range(FoundPoints* f, int begin, int end, const hfiRawContact* points, int n) {
  int room = f->capacity - (f->count - (end - begin)), kept = n < room ? n : room;
  memmove(f->at + begin + kept, f->at + end, sizeof *f->at * (size_t)(f->count - end));
  memcpy(f->at + begin, points, sizeof *points * (size_t)kept);
  f->count += kept - (end - begin);
  f->dropped += n - kept;
}

// Finds the points of a pair again. They join those that act already and replace the others. A pair never has more points than one search can find.
// candidate: number of the pair in the scene's list, or -1.
// both: how far the geoms of the pair may come towards each other [m].
static void look_again(const hfiScene* s, const hfPose* X_WG, const hfiCandidate* c, int candidate, hfiCull* cull,
                       double both, FoundPoints* f) {
  hfiContactPoint points[HFI_MAX_POINTS];
  hfiRawContact now[HFI_MAX_POINTS];
  const int32_t* type = hf_model_geom_type(s->model);
  int n = hfi_scene_points(s, X_WG, c, cull, cull->margin + both, points), begin = find_pair(f, c), end = begin, count = 0;
  int most = hfi_pair_points(type[c->a], type[c->b]);
  if (!n) return;
  for (; end < f->count && compare_pair(&f->at[end], c) == 0; ++end)
    if (f->at[end].acts && count < HFI_MAX_POINTS) now[count++] = f->at[end];
  if (end > begin) candidate = f->at[begin].candidate;
  else if (candidate < 0) candidate = f->next_candidate++;
  for (int k = 0; k < n && count < most; ++k) {
    hfiRawContact raw = {c->a, c->b, c->pair, candidate, points[k], 0, 0};
    if (!has_feature(now, count, points[k].feature)) now[count++] = raw;
  }
  replace_range(f, begin, end, now, count);
}

static inline int spheres_apart(const hfiScene* s, const hfPose* X_WG, double both, int a, int b) {
  const double *radius = hf_model_geom_rbound(s->model), *margin = hf_model_geom_margin(s->model);
  if (!(radius[a] > 0 && radius[b] > 0)) return 0; // planes
  double reached = radius[a] + radius[b] + both + margin[a] + margin[b];
  return v3_norm2(v3_sub(X_WG[b].p, X_WG[a].p)) > reached * reached;
}

// Examines listed pair i if one of its geoms is marked, or if the first search examined it with less than the reaches of both geoms.
static inline void look_at_candidate(hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* further, int i, FoundPoints* f) {
  const hfiCandidate* c = &s->candidate[i];
  int lessened = s->any_lessened && s->cull[i].lessened == s->query;
  if (!lessened && !(further && (further[c->a] || further[c->b]))) return;
  double both = reach[c->a] + reach[c->b];
  if (lessened) both = min2(both, s->pair_reach(s->mover, c->a, c->b, 1));
  if (both > 0 && !spheres_apart(s, X_WG, both, c->a, c->b)) look_again(s, X_WG, c, i, &s->cull[i], both, f);
}

// Does so for all pairs, in a scene that lists them. If no geom is marked, only pairs that the first search examined come into question.
static void look_at_listed(hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* further, FoundPoints* f) {
  for (int k = 0; !further && k < s->nnear; ++k) look_at_candidate(s, X_WG, reach, NULL, s->near[k], f);
  for (int i = 0; further && i < s->ncandidate; ++i) look_at_candidate(s, X_WG, reach, further, i, f);
}

// Examines the pairs of the marked geom g with all other active geoms. A pair of two marked geoms is examined with the lower one.
static void look_around(const hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* further, int g,
                        FoundPoints* f) {
  for (int k = 0; k < s->nactive; ++k) {
    int other = s->active[k], a = g < other ? g : other, b = g < other ? other : g;
    double both = reach[a] + reach[b];
    if (other == g || (other < g && further[other]) || spheres_apart(s, X_WG, both, a, b)) continue;
    if (!hfi_filter_test(&s->filter, a, b)) continue;
    hfiCandidate c = {a, b, -1};
    hfiCull cull = hfi_scene_cull(s, &c);
    look_again(s, X_WG, &c, -1, &cull, both, f);
  }
}

static void look_at_explicit(const hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* further,
                             FoundPoints* f) {
  for (int i = 0; i < s->model->npair; ++i) {
    hfiCandidate c = hfi_explicit_candidate(s->model, i);
    hfiCull cull = hfi_scene_cull(s, &c);
    if (further[c.a] || further[c.b]) look_again(s, X_WG, &c, -1, &cull, reach[c.a] + reach[c.b], f);
  }
}

int hfi_scene_look_further(hfiScene* s, const hfPose* X_WG, const double* reach, const int32_t* further,
                           hfiRawContact* found, int count, int capacity, int* dropped) {
  FoundPoints f = {found, count, capacity, 0, s->ncandidate};
  if (s->listed) look_at_listed(s, X_WG, reach, further, &f);
  for (int k = 0; !s->listed && k < s->nactive; ++k)
    if (further[s->active[k]]) look_around(s, X_WG, reach, further, s->active[k], &f);
  if (!s->listed) look_at_explicit(s, X_WG, reach, further, &f);
  *dropped += f.dropped;
  return f.count;
}
