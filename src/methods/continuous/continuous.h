// Methods of continuous time (rk3, implicit-euler, sdirk): an integrator over the acceleration problem of a world.
#ifndef HFI_CONTINUOUS_CONTINUOUS_H
#define HFI_CONTINUOUS_CONTINUOUS_H

#include "methods/continuous/accel.h"
#include "step/world/method.h"

typedef struct hfiContinuous {
  hfiWorld* world;
  hfAccel* accel;
  hfIntegrator* integrator; // NULL: nothing can move
  double h;                 // length of a step of the sim [s]
  double first;             // the integrator tries this length first; 0: all of a step [s]
  double* x;                // (nq + nv + na + 6 max_contacts) the state
  double* vdot;             // (nv) accelerations at the end of the last step [m/s^2, rad/s^2]
  int32_t ncontact;         // number of contacts of the last step
  hfContact* contact;       // (max_contacts) these contacts, see hfi_accel_keep_contact
} hfiContinuous;

// The options of the accel for the configuration of a sim.
hfAccelConfig hfi_accel_config_of(const hfSimConfig* config);
// Contacts whose deformations are coordinates are followed from this gap on [m].
static const double HFI_FOLLOWED_GAP = 1e-3;

// velocity_time: weight of velocity errors, see hfi_accel_set_weights [s].
hfStatus hfi_continuous_create(hfiContinuous** continuous, hfiWorld* world, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, double velocity_time, hfError* error);
void hfi_continuous_free(hfiContinuous* continuous);

// Advances the state by h, or, on trouble (status > 0), to the end of the last accepted step; the state's time says how
// far. The result depends on state and input alone. Afterwards the world and the accel are at the end of the step.
hfStatus hfi_continuous_step(hfiContinuous* continuous, hfState* state, const hfInput* input, double h, hfError* error);

// Computes contacts, forces, accelerations and the report of the last step. The caller gives the status of the step,
// and the number of contacts that were dropped before it.
void hfi_continuous_compute_results(hfiContinuous* continuous, hfStatus status, int64_t dropped, hfiStepOutput* out);

// What the integrator did in the last step.
hfIntegratorReport hfi_continuous_report(const hfiContinuous* continuous);

// ---- results, for switching too -----------------------------------------------------------------------

// A contact of the last evaluation, as a sim reports it.
hfContact hfi_accel_read_contact(const hfiAccelContact* contact);
// Appends a contact to the n contacts of the list and to the report, unless it is open and has no force.
void hfi_accel_keep_contact(hfContact contact, hfContact* list, int32_t* n, hfStepReport* report);
// Writes the forces of limits and equalities at the last evaluation, if a sensor reads them.
void hfi_accel_write_constraint_forces(const hfAccel* accel, hfiStepOutput* out);
// Fills the counts that all methods of continuous time report. dropped: number of dropped contacts before the step
// (hf_accel_statistics).
void hfi_accel_fill_report(const hfAccel* accel, hfStatus status, const hfIntegratorReport* integration,
                           int64_t dropped, hfStepReport* report);

// The methods "rk3", "implicit-euler" and "sdirk", for the table of methods.
extern const hfiMethod hfi_method_continuous;

#endif
