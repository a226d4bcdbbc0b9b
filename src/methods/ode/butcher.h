// Runge-Kutta methods as tables, all with a last stage that is the step (b = last row of A).
//
//   U_i = u0 + h sum_j a_ij K_j,   K_i = F(t0 + c_i h, U_i),   u1 = U_s,   e = h sum_i e_i K_i
//
//   sum_i fast_i K_i = J sum_i fast_i U_i for a linear equation: shows the rates of fast motions
//
//   e_i = b_i - bhat_i gives the local error; a table of zeros leaves it to step doubling
#ifndef HFI_ODE_BUTCHER_H
#define HFI_ODE_BUTCHER_H

enum {
  HFI_MAX_STAGES = 7,
  HFI_METHOD_RK5 = 1000, // Dormand and Prince's pair, which no hfMethod names: error control of discrete time uses it.
};

// The table of a method, with the letters of the head.
typedef struct hfiButcher {
  int stages;
  int order;       // order of the method
  int error_order; // the local error estimate goes as h^error_order
  double gamma;    // the diagonal of every implicit stage; 0: the method is explicit
  double c[HFI_MAX_STAGES];
  double A[HFI_MAX_STAGES][HFI_MAX_STAGES];
  double e[HFI_MAX_STAGES];
  double fast[HFI_MAX_STAGES]; // explicit: combination of the stages in which smooth motion cancels
} hfiButcher;

// The table of an hfMethod or of HFI_METHOD_RK5, NULL if it is not a continuous-time method.
const hfiButcher* hfi_butcher(int method);
// 1: the table has an error estimate of its own.
int hfi_butcher_embedded(const hfiButcher* table);

#endif
