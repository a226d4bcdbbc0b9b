// The table of methods.
#include "sim/sim.h"

static const hfiMethod* const METHODS[] = {
    [HF_METHOD_TAMSI] = &hfi_method_discrete,           [HF_METHOD_CONVEX] = &hfi_method_discrete,
    [HF_METHOD_MLCP] = &hfi_method_discrete,            [HF_METHOD_RK3] = &hfi_method_continuous,
    [HF_METHOD_IMPLICIT_EULER] = &hfi_method_continuous, [HF_METHOD_SDIRK] = &hfi_method_continuous,
    [HF_METHOD_SWITCHING] = &hfi_method_switching,
};

const hfiMethod* hfi_method_of(int method) { return METHODS[method]; }
