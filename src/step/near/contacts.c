// Finds the contacts of the world at its present poses: those that touch, and those that close within the horizon (hfi_world_find_contacts). If a solved
// step moves trees further than was foreseen, finds the contacts that were missed (hfi_world_add_missed).
#include "step/world/world.h"

#include <string.h>

// The materials of the pairs that the scene lists. NULL: it lists none, and materials are computed when they are needed.
static const hfiMaterial* listed_materials(const hfiWorld* w) { return w->scene.listed ? w->material : NULL; }

// Finds the points of all pairs at the present poses with a reach (ngeom, or NULL). Does nothing if the last call had the same poses and the same reach,
// as in a world at rest.
static void find_points(hfiWorld* w, const double* reach) {
  size_t size = sizeof *reach * (size_t)w->model->ngeom;
  int can_reuse = reach && !w->scene.still;
  if (can_reuse && w->has_points && memcmp(reach, w->points_reach, size) == 0) return;
  w->nfound = hfi_scene_collide(&w->scene, w->dynamics.X_WG, reach, w->found, w->config.max_contacts, &w->ndropped);
  w->has_points = can_reuse;
  if (can_reuse) memcpy(w->points_reach, reach, size);
}

void hfi_world_find_contacts(hfiWorld* w, double gap, double horizon, const double* push) {
  const hfModel* m = w->model;
  w->ncontact = 0;
  if (!w->config.max_contacts) return;
  const hfDynamics* d = horizon > 0 ? &w->dynamics : NULL;
  if (d) w->farthest = hfi_contact_reach(d, d->V, horizon, &w->scene, w->extent, push, w->reach);
  for (int g = 0; !d && gap > 0 && g < m->ngeom; ++g) w->reach[g] = 0.5 * gap;
  find_points(w, d || gap > 0 ? w->reach : NULL);
  double widest = hfi_contact_choose(m, d, horizon, gap, listed_materials(w), w->found, w->nfound, w->touched);
  hfi_world_drop_covered(w, w->dynamics.V, horizon, HFI_ACTS);
  if (widest > w->least_swept_gap) hfi_world_sweep(w, d->V, horizon, horizon, HFI_ACTS);
  if (w->is_sticky) hfi_world_let_stick(w);
  w->ncontact = hfi_contact_fill(m, listed_materials(w), &w->softness, w->found, w->nfound, w->contact);
}

int hfi_world_may_miss(const hfiWorld* w, const int32_t* unforeseen) {
  return w->nfound > w->ncontact && hfi_contact_may_be_missed(w->model, unforeseen, w->found, w->nfound);
}

const double* hfi_world_second_reach(hfiWorld* w, const hfMotion* V, double horizon) {
  double* reach = w->reach + w->model->ngeom;
  hfi_contact_reach(&w->dynamics, V, horizon, &w->scene, w->extent, NULL, reach);
  return reach;
}

// Marks the geoms whose second reach exceeds the first by more than HFI_FURTHER, and replaces their first reach by it. Only geoms of trees that `marked`
// (ntree) marks count. Returns whether there are such geoms.
static int extend_reach(hfiWorld* w, const int32_t* marked) {
  const hfModel* m = w->model;
  const int32_t *tree = hf_model_body_tree(m), *body = hf_model_geom_body(m);
  const double* reach = w->reach + m->ngeom;
  int any = 0;
  for (int g = 0; g < m->ngeom; ++g) {
    int t = tree[body[g]];
    w->extended[g] = t >= 0 && marked[t] && reach[g] > w->reach[g] + HFI_FURTHER;
    if (w->extended[g]) w->reach[g] = reach[g], any = 1;
  }
  return any;
}

void hfi_world_search_again(hfiWorld* w, const int32_t* marked) {
  if (!extend_reach(w, marked)) return;
  w->nfound = hfi_scene_search_again(&w->scene, w->dynamics.X_WG, w->reach, w->extended, w->found, w->nfound, w->config.max_contacts,
                                     &w->ndropped);
  w->has_points = 0;
}

int hfi_world_add_missed(hfiWorld* w, const hfMotion* V, double horizon, const int32_t* unforeseen, int further,
                         int32_t* number) {
  const hfModel* m = w->model;
  const hfiMaterial* listed = listed_materials(w);
  if (further) {
    hfi_world_second_reach(w, V, horizon);
    hfi_world_search_again(w, unforeseen);
  }
  if (!hfi_contact_find_missed(&w->dynamics, V, horizon, unforeseen, listed, w->found, w->nfound)) return 0;
  hfi_world_drop_covered(w, V, horizon, HFI_ACTS_NEWLY);
  hfi_world_sweep(w, V, horizon, 0, HFI_ACTS_NEWLY);
  int before = w->ncontact;
  w->ncontact = hfi_contact_insert(m, listed, &w->softness, w->found, w->nfound, w->contact, before, number);
  return w->ncontact > before;
}
