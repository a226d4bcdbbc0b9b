// What rigid and compliant phases share: when rigid arcs come to an end, and the sum of their integrations.
#include "methods/switching/inside.h"

int hfi_looks_are_used_up(const hfiSwitching* s) { return s->looks > HFI_MAX_LOOKS; }

int hfi_arc_exhausted(const hfiSwitching* s) {
  return s->arc.events > HFI_MAX_EVENTS || s->arc.stalls > HFI_MAX_STALLS || s->looks > HFI_MAX_ARC_LOOKS;
}

void hfi_add_integration(hfiSwitching* s, const hfIntegrator* integrator) {
  hfIntegratorReport r = hf_integrator_report(integrator);
  hfIntegratorReport* sum = &s->integration;
  if (r.smallest > 0 && (sum->smallest == 0 || r.smallest < sum->smallest)) sum->smallest = r.smallest;
  sum->last = r.last;
  sum->error = r.error;

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
