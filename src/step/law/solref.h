// MuJoCo's solver parameters as a contact law.
#ifndef HFI_LAW_SOLREF_H
#define HFI_LAW_SOLREF_H

// MuJoCo's law of a soft constraint of inverse mass w: at depth r, separation speed v and acceleration a it is
//   f = (k d(r) r - b v - a) d(r)/((1 - d(r)) w)
typedef struct hfiSoftLaw {
  double k, b;      // [1/s^2], [1/s]
  double solimp[5]; // parameters of the impedance d(r)
  double w;         // [1/kg]
} hfiSoftLaw;

// MuJoCo's defaults of solref and solimp.
extern const double HFI_DEFAULT_SOLREF[2], HFI_DEFAULT_SOLIMP[5];

// MuJoCo's law from solref (2) and solimp (5). h: MuJoCo keeps the time constant above 2 h.
hfiSoftLaw hfi_soft_law(const double* solref, const double* solimp, double w, double h);

// Impedance d(r) of MuJoCo at depth r >= 0: (d0, dmax, width, midpoint, power). *slope = dd/dr [1/m]; it may be NULL.
double hfi_solimp_impedance(const double* solimp, double r, double* slope);

// The depth at which the law carries the weight g/w [m].
double hfi_soft_resting_depth(const hfiSoftLaw* law, double g);

// The law linearised at depth r for a step of length h that starts at separation speed v0:
//   f = stiffness (depth - h v)+
typedef struct hfiSoftStep {
  double stiffness, depth; // [N/m], [m]
} hfiSoftStep;
hfiSoftStep hfi_soft_step(const hfiSoftLaw* law, double r, double v0, double h);

// The law at the depth or violation r >= 0: the force F = secant r at rest, its slope, and the mass m = d/((1 - d) w).
// The force has the terms -m a and -m b v.
typedef struct hfiSoftPoint {
  double force, secant, tangent, mass; // [N], [N/m], [N/m], [kg]
} hfiSoftPoint;
hfiSoftPoint hfi_soft_point(const hfiSoftLaw* law, double r);

#endif
