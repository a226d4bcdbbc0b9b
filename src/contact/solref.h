// MuJoCo's solver parameters as physical ones.
#ifndef HFI_CONTACT_SOLREF_H
#define HFI_CONTACT_SOLREF_H

typedef struct hfiCompliantContact {
  double stiffness;   // k [N/m]
  double dissipation; // d [s/m]
  double depth;       // at which they are those of MuJoCo [m]
} hfiCompliantContact;

// solref (2), solimp (5). Stiffness and dissipation that rest as deep as MuJoCo's contact with these parameters under the load
// g/w, and damp alike there. w: inverse mass along the normal [1/kg]; g: acceleration of the load;
// h: MuJoCo keeps the time constant above 2 h.
hfiCompliantContact hfi_solref_translate(const double* solref, const double* solimp, double w,
                                         double g, double h);

// Impedance d(r) of MuJoCo at depth r: (d0, dmax, width, midpoint, power).
double hfi_solimp_impedance(const double* solimp, double r);

#endif
