// What two touching geoms have in common: stiffness, dissipation, friction.
#ifndef HFI_CONTACT_MATERIAL_H
#define HFI_CONTACT_MATERIAL_H

#include <holdfast/model.h>

#include "contact/solref.h"

typedef struct hfiMaterial {
  double stiffness;      // k of the pair, in series [N/m]
  double dissipation;    // d [s/m]
  double weight_a;       // k_a/(k_a + k_b): where between the surfaces the contact point lies [-]
  double mu[3];          // sliding [-], torsion [m], rolling [m]
  double mu_dynamic;     // sliding, above the stiction speed [-]
  double stiction_speed; // v_s [m/s]
  double tangential_stiffness; // k_t [N/m]
  double tangential_damping;   // c_t; negative: critical [N s/m]
  double include_margin;       // contacts act below this gap [m]
  double restitution;          // of an impact, in methods of discrete time [-]
  double adhesion;             // with which a contact point pulls [N]
  int32_t condim;
  int32_t from_solref; // 1: stiffness is that with which a body rests as deep under its weight as with `soft`
  hfiSoftLaw soft;     // MuJoCo's law; counts only with from_solref
} hfiMaterial;

// The gap below which contacts of the pair act [m].
double hfi_material_margin(const hfModel* model, int geom_a, int geom_b, int pair);
// By how much a contact of the pair may be too far apart to act and is found all the same, MJCF's gap [m].
double hfi_material_gap(const hfModel* model, int geom_a, int geom_b, int pair);
// The force with which a contact point of the pair pulls that is found within that gap [N].
double hfi_material_adhesion(const hfModel* model, int geom_a, int geom_b, int pair);
// The depth [m] at which a law of MuJoCo carries a weight in gravity g [m/s^2]. Most pairs of a model have one of a few laws: these are remembered.
typedef struct hfiRest { double k, solimp[5], g, depth; } hfiRest;
enum { HFI_RESTS = 4 };

// What MuJoCo's parameters need.
typedef struct hfiSoftness {
  const double* weight;    // (nbody) inverse weights of the bodies at the reference pose; zero where nobody asks for them [1/kg]
  int32_t defaults;        // 1: a contact without a stiffness and without these parameters has their defaults
  uint32_t nrest;          // number of resting depths that were computed
  hfiRest rest[HFI_RESTS]; // the last of these; number i is at i modulo HFI_RESTS
} hfiSoftness;

// pair: explicit contact pair, or -1.
hfiMaterial hfi_material_combine(const hfModel* model, hfiSoftness* softness, int geom_a, int geom_b, int pair);

#endif
