// Solves a reduced friction problem by proximal steps.
#ifndef HFI_FRICTION_PROXIMAL_H
#define HFI_FRICTION_PROXIMAL_H

#include "methods/friction/reduce.h"
#include "linalg/block_sparse.h"
#include "step/law/law.h"

// Room for problems of up to `nodes` nodes, n rows and `entries` entries of W.
typedef struct hfiProximal {
  const hfAllocator* allocator;
  hfiBlockMatrix K;             // Newton's matrix I + G W
  size_t capacity;              // number of doubles for which K.value has room
  double* r;                    // (n) reactions of the iterate
  double* r0;                   // (n) reactions of the last proximal step
  double* r1;                   // (n) reactions of a trial
  double* u;                    // (n) velocities
  double* gamma;                // (n) reactions of the laws
  double* f;                    // (n) r - gamma
  double* dr;                   // (n) Newton step
  double* b;                    // (n) right-hand side in the order of elimination
  double* compliance;           // (nodes) c
  double* rho;                  // (nodes) slope of the laws
  hfiContactResponse* response; // (nodes) derivatives of the laws
  size_t* place;                // (entries) index in K.value of the entry of this column in the first row of its node
  int32_t* stride;              // (entries) the distance from there to the next row of the node
  void* memory;
} hfiProximal;

int hfi_proximal_create(hfiProximal* solver, int32_t nodes, int32_t n, int32_t entries, const hfAllocator* allocator);
void hfi_proximal_free(hfiProximal* solver);

// Improves r (n) until both residuals are within config->tolerance. Adds its work to the report. Returns HF_OK,
// HF_NOT_CONVERGED or HF_ERROR_MEMORY.
hfStatus hfi_proximal_solve(hfiProximal* solver, const hfiReduced* reduced, const hfFrictionConfig* config,
                            double* r, hfFrictionReport* report);

#endif
