// The method `mlcp`: steps of discrete time with rigid contact.
#ifndef HFI_MLCP_MLCP_H
#define HFI_MLCP_MLCP_H

#include "step/world/method.h"

// For the table of methods.
extern const hfiMethod hfi_method_mlcp;

#endif
