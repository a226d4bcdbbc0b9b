// The material of two touching geoms: stiffness, dissipation, friction.
#ifndef HFI_CONTACT_MATERIAL_H
#define HFI_CONTACT_MATERIAL_H

#include <holdfast/model.h>

#include "step/law/solref.h"

typedef struct hfiMaterial {
  double stiffness;      // stiffness k of the pair: k_a and k_b of the two geoms in series [N/m]
  double dissipation;    // dissipation d of the pair [s/m]
  double weight_a;       // k_a/(k_a + k_b), which says where between the surfaces the contact point lies [-]
  double mu[3];          // coefficients of friction against sliding [-], torsion [m] and rolling [m]
  double mu_dynamic;     // coefficient of sliding friction above the stiction speed [-]
  double stiction_speed; // v_s [m/s]
  double tangential_stiffness; // k_t [N/m]
  double tangential_damping;   // c_t; negative: critical [N s/m]
  double include_margin;       // contacts act below this gap [m]
  double restitution;          // coefficient of restitution, in methods of discrete time [-]
  double adhesion;             // force with which a contact point pulls [N]
  int32_t condim;
  int32_t from_solref; // 1: `stiffness` lets a body rest as deep under its weight as `soft` does
  hfiSoftLaw soft;     // MuJoCo's law; valid with from_solref
} hfiMaterial;

// The gap below which contacts of the pair act [m].
double hfi_material_margin(const hfModel* model, int geom_a, int geom_b, int pair);
// A contact of the pair is found, though it does not act, up to this distance beyond the margin: MJCF's gap [m].
double hfi_material_gap(const hfModel* model, int geom_a, int geom_b, int pair);
// The force with which a contact point of the pair pulls if it is found within that gap [N].
double hfi_material_adhesion(const hfModel* model, int geom_a, int geom_b, int pair);
// The depth [m] at which a law of MuJoCo carries a weight in gravity g [m/s^2]. It is remembered, because the pairs of
// a model mostly have a few different laws.
typedef struct hfiRest {
  double k;         // stiffness of the law [1/s^2]
  double solimp[5]; // its impedance
  double g;         // gravity [m/s^2]
  double depth;     // [m]
} hfiRest;

// So many depths are remembered.
enum { HFI_RESTS = 4 };

// What is needed to make a contact law of MuJoCo's parameters.
typedef struct hfiSoftness {
  // (nbody) inverse weights of the bodies at the reference pose; zero if no law needs them [1/kg]
  const double* weight;
  int32_t defaults;        // 1: a contact with neither a stiffness nor MuJoCo's parameters has MuJoCo's defaults
  uint32_t nrest;          // number of resting depths that were computed
  hfiRest rest[HFI_RESTS]; // the last of these depths; number i is at i modulo HFI_RESTS
} hfiSoftness;

// pair: explicit contact pair, or -1.
hfiMaterial hfi_material_combine(const hfModel* model, hfiSoftness* softness, int geom_a, int geom_b, int pair);

#endif
