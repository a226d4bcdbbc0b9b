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
  hfIntegratorReport report = hf_integrator_report(integrator);
  hfIntegratorReport* sum = &s->result.integration;

  if (report.smallest > 0 && (sum->smallest == 0 || report.smallest < sum->smallest)) sum->smallest = report.smallest;
  sum->last = report.last;
  sum->error = report.error;

  // counts
  sum->evaluations += report.evaluations;
  sum->jacobian_evaluations += report.jacobian_evaluations;
  sum->jacobians += report.jacobians;
  sum->factorisations += report.factorisations;
  sum->iterations += report.iterations;
  sum->steps += report.steps;
  sum->rejected += report.rejected;
  sum->failed += report.failed;
  sum->held += report.held;
}
