// Methods of discrete time: a world becomes a step problem, and its solution the next state.
#ifndef HFI_DISCRETE_DISCRETE_H
#define HFI_DISCRETE_DISCRETE_H

#include "step/contact/memory.h"
#include "step/discrete/assemble.h"
#include "step/discrete/problem_solver.h"
#include "step/dynamics/flight.h"
#include "step/world/method.h"

// Sum of the impulses of the impacts of one contact at the start of a step, along n, t1, t2 [N s].
typedef struct hfiRebound { int32_t geom_a, geom_b; uint32_t feature; double gamma[3]; } hfiRebound;

// Which trees sleep (sleep.c).
typedef struct hfiSleep {
  int32_t count;            // trees that sleep in this step
  int32_t *asleep, *woken;  // (ntree) asleep: 1 if the tree sleeps in this step; woken: 1 if it woke since the step began
  int32_t *parent, *mark;   // (ntree) scratch: forest of joined trees
  int32_t* driven;          // (ntree) 1: an actuator acts on the tree
  int32_t* still;           // (ngeom) 1: belongs to a tree that sleeps, or to the world
  uint64_t* signature;      // (ntree) signature of each tree
  uint64_t parameters;      // hash of the model's parameters
  uint32_t revision;        // revision of the model's parameters for which the hash is valid
  int32_t hashed;           // 1: `parameters` is valid
  double* q;                // (nq) coordinates at the start of the step
  hfContactMemory* fresh;   // (max_contacts) scratch of storing contacts
} hfiSleep;

// How the solution of a step is revised (solve.c).
typedef struct hfiRevision {
  int32_t repeats, most; // how often the problem was solved again in this step; the largest number
  int32_t has_added;     // 1: contacts were added that the last solution closes
} hfiRevision;

typedef struct hfiDiscrete {
  hfiWorld* world;
  hfSimConfig config; // complete: what the caller left open is filled in from the scene
  hfSolver* solver;
  const hfiProblemSolver* solver_table; // operations of `rigid_solver`; NULL: the ladder solves
  void* rigid_solver;   // the solver that was handed in, or NULL
  hfiStepPolicy policy; // what the solver asks of a step
  hfiAssembly assembly; // the step problem
  hfiRevision revision;

  int32_t* block;             // (max_contacts) a contact's block in the step problem, or -1
  hfiContactOutcome* outcome; // (max_contacts) outcomes of the last step
  double* ctrl_rate;          // (nu x 2) first and second rate of controls that computed torque follows
  int32_t all_limits;         // 1: all limits of joints have rows, however far away they are
  double* tau;                // (nv) forces that do not depend on v1 [N or N m]
  hfiFlight flight;           // inertial motion
  int32_t* flies;             // (ntree) 1: the tree flies
  double* v_end;              // (nv) velocities at the end of the step
  int32_t* changed;           // (ntree) 1: the tree must be solved for (again)
  hfiRebound* impact;         // (max_contacts) contacts that bounced at the start of the step
  int32_t nimpact;            // the number of these
  int32_t* touches;           // (ntree) number of contacts of each tree (curve.c)
  int32_t any_curved;         // 1: some contact is curved (curve.c)
  double* roundness;          // (ngeom) largest radius of curvature of a geom where it is not straight; 0: it is nowhere round (rock.c) [m]
  hfiSleep sleep;             // used only with the option sleep
  double* v1;                 // (nv) solution
  double* impulse;            // (rows)
} hfiDiscrete;

// solver: the operations of a solver that takes the place of the ladder, or NULL.
hfStatus hfi_discrete_create(hfiDiscrete** discrete, hfiWorld* world, const hfSimConfig* config, const hfiProblemSolver* solver, hfError* error);
void hfi_discrete_free(hfiDiscrete* discrete);
// How many threads of this many can share a step. A model with too few trees for a divided heap needs only one.
int hfi_discrete_useful_threads(const hfModel* model, int threads);

// Do contacts remember something from step to step?
static inline int hfi_contacts_remember(const hfiDiscrete* d) {
  return d->config.friction == HF_FRICTION_ANCHORED || d->world->has_dynamic_friction || d->config.sleep;
}

// Makes the step problem at a state, with the inertial forces of the start for all trees. The state stays. foresee: see hfi_discrete_find_contacts.
void hfi_discrete_problem(hfiDiscrete* d, const hfState* state, const hfInput* input, int foresee);
// Finds the contacts at the world's present poses. foresee: 1 if contacts are predicted with the solution without contacts where strong drives act. A
// step does not need that, because it adds the contacts that its own solution closes.
void hfi_discrete_find_contacts(hfiDiscrete* d, int foresee);
// Adds the contacts that were found, with what the state remembers of them, to the step problem.
void hfi_discrete_add_contacts(hfiDiscrete* d, const hfState* state);
// Makes a step problem of the contacts alone at the world's present point, where mass matrix and bias are known. No step is taken from it.
void hfi_discrete_evaluate_contacts(hfiDiscrete* d, const hfState* state);
// The force (nv) that, added to the input, makes a step from this state end with the velocities v1 (nv) [N, N m]. force may be v1.
void hfi_discrete_inverse(hfiDiscrete* d, const hfState* state, const hfInput* input, const double* v1, double* force);
// How fast gravity closes a contact [m/s^2].
static inline double hfi_closing_acceleration(const hfiWorld* w, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(w->model);
  double g = v3_dot(c->n, w->dynamics.gravity);
  return (tree[c->body_b] >= 0 ? g : 0) - (tree[c->body_a] >= 0 ? g : 0);
}
// Impacts of contacts with restitution: changes the velocities of the start and the momentum of the problem.
void hfi_discrete_impacts(hfiDiscrete* d, const hfState* state);
// The impact of a contact in this step, or NULL.
hfiRebound* hfi_discrete_find_impact(const hfiDiscrete* d, const hfiContact* contact);
// Adds contacts that velocities v1 close; v1 is a solution of the step, or the velocity after impacts. Returns 1 if the problem has changed.
int hfi_discrete_add_missed(hfiDiscrete* d, const hfState* state, const double* v1);
// The motion of a contact in a step is taken as linear if a bound on the error is below this [m]. For comparison, a body of 1 kg sinks into a surface
// of the usual stiffness by 2e-5 m.
static const double HFI_LEAST_BEND = 5e-6;
// Marks the contacts of curved surfaces that roll (curve.c). It must be called before their rows are made.
void hfi_discrete_mark_curved(hfiDiscrete* d);
// Sets the drift of the curved contacts for the path at the velocities of the start of the step.
void hfi_discrete_bend(hfiDiscrete* d);
// Sets the drift for the path at velocities v (nv), for contacts whose bodies have no other contact. Returns 1 if that changes a contact noticeably;
// d->changed then marks its trees.
int hfi_discrete_bend_again(hfiDiscrete* d, const double* v);
// Eases contacts of round bodies that pass an edge (graze.c).
void hfi_discrete_ease(hfiDiscrete* d);
// Fills d->roundness, when a method is created.
void hfi_discrete_measure_roundness(hfiDiscrete* d);
// Reads parameters anew, after those of the world. resized: 1 if sizes of geoms changed.
void hfi_discrete_refresh(hfiDiscrete* d, int resized);
// Adds dampers where contacts with round surfaces would rock a free body (rock.c).
void hfi_discrete_damp_rocking(hfiDiscrete* d);
// Marks the trees of a contact in d->changed.
void hfi_discrete_mark_changed(const hfiDiscrete* d, const hfiContact* contact);
// Rigid contact: if the overlaps of the last solution give too much energy (release.c), reduces the speeds at which they are removed, to zero if
// is_last is 1. Returns 1 if the problem has changed.
int hfi_discrete_limit_release(hfiDiscrete* d, int is_last);
// Inertial motion (flight.c), in the order of the calls: Turns the free bodies into their orientations at the middle of the step. Returns the
// velocities of the start in the form that the step problem has.
const double* hfi_discrete_turn_free_bodies(hfiDiscrete* d, const double* v0);
// Finds the trees that fly, d->flies, and gives the problem their momentum.
void hfi_discrete_begin_flight(hfiDiscrete* d);
// An articulated tree does not fly if another tree or the world may come near it, or if it touches itself: clears d->flies of these trees. Must be
// called again after new contacts.
void hfi_discrete_ground(hfiDiscrete* d);
// Moves q over the step and makes v, the solution of the step problem, the velocities at its end. stop_time: NULL, or the times at
// which trees stop (hfi_discrete_find_stops).
void hfi_discrete_end_flight(hfiDiscrete* d, const hfInput* input, const double* stop_time, double* q, double* v);
// Moves q over the step without inertial motion of free bodies.
void hfi_discrete_move_plainly(const hfiDiscrete* d, const double* stop_time, double* q);
// The stop times (ntree) of the trees (hfi_near_find_stops); NULL if all trees move over the whole step. The report counts the trees that stop.
const double* hfi_discrete_find_stops(hfiDiscrete* d, hfStepReport* report);
// Sleep (sleep.c), in the order of the calls:
void hfi_sleep_init(hfiDiscrete* d, hfiArena* arena);
// Begins a step in which no tree has woken.
void hfi_sleep_start(hfiDiscrete* d);
// Finds the trees that sleep, after the forces of the step are known.
void hfi_sleep_find(hfiDiscrete* d, const hfState* state, const hfInput* input);
// Wakes trees that a contact joins to a tree that is awake. Returns 1 if there are any: then contacts of the trees that slept are missing.
int hfi_sleep_wake_touched(hfiDiscrete* d);
// Resets the coordinates of trees that sleep to those of the start, and their velocities to zero.
void hfi_sleep_hold(const hfiDiscrete* d, double* q, double* v);
// Lets islands fall asleep at the end of the step, and counts trees that sleep.
void hfi_sleep_end(hfiDiscrete* d, hfState* state, const hfInput* input, hfStepReport* report);
void hfi_sleep_stop(hfiDiscrete* d);
// Actuators, springs, limits: fills p*, diag and the rows of the step problem that are not contacts.
void hfi_discrete_load(hfiDiscrete* d, const hfState* state, const hfInput* input);

// Solves the step problem: v1 and impulses. Writes the solver's report; out->trouble if the problem is refused. error: for a solver that was handed in.
hfStatus hfi_discrete_solve(hfiDiscrete* d, hfiStepOutput* out, hfError* error);
// Revises the problem after a solution: adds contacts that the solution closes although they were not predicted, or follows it with the path of a
// curved contact. Returns 1 if the problem must be solved again, also because heaps were only estimated; d->changed then marks the trees.
int hfi_discrete_revise(hfiDiscrete* d, const hfState* state);
// Solves the revised problem.
hfStatus hfi_discrete_solve_again(hfiDiscrete* d, hfiStepOutput* out, hfError* error);
// Moves the state to the end of the step with the solution, and writes the acceleration and the counts of the report.
void hfi_discrete_advance(hfiDiscrete* d, hfState* state, const hfInput* input, hfiStepOutput* out);

// Takes a step. If it is refused, or the solver has no answer, the state stays and out->taken is 0. A refusal of the step itself stands in
// out->trouble; only a solver that was handed in writes `error`.
hfStatus hfi_discrete_step(hfiDiscrete* d, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error);
// The operations of an hfiMethod of discrete time (step/world/method.h). Such methods differ in their solver.
hfStatus hfi_discrete_create_method(void** method, hfiWorld* world, const hfSimConfig* config, const hfiProblemSolver* solver, hfError* error);
void hfi_discrete_free_method(void* method);
hfStatus hfi_discrete_step_method(void* method, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error);
int hfi_discrete_count_contacts(const void* method);
hfContact hfi_discrete_read_contact(const void* method, int i);
hfiDiscrete* hfi_discrete_find_maker(void* method);
// Sum of f_n depth/2 over the overlaps at the end of the last step. Rigid overlaps hold nothing, and give what the release speed lets them [J].
double hfi_discrete_overlap_energy(const void* method);
double hfi_discrete_find_row_work(const void* method);

// Contact i of the problem assembled last, which was not solved: the normal force is that of the law at the present
// depth and speed, and there is no friction.
hfContact hfi_discrete_evaluated_contact(const hfiDiscrete* d, int i);
// Contact i after a step, with the forces and velocities at its end.
hfContact hfi_discrete_contact(const hfiDiscrete* d, int i);

// Computes the outcomes of the contacts, accelerations, actuator forces and the report from v1 and the impulses.
void hfi_discrete_results(hfiDiscrete* d, hfiStepOutput* out);
// An upper bound on the energy that limits and equalities gave in the last step: the work of those that pulled in the direction in which they moved
// [J].
double hfi_discrete_row_work(const hfiDiscrete* d);

// The methods "tamsi" and "convex", for the table of methods.
extern const hfiMethod hfi_method_discrete;

#endif
