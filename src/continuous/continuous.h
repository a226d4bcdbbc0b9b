// Steps of continuous time for a sim: an integrator over the acceleration problem of a model.
#ifndef HFI_CONTINUOUS_CONTINUOUS_H
#define HFI_CONTINUOUS_CONTINUOUS_H

#include "continuous/accel.h"
#include <holdfast/sim.h>

typedef struct hfiContinuous hfiContinuous;

hfStatus hfi_continuous_create(hfiContinuous** continuous, const hfModel* model, const hfAccelConfig* accel,
                               const hfIntegratorConfig* integrator, hfError* error);
void hfi_continuous_free(hfiContinuous* continuous);

// Advances the state by h, or on trouble (status > 0) to the last accepted step: then time says how
// far. Depends on state and input alone. Results of the end of the step are in hfi_continuous_accel.
hfStatus hfi_continuous_step(hfiContinuous* continuous, hfState* state, const hfInput* input, double h, hfError* error);

// After a step: contacts, actuation and kinematics at its end; accelerations there (nv).
hfAccel* hfi_continuous_accel(hfiContinuous* continuous);
const double* hfi_continuous_vdot(const hfiContinuous* continuous);
// What the integrator did in the last step.
hfIntegratorReport hfi_continuous_report(const hfiContinuous* continuous);

// Contact i of the last evaluation, as a sim reports it.
hfContact hfi_accel_contact_result(const hfAccel* a, int i);

#endif
