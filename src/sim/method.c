// The table of methods.
#include "methods/controlled/controlled.h"
#include "sim/sim.h"

static const hfiMethod* const METHODS[] = {
    [HF_METHOD_TAMSI] = &hfi_method_discrete,           [HF_METHOD_CONVEX] = &hfi_method_discrete,
    [HF_METHOD_MLCP] = &hfi_method_mlcp,                [HF_METHOD_RK3] = &hfi_method_continuous,
    [HF_METHOD_IMPLICIT_EULER] = &hfi_method_continuous, [HF_METHOD_SDIRK] = &hfi_method_continuous,
    [HF_METHOD_SWITCHING] = &hfi_method_switching,
};

const hfiMethod* hfi_method_of(const hfSimConfig* config) {
  const hfiMethod* method = METHODS[config->method];
  return method->discrete && config->accuracy > 0 ? &hfi_method_controlled : method;
}
