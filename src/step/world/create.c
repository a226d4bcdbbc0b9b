// Planning and creating a world: one arena for everything, and what is computed from parameters of the model.
#include "step/world/inside.h"

#include "base/finite.h"
#include "base/object.h"

// An overlap below this is what rounding leaves of faces that touch [m].
static const double FLUSH_OVERLAP = 1e-12;

// Returns the largest number of dofs that move one body.
int hfi_longest_chain(const hfModel* m) {
  int longest = 0;
  for (int i = 0; i < m->nv; ++i) longest = imax2(longest, hf_model_dof_depth(m)[i] + 1);
  return longest;
}

// Whether some geom has a dynamic coefficient of friction of its own.
static int any_dynamic_friction(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    double mu = hf_model_geom_friction_dynamic(m)[g];
    if (mu >= 0 && mu != hf_model_geom_friction(m)[3 * g]) return 1;
  }
  return 0;
}

// Computes what depends on numbers that a parameter overlay may change: weights, materials, laws of drives. The
// dynamics of a new world has read its parameters already.
static void read_parameters(hfiWorld* w) {
  const hfModel* m = w->model;

  hfi_world_weigh(w);
  hfi_near_read_materials(&w->near, w->weight, w->config.mujoco_softness);

  // drives
  for (int i = 0; i < m->nu; ++i) w->actuation.law[i] = hf_model_actuator_drive(m)[i];
  if (w->config.drive_law >= 0) hfi_actuation_drive_by(&w->actuation, (hfDriveLaw)w->config.drive_law);

  // what materials have
  w->has_dynamic_friction = any_dynamic_friction(m);
  w->has_restitution = hfi_any_nonzero(hf_model_geom_restitution(m), m->ngeom);
  w->has_adhesion = w->near.is_sticky || hfi_any_adhesion(m);
  w->surfaces = hfi_any_nonzero(hf_model_geom_surface_velocity(m), 6 * m->ngeom) ? m : NULL;
  hfi_near_leave_out_flush(&w->near, w->has_adhesion ? 0 : FLUSH_OVERLAP); // Adhesion acts where faces just touch.
  w->revision = m->revision;
}

// Computes everything again that depends on parameters of the model. Returns 1 if sizes of geoms changed.
int hfi_world_refresh(hfiWorld* w) {
  hf_dynamics_refresh(&w->dynamics);
  hfi_world_forget(w); // The inertias at the poses belong to the old masses.
  int resized = hfi_near_refresh(&w->near);
  read_parameters(w);
  return resized;
}

// Plans or takes everything that a world needs, as an hfiTakeArrays.
static void take_arrays(void* object, hfiArena* arena) {
  hfiWorld* w = object;
  const hfModel* m = w->model;
  int contacts = w->config.max_contacts;

  // parts
  hfi_dynamics_init(&w->dynamics, m, arena);
  hfi_actuation_init(&w->actuation, m, arena);
  hfi_near_init(&w->near, m, &w->dynamics, &w->actuation.rows, contacts, arena);
  hfi_near_use_workers(&w->near, w->config.workers);

  // arrays of the world itself
  w->weight = HFI_TAKE(arena, double, m->nbody);
  w->q = HFI_TAKE(arena, double, m->nq);
  w->mocap = HFI_TAKE(arena, double, 7 * m->nmocap);
  w->X0_WB = HFI_TAKE(arena, hfPose, m->nbody);
  w->ctrl = HFI_TAKE(arena, double, m->nu);
  w->given = m->nhistory ? HFI_TAKE(arena, double, m->nu) : w->ctrl;

  if (!arena->base) return;

  // only geoms that may touch need poses
  hfi_dynamics_restrict_geoms(&w->dynamics, w->near.scene.active, contacts ? w->near.scene.nactive : 0);
}

// Makes a world in memory of its own, which hfi_world_free releases. Refuses with HF_ERROR_MEMORY.
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
