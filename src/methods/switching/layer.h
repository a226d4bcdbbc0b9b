// The compliant layer of contacts: forces and rates of its deformation at a point.
#ifndef HFI_SWITCHING_LAYER_H
#define HFI_SWITCHING_LAYER_H

#include "methods/switching/rigid.h"

typedef struct hfiLayerState {
  double delta;      // normal deformation [m]
  double s[6], f[6]; // row velocities, forces
  int32_t slips;     // bit g: friction group g slips
  double w[3][2];    // for each group: k xi + c s, the force that would hold it without slip
  hfiDeformation rate;
} hfiLayerState;

// Computes the layer of contact i of the accel's last evaluation at velocity v, with the rest gap `rest`.
hfiLayerState hfi_layer_evaluate(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation,
                                 const double* v);

// Derivatives of the six rows of a contact: entry [i][k] is that of row i by row k.
typedef struct hfiLayerSlopes {
  double f_s[6][6], f_x[6][6], f_xi[6][6];          // of the forces by row velocities, by displacements along the rows, by the deformation along the rows
  double rate_s[6][6], rate_x[6][6], rate_xi[6][6]; // of the rate of the deformation along the rows by the same
} hfiLayerSlopes;

// Derivatives of hfi_layer_evaluate, whose result is `state`, on the piece of the law on which the layer is: one that
// presses presses, one that slips slips.
hfiLayerSlopes hfi_layer_slopes(const hfRigid* rigid, int i, const hfiDeformation* deformation,
                                const hfiLayerState* state);

// Energy of the springs of that contact [J].
double hfi_layer_energy(const hfRigid* rigid, int i, double rest, const hfiDeformation* deformation);

// Rest gap and deformation with which the layer of contact i takes over the rigid forces of its track.
double hfi_layer_start_normal(const hfRigid* rigid, int i, const hfiTrack* track, const double* s);
hfiDeformation hfi_layer_start(const hfRigid* rigid, int i, const hfiTrack* track, const double* s, int start);

#endif
