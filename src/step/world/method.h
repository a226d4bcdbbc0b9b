// What every method of simulation does for a sim: a table of operations. A method is a folder, and one row of the table
// in sim/method.c.
#ifndef HFI_WORLD_METHOD_H
#define HFI_WORLD_METHOD_H

#include "step/problem/trouble.h"
#include "step/world/world.h"
#include <holdfast/contact.h>
#include <holdfast/methods.h>

// Forces of limits, friction losses and equalities at the end of a step. Sensors read them.
typedef struct hfiConstraintForces {
  double* joint_limit;  // (njnt) of joint limits
  double* tendon_limit; // (ntendon) of tendon limits
  double* tendon;       // (ntendon) of tendon limits and friction losses, along the length
  double* equality;     // (neq x 6) of equalities, on their first object
  double* equality_speed; // (neq x 6) velocities of the rows that these forces act along: their products are the power
} hfiConstraintForces;

// Takes the arrays from the arena.
static inline hfiConstraintForces hfi_constraint_forces(const hfModel* m, hfiArena* arena) {
  return (hfiConstraintForces){HFI_TAKE(arena, double, m->njnt), HFI_TAKE(arena, double, m->ntendon),
                               HFI_TAKE(arena, double, m->ntendon), HFI_TAKE(arena, double, 6 * m->neq),
                               HFI_TAKE(arena, double, 6 * m->neq)};
}

// Sets all of them to zero.
static inline void hfi_clear_constraint_forces(const hfModel* m, hfiConstraintForces* f) {
  for (int i = 0; i < m->njnt; ++i) f->joint_limit[i] = 0;
  for (int i = 0; i < m->ntendon; ++i) {
    f->tendon_limit[i] = 0;
    f->tendon[i] = 0;
  }
  for (int i = 0; i < 6 * m->neq; ++i) {
    f->equality[i] = 0;
    f->equality_speed[i] = 0;
  }
}

// What a step leaves beside the state. The arrays are the sim's.
typedef struct hfiStepOutput {
  hfStepReport* report;
  hfiTrouble trouble;   // why the step was refused, if the method says it as data and not in an hfError
  int32_t taken;        // 1: the state is that of the end of the step, 0: the method had no answer
  double* acceleration; // (nv)
  hfiConstraintForces* constraint; // all zero when the step begins; NULL: no sensor reads them
} hfiStepOutput;

// What a method is like, as bits of hfiMethod.traits.
typedef enum hfiMethodTrait {
  HFI_DISCRETE_TIME = 1 << 0,    // A step solves one problem: velocity targets and the configuration's drive law act.
  HFI_CONTINUOUS_TIME = 1 << 1,  // An integrator follows the motion: a servo may push and brake within a step.
  HFI_INVERSE_DRIVES = 1 << 2,   // It accepts models whose drives follow inverse dynamics.
  HFI_COULOMB_FRICTION = 1 << 3, // Contacts are rigid, with Coulomb friction.
  HFI_LETS_SLEEP = 1 << 4,       // Trees that rest may sleep.
  HFI_SPARSE_HEAPS = 1 << 5,     // The work of a heap does not grow with the square of its contacts.
} hfiMethodTrait;

// Energy in the springs of contacts and limits at a state.
typedef struct hfiHeldEnergy {
  double overlaps; // of the overlaps of contacts [J]
  double limits;   // of limits [J]
  double power;    // of those overlaps that open [W]
} hfiHeldEnergy;

// Energy of the compliant layers of all contacts in a step.
typedef struct hfiLayerEnergy {
  double start; // at the start of the step; rigid contacts have none [J]
  double end;   // at its end [J]
  double made;  // with which the compliant phases of the step began [J]
} hfiLayerEnergy;

// What a method knows of its energy (sim/energy.c). A function that is NULL stands for zero, or where it bounds
// something for no bound.
typedef struct hfiMethodEnergy {
  // Energy of the overlaps at the end of the last step, which pushes bodies apart [J].
  double (*overlaps)(const void* method);
  // Energy in the springs of contacts and limits at positions q, where the world must be.
  hfiHeldEnergy (*held)(void* method, const double* q);
  // Energy of the layers in the last step.
  hfiLayerEnergy (*layers)(const void* method);
  // Upper bound on what limits and equalities gave in the last step [J].
  double (*row_work)(const void* method);
  // Upper bound on what rigid equalities give while they close, at the last evaluation [J].
  double (*closing)(const void* method);
} hfiMethodEnergy;

// The energy with which the whole mass of a model moves at its release speed u, m u^2/2 [J].
static inline double hfi_energy_at_release_speed(const hfModel* m) {
  return 0.5 * hf_model_body_subtreemass(m)[0] * sqr(m->world.release_speed);
}

struct hfiDiscrete;
struct hfSwitch;
struct hfRigidProblem;

// A method of simulation.
typedef struct hfiMethod {
  uint32_t traits; // hfiMethodTrait

  // Creates the method's scratch. The world must outlive it.
  hfStatus (*create)(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error);
  void (*free)(void* method);
  // Advances the state by config.step. Where the status is < 0 the state is unchanged.
  hfStatus (*step)(void* method, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error);
  // Contacts of the last step, until the world is used for something else.
  int (*contact_count)(const void* method);
  hfContact (*contact)(const void* method, int i);

  // The maker of step problems that the method has, with which a sim looks at a state without a step. NULL: it has
  // none.
  struct hfiDiscrete* (*problem_maker)(void* method);
  hfiMethodEnergy energy;
  // Change i of the contact model in the last step, and the rigid problem at its end. NULL: the method knows neither.
  struct hfSwitch (*model_switch)(const void* method, int i);
  const struct hfRigidProblem* (*rigid_problem)(const void* method);
} hfiMethod;

static inline int hfi_method_is(const hfiMethod* method, hfiMethodTrait trait) { return (method->traits & trait) != 0; }

#endif
