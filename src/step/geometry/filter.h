// Decides which pairs of geoms may touch, by a few numbers for each geom that are computed once from the model.
#ifndef HFI_GEOMETRY_FILTER_H
#define HFI_GEOMETRY_FILTER_H

#include "base/arena.h"
#include <holdfast/model.h>

typedef struct hfiFilterGeom {
  int32_t contype, conaffinity; // masks: bits that must meet those of the other geom
  int32_t body;        // its body
  int32_t weld;        // the moving body to which its body is fixed; 0: the world
  int32_t parent;      // the moving body above `weld` that it may not touch; -1: there is none
  int32_t moves;       // 1: it has dofs
  int32_t is_excluded; // 1: an exclude names its body
  int32_t is_paired;   // 1: an explicit pair names it
  int32_t next;        // the first of its partners that has a larger number
} hfiFilterGeom;

typedef struct hfiFilter {
  int32_t ngeom;
  hfiFilterGeom* geom; // (ngeom)
  int32_t ncolliding, nmoving, nexclude, npair; // lengths of the lists
  int32_t* colliding; // (ncolliding) ascending: geoms with a mask that is not zero
  int32_t* moving;    // (nmoving) ascending: those of them that move
  uint64_t* exclude;  // (nexclude) ascending: the excluded pairs of bodies
  uint64_t* pair;     // (npair) ascending: the explicit pairs of geoms
} hfiFilter;

// With an arena without memory it only plans the size.
void hfi_filter_init(hfiFilter* filter, const hfModel* model, hfiArena* arena);

// Does an exclude name the bodies of geoms a < b, or an explicit pair the geoms?
int hfi_filter_is_named(const hfiFilter* filter, int a, int b);

// May geoms a < b touch?
static inline int hfi_filter_test(const hfiFilter* f, int a, int b) {
  const hfiFilterGeom* x = &f->geom[a];
  const hfiFilterGeom* y = &f->geom[b];
  int masks_meet = (x->contype & y->conaffinity) | (y->contype & x->conaffinity);
  if (!masks_meet) return 0;
  if (x->weld == y->weld || !(x->moves | y->moves) || x->parent == y->weld || y->parent == x->weld) return 0;

  int may_be_named = (x->is_excluded & y->is_excluded) | (x->is_paired & y->is_paired);
  return !may_be_named || !hfi_filter_is_named(f, a, b);
}

// A list (count), ascending, that contains all geoms which geom a may touch. If geom a does not move, geoms that do not
// move either are left out.
typedef struct hfiPartners {
  const int32_t* geom;
  int32_t count;
} hfiPartners;

static inline hfiPartners hfi_filter_partners(const hfiFilter* f, int a) {
  const hfiFilterGeom* g = &f->geom[a];
  if (!(g->contype | g->conaffinity)) return (hfiPartners){NULL, 0};
  if (g->moves) return (hfiPartners){f->colliding, f->ncolliding};
  return (hfiPartners){f->moving, f->nmoving};
}

// The number of pairs that may touch; at most `limit`, where counting stops.
int hfi_filter_count(const hfiFilter* filter, int limit);

#endif
