// Plans an hfDynamics and computes everything that does not change while a world runs.
#include "step/dynamics/inside.h"
#include "base/object.h"
#include "model/path.h"
#include <string.h>

// ---- layout ---------------------------------------------------------------------------------------

// Returns the number of links: the world and every body with joints.
static int count_links(const hfModel* m) {
  int n = 1;
  for (int b = 1; b < m->nbody; ++b) n += hf_model_body_jntnum(m)[b] > 0;
  return n;
}

// Returns the number of pairs of dofs that tendons couple.
static int count_tendon_pairs(const hfModel* m) {
  int n = 0;
  for (int t = 0; t < m->ntendon; ++t) {
    int k = hfi_tendon_is_spatial(m, t) ? hfi_tendon_dofs(m, t, NULL) : hf_model_tendon_num(m)[t];
    n += k * (k + 1) / 2;
  }
  return n;
}

// Takes the arrays of the mass matrix, its factors and its inverse.
static void take_mass_matrix(hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  hfiMassMatrix* mass = &d->mass;

  d->M = HFI_TAKE(arena, double, m->nM);
  HFI_TAKE_EACH(arena, hfiInertia, d->nlink, &mass->I, &mass->Ic);
  mass->row = HFI_TAKE(arena, hfiMassRow, m->nv);
  mass->armature = HFI_TAKE(arena, hfiArmature, count_tendon_pairs(m));
  HFI_TAKE_EACH(arena, int32_t, m->ntree, &mass->trunk, &mass->steady, &mass->postponed);
  mass->L = HFI_TAKE(arena, double, m->nM);
  HFI_TAKE_EACH(arena, double, m->nv, &mass->Dinv, &mass->inverse, &mass->largest_inverse);
}

// Takes all arrays: links, results, and scratch.
static void take_arrays(hfDynamics* d, hfiArena* arena) {
  const hfModel* m = d->model;
  hfiDynamicsScratch* scratch = &d->scratch;

  hfi_kinematics_take(&d->kinematics, m, arena);
  d->link = HFI_TAKE(arena, hfiLink, d->nlink);
  d->body_link = HFI_TAKE(arena, int32_t, m->nbody);

  // poses and motions
  d->q_WB = HFI_TAKE(arena, hfQuat, m->nbody);
  d->X_WB = HFI_TAKE(arena, hfPose, m->nbody);
  d->X_WG = HFI_TAKE(arena, hfPose, m->ngeom);
  d->X_WS = HFI_TAKE(arena, hfPose, m->nsite);
  d->p_WO = HFI_TAKE(arena, hfVec3, m->ntree);
  d->S = HFI_TAKE(arena, hfMotion, m->nv);

  // velocities, M and bias
  HFI_TAKE_EACH(arena, hfMotion, d->nlink, &d->V, &d->A, &d->B);
  HFI_TAKE_EACH(arena, double, m->nv, &d->v, &d->c);
  take_mass_matrix(d, arena);

  // scratch
  scratch->F = HFI_TAKE(arena, hfForce, d->nlink);
  scratch->Ia = HFI_TAKE(arena, hfiArticulated, d->nlink);
  scratch->U = HFI_TAKE(arena, hfForce, m->nv);
  HFI_TAKE_EACH(arena, double, m->nv, &scratch->u, &scratch->gradient);
  scratch->tendon_dof = HFI_TAKE(arena, int32_t, m->nv);
  scratch->work = HFI_TAKE(arena, double, m->nq + 3 * m->nv);
}

// ---- interface ------------------------------------------------------------------------------------

// Computes everything that depends on parameters. Poses and S of fixed bodies stay.
void hf_dynamics_refresh(hfDynamics* d) {
  const hfModel* m = d->model;
  d->gravity = m->world.disable_gravity ? v3_zero() : v3_load(m->world.gravity);

  // the world: at rest, without inertia, accelerated against gravity
  d->V[0] = mo_zero();
  d->A[0] = mo_zero();
  d->A[0].v = v3_neg(d->gravity);
  memset(&d->mass.I[0], 0, sizeof d->mass.I[0]);

  for (int l = 1; l < d->nlink; ++l) hfi_merge_link(d, l);
  hfi_list_tendon_armature(d);
  hfi_find_steady_trees(d);
  hfi_list_mass_rows(d);
  d->fresh &= ~(uint32_t)(HFI_FRESH_MASS | HFI_FRESH_FACTORS | HFI_FRESH_VELOCITY);
  hfi_bound_inverse_masses(d);
}

// Plans, or makes the constants and places the world at qpos0, at rest.
void hfi_dynamics_init(hfDynamics* d, const hfModel* model, hfiArena* arena) {
  memset(d, 0, sizeof *d);
  d->model = model;
  d->nlink = count_links(model);
  take_arrays(d, arena);
  if (!arena->base) return;

  // constants
  hfi_kinematics_make(d);
  hfi_make_links(d);
  for (int t = 0; t < model->ntree; ++t) d->mass.trunk[t] = hfi_find_trunk(model, t);
  hfi_place_fixed_bodies(d);
  hf_dynamics_refresh(d);

  // the first position, after which rotations that only slides leave are known
  hf_dynamics_set_position(d, hf_model_qpos0(model), NULL);
  d->fresh |= HFI_FRESH_ROTATIONS;
  hf_dynamics_set_velocity(d, d->v);
}

static void init(void* object, hfiArena* arena) { hfi_dynamics_init(object, ((hfDynamics*)object)->model, arena); }

// Makes a dynamics in memory of its own, which hf_dynamics_free releases. Refuses with HF_ERROR_MEMORY.
hfStatus hf_dynamics_create(hfDynamics** dynamics, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfDynamics seed = {.model = model};
  hfDynamics* d = hfi_object_create(&seed, sizeof seed, init, NULL, "a dynamics", error);
  if (!d) return HF_ERROR_MEMORY;

  *dynamics = d;
  return HF_OK;
}

void hf_dynamics_free(hfDynamics* d) { hfi_release(d); }
