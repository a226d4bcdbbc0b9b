// Inside of the methods of discrete time.
//
// In all files of this folder s is the hfiDiscrete, w its world, m the model, d the dynamics, p the step problem, h the
// length of the step [s], and t a tree. `s` for step: most functions take it, and read or write what their comment
// says.
#ifndef HFI_DISCRETE_INSIDE_H
#define HFI_DISCRETE_INSIDE_H

#include "step/contact/memory.h"
#include "step/discrete/assemble.h"
#include "step/discrete/discrete.h"
#include "step/discrete/impulses.h"
#include "step/dynamics/flight.h"

// ---- parts, each with its owner -----------------------------------------------------------------------

// Solvers, and how often the solution of a step was revised (solve.c).
typedef struct hfiStepSolver {
  hfSolver* ladder;              // solves, or is the fallback of a solver that was handed in
  const hfiProblemSolver* table; // operations of `rigid`; NULL: the ladder solves
  void* rigid;                   // the solver that was handed in, or NULL
  hfiStepPolicy policy;          // what the solver asks of a step
  int32_t repeats;               // how often the problem was solved again in this step
  int32_t most_repeats;          // the largest number of repeats
  int32_t has_added;             // 1: contacts were added that the last solution closes
} hfiStepSolver;

// Forces that are not contacts (forces.c).
typedef struct hfiStepForces {
  double* tau;        // (nv) forces that do not depend on v1 [N or N m]
  double* ctrl_rate;  // (nu x 2) first and second rate of controls that computed torque follows
  int32_t all_limits; // 1: all limits of joints have rows, however far away they are (step.c)
} hfiStepForces;

// A contact that is struck.
typedef struct hfiStruck {
  int32_t block;        // its block in the step problem
  int32_t is_gathered;  // 1: its island has been solved
  double before, after; // normal velocity before and after the impact [m/s]
} hfiStruck;

// Impacts at the start of the step (impact.c).
typedef struct hfiImpacts {
  int32_t any;        // 1: some contact had an impact in this step
  double (*gamma)[3]; // (max_contacts) sums of the impulses along n, t1, t2 of the contacts of the problem [N s]

  // contacts that are struck at one instant, and how they are connected
  hfiStruck* struck;  // (max_contacts)
  int32_t* forest;    // (ntree) forest of trees that they connect
  int32_t* load;      // (ntree) number of struck contacts on each tree
  int32_t* is_listed; // (ntree) 1: its island has been gathered

  // one island of them
  int32_t* island_block; // (max_contacts) blocks
  int32_t* island_tree;  // (ntree) trees
  double* before;        // (max_contacts) normal velocities before the impact [m/s]
  hfiImpulses impulses;
} hfiImpacts;

// Contacts of curved surfaces that roll (curve.c).
typedef struct hfiCurves {
  int32_t* contacts_on; // (ntree) number of contacts of each tree
  int32_t any;          // 1: some contact is curved
} hfiCurves;

// What hfiRolls knows of a tree instead of a block.
enum { HFI_ROLLS_NOT = -1, HFI_ROLLS_SOON = -2 };

// Free bodies that roll alone on one smooth contact (roll.c).
typedef struct hfiRolls {
  int32_t are_possible; // 1: the model and the options allow it
  int32_t are_allowed;  // 1: this is a step, whose end has a second half
  int32_t any;         // 1: some tree may roll
  int32_t* block;      // (ntree) block of the contact on which the tree rolls, or one of the two numbers above
  double* energy;      // (ntree) energy that a tree that rolls may have at the end of the step [J]
} hfiRolls;

// Which trees sleep (sleep.c).
typedef struct hfiSleep {
  int32_t count;          // number of trees that sleep in this step
  int32_t* asleep;        // (ntree) 1: the tree sleeps in this step
  int32_t* woken;         // (ntree) 1: it woke since the step began
  int32_t* parent;        // (ntree) scratch: forest of joined trees
  int32_t* mark;          // (ntree) scratch
  int32_t* driven;        // (ntree) 1: an actuator acts on the tree
  int32_t* still;         // (ngeom) 1: belongs to a tree that sleeps, or to the world
  uint64_t* signature;    // (ntree) signature of each tree
  uint64_t parameters;    // hash of the model's parameters
  uint32_t revision;      // revision of the model's parameters for which the hash is valid
  int32_t is_hashed;      // 1: `parameters` is valid
  double* q;              // (nq) coordinates at the start of the step
  hfContactMemory* fresh; // (max_contacts) scratch of storing contacts
} hfiSleep;

struct hfiDiscrete {
  hfiWorld* world;
  hfSimConfig config;
  hfiAssembly assembly; // the step problem (assemble.c)
  hfiStepSolver solver;
  hfiStepForces forces;
  hfiFlight flight; // inertial motion of trees (step/dynamics/flight.h)
  int32_t* flies;   // (ntree) 1: only inertia and gravity act on the tree (flight.c)
  hfiImpacts impacts;
  hfiCurves curves;
  hfiRolls rolls;
  double* roundness; // (ngeom) largest radius of curvature where a geom is not straight; 0: nowhere round (rock.c) [m]
  hfiSleep sleep;    // used only with the option sleep

  // contacts of the step, in the order of the world
  int32_t* block;             // (max_contacts) a contact's block in the step problem, or -1 (contacts.c)
  hfiContactOutcome* outcome; // (max_contacts) outcomes of the last step (outcome.c)

  // the solution (solve.c)
  int32_t* changed; // (ntree) 1: the tree must be solved for (again)
  double* v1;       // (nv) scratch before the solution
  double* impulse;  // (rows)
  double* v_end;    // (nv) velocities at the end of the step, after the inertial motion of trees that fly (advance.c)
};

// Do contacts remember something from step to step?
static inline int hfi_contacts_remember(const hfiDiscrete* s) {
  return s->config.friction == HF_FRICTION_ANCHORED || s->world->has_dynamic_friction || s->config.sleep;
}

// How fast gravity closes a contact [m/s^2].
static inline double hfi_closing_acceleration(const hfiWorld* w, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(w->model);
  double g = v3_dot(c->n, w->dynamics.gravity);
  return (tree[c->body_b] >= 0 ? g : 0) - (tree[c->body_a] >= 0 ? g : 0);
}

// Marks the trees of a contact in s->changed.
static inline void hfi_discrete_mark_changed(const hfiDiscrete* s, const hfiContact* c) {
  const int32_t* tree = hf_model_body_tree(s->world->model);
  if (tree[c->body_a] >= 0) s->changed[tree[c->body_a]] = 1;
  if (tree[c->body_b] >= 0) s->changed[tree[c->body_b]] = 1;
}

// ---- stages 2 to 6: the problem -----------------------------------------------------------------------

// Makes the step problem at a state, with the inertial forces of the start for all trees, and with contacts predicted
// as for hfi_discrete_problem (step.c).
void hfi_discrete_make_problem(hfiDiscrete* s, const hfState* state, const hfInput* in);
// Turns the dof axes S and inertias of free bodies into the middle of the step; their poses stay those of the start.
// s->flight.start gets the velocities of the start in the form that the step problem has (step/dynamics/flight.h).
void hfi_discrete_turn_free_bodies(hfiDiscrete* s, const double* v0);
// Actuators, springs, limits: fills s->forces, and p*, diag and the rows of the step problem that are not contacts.
void hfi_discrete_load(hfiDiscrete* s, const hfState* state, const hfInput* in);
// Finds the contacts at the world's present poses. foresee: 1 if contacts are predicted with the solution without
// contacts where strong drives act. A step does not need that, because it adds the contacts that its solution closes.
void hfi_discrete_find_contacts(hfiDiscrete* s, int foresee);
// Adds the contacts that were found, with what the state remembers of them, to the step problem.
void hfi_discrete_add_contacts(hfiDiscrete* s, const hfState* state);
// Adds contacts that velocities v1 close; v1 is a solution of the step, or the velocity after impacts. Returns 1 if the
// problem has changed; s->changed then marks its trees.
int hfi_discrete_add_missed(hfiDiscrete* s, const hfState* state, const double* v1);
// Impacts of contacts with restitution: changes the velocities of the start and the momentum of the problem.
void hfi_discrete_apply_impacts(hfiDiscrete* s, const hfState* state);
void hfi_impacts_init(hfiImpacts* impacts, const hfModel* model, int max_contacts, hfiArena* arena);
// The impulse of the impacts of contact i of the world along n, t1, t2 [N s], or NULL if it had none.
const double* hfi_discrete_find_impact(const hfiDiscrete* s, int i);
// Finds the trees that fly, s->flies, and gives the problem their momentum.
void hfi_discrete_begin_flight(hfiDiscrete* s);
// Clears s->flies of articulated trees that touch themselves or that another tree or the world may come near. Must be
// called again after new contacts.
void hfi_discrete_ground_near_trees(hfiDiscrete* s);

// ---- refinements of contacts --------------------------------------------------------------------------

// The motion of a contact in a step is taken as linear if a bound on the error is below this [m]. For comparison, a
// body of 1 kg sinks into a surface of the usual stiffness by 2e-5 m.
static const double HFI_LINEAR_PATH_ERROR = 5e-6;
// Marks the contacts of curved surfaces that roll (curve.c). It must be called before their rows are made.
void hfi_discrete_mark_rolling(hfiDiscrete* s);
// Sets the drift of the contacts that roll for their paths at the velocities of the start of the step.
void hfi_discrete_follow_paths(hfiDiscrete* s);
// Sets the drift for the paths at velocities v (nv), for contacts whose bodies have no other contact. Returns 1 if that
// changes a contact noticeably; s->changed then marks its trees.
int hfi_discrete_follow_paths_again(hfiDiscrete* s, const double* v);
// Whether the body of a contact may roll alone: an ellipsoid on the world, on which nothing else acts (roll.c).
int hfi_discrete_may_roll(const hfiDiscrete* s, const hfiContact* c);
int hfi_discrete_any_ellipsoid(const hfModel* m);
// No body rolls, until they are found.
void hfi_discrete_clear_rolls(hfiDiscrete* s);
// Finds the bodies that roll alone among the contacts that were found. Returns 1 if there are any that were not yet
// known. Then the stages from `place` on must be repeated, because these bodies are not turned into the middle of the
// step.
int hfi_discrete_find_rolls(hfiDiscrete* s, const hfState* state);
void hfi_discrete_set_rolling(hfiDiscrete* s, int tree);
// Gives the links of bodies that roll their mean angular velocity, d->B, for velocities v (nv) of the problem.
void hfi_discrete_spin_rolling(hfiDiscrete* s, const double* v);
// Takes half of the weight of the bodies that roll from the problem: it acts at the end of the step.
void hfi_discrete_begin_rolls(hfiDiscrete* s, const hfState* state);
// The bodies of a new contact do not roll alone.
void hfi_discrete_end_rolls_of(hfiDiscrete* s, const hfiContact* c);
// Adds the second half of the weight to v (nv), the solution, for bodies whose contact did not act.
void hfi_discrete_add_half_weights(hfiDiscrete* s, double* v);
// Adds the second half of weight and contact to v (nv), the velocities at the coordinates q of the end of the step, and
// to the impulses of the contacts.
void hfi_discrete_end_rolls(hfiDiscrete* s, const double* q, double* v);
// Lets round bodies pass edges that only their linear motion would hit (graze.c).
void hfi_discrete_let_pass_edges(hfiDiscrete* s);
// Adds dampers where contacts with round surfaces would rock a body faster than a step can follow (rock.c).
void hfi_discrete_damp_rocking(hfiDiscrete* s);
// Fills s->roundness.
void hfi_discrete_measure_roundness(hfiDiscrete* s);

// ---- stage 7: solve -----------------------------------------------------------------------------------

// Solves the step problem for v1 and the impulses. Writes the solver's report, and out->trouble if the problem is
// refused. error: for a solver that was handed in.
hfStatus hfi_discrete_solve(hfiDiscrete* s, hfiStepOutput* out, hfError* error);
// Revises the problem after a solution: adds contacts that the solution closes although they were not predicted, or
// follows it with the path of a curved contact. Returns 1 if the problem must be solved again, also because heaps were
// only estimated; s->changed then marks the trees.
int hfi_discrete_revise(hfiDiscrete* s, const hfState* state);
// Solves the revised problem.
hfStatus hfi_discrete_solve_again(hfiDiscrete* s, hfiStepOutput* out, hfError* error);
// Rigid contact: if the overlaps of the last solution give too much energy (release.c), reduces the speeds at which
// they are removed, to zero if is_last is 1. Returns 1 if the problem has changed.
int hfi_discrete_limit_release(hfiDiscrete* s, int is_last);

// ---- stages 8 and 9: outcome and advance --------------------------------------------------------------

// Computes outcomes of contacts, forces of actuators and constraints, and the report from v1 and the impulses.
void hfi_discrete_compute_outcome(hfiDiscrete* s, hfiStepOutput* out);
// Moves the state to the end of the step with the solution, and writes the acceleration and counts of the report.
void hfi_discrete_advance(hfiDiscrete* s, hfState* state, const hfInput* in, hfiStepOutput* out);
// Moves q over the step and makes v, the solution of the step problem, the velocities at its end. stop_time (ntree):
// NULL, or the times at which trees stop.
void hfi_discrete_move_inertially(hfiDiscrete* s, const hfInput* in, const double* stop_time, double* q, double* v);

// ---- sleep, in the order of the calls -----------------------------------------------------------------

void hfi_sleep_init(hfiDiscrete* s, hfiArena* arena);
// Begins a step in which no tree has woken.
void hfi_sleep_begin(hfiDiscrete* s);
// Finds the trees that sleep, after the forces of the step are known.
void hfi_sleep_find(hfiDiscrete* s, const hfState* state, const hfInput* in);
// Wakes trees that a contact joins to a tree that is awake. Returns 1 if there are any: then contacts of the trees that
// slept are missing.
int hfi_sleep_wake_touched(hfiDiscrete* s);
// Resets the coordinates of trees that sleep to those of the start, and their velocities to zero.
void hfi_sleep_hold(const hfiDiscrete* s, double* q, double* v);
// Lets islands fall asleep at the end of the step, and counts trees that sleep.
void hfi_sleep_settle(hfiDiscrete* s, hfState* state, const hfInput* in, hfStepReport* report);
// Ends the step: no tree sleeps in what is computed between steps.
void hfi_sleep_end(hfiDiscrete* s);

#endif
