// The table of methods. No other file of this folder names one.
#include "sim/method.h"

#include "methods/controlled/controlled.h"
#include "methods/continuous/continuous.h"
#include "methods/mlcp/mlcp.h"
#include "methods/switching/switching.h"
#include "step/discrete/discrete.h"

typedef struct MethodRow {
  const hfiMethod* fixed;      // for steps of one length
  const hfiMethod* controlled; // for an accuracy
  unsigned options;            // hfiOptionGroup
  int32_t rung;                // see hfi_method_rung
} MethodRow;

enum {
  OF_ALL = HFI_OPTION_ALL,
  OF_LAWS = OF_ALL | HFI_OPTION_STATIC_SPEED,
  OF_DISCRETE = OF_LAWS | HFI_OPTION_DISCRETE | HFI_OPTION_TURN,
  OF_SOLVED = OF_DISCRETE | HFI_OPTION_SOLVED | HFI_OPTION_CONTROLLED,
  OF_MLCP = OF_DISCRETE | HFI_OPTION_MLCP,
  OF_EXPLICIT = OF_LAWS | HFI_OPTION_CONTROLLED,
  OF_IMPLICIT = OF_EXPLICIT | HFI_OPTION_NEWTON | HFI_OPTION_TURN,
  OF_SWITCHING = OF_ALL | HFI_OPTION_CONTROLLED | HFI_OPTION_SWITCHING,
};

static const MethodRow METHODS[HFI_METHODS] = {
    [HF_METHOD_TAMSI] = {&hfi_method_discrete, &hfi_method_controlled, OF_SOLVED, HF_RUNG_NONE},
    [HF_METHOD_CONVEX] = {&hfi_method_discrete, &hfi_method_controlled, OF_SOLVED, HF_RUNG_CONVEX},
    [HF_METHOD_MLCP] = {&hfi_method_mlcp, &hfi_method_mlcp, OF_MLCP, HF_RUNG_NONE},
    [HF_METHOD_RK3] = {&hfi_method_continuous, &hfi_method_continuous, OF_EXPLICIT, HF_RUNG_NONE},
    [HF_METHOD_IMPLICIT_EULER] = {&hfi_method_continuous, &hfi_method_continuous, OF_IMPLICIT, HF_RUNG_NONE},
    [HF_METHOD_SDIRK] = {&hfi_method_continuous, &hfi_method_continuous, OF_IMPLICIT, HF_RUNG_NONE},
    [HF_METHOD_SWITCHING] = {&hfi_method_switching, &hfi_method_switching, OF_SWITCHING, HF_RUNG_NONE},
};

const char* const hfi_method_names[HFI_METHODS + 1] = {
    [HF_METHOD_TAMSI] = "tamsi",
    [HF_METHOD_CONVEX] = "convex",
    [HF_METHOD_MLCP] = "mlcp",
    [HF_METHOD_RK3] = "rk3",
    [HF_METHOD_IMPLICIT_EULER] = "implicit-euler",
    [HF_METHOD_SDIRK] = "sdirk",
    [HF_METHOD_SWITCHING] = "switching",
};

unsigned hfi_method_options(int method) { return METHODS[method].options; }

int hfi_method_rung(int method) { return METHODS[method].rung; }

const hfiMethod* hfi_method_of(const hfSimConfig* config) {
  const MethodRow* row = &METHODS[config->method];
  return config->accuracy > 0 ? row->controlled : row->fixed;
}
