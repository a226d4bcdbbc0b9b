// The method "switching": rigid contact with events, or a compliant layer.
#ifndef HFI_SWITCHING_SWITCHING_H
#define HFI_SWITCHING_SWITCHING_H

#include "step/world/method.h"

// For the table of methods.
extern const hfiMethod hfi_method_switching;

#endif
