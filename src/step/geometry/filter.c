// Two geoms may touch when
//   their masks meet:     contype_a & conaffinity_b or contype_b & conaffinity_a;
//   one of them can move: a dof, and not both fixed to the same moving body;
//   they are not parent and child, where the scene filters those (the world is not a parent in this sense);
//   no exclude names their bodies, and no explicit pair does (those are listed by themselves).
//
// Memory and time grow with the number of geoms, not of pairs: a pair is examined only when somebody asks for it.
#include "step/geometry/filter.h"

#include "base/sort.h"
#include "math/vec3.h"

// ---- pairs that are named -------------------------------------------------------------------------

// The key of a pair of geoms or bodies, in any order.
static uint64_t key_of(int a, int b) { return (uint64_t)imin2(a, b) << 32 | (uint64_t)imax2(a, b); }

static int compare_keys(const void* x, const void* y) {
  uint64_t key_x = *(const uint64_t*)x;
  uint64_t key_y = *(const uint64_t*)y;
  if (key_x == key_y) return 0;
  return key_x < key_y ? -1 : 1;
}

// Writes the keys of `count` pairs, ascending.
static void make_keys(uint64_t* key, const int32_t* named, int count) {
  for (int i = 0; i < count; ++i) key[i] = key_of(named[2 * i], named[2 * i + 1]);
  hfi_sort(key, (size_t)count, sizeof *key, compare_keys);
}

// Is a key in an ascending list?
static int has_key(const uint64_t* key, int count, uint64_t wanted) {
  int lo = 0;
  int hi = count;
  while (lo < hi) {
    int middle = lo + (hi - lo) / 2;
    if (key[middle] < wanted) lo = middle + 1;
    else hi = middle;
  }
  return lo < count && key[lo] == wanted;
}

// Does an exclude name the bodies of geoms a < b, or an explicit pair the geoms?
int hfi_filter_is_named(const hfiFilter* f, int a, int b) {
  return has_key(f->exclude, f->nexclude, key_of(f->geom[a].body, f->geom[b].body)) ||
         has_key(f->pair, f->npair, key_of(a, b));
}

// ---- creation ------------------------------------------------------------------------------------

// Returns the moving body above the moving body `weld` if the scene filters such a parent and child; otherwise -1.
static int filtered_parent(const hfModel* m, int weld) {
  if (!m->world.filter_parent || !weld) return -1;
  int parent = hf_model_body_weld(m)[hf_model_body_parent(m)[weld]];
  return parent ? parent : -1;
}

// Returns what the filter knows of geom g before lists and names are made.
static hfiFilterGeom view_geom(const hfModel* m, int g) {
  int body = hf_model_geom_body(m)[g];
  int weld = hf_model_body_weld(m)[body];
  return (hfiFilterGeom){.contype = hf_model_geom_contype(m)[g],
                         .conaffinity = hf_model_geom_conaffinity(m)[g],
                         .body = body,
                         .weld = weld,
                         .parent = filtered_parent(m, weld),
                         .moves = hf_model_body_lastdof(m)[body] >= 0};
}

// Marks the geoms that an exclude or an explicit pair names.
static void mark_named(hfiFilter* f, const hfModel* m) {
  for (int i = 0; i < 2 * m->nexclude; ++i) {
    int body = hf_model_exclude_body(m)[i];
    int first = hf_model_body_geomadr(m)[body];
    for (int k = 0; k < hf_model_body_geomnum(m)[body]; ++k) f->geom[first + k].is_excluded = 1;
  }
  for (int i = 0; i < 2 * m->npair; ++i) f->geom[hf_model_pair_geom(m)[i]].is_paired = 1;
}

// Makes the filter of a model. With an arena without memory it only plans the size.
void hfi_filter_init(hfiFilter* f, const hfModel* m, hfiArena* arena) {
  *f = (hfiFilter){.ngeom = m->ngeom, .nexclude = m->nexclude, .npair = m->npair};
  f->geom = HFI_TAKE(arena, hfiFilterGeom, m->ngeom);
  HFI_TAKE_EACH(arena, int32_t, m->ngeom, &f->colliding, &f->moving);
  f->exclude = HFI_TAKE(arena, uint64_t, m->nexclude);
  f->pair = HFI_TAKE(arena, uint64_t, m->npair);
  if (!arena->base) return;

  // the lists of geoms: a geom that moves may touch all that collide, any other only those that move; the first partner
  // with a larger number is the one that is listed next
  for (int g = 0; g < m->ngeom; ++g) {
    hfiFilterGeom* geom = &f->geom[g];
    *geom = view_geom(m, g);
    if (geom->contype | geom->conaffinity) {
      f->colliding[f->ncolliding++] = g;
      if (geom->moves) f->moving[f->nmoving++] = g;
    }
    geom->next = geom->moves ? f->ncolliding : f->nmoving;
  }

  // what excludes and explicit pairs name
  mark_named(f, m);
  make_keys(f->exclude, hf_model_exclude_body(m), m->nexclude);
  make_keys(f->pair, hf_model_pair_geom(m), m->npair);
}

// Counts the pairs that may touch, up to `limit`.
int hfi_filter_count(const hfiFilter* f, int limit) {
  int count = 0;
  for (int a = 0; a < f->ngeom; ++a) {
    hfiPartners partners = hfi_filter_partners(f, a);
    for (int k = f->geom[a].next; k < partners.count && count < limit; ++k)
      count += hfi_filter_test(f, a, partners.geom[k]);
  }
  return count;
}
