// Two geoms may touch when
//   their masks meet:     contype_a & conaffinity_b or contype_b & conaffinity_a;
//   one of them can move: a dof or a mocap pose, and not both fixed to the same moving body;
//   they are no parent and child, where the scene filters those (the world is no parent in this sense);
//   no exclude names their bodies, and no explicit pair does (those are listed by themselves).
#include "geometry/filter.h"

#include <string.h>

static int masks_meet(const hfModel* m, int a, int b) {
  const int32_t *type = hf_model_geom_contype(m), *affinity = hf_model_geom_conaffinity(m);
  return (type[a] & affinity[b]) || (type[b] & affinity[a]);
}

// The moving body above the moving body `weld`; 0: the world.
static int weld_parent(const hfModel* m, int weld) {
  return weld ? hf_model_body_weld(m)[hf_model_body_parent(m)[weld]] : 0;
}

static int bodies_may_touch(const hfModel* m, int body_a, int body_b) {
  int wa = hf_model_body_weld(m)[body_a], wb = hf_model_body_weld(m)[body_b];
  if (wa == wb) return 0;
  if (hf_model_body_lastdof(m)[body_a] < 0 && hf_model_body_lastdof(m)[body_b] < 0) return 0;
  if (m->world.filter_parent && wa && wb && (weld_parent(m, wa) == wb || weld_parent(m, wb) == wa))
    return 0;
  for (int i = 0; i < m->nexclude; ++i) {
    const int32_t* e = hf_model_exclude_body(m) + 2 * i;
    if ((e[0] == body_a && e[1] == body_b) || (e[0] == body_b && e[1] == body_a)) return 0;
  }
  return 1;
}

static uint64_t* word_of(hfiFilter* f, int a, int b) {
  return &f->bits[(size_t)a * (size_t)f->words + (size_t)(b >> 6)];
}

// Allows every pair of geoms of two bodies whose masks meet.
static void allow_bodies(hfiFilter* f, const hfModel* m, int body_a, int body_b) {
  const int32_t *adr = hf_model_body_geomadr(m), *num = hf_model_body_geomnum(m);
  for (int a = adr[body_a]; a < adr[body_a] + num[body_a]; ++a)
    for (int b = adr[body_b]; b < adr[body_b] + num[body_b]; ++b)
      if (masks_meet(m, a, b))
        *word_of(f, a < b ? a : b, a < b ? b : a) |= UINT64_C(1) << ((a < b ? b : a) & 63);
}

void hfi_filter_init(hfiFilter* f, const hfModel* m, hfiArena* arena) {
  f->ngeom = m->ngeom;
  f->words = (m->ngeom + 63) / 64;
  f->bits = HFI_TAKE(arena, uint64_t, (size_t)f->ngeom * (size_t)f->words);
  f->npair = 0;
  if (!f->bits) return;
  memset(f->bits, 0, sizeof *f->bits * (size_t)f->ngeom * (size_t)f->words);
  for (int body_a = 0; body_a < m->nbody; ++body_a)
    for (int body_b = body_a + 1; body_b < m->nbody; ++body_b)
      if (hf_model_body_geomnum(m)[body_a] && hf_model_body_geomnum(m)[body_b] &&
          bodies_may_touch(m, body_a, body_b))
        allow_bodies(f, m, body_a, body_b);
  for (int i = 0; i < m->npair; ++i) {
    const int32_t* g = hf_model_pair_geom(m) + 2 * i;
    int a = g[0] < g[1] ? g[0] : g[1], b = g[0] < g[1] ? g[1] : g[0];
    *word_of(f, a, b) &= ~(UINT64_C(1) << (b & 63));
  }
  for (int a = 0; a < f->ngeom; ++a)
    for (int b = a + 1; b < f->ngeom; ++b) f->npair += hfi_filter_test(f, a, b);
}
