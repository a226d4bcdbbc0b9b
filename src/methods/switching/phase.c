// What rigid and compliant phases share: when rigid arcs come to an end, and the sum of their integrations.
#include "methods/switching/inside.h"

// Whether the step has taken all the evaluations that it may.
int hfi_evaluations_are_used_up(const hfiSwitching* s) { return s->evaluations > HFI_MAX_EVALUATIONS; }

// Whether this step had so many events, stalls or evaluations that rigid arcs would not end it.
int hfi_arc_is_exhausted(const hfiSwitching* s) {
  return s->arc.events > HFI_MAX_EVENTS || s->arc.stalls > HFI_MAX_STALLS || s->evaluations > HFI_MAX_ARC_EVALUATIONS;
}

// Adds the counts of an integrator to the sum of the step, and takes over its last step and error.
void hfi_add_integration(hfiSwitching* s, const hfIntegrator* integrator) {
  hfIntegratorReport r = hf_integrator_report(integrator);
  hfIntegratorReport* sum = &s->result.integration;

  if (r.smallest > 0 && (sum->smallest == 0 || r.smallest < sum->smallest)) sum->smallest = r.smallest;
  sum->last = r.last;
  sum->error = r.error;

  // counts
  sum->evaluations += r.evaluations;
  sum->jacobian_evaluations += r.jacobian_evaluations;
  sum->jacobians += r.jacobians;
  sum->factorisations += r.factorisations;
  sum->iterations += r.iterations;
  sum->steps += r.steps;
  sum->rejected += r.rejected;
  sum->failed += r.failed;
  sum->held += r.held;
}
