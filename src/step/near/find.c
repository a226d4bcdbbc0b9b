// Finds the contacts at the present poses: those that touch, and those that close within the horizon (near.h).
#include "step/near/inside.h"

#include <string.h>

// Finds the points of all pairs at the present poses. reach (ngeom): how far geoms may move within the horizon, or
// NULL. Does nothing if the last search had the same poses and the same reach, as in a world at rest.
static void find_points(hfiNear* near, double horizon, const double* reach) {
  size_t size = sizeof *reach * (size_t)near->model->ngeom;

  // where pairs are asked, their reach also depends on velocities
  int can_reuse = reach && !near->scene.options.still && !hfi_near_asks_pairs(near, horizon);
  int is_found = can_reuse && near->fresh & HFI_FRESH_FOUND;
  if (is_found && memcmp(reach, near->reach.of_points, size) == 0) return;

  hfi_near_collide(near, horizon, reach);
  near->fresh &= ~(uint32_t)HFI_FRESH_FOUND;
  if (reach) memcpy(near->reach.of_points, reach, size);
  if (can_reuse) near->fresh |= HFI_FRESH_FOUND;
}

// A point counts as within the margin up to this gap beyond it [m], because rigid contacts (method mlcp) rest at their
// margin up to rounding.
static const double MARGIN_TOLERANCE = 1e-6;

// Is a point nearer than the margin of its pair?
int hfi_near_is_within_margin(const hfiNear* near, const hfiRawContact* r) {
  return r->point.depth > -near->scene.pairs.cull[r->candidate].margin - MARGIN_TOLERANCE;
}

// Lets points that are open, but within the margin of a pair whose material pulls, act.
static void let_stick(hfiNear* near) {
  for (int k = 0; k < near->nfound; ++k) {
    hfiRawContact* r = &near->found[k];
    if (r->acts || !isfinite(r->depth) || !hfi_near_is_within_margin(near, r)) continue;
    if (hfi_material_adhesion(near->model, r->geom_a, r->geom_b, r->pair) > 0) r->acts = HFI_ACTS;
  }
}

// Finds the contacts at the present poses. Writes near->found, contact and reach, and what belongs to them.
//   gap      points with a smaller gap act [m]
//   horizon  time within which points that close act, too; 0: none do [s]
//   tau      (nv) known forces, or NULL
void hfi_near_find(hfiNear* near, double gap, double horizon, const double* tau) {
  const hfModel* m = near->model;
  const hfMotion* V = near->dynamics->V;
  double* reach = near->reach.first;
  int predicts = horizon > 0;

  near->ncontact = 0;
  if (!near->capacity) return;

  // the points
  if (predicts) {
    hfi_near_reach(near, horizon, tau);
    hfi_near_foresee(near);
  } else if (gap > 0) {
    // two geoms are found if they are apart by no more than the sum of their reaches
    for (int g = 0; g < m->ngeom; ++g) reach[g] = 0.5 * gap;
  }
  find_points(near, horizon, predicts || gap > 0 ? reach : NULL);

  // which of the points act
  double widest = hfi_near_choose(near, gap, horizon);
  hfi_near_drop_covered(near, V, horizon, HFI_ACTS);
  if (widest > near->size.least_swept_gap) hfi_near_sweep(near, V, horizon, horizon, HFI_ACTS);
  if (near->is_sticky) let_stick(near);

  // their contacts
  const hfiMaterial* listed = hfi_listed_materials(near);
  near->ncontact = hfi_contact_fill(m, listed, &near->softness, near->found, near->nfound, near->contact);
}

hfiContact* hfi_near_replace(hfiNear* near, int n) {
  assert(n <= near->capacity);
  near->ncontact = n;
  return near->contact;
}
