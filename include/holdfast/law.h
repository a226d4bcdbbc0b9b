// The parameters of the two laws that a row of the step problem can have (docs/theory/one-law.md).
#ifndef HOLDFAST_LAW_H
#define HOLDFAST_LAW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfLawKind { HF_LAW_SATURATED = 0, HF_LAW_CONTACT = 1 } hfLawKind;

// One saturated row: force = clamp(-kappa (s - s0), lo, hi).
typedef struct hfSaturatedRow {
  double s0;     // target row velocity [m/s or rad/s]
  double kappa;  // slope [N s/m or N m s/rad], > 0
  double lo, hi; // force bounds [N or N m], lo <= hi, may be infinite
} hfSaturatedRow;

// Friction comes in three groups with the same law: sliding (2 rows), torsion (1), rolling (2).
enum { HF_SLIDING = 0, HF_TORSION = 1, HF_ROLLING = 2 };

// A contact: rows n, t1, t2 [, torsion [, roll1, roll2]]; dim is 1, 3, 4 or 6.
//   vn > 0 separates; normal force pi(vn) = k (1 - d vn)+ (depth - h vn)+        (Eq. 5 with Eq. 19)
//   regularised: f = -mu pi g(|s|/v_s) s/|s|
//   anchored:    f = -(k_t (xi0 + h s) + c_t s) projected on the disc |f| <= mu pi
typedef struct hfContactLaw {
  double stiffness;         // k [N/m]
  double dissipation;       // d [s/m]
  double depth;             // depth at the start of the step; negative: a gap [m]
  double normal_force0;     // pi at the start of the step: frozen by one-way, lagged by convex [N]
  double mu[3];             // sliding [-], torsion [m], rolling [m]
  double stiction_speed[3]; // v_s of each group [m/s, rad/s, rad/s]
  double k_t[3];            // anchored: stiffness of each group [N/m, N m/rad, N m/rad]
  double c_t[3];            // anchored: damping of each group [N s/m, N m s/rad, N m s/rad]
  double xi0[5];            // anchored: deformation at the start (t1, t2, torsion, roll1, roll2) [m, rad]
  int32_t friction;         // hfFrictionLaw
  int32_t reserved;
} hfContactLaw;

#ifdef __cplusplus
}
#endif
#endif
