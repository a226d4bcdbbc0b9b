// What other folders call of a sim beside the public interface (<holdfast/sim.h>).
#ifndef HFI_SIM_SIM_H
#define HFI_SIM_SIM_H

#include <holdfast/sim.h>

// Changes the method of a configuration. Options that cannot act with the new method get their defaults.
void hfi_config_change_method(hfSimConfig* config, const hfWorld* world, int method);

// Like hf_sim_step, but computes the poses at the end only when hf_sim_dynamics is called: the next call may be a step
// of another state, which does not need them.
hfStatus hfi_sim_step_unplaced(hfSim* sim, hfState* state, const hfInput* input, hfStepReport* report, hfError* error);

// Completes the kinematics of the world, if the sim is at this state. Refuses any other state.
hfStatus hfi_sim_complete_at(hfSim* sim, const hfState* state, hfError* error);

#endif
