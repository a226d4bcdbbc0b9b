// Inertias of links that no material body can have.
//
// Principal moments A >= B >= C >= 0 of matter obey B + C >= A. I: xx yy zz xy xz yz; R: the principal axes.
#include "io/xml/reader.h"

#include "math/eigen3.h"

// Smaller moments count as zero [kg m^2]. A grain of 0.01 mg and 0.1 mm has 1e-16.
static const double NO_MOMENT = 1e-16;
// Files are written with few digits, so moments may violate the conditions on matter by this share of the largest
// moment [-].
static const double ROUNDING_SHARE = 1e-6;

// Replaces an inertia I that no matter has: its moments by their mean, with a warning. A rod whose least moment was
// rounded below zero gets zero there. Any other inertia stays as it is. link, name: for the warning.
void hfi_repair_inertia(hfiReader* r, const hfiElem* link, const char* name, double I[6]) {
  double moment[3];
  hfMat3 R;
  eigen3(I, moment, &R);

  // matter, but for rounding
  int is_positive = moment[2] >= -ROUNDING_SHARE * moment[0];
  int is_triangle = moment[1] + moment[2] >= moment[0] * (1 - ROUNDING_SHARE);
  if (is_positive && is_triangle) {
    double rod[6] = {moment[0], moment[1], 0, 0, 0, 0};
    if (moment[2] < 0) sym3_rotate(R, rod, I);
    return;
  }

  // an inertia of nothing but rounding is replaced without a warning
  if (max2(moment[0], -moment[2]) > NO_MOMENT)
    hfi_note(r, link, HF_WARNING,
             "link \"%.100s\": no matter has the principal moments %g %g %g (A + B >= C); their mean, "
             "or zero if that is negative, is used for all three",
             name, moment[0], moment[1], moment[2]);

  double mean = max2(0, (moment[0] + moment[1] + moment[2]) / 3);
  for (int i = 0; i < 3; ++i) {
    I[i] = mean;
    I[3 + i] = 0;
  }
}
