// Creating the methods of discrete time.
#include "step/discrete/discrete.h"

#include "base/object.h"
#include "step/solve/solver.h"

static void take_arrays(void* object, hfiArena* arena) {
  hfiDiscrete* d = object;
  const hfModel* m = d->world->model;
  int contacts = d->world->config.max_contacts;
  hfi_assembly_init(&d->assembly, m, contacts, arena);
  d->block = HFI_TAKE(arena, int32_t, contacts);
  d->outcome = HFI_TAKE(arena, hfiContactOutcome, contacts);
  d->ctrl_rate = HFI_TAKE(arena, double, 2 * m->nu);
  d->tau = HFI_TAKE(arena, double, m->nv);
  hfi_flight_init(&d->flight, &d->world->dynamics, arena);
  HFI_TAKE_EACH(arena, int32_t, m->ntree, &d->flies, &d->changed);
  d->v_end = HFI_TAKE(arena, double, m->nv);
  d->touches = HFI_TAKE(arena, int32_t, m->ntree);
  d->impact = HFI_TAKE(arena, hfiRebound, contacts);
  d->roundness = HFI_TAKE(arena, double, m->ngeom);
  if (arena->base) hfi_discrete_measure_roundness(d);
  if (d->config.sleep) hfi_sleep_init(d, arena);
  d->v1 = HFI_TAKE(arena, double, m->nv);
  d->impulse = HFI_TAKE(arena, double, d->assembly.capacity.nrow);
}

void hfi_discrete_refresh(hfiDiscrete* d, int resized) {
  hfi_flight_sort(&d->flight, &d->world->dynamics);
  if (resized) hfi_discrete_measure_roundness(d);
}

int hfi_discrete_useful_threads(const hfModel* m, int threads) {
  int useful = imin2(threads, HFI_MAX_BRANCHES);
  return useful > 1 && m->ntree > HFI_ROUGH_TREES ? useful : 1;
}

// Creates the ladder, which is also the fallback of other solvers, and the solver that was handed in.
static hfStatus create_solvers(hfiDiscrete* d, hfError* error) {
  d->assembly.capacity.allocator = d->world->config.allocator;
  hfStatus status = hf_solver_create(&d->solver, &d->assembly.capacity, error);
  if (status != HF_OK) return status;

  hfi_solver_use_workers(d->solver, d->world->config.workers);
  if (!d->solver_table) return HF_OK;
  return d->solver_table->create(&d->rigid_solver, &d->assembly.capacity, &d->config, &d->policy, error);
}

// How a step deals with the ladder.
static const hfiStepPolicy LADDER = {.has_row_velocities = 1, .limit_speed = HFI_USUAL_SPEED};

hfStatus hfi_discrete_create(hfiDiscrete** discrete, hfiWorld* world, const hfSimConfig* config, const hfiProblemSolver* solver, hfError* error) {
  int contacts = world->config.max_contacts;
  int largest = hfi_largest_contacts(world->model);
  if (contacts > largest)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "option max_contacts = %d: this model can have at most %d", contacts, largest);

  hfiDiscrete seed = {.world = world, .config = *config, .solver_table = solver, .policy = LADDER};
  hfiDiscrete* d = hfi_object_create(&seed, sizeof seed, take_arrays, &world->config.allocator, "a step problem", error);
  if (!d) return HF_ERROR_MEMORY;

  hfStatus status = create_solvers(d, error);
  if (status == HF_OK)
    *discrete = d;
  else
    hfi_discrete_free(d);
  return status;
}

void hfi_discrete_free(hfiDiscrete* d) {
  if (!d) return;
  hf_solver_free(d->solver);
  if (d->solver_table) d->solver_table->free(d->rigid_solver);
  hfi_release(d);
}

// ---- for the table of methods -----------------------------------------------------------------------

hfStatus hfi_discrete_create_method(void** method, hfiWorld* world, const hfSimConfig* config, const hfiProblemSolver* solver, hfError* error) {
  hfiDiscrete* d = NULL;
  hfStatus status = hfi_discrete_create(&d, world, config, solver, error);
  if (status == HF_OK) *method = d;
  return status;
}

static hfStatus create(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  return hfi_discrete_create_method(method, world, config, NULL, error);
}

void hfi_discrete_free_method(void* method) { hfi_discrete_free(method); }

hfStatus hfi_discrete_step_method(void* method, hfState* state, const hfInput* in, hfiStepOutput* out, hfError* error) {
  return hfi_discrete_step(method, state, in, out, error);
}

int hfi_discrete_count_contacts(const void* method) { return ((const hfiDiscrete*)method)->world->near.ncontact; }

hfContact hfi_discrete_read_contact(const void* method, int i) { return hfi_discrete_contact(method, i); }

hfiDiscrete* hfi_discrete_find_maker(void* method) { return method; }

double hfi_discrete_overlap_energy(const void* method) {
  const hfiDiscrete* d = method;
  double released = hfi_energy_at_release_speed(d->world->model);
  double sum = 0;
  for (int i = 0; i < d->world->near.ncontact; ++i) {
    hfContact c = hfi_discrete_contact(d, i);
    if (c.depth > 0) sum += d->policy.has_rigid_contacts ? released : 0.5 * c.fn * c.depth;
  }
  return sum;
}

double hfi_discrete_find_row_work(const void* method) { return hfi_discrete_row_work(method); }

const hfiMethod hfi_method_discrete = {
    .traits = HFI_DISCRETE_TIME | HFI_INVERSE_DRIVES | HFI_LETS_SLEEP | HFI_SPARSE_HEAPS,
    .create = create,
    .free = hfi_discrete_free_method,
    .step = hfi_discrete_step_method,
    .contact_count = hfi_discrete_count_contacts,
    .contact = hfi_discrete_read_contact,
    .problem_maker = hfi_discrete_find_maker,
    .energy = {.overlaps = hfi_discrete_overlap_energy, .row_work = hfi_discrete_find_row_work},
};
