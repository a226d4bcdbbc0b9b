// How far reactions are from an answer of a reduced problem.
#ifndef HFI_FRICTION_RESIDUAL_H
#define HFI_FRICTION_RESIDUAL_H

#include "methods/friction/reduce.h"

// u = W r + q
void hfi_reduced_velocity(const hfiReduced* P, const double* r, double* u);
// The mean of the diagonal of W on a node; 1 if that is not positive [m/s per N s].
double hfi_node_compliance(const hfiReduced* P, int32_t node);

// Natural map and residuals as in hfFrictionReport, of contacts with reactions r and velocities u.
typedef struct hfiResidual {
  double natural_map, residual, scaled_residual;
} hfiResidual;
hfiResidual hfi_friction_residual(const hfiReduced* P, const double* r, const double* u);

#endif
