// Planning and creating a sim: one arena for everything a step touches.
#include "sim/sim.h"

#include "base/error.h"
#include "continuous/continuous.h"
#include "switching/switching.h"

#include <stdlib.h>
#include <string.h>

// Points a pair of shapes can touch in.
static int manifold_points(const hfModel* m, int a, int b) {
  int ta = hf_model_geom_type(m)[a], tb = hf_model_geom_type(m)[b];
  int round = ta == HF_GEOM_SPHERE || tb == HF_GEOM_SPHERE || ta == HF_GEOM_ELLIPSOID ||
              tb == HF_GEOM_ELLIPSOID;
  return round ? 1 : ta == HF_GEOM_CAPSULE || tb == HF_GEOM_CAPSULE ? 2 : HFI_MAX_MANIFOLD;
}

// Every pair at once if they are few, else what a dense pile of the geoms has: 16 points a geom.
static int plan_contacts(const hfModel* m, const hfiFilter* filter) {
  long all = (long)m->npair * HFI_MAX_MANIFOLD;
  for (int a = 0; a < m->ngeom; ++a)
    for (int b = a + 1; b < m->ngeom; ++b)
      if (hfi_filter_test(filter, a, b)) all += manifold_points(m, a, b);
  long pile = 64 + 16L * m->ngeom;
  return (int)(all < pile ? all : pile);
}

static hfStatus count_contacts(const hfModel* m, const hfSimConfig* config, int* count,
                               hfError* error) {
  if (m->world.disable_contact) {
    *count = 0;
    return HF_OK;
  }
  if (config->max_contacts > 0) {
    *count = config->max_contacts;
    return HF_OK;
  }
  hfiFilter filter;
  hfiArena plan = hfi_arena(NULL, 0);
  hfi_filter_init(&filter, m, &plan);
  void* memory = malloc(plan.used + 1);
  if (!memory) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  hfiArena arena = hfi_arena(memory, plan.used);
  hfi_filter_init(&filter, m, &arena);
  *count = plan_contacts(m, &filter);
  free(memory);
  return HF_OK;
}

static void slice(hfSim* s, hfiArena* arena) {
  const hfModel* m = s->model;
  hfi_dynamics_init(&s->dynamics, m, arena);
  hfi_actuation_init(&s->actuation, m, arena);
  hfi_scene_init(&s->scene, m, arena);
  hfi_assembly_init(&s->assembly, m, s->max_contacts, arena);
  s->material = HFI_TAKE(arena, hfiMaterial, s->scene.max_candidate);
  s->extent = HFI_TAKE(arena, double, m->ngeom);
  s->reach = HFI_TAKE(arena, double, m->ngeom);
  s->span = HFI_TAKE(arena, double, m->nbody);
  s->lever = HFI_TAKE(arena, double, m->nv);
  s->touched = HFI_TAKE(arena, int32_t, m->ntree);
  s->raw = HFI_TAKE(arena, hfiRawContact, s->max_contacts);
  s->contact = HFI_TAKE(arena, hfiContact, s->max_contacts);
  s->outcome = HFI_TAKE(arena, hfiContactOutcome, s->max_contacts);
  s->block = HFI_TAKE(arena, int32_t, s->max_contacts);
  s->result = HFI_TAKE(arena, hfContact, s->max_contacts);
  s->tau = HFI_TAKE(arena, double, m->nv);
  s->v1 = HFI_TAKE(arena, double, m->nv);
  s->impulse = HFI_TAKE(arena, double, s->assembly.capacity.nrow);
  s->X0_WB = HFI_TAKE(arena, hfPose, m->nbody);
  s->posed_q = HFI_TAKE(arena, double, m->nq);
  s->posed_mocap = HFI_TAKE(arena, double, 7 * m->nmocap);
  s->ctrl = HFI_TAKE(arena, double, m->nu);
  s->ctrl_rate = HFI_TAKE(arena, double, 2 * m->nu);
  s->acceleration = HFI_TAKE(arena, double, m->nv);
  s->limit_force = HFI_TAKE(arena, double, m->njnt);
  s->equality_force = HFI_TAKE(arena, double, 6 * m->neq);
  s->sensor = HFI_TAKE(arena, double, m->nsensordata);
}

// Lever of a dof: what its rate may move a point by, a length for a rotation and 1 for a translation. The
// farthest point from a body's origin is on one of its geoms or in a child, with slides at zero.
static void measure_levers(const hfModel* m, const double* extent, double* span, double* lever) {
  for (int b = m->nbody - 1; b > 0; --b) {
    for (int g = 0; g < m->ngeom; ++g)
      if (hf_model_geom_body(m)[g] == b) span[b] = max2(span[b], extent[g]);
    int parent = hf_model_body_parent(m)[b];
    span[parent] = max2(span[parent], span[b] + v3_norm(v3_load(hf_model_body_pos(m) + 3 * b)));
  }
  for (int j = 0; j < m->njnt; ++j) {
    const hfiJointKind* kind = &hfi_joint_kinds[hf_model_jnt_type(m)[j]];
    int first = hf_model_jnt_dofadr(m)[j], b = hf_model_jnt_body(m)[j];
    double arm = span[b] + v3_norm(v3_load(hf_model_jnt_pos(m) + 3 * j));
    for (int i = 0; i < kind->info.nv; ++i) lever[first + i] = i < kind->ntranslation ? 1 : arm;
  }
}

static int any_dynamic_friction(const hfModel* m) {
  for (int g = 0; g < m->ngeom; ++g) {
    double mu = hf_model_geom_friction_dynamic(m)[g];
    if (mu >= 0 && mu != hf_model_geom_friction(m)[3 * g]) return 1;
  }
  return 0;
}

static int is_continuous(int method) {
  return method == HF_METHOD_RK3 || method == HF_METHOD_IMPLICIT_EULER || method == HF_METHOD_SDIRK;
}

static int any_inverse_drive(const hfModel* m) {
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_drive(m)[i] != HF_DRIVE_SERVO) return 1;
  return 0;
}

static hfStatus choose_options(hfSim* s, hfError* error) {
  hfSimConfig* c = &s->config;
  const hfWorld* w = &s->model->world;
  if (c->step == 0) c->step = w->timestep;
  if (c->method < 0) c->method = w->method;
  if (c->friction < 0) c->friction = w->friction;
  hfStatus status = hfi_config_check(c, error);
  if (status != HF_OK) return status;
  if (!(c->step > 0))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "step must be positive, is %g", c->step);
  if (c->method == HF_METHOD_MLCP || c->method == HF_METHOD_SWITCHING)
    c->friction = HF_FRICTION_COULOMB;
  else if (c->friction == HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "friction \"coulomb\" belongs to the rigid methods");
  if (is_continuous(c->method) && (c->drive_law > HF_DRIVE_SERVO || any_inverse_drive(s->model)))
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "drives by inverse dynamics belong to the methods of discrete time");
  if (c->method == HF_METHOD_CONVEX) c->solver.first_rung = HF_RUNG_CONVEX;
  s->h = c->step;
  s->friction = c->friction;
  s->remembers = s->friction == HF_FRICTION_ANCHORED || any_dynamic_friction(s->model);
  return HF_OK;
}

static hfStatus create(hfSim* s, hfError* error) {
  hfStatus status = choose_options(s, error);
  if (status == HF_OK) status = count_contacts(s->model, &s->config, &s->max_contacts, error);
  if (status != HF_OK) return status;
  hfiArena plan = hfi_arena(NULL, 0);
  slice(s, &plan);
  s->memory = calloc(1, plan.used + HFI_ALIGN);
  if (!s->memory) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  size_t shift = (HFI_ALIGN - (uintptr_t)s->memory % HFI_ALIGN) % HFI_ALIGN;
  hfiArena arena = hfi_arena((char*)s->memory + shift, plan.used);
  slice(s, &arena);
  if (s->config.drive_law >= 0) hfi_actuation_drive_by(&s->actuation, (hfDriveLaw)s->config.drive_law);
  if (s->scene.listed) hfi_contact_materials(&s->scene, s->material);
  hfi_contact_extents(s->model, s->extent);
  measure_levers(s->model, s->extent, s->span, s->lever);
  status = hf_solver_create(&s->solver, &s->assembly.capacity, error);
  if (status == HF_OK && s->config.method == HF_METHOD_MLCP)
    status = hf_mlcp_create(&s->mlcp, &s->assembly.capacity, &s->config.mlcp, error);
  if (status == HF_OK && is_continuous(s->config.method))
    status = hfi_sim_create_continuous(s, error);
  if (status == HF_OK && s->config.method == HF_METHOD_SWITCHING)
    status = hfi_sim_create_switching(s, error);
  return status;
}

hfStatus hf_sim_create(hfSim** sim, const hfModel* model, const hfSimConfig* config,
                       hfError* error) {
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;
  hfSim* s = calloc(1, sizeof *s);
  if (!s) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  s->model = model;
  s->config = config ? *config : hf_sim_config_default();
  status = create(s, error);
  if (status == HF_OK)
    *sim = s;
  else
    hf_sim_free(s);
  return status;
}

void hf_sim_free(hfSim* s) {
  if (!s) return;
  hf_solver_free(s->solver);
  hf_mlcp_free(s->mlcp);
  hfi_continuous_free(s->continuous);
  hfi_switching_free(s->switching);
  free(s->memory);
  free(s);
}
