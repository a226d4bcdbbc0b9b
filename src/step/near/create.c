// Planning and creating what near/ keeps, and reading parameters of the model (near.h).
#include "step/near/inside.h"

#include "base/error.h"
#include "base/finite.h"

// A pile has at least this many points.
enum { LEAST_PILE_POINTS = 64 };

// Returns the number of points that all pairs can have at once, or the number for a pile, with `a_geom` points a geom,
// if that is smaller.
static int count_points(const hfModel* m, const hfiFilter* filter, int a_geom) {
  const int32_t* type = hf_model_geom_type(m);
  long all = (long)m->npair * HFI_MAX_MANIFOLD;
  long pile = LEAST_PILE_POINTS + (long)a_geom * m->ngeom;

  for (int a = 0; a < m->ngeom; ++a) {
    hfiPartners partners = hfi_filter_partners(filter, a);
    for (int k = filter->geom[a].next; k < partners.count && all < pile; ++k) {
      int b = partners.geom[k];
      if (hfi_filter_test(filter, a, b)) all += hfi_pair_points(type[a], type[b]);
    }
  }
  return (int)(all < pile ? all : pile);
}

// Computes the capacity for contacts of a model. a_geom: contacts of a geom in a pile. Refuses if there is no memory.
hfStatus hfi_plan_contacts(const hfModel* m, int a_geom, int32_t* count, hfError* error) {
  hfiFilter filter;
  hfiArena plan = hfi_arena(NULL, 0);

  hfi_filter_init(&filter, m, &plan);
  hfiArena arena = hfi_arena_allocate(&plan, NULL);
  if (!arena.base) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  hfi_filter_init(&filter, m, &arena);
  *count = count_points(m, &filter, a_geom);
  hfi_release(arena.base);
  return HF_OK;
}

// Takes the arrays of *size.
static void take_sizes(hfiSizes* size, const hfModel* m, hfiArena* arena) {
  size->extent = HFI_TAKE(arena, double, m->ngeom);
  size->span = HFI_TAKE(arena, double, m->nbody);
  size->lever = HFI_TAKE(arena, double, m->nv);
  size->body_extent = HFI_TAKE(arena, double, m->nbody);
  size->solid = HFI_TAKE(arena, int32_t, m->nbody);
  size->width = HFI_TAKE(arena, double, m->ngeom);
}

// Takes the arrays of *near from the arena. With an arena without memory it only plans the size.
void hfi_near_init(hfiNear* near, const hfModel* m, hfDynamics* dynamics, const hfiRows* rows, int capacity,
                   hfiArena* arena) {
  near->model = m;
  near->dynamics = dynamics;
  near->rows = rows;
  near->capacity = capacity;
  hfi_scene_init(&near->scene, m, arena);
  near->material = HFI_TAKE(arena, hfiMaterial, near->scene.pairs.capacity);
  near->found = HFI_TAKE(arena, hfiRawContact, capacity);
  near->contact = HFI_TAKE(arena, hfiContact, capacity);
  near->touched = HFI_TAKE(arena, int32_t, m->ntree);
  take_sizes(&near->size, m, arena);
  HFI_TAKE_EACH(arena, double, m->ngeom, &near->reach.first, &near->reach.second, &near->reach.of_points);
  near->reach.extended = HFI_TAKE(arena, int32_t, m->ngeom);
  near->reach.push = HFI_TAKE(arena, double, m->ntree);
  near->cover.group = HFI_TAKE(arena, hfiPointGroup, capacity);
  near->cover.first_side = HFI_TAKE(arena, int32_t, m->ngeom);
  near->cover.next_side = HFI_TAKE(arena, int32_t, 2 * capacity);
  near->foresight.velocity = HFI_TAKE(arena, double, m->nv);
  near->foresight.unforeseen = HFI_TAKE(arena, int32_t, m->ntree);
  near->passage.about = HFI_TAKE(arena, hfiTurningCentre, m->ntree);
  near->passage.could_pass = HFI_TAKE(arena, int32_t, m->ntree);
  near->passage.stop_time = HFI_TAKE(arena, double, m->ntree);

  if (!arena->base) return;
  near->scene.options.axis_W = dynamics->kinematics.axis_W;
  hfi_near_measure(near);
}

// Reads the sizes of geoms again. Returns 1 if some size is different.
int hfi_near_refresh(hfiNear* near) {
  int resized = hfi_scene_refresh(&near->scene);

  hfi_near_forget(near);
  if (resized) hfi_near_measure(near);
  return resized;
}

// Does the material of some geom or pair pull at contacts?
static int any_is_sticky(const hfModel* m) {
  return hfi_any_nonzero(hf_model_geom_adhesion(m), m->ngeom) || hfi_any_nonzero(hf_model_pair_adhesion(m), m->npair);
}

void hfi_near_read_materials(hfiNear* near, const double* weight, int mujoco_softness) {
  near->softness = (hfiSoftness){.weight = weight, .defaults = mujoco_softness};
  if (near->scene.pairs.are_listed) hfi_contact_materials(&near->scene, &near->softness, near->material);
  near->is_sticky = any_is_sticky(near->model);
}
