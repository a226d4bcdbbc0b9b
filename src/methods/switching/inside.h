// Inside of the method "switching": rigid arcs with events, compliant phases, and the changes between them.
#ifndef HFI_SWITCHING_INSIDE_H
#define HFI_SWITCHING_INSIDE_H

#include "methods/continuous/continuous.h"
#include "methods/switching/layer.h"
#include "methods/switching/switching.h"

// The contact model that acts. The numbers are those of the state's word.
typedef enum hfiPhase { HFI_PHASE_UNKNOWN = 0, HFI_PHASE_RIGID = 1, HFI_PHASE_COMPLIANT = 2 } hfiPhase;

enum {
  HFI_MAX_LAYERS = 96,   // Most contacts that can have a layer.
  HFI_MAX_SWITCHES = 64, // Most switches of one step that are recorded; the last entry then holds the last switch.
  HFI_MAX_EVENTS = 200,  // Most events in one step; then the compliant phase takes over.
  HFI_MAX_STALLS = 20,   // Most events in one step that come at once, without an arc between them.

  // Most evaluations of the right-hand sides in one step until the compliant phase takes over.
  HFI_MAX_ARC_EVALUATIONS = 10000,
  // Most evaluations of the right-hand sides in one step, which then ends where it is.
  HFI_MAX_EVALUATIONS = 40000,
};

// An arc that lasts less than this share of the step counts as an instant: it stalls the step [-].
static const double HFI_INSTANT_SHARE = 1e-9;

// Layers as unknowns behind (q, v, act) in the state vector (compliant.c).
typedef struct hfiLayers {
  int32_t stride;       // numbers of a layer: 3, or 6 with torsion or rolling friction
  int32_t capacity;     // largest number of layers
  int32_t count;        // number of layers
  hfiLayerState* state; // (max_contacts) contacts at the point of the results
} hfiLayers;

// Rigid arcs (arc.c).
typedef struct hfiArc {
  hfIntegrator* integrator;
  double* start;  // (nx) state at the start of an arc
  double* trial;  // (nx) state at a trial end of it
  int32_t events; // number of events in this step
  int32_t stalls; // number of these that came at once
} hfiArc;

// Compliant phases (compliant.c).
typedef struct hfiCompliant {
  hfIntegrator* integrator;
  hfIntegrator* hop_integrator;
  double* start;        // (as x) state at the start of a phase within the step
  double* rate;         // (as the tangent of x) scratch
  double* region_point; // (as x) point of the last evaluation of hfi_compliant_rate
  uint64_t region;      // number of the smooth piece of the layers' laws on which region_point lies
} hfiCompliant;

// What a step has computed beside the state (switching.c).
typedef struct hfiSwitchingResult {
  double* vdot;          // (nv) accelerations at the end of the step [m/s^2, rad/s^2]
  int32_t ncontact;      // number of contacts at the end of the step
  hfContact* contact;    // (max_contacts) these contacts
  hfiLayerEnergy energy; // energy of the layers [J]; start is negative until it is known
  hfSwitch record[HFI_MAX_SWITCHES];
  hfSwitchReport report;
  hfIntegratorReport integration; // sum over all integrations
} hfiSwitchingResult;

// The data of the method. Its files call it s.
typedef struct hfiSwitching {
  const hfModel* model;
  hfSwitchConfig config;
  hfRigid* rigid;
  hfOde base; // the accel's charts
  double h;   // the step [s]

  // the point
  int32_t nx;          // nq + nv + na
  double t;            // [s]
  double* x;           // (nx and the layers) the state
  double* weight;      // (as the tangent of x) weights of the error norm
  hfiPhase phase;      // the contact model that acts
  double since;        // start of the phase [s]
  int32_t evaluations; // number of evaluations of the right-hand sides in this step

  hfiLayers layers;
  hfiArc arc;
  hfiCompliant compliant;
  hfiTracks before; // tracks before modes were sought
  hfiTracks kept;   // tracks at the start of an arc or phase
  hfiSwitchingResult result;
} hfiSwitching;

static inline double* hfi_switching_v(hfiSwitching* s) { return s->x + s->model->nq; }
static inline double* hfi_switching_act(hfiSwitching* s) {
  return s->model->na ? s->x + s->model->nq + s->model->nv : NULL;
}
// Numbers of all layers in the state vector.
static inline int hfi_switching_tail(const hfiSwitching* s) { return s->layers.stride * s->layers.count; }
// Bytes of the state vector with its layers.
static inline size_t hfi_switching_bytes(const hfiSwitching* s) {
  return (size_t)(s->nx + hfi_switching_tail(s)) * sizeof(double);
}

// ---- the phases (phase.c, arc.c, compliant.c) ---------------------------------------------------------

// Has the step taken all the evaluations that it may?
int hfi_evaluations_are_used_up(const hfiSwitching* s);
// 1: this step had so many events that rigid arcs would not end it.
int hfi_arc_is_exhausted(const hfiSwitching* s);
// Adds what an integrator did to s->result.integration.
void hfi_add_integration(hfiSwitching* s, const hfIntegrator* integrator);

// Advances a rigid phase to the next event or to t_end, or begins a compliant phase.
hfStatus hfi_advance_rigid_phase(hfiSwitching* s, double t_end, hfError* error);
// Advances a compliant phase to t_end, or to where it begins a rigid phase.
hfStatus hfi_advance_compliant_phase(hfiSwitching* s, double t_end, hfError* error);
// Begins a compliant phase at the point looked at last: the layers take over the forces that the tracks hold.
void hfi_switch_to_compliant(hfiSwitching* s, int reason);

// ---- right-hand sides, x = (q, v, act) and the layers behind it ----------------------------------------

hfStatus hfi_arc_rate(void* context, double t, const double* x, double* xdot);
hfStatus hfi_compliant_rate(void* context, double t, const double* x, double* xdot);
// Derivatives J (n x n) of hfi_compliant_rate in the tangent space at x, and their change into the chart
// (compliant_jacobian.c).
hfStatus hfi_compliant_jacobian(void* context, double t, const double* x, double* J);
void hfi_compliant_lift_jacobian(void* context, const double* u, const double* udot, double* J);
// The number of the smooth piece of the layers' laws on which x lies: which layers press, and which friction groups
// slip.
uint64_t hfi_compliant_region(void* context, double t, const double* x);

// ---- layers (compliant.c) -----------------------------------------------------------------------------

// The deformation of layer k in the state vector x; zero for a contact without a layer.
hfiDeformation hfi_compliant_deformation(const hfiSwitching* s, const double* x, int k);
// The rest gap of contact i [m].
double hfi_compliant_rest_gap(const hfRigid* rigid, int i);
// Computes the forces and layers of the contacts at the present point of a compliant phase.
hfStatus hfi_compliant_update_point(hfiSwitching* s);
// Energy of the layers at the point looked at last [J].
double hfi_compliant_energy(const hfiSwitching* s);

// ---- tracks (remember.c) ------------------------------------------------------------------------------

// Makes one track for each contact of the accel's last evaluation: a copy of the one that matches, or a new one.
void hfi_tracks_renew(hfiSwitching* s);
// The rest gap [m] of contact i, which has no track: zero, or the gap of the deepest known contact of its pair. Shapes
// that overlap find other points as they move, and each would begin with the force of the whole overlap.
double hfi_find_relaxed_gap(const hfRigid* rigid, int i);
void hfi_tracks_copy(hfiTracks* to, const hfiTracks* from);
// Reads the tracks and phases from the contact memory and the discrete part of a state.
hfStatus hfi_switching_recall(hfiSwitching* s, const hfState* state);
// Writes them to a state. Returns the number of contacts for which there was no room.
int hfi_switching_store(hfiSwitching* s, hfState* state);

#endif
