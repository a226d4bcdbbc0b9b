// Creating the methods of discrete time, and what others read of them.
#include "step/discrete/inside.h"

#include "base/object.h"
#include "step/solve/solver.h"

// ---- creation -----------------------------------------------------------------------------------------

// Takes the arrays of all parts from an arena, or plans their size.
static void take_arrays(void* object, hfiArena* arena) {
  hfiDiscrete* s = object;
  const hfModel* m = s->world->model;
  int contacts = s->world->config.max_contacts;

  hfi_assembly_init(&s->assembly, m, contacts, arena);
  s->block = HFI_TAKE(arena, int32_t, contacts);
  s->outcome = HFI_TAKE(arena, hfiContactOutcome, contacts);
  hfi_impacts_init(&s->impacts, m, contacts, arena);
  s->curves.contacts_on = HFI_TAKE(arena, int32_t, m->ntree);
  s->rolls.block = HFI_TAKE(arena, int32_t, m->ntree);
  s->rolls.energy = HFI_TAKE(arena, double, m->ntree);
  s->forces.ctrl_rate = HFI_TAKE(arena, double, 2 * m->nu);
  s->forces.tau = HFI_TAKE(arena, double, m->nv);

  hfi_flight_init(&s->flight, &s->world->dynamics, arena);
  HFI_TAKE_EACH(arena, int32_t, m->ntree, &s->flies, &s->changed);
  HFI_TAKE_EACH(arena, double, m->nv, &s->v1, &s->v_end);
  s->impulse = HFI_TAKE(arena, double, s->assembly.capacity.nrow);

  s->roundness = HFI_TAKE(arena, double, m->ngeom);
  if (arena->base) hfi_discrete_measure_roundness(s);
  s->rolls.are_possible = s->config.gyroscopic && s->config.anticipate && !s->solver.table &&
                          !(s->config.accuracy > 0) && hfi_discrete_any_ellipsoid(m);
  if (s->config.sleep) hfi_sleep_init(s, arena);
}

void hfi_discrete_refresh(hfiDiscrete* s, int resized) {
  hfi_flight_classify(&s->flight, &s->world->dynamics);
  if (resized) hfi_discrete_measure_roundness(s);
}

int hfi_discrete_useful_threads(const hfModel* m, int threads) {
  int useful = imin2(threads, HFI_MAX_BRANCHES);
  return useful > 1 && m->ntree > HFI_ROUGH_TREES ? useful : 1;
}

// Creates the ladder, which is also the fallback of other solvers, and the solver that was handed in.
static hfStatus create_solvers(hfiDiscrete* s, hfError* error) {
  hfiStepSolver* solver = &s->solver;
  s->assembly.capacity.allocator = s->world->config.allocator;
  hfStatus status = hf_solver_create(&solver->ladder, &s->assembly.capacity, error);
  if (status != HF_OK) return status;

  hfi_solver_use_workers(solver->ladder, s->world->config.workers);
  if (!solver->table) return HF_OK;
  return solver->table->create(&solver->rigid, &s->assembly.capacity, &s->config, &solver->policy, error);
}

// How a step deals with the ladder.
static const hfiStepPolicy LADDER = {.has_row_velocities = 1, .limit_speed = HFI_USUAL_SPEED};

// Creates the scratch of a method. Refuses more contacts than a step problem can have.
hfStatus hfi_discrete_create(hfiDiscrete** discrete, hfiWorld* world, const hfSimConfig* config,
                             const hfiProblemSolver* solver, hfError* error) {
  int contacts = world->config.max_contacts;
  int largest = hfi_largest_contacts(world->model);
  if (contacts > largest)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "option max_contacts = %d: this model can have at most %d", contacts,
                      largest);

  hfiDiscrete seed = {.world = world, .config = *config, .solver = {.table = solver, .policy = LADDER}};
  const hfAllocator* allocator = &world->config.allocator;
  hfiDiscrete* s = hfi_object_create(&seed, sizeof seed, take_arrays, allocator, "a step problem", error);
  if (!s) return HF_ERROR_MEMORY;

  hfStatus status = create_solvers(s, error);
  if (status == HF_OK) *discrete = s;
  else hfi_discrete_free(s);
  return status;
}

void hfi_discrete_free(hfiDiscrete* s) {
  if (!s) return;
  hf_solver_free(s->solver.ladder);
  if (s->solver.table) s->solver.table->free(s->solver.rigid);
  hfi_release(s);
}

// ---- what others read ---------------------------------------------------------------------------------

const hfSimConfig* hfi_discrete_config(const hfiDiscrete* s) { return &s->config; }

void hfi_discrete_set_step(hfiDiscrete* s, double h) { s->config.step = h; }

hfStepCapacity hfi_discrete_capacity(const hfiDiscrete* s) { return s->assembly.capacity; }

const hfStepProblem* hfi_discrete_read_problem(const hfiDiscrete* s) { return &s->assembly.problem; }

const double* hfi_discrete_read_solution(const hfiDiscrete* s) { return s->v1; }

int hfi_discrete_tree_flew(const hfiDiscrete* s, int tree) { return s->config.gyroscopic && s->flies[tree]; }

int hfi_discrete_has_impacts(const hfiDiscrete* s) { return s->impacts.any; }

int hfi_discrete_has_bounced(const hfiDiscrete* s, int i) { return hfi_discrete_find_impact(s, i) != NULL; }

// ---- for the table of methods -------------------------------------------------------------------------

hfStatus hfi_discrete_create_method(void** method, hfiWorld* world, const hfSimConfig* config,
                                    const hfiProblemSolver* solver, hfError* error) {
  hfiDiscrete* s = NULL;
  hfStatus status = hfi_discrete_create(&s, world, config, solver, error);
  if (status == HF_OK) *method = s;
  return status;
}

static hfStatus create(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error) {
  return hfi_discrete_create_method(method, world, config, NULL, error);
}

void hfi_discrete_free_method(void* method) { hfi_discrete_free(method); }

int hfi_discrete_count_contacts(const void* method) { return ((const hfiDiscrete*)method)->world->near.ncontact; }

hfContact hfi_discrete_read_contact(const void* method, int i) { return hfi_discrete_contact(method, i); }

hfiDiscrete* hfi_discrete_find_maker(void* method) { return method; }

const hfiMethod hfi_method_discrete = {
    .traits = HFI_DISCRETE_TIME | HFI_INVERSE_DRIVES | HFI_LETS_SLEEP | HFI_SPARSE_HEAPS,
    .create = create,
    .free = hfi_discrete_free_method,
    .step = hfi_discrete_step_method,
    .contact_count = hfi_discrete_count_contacts,
    .contact = hfi_discrete_read_contact,
    .problem_maker = hfi_discrete_find_maker,
    .energy = {.overlaps = hfi_discrete_overlap_energy, .row_work = hfi_discrete_row_work},
};
