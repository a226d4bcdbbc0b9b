// Runge-Kutta methods as tables, all with a last stage that is the step (b = last row of A).
//
//   U_i = u0 + h sum_j a_ij K_j,   K_i = F(t0 + c_i h, U_i),   u1 = U_s,   e = h sum_i e_i K_i
//
//   e_i = b_i - bhat_i gives the local error; a table of zeros leaves it to step doubling
#ifndef HFI_ODE_BUTCHER_H
#define HFI_ODE_BUTCHER_H

enum { HFI_MAX_STAGES = 4 };

typedef struct hfiButcher {
  int stages;
  int order;       // of the step
  int error_order; // the local error estimate goes as h^error_order
  double gamma;    // the diagonal of every implicit stage; 0: the method is explicit
  double c[HFI_MAX_STAGES], A[HFI_MAX_STAGES][HFI_MAX_STAGES], e[HFI_MAX_STAGES];
} hfiButcher;

// The table of an hfMethod, NULL where it is not a continuous-time method.
const hfiButcher* hfi_butcher(int method);
// 1: the table has an error estimate of its own.
int hfi_butcher_embedded(const hfiButcher* table);

#endif
