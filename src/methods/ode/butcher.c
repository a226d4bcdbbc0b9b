// Four methods.
//
//   RK3             Bogacki and Shampine 1989: order 3 with an embedded order 2, first same as last
//   RK5             Dormand and Prince 1980: order 5 with an embedded order 4, first same as last
//   implicit Euler  U = u0 + h F(t + h, U); error by step doubling
//   SDIRK           TR-BDF2 (Bank et al. 1985) as Hosea and Shampine 1996 write it: a trapezoid to
//                   2 d h, then BDF2; order 2, L-stable, one matrix I - d h J for both stages,
//                   error from an embedded order 3;  d = 1 - sqrt(2)/2, w = sqrt(2)/4
#include "methods/ode/butcher.h"

#include <holdfast/model.h>

#define D 0.29289321881345247560 // 1 - sqrt(2)/2
#define W 0.35355339059327376220 // sqrt(2)/4

static const hfiButcher rk3 = {
    .stages = 4,
    .order = 3,
    .error_order = 3,
    .c = {0, 1. / 2, 3. / 4, 1},
    .A = {{0}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}},
    .e = {2. / 9 - 7. / 24, 1. / 3 - 1. / 4, 4. / 9 - 1. / 3, -1. / 8},
    .fast = {-1. / 3, 2, -8. / 3, 1}, // the third divided difference at the points c
};

static const hfiButcher rk5 = {
    .stages = 7,
    .order = 5,
    .error_order = 5,
    .c = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    .A = {{0},
          {1. / 5},
          {3. / 40, 9. / 40},
          {44. / 45, -56. / 15, 32. / 9},
          {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
          {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
          {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    .e = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40},
    .fast = {0, 0, 0, 0, 0, -1, 1}, // two stages at the end of the step
};

static const hfiButcher implicit_euler = {
    .stages = 1,
    .order = 1,
    .error_order = 2,
    .gamma = 1,
    .c = {1},
    .A = {{1}},
};

static const hfiButcher sdirk = {
    .stages = 3,
    .order = 2,
    .error_order = 3,
    .gamma = D,
    .c = {0, 2 * D, 1},
    .A = {{0}, {D, D}, {W, W, D}},
    .e = {W - (1 - W) / 3, W - (3 * W + 1) / 3, D - D / 3},
};

// Returns the table of an hfMethod or of HFI_METHOD_RK5, or NULL.
const hfiButcher* hfi_butcher(int method) {
  switch (method) {
    case HF_METHOD_RK3: return &rk3;
    case HFI_METHOD_RK5: return &rk5;
    case HF_METHOD_IMPLICIT_EULER: return &implicit_euler;
    case HF_METHOD_SDIRK: return &sdirk;
    default: return 0;
  }
}

int hfi_butcher_embedded(const hfiButcher* table) { return table->e[0] != 0; }
