// Methods of continuous time (rk3, implicit-euler, sdirk): an integrator over the acceleration problem of a world.
#ifndef HFI_CONTINUOUS_CONTINUOUS_H
#define HFI_CONTINUOUS_CONTINUOUS_H

#include "continuous/accel.h"
#include "world/method.h"

typedef struct hfiContinuous {
  hfiWorld* world;
  hfAccel* accel;
  hfIntegrator* integrator; // NULL: nothing can move
  double h;                 // of a step of the sim [s]
  double first;             // the integrator tries this length first; 0: all of a step [s]
  double *x, *vdot;         // (nq + nv + na + 6 max_contacts), (nv) accelerations at the end of the last step
  int32_t ncontact;
  hfContact* contact;       // (max_contacts) of the last step, see hfi_accel_keep_contact
} hfiContinuous;

// The options of the accelerations of a world that a sim is configured for.
hfAccelConfig hfi_accel_config_of(const hfSimConfig* config);
static const double HFI_FOLLOWED_GAP = 1e-3; // Contacts whose deformations are coordinates are followed from this gap on [m].

// velocity_time: what velocity errors count, see hfi_accel_weigh [s].
hfStatus hfi_continuous_create(hfiContinuous** continuous, hfiWorld* world, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, double velocity_time, hfError* error);
void hfi_continuous_free(hfiContinuous* continuous);

// Advances the state by h, or on trouble (status > 0) to the last accepted step: then time says how
// far. Depends on state and input alone. The world and the accel are at the end of the step then.
hfStatus hfi_continuous_step(hfiContinuous* continuous, hfState* state, const hfInput* input, double h, hfError* error);

// Contacts, forces, accelerations and the report of the last step, whose status and dropped contacts before it are given.
void hfi_continuous_results(hfiContinuous* continuous, hfStatus status, int64_t dropped, hfiStepOutput* out);

// What the integrator did in the last step.
hfIntegratorReport hfi_continuous_report(const hfiContinuous* continuous);

// ---- results, for switching too -----------------------------------------------------------------------

// A contact of the last evaluation, as a sim reports it.
hfContact hfi_accel_read_contact(const hfiAccelContact* contact);
// Appends a contact to the n of the list and to the report, unless it is only near and carries nothing.
void hfi_accel_keep_contact(hfContact contact, hfContact* list, int32_t* n, hfStepReport* report);
// Forces of limits and equalities at the last evaluation, where somebody asks.
void hfi_accel_constraint_forces(const hfAccel* a, hfiStepOutput* out);
// Counts that all methods of continuous time report; dropped: hf_accel_statistics before the step.
void hfi_accel_report(const hfAccel* a, hfStatus status, const hfIntegratorReport* integration, int64_t dropped,
                      hfStepReport* report);

#endif
