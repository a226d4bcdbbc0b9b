// The table of methods: their names, the options that act in their steps, and their operations.
#ifndef HFI_SIM_METHOD_H
#define HFI_SIM_METHOD_H

#include "step/world/method.h"
#include <holdfast/sim.h>

// Options that act with the same methods.
typedef enum hfiOptionGroup {
  HFI_OPTION_ALL = 1 << 0,          // with every method
  HFI_OPTION_CONTROLLED = 1 << 1,   // with methods whose steps can be under error control
  HFI_OPTION_DISCRETE = 1 << 2,     // in discrete time
  HFI_OPTION_SOLVED = 1 << 3,       // with the solver of step problems
  HFI_OPTION_MLCP = 1 << 4,         // with complementarity problems
  HFI_OPTION_STATIC_SPEED = 1 << 5, // where friction has a static and a dynamic coefficient
  HFI_OPTION_NEWTON = 1 << 6,       // where Newton's method solves for the end of a step
  HFI_OPTION_TURN = 1 << 7,         // where a line search bounds the turn of friction
  HFI_OPTION_SWITCHING = 1 << 8,    // with rigid arcs and compliant phases
} hfiOptionGroup;

enum { HFI_METHODS = HF_METHOD_SWITCHING + 1 };

// Names of the methods in the order of hfMethod; NULL at the end.
extern const char* const hfi_method_names[HFI_METHODS + 1];
// The options that act with a method: groups of hfiOptionGroup.
unsigned hfi_method_options(int method);
// The only rung at which the solver of a method may start, or HF_RUNG_NONE if every rung is allowed.
int hfi_method_rung(int method);
// The operations that a configuration asks for. If it asks for an accuracy, a method of discrete time runs under error
// control.
const hfiMethod* hfi_method_of(const hfSimConfig* config);

#endif
