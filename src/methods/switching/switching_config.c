// Defaults and names of the method "switching".
#include <holdfast/rigid.h>

// Returns the default options of the method.
hfSwitchConfig hf_switch_config_default(void) {
  hfSwitchConfig config = {.contact_mode = HF_CONTACT_MODEL_SWITCHING,
                      .start = HF_START_EQUILIBRIUM,
                      .return_modes = HF_RETURN_LAYER,
                      .integrator = HF_METHOD_SDIRK,
                      .accuracy = 1e-6,
                      .dwell = 1e-3,
                      .settle = 0.1,
                      .rank_margin = 1e-10,
                      .restitution = 0,
                      .rest_speed = 1e-2};
  config.rigid = hf_rigid_config_default();
  return config;
}

// The words for a reason of a switch.
const char* hf_switch_reason_name(int reason) {
  static const char* const names[] = {"certified",      "not a P-matrix", "dependent rows",
                                      "unstable layer", "no solution",    "too many transitions"};
  return reason >= 0 && reason < (int)(sizeof names / sizeof *names) ? names[reason] : "unknown";
}
