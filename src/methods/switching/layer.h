// The compliant layer of contacts: forces and rates of its deformation at a point.
#ifndef HFI_SWITCHING_LAYER_H
#define HFI_SWITCHING_LAYER_H

#include "methods/switching/rigid.h"

// The layer of one contact at one point.
typedef struct hfiLayerState {
  double delta;        // normal deformation [m]
  double s[6];         // row velocities [m/s, rad/s]
  double f[6];         // forces of the rows [N, N m]
  int32_t slips;       // bit g: friction group g slips
  double w[3][2];      // for each group: k xi + c s, the force that would hold it without slip [N, N m]
  hfiDeformation rate; // rate of the deformation [m/s, rad/s]
} hfiLayerState;

// Computes the layer of contact i of the accel's last evaluation at velocity v, with the rest gap `rest`.
hfiLayerState hfi_layer_evaluate(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation,
                                 const double* v);

// Derivatives of the six rows of a contact: entry [i][k] is the derivative of row i by row k. Displacements and
// deformations are those along the rows.
typedef struct hfiLayerSlopes {
  double f_s[6][6];     // of the forces by row velocities
  double f_x[6][6];     // of the forces by displacements
  double f_xi[6][6];    // of the forces by deformations
  double rate_s[6][6];  // of the rates of the deformations by row velocities
  double rate_x[6][6];  // of the rates by displacements
  double rate_xi[6][6]; // of the rates by deformations
} hfiLayerSlopes;

// Derivatives of hfi_layer_evaluate, whose result is `state`, on the piece of the law on which the layer is: one that
// presses presses, one that slips slips.
hfiLayerSlopes hfi_layer_slopes(const hfRigid* rigid, int i, const hfiDeformation* deformation,
                                const hfiLayerState* state);

// Energy of the springs of that contact [J].
double hfi_layer_energy(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation);

// Rest gap and deformation with which the layer of contact i takes over the rigid forces of its track.
double hfi_layer_start_normal(const hfRigid* rigid, int i, const hfiTrack* track, const double* s);
hfiDeformation hfi_layer_start_tangential(const hfRigid* rigid, int i, const hfiTrack* track, const double* s,
                                          int start);

#endif
