// Planning and creating a world: one arena for everything, and tables computed from the model.
#include "step/world/world.h"

#include "base/finite.h"
#include "base/object.h"

#include <string.h>

// ---- capacity ---------------------------------------------------------------------------------------

// The number of points that all pairs can have at once, or the number for a pile if that is smaller.
static int count_points(const hfModel* m, const hfiFilter* filter, int a_geom) {
  long all = (long)m->npair * HFI_MAX_MANIFOLD, pile = 64 + (long)a_geom * m->ngeom;
  const int32_t* type = hf_model_geom_type(m);
  for (int a = 0; a < m->ngeom; ++a) {
    hfiPartners others = hfi_filter_partners(filter, a);
    for (int k = filter->geom[a].next; k < others.count && all < pile; ++k) {
      int b = others.geom[k];
      if (hfi_filter_test(filter, a, b)) all += hfi_pair_points(type[a], type[b]);
    }
  }
  return (int)(all < pile ? all : pile);
}

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

int hfi_longest_chain(const hfModel* m) {
  int longest = 0;
  for (int i = 0; i < m->nv; ++i) longest = imax2(longest, hf_model_dof_depth(m)[i] + 1);
  return longest;
}

// ---- tables -----------------------------------------------------------------------------------------

// The lever of a dof is the largest speed that a unit of its rate can give a point that it moves: the distance of the farthest such point for a
// rotation, 1 for a translation. span (nbody) becomes the distance of the farthest point from the origin of a body: on one of
// its geoms, or in a child, with slides at zero.
static void measure_levers(const hfModel* m, const double* extent, double* span, double* lever) {
  memset(span, 0, sizeof *span * (size_t)m->nbody);
  for (int b = m->nbody - 1; b > 0; --b) {
    for (int g = hf_model_body_geomadr(m)[b], end = g + hf_model_body_geomnum(m)[b]; g < end; ++g) span[b] = max2(span[b], extent[g]);
    int parent = hf_model_body_parent(m)[b];
    span[parent] = max2(span[parent], span[b] + v3_norm(v3_load(hf_model_body_pos(m) + 3 * b)));
  }
  for (int j = 0; j < m->njnt; ++j) {
    const hfiJointKind* kind = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
    int first = hf_model_jnt_dofadr(m)[j], b = hf_model_jnt_body(m)[j];
    double arm = span[b] + v3_norm(v3_load(hf_model_jnt_pos(m) + 3 * j)) + fabs(hf_model_jnt_pitch(m)[j]);
    for (int i = 0; i < kind->info.nv; ++i) lever[first + i] = i < kind->ntranslation ? 1 : arm;
  }
}

// Computes the tables that depend on the sizes of geoms.
static void measure_geoms(hfiWorld* w) {
  hfi_contact_extents(w->model, w->extent);
  measure_levers(w->model, w->extent, w->span, w->lever);
  hfi_world_measure_widths(w);
  w->least_swept_gap = hfi_least_swept_gap(w->model);
}

static int any_dynamic_friction(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    double mu = hf_model_geom_friction_dynamic(m)[g];
    if (mu >= 0 && mu != hf_model_geom_friction(m)[3 * g]) return 1;
  }
  return 0;
}

static const double FLUSH = 1e-12; // An overlap below this is what rounding leaves of faces that touch [m].

// Computes the tables that depend on numbers which a parameter overlay may change. The dynamics of a new world has read its parameters already.
static void read_parameters(hfiWorld* w) {
  hfi_world_weigh(w);
  w->softness = (hfiSoftness){.weight = w->weight, .defaults = w->config.mujoco_softness};
  if (w->scene.listed) hfi_contact_materials(&w->scene, &w->softness, w->material);
  for (int i = 0; i < w->model->nu; ++i) w->actuation.law[i] = hf_model_actuator_drive(w->model)[i];
  if (w->config.drive_law >= 0) hfi_actuation_drive_by(&w->actuation, (hfDriveLaw)w->config.drive_law);
  w->has_dynamic_friction = any_dynamic_friction(w->model);
  w->has_restitution = hfi_any_nonzero(hf_model_geom_restitution(w->model), w->model->ngeom);
  w->is_sticky = hfi_any_is_sticky(w->model);
  w->has_adhesion = w->is_sticky || hfi_any_adhesion(w->model);
  w->scene.flush = w->has_adhesion ? 0 : FLUSH; // Adhesion acts where faces just touch.
  w->surfaces = hfi_any_nonzero(hf_model_geom_surface_velocity(w->model), 6 * w->model->ngeom) ? w->model : NULL;
  w->revision = w->model->revision;
}

int hfi_world_refresh(hfiWorld* w) {
  hf_dynamics_refresh(&w->dynamics);
  w->placed = HFI_NOWHERE; // The inertias at the poses belong to the old masses.
  int resized = hfi_scene_refresh(&w->scene);
  if (resized) measure_geoms(w);
  read_parameters(w);
  return resized;
}

// ---- creation ---------------------------------------------------------------------------------------

static void take_arrays(void* object, hfiArena* arena) {
  hfiWorld* w = object;
  const hfModel* m = w->model;
  int contacts = w->config.max_contacts;
  hfi_dynamics_init(&w->dynamics, m, arena);
  hfi_actuation_init(&w->actuation, m, arena);
  hfi_scene_init(&w->scene, m, arena);
  w->scene.workers = w->config.workers;
  w->material = HFI_TAKE(arena, hfiMaterial, w->scene.max_candidate);
  w->weight = HFI_TAKE(arena, double, m->nbody);
  w->extent = HFI_TAKE(arena, double, m->ngeom);
  w->lever = HFI_TAKE(arena, double, m->nv);
  w->width = HFI_TAKE(arena, double, m->ngeom);
  w->solid = HFI_TAKE(arena, int32_t, m->nbody);
  w->body_extent = HFI_TAKE(arena, double, m->nbody);
  w->q = HFI_TAKE(arena, double, m->nq);
  w->mocap = HFI_TAKE(arena, double, 7 * m->nmocap);
  w->X0_WB = HFI_TAKE(arena, hfPose, m->nbody);
  w->ctrl = HFI_TAKE(arena, double, m->nu);
  w->given = m->nhistory ? HFI_TAKE(arena, double, m->nu) : w->ctrl;
  w->reach = HFI_TAKE(arena, double, 2 * m->ngeom);
  w->touched = HFI_TAKE(arena, int32_t, m->ntree);
  w->extended = HFI_TAKE(arena, int32_t, m->ngeom);
  w->found = HFI_TAKE(arena, hfiRawContact, contacts);
  w->points_reach = HFI_TAKE(arena, double, m->ngeom);
  w->contact = HFI_TAKE(arena, hfiContact, contacts);
  w->group = HFI_TAKE(arena, hfiPointGroup, contacts);
  w->first_side = HFI_TAKE(arena, int32_t, m->ngeom);
  w->next_side = HFI_TAKE(arena, int32_t, 2 * contacts);
  w->span = HFI_TAKE(arena, double, m->nbody);
  if (!arena->base) return;
  w->scene.axis_W = w->dynamics.axis_W;
  hfi_dynamics_restrict_geoms(&w->dynamics, w->scene.active, contacts ? w->scene.nactive : 0);
  measure_geoms(w);
}

hfStatus hfi_world_create(hfiWorld** world, const hfModel* model, const hfiWorldConfig* config, hfError* error) {
  hfiWorld seed = {.model = model, .config = *config};
  if (model->world.disable_contact) seed.config.max_contacts = 0;
  hfiWorld* w = hfi_object_create(&seed, sizeof seed, take_arrays, &config->allocator, "a world", error);
  if (!w) return HF_ERROR_MEMORY;
  read_parameters(w);
  *world = w;
  return HF_OK;
}

void hfi_world_free(hfiWorld* w) { hfi_release(w); }
