// Inertia against a generalised force at qpos0.
#ifndef HFI_MODEL_REFERENCE_MASS_H
#define HFI_MODEL_REFERENCE_MASS_H

#include <holdfast/model.h>

// j M^-1 j^T at qpos0 for a row j (nv); its inverse is the inertia. Refuses when out of memory, or
// where M is not positive definite.
hfStatus hfi_reference_compliance(const hfModel* model, const double* row, double* compliance, hfError* error);
// Computes j M^-1 j^T, and |M^-1 j^T|, the size of the acceleration that a unit force along j causes.
hfStatus hfi_reference_acceleration(const hfModel* model, const double* row, double* compliance, double* acceleration, hfError* error);
// row += factor times the gradient of a tendon's length at qpos0, where the bodies are at X_WB.
void hfi_add_tendon_moment(const hfModel* model, int tendon, const hfPose* X_WB, double factor, double* row);

#endif
