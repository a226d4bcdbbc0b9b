// What every method of simulation does for a sim. A method is a folder, and one entry of the table in sim/method.c.
#ifndef HFI_WORLD_METHOD_H
#define HFI_WORLD_METHOD_H

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

static inline hfiConstraintForces hfi_constraint_forces(const hfModel* m, hfiArena* arena) {
  return (hfiConstraintForces){HFI_TAKE(arena, double, m->njnt), HFI_TAKE(arena, double, m->ntendon),
                               HFI_TAKE(arena, double, m->ntendon), HFI_TAKE(arena, double, 6 * m->neq),
                               HFI_TAKE(arena, double, 6 * m->neq)};
}

static inline void hfi_clear_constraint_forces(const hfModel* m, hfiConstraintForces* f) {
  for (int i = 0; i < m->njnt; ++i) f->joint_limit[i] = 0;
  for (int i = 0; i < m->ntendon; ++i) f->tendon_limit[i] = f->tendon[i] = 0;
  for (int i = 0; i < 6 * m->neq; ++i) f->equality[i] = f->equality_speed[i] = 0;
}

// What a step leaves beside the state. The arrays are the sim's.
typedef struct hfiStepOutput {
  hfStepReport* report;
  int32_t taken;        // 1: the state is that of the end of the step, 0: the method had no answer
  double* acceleration; // (nv)
  hfiConstraintForces* constraint; // all zero when the step begins; NULL: no sensor reads them
} hfiStepOutput;

typedef struct hfiMethod {
  int32_t discrete;       // 1: takes steps of discrete time; velocity targets act there only
  int32_t inverse_drives; // 1: accepts models whose drives follow inverse dynamics
  int32_t rigid;          // 1: contacts are rigid, with Coulomb friction

  // Creates the method's scratch. The world must outlive it.
  hfStatus (*create)(void** method, hfiWorld* world, const hfSimConfig* config, hfError* error);
  void (*free)(void* method);
  // Advances the state by config.step. Where the status is < 0 the state is unchanged.
  hfStatus (*step)(void* method, hfState* state, const hfInput* input, hfiStepOutput* out, hfError* error);
  // Contacts of the last step, until the world is used for something else.
  int (*contact_count)(const void* method);
  hfContact (*contact)(const void* method, int i);
} hfiMethod;

extern const hfiMethod hfi_method_discrete, hfi_method_mlcp, hfi_method_continuous, hfi_method_switching;

#endif
