// Steps of the method "switching": rigid arcs with events, compliant phases, and the changes between them.
#ifndef HFI_SWITCHING_SWITCHING_H
#define HFI_SWITCHING_SWITCHING_H

#include "methods/switching/layer.h"
#include "methods/continuous/continuous.h"

typedef struct hfiSwitching hfiSwitching;

// The method "switching", for the table of methods.
extern const hfiMethod hfi_method_switching;

// ---- inside -----------------------------------------------------------------------------------------

enum { HFI_PHASE_UNKNOWN = 0, HFI_PHASE_RIGID = 1, HFI_PHASE_SOFT = 2 };
enum { HFI_MAX_LAYERS = 96, HFI_MAX_SWITCHES = 64 };
enum {
  HFI_MAX_EVENTS = 200, // Most events in one step; then the compliant phase takes over.
  HFI_MAX_STALLS = 20,  // Most events in one step that come at once, without an arc between them.
  HFI_MAX_ARC_LOOKS = 10000, // Most evaluations of the right-hand sides in one step until the compliant phase takes over.
  HFI_MAX_LOOKS = 40000,     // Most evaluations of the right-hand sides in one step, which then ends where it is.
};

struct hfiSwitching {
  const hfModel* model;
  hfSwitchConfig config;
  hfRigid* rigid;
  hfIntegrator *arc, *soft; // integrators of rigid and compliant phases
  hfIntegrator* hopper;     // integrator of hops in compliant phases
  hfOde base;               // the accel's charts
  double h; // [s]

  int32_t nx;     // nq + nv + na
  int32_t stride; // numbers of a layer: 3, or 6 with torsion or rolling friction
  int32_t max_layers, nlayer;
  double t, *x;          // (nx + stride max_layers) the state
  double *start, *trial; // (nx) states at the start and at a trial end of an arc
  double* soft_start;    // (as x) state at the start of a compliant phase within the step
  double* weight;        // (n) weights of the error norm
  double* vdot;          // (nv)
  double* rate;          // (as the tangent of x)
  double* looked;        // (as x) point of the last evaluation of hfi_soft_rate
  uint64_t region;       // number of the smooth piece of the layers' laws on which that point lies
  hfiTrack *before,
      *kept; // (max_contacts) tracks before modes were sought; at the start of an arc or phase
  int32_t nbefore, nkept;
  hfiLayerState* layer; // (max_contacts) compliant: contacts at the point of the results
  int32_t ncontact;
  hfContact* contact; // (max_contacts) contacts of the last step

  int32_t phase;
  double since;           // start of the phase [s]
  int32_t events, stalls; // number of events in this step, and of those that came at once
  int32_t looks;          // number of evaluations of the right-hand sides in this step
  hfiLayerEnergy energy;  // energy of the layers in this step
  hfSwitch record[HFI_MAX_SWITCHES];
  hfSwitchReport report;
  hfIntegratorReport integration;
};

static inline double* hfi_switching_v(hfiSwitching* s) { return s->x + s->model->nq; }
static inline double* hfi_switching_act(hfiSwitching* s) {
  return s->model->na ? s->x + s->model->nq + s->model->nv : NULL;
}

// Advances a rigid phase to the next event or to t_end, or begins a compliant phase.
hfStatus hfi_rigid_phase(hfiSwitching* s, double t_end, hfError* error);
// Has the step taken all the evaluations that it may?
int hfi_looks_are_used_up(const hfiSwitching* s);
// 1: this step had so many events that rigid arcs would not end it.
int hfi_arc_exhausted(const hfiSwitching* s);
// Advances a compliant phase to t_end, or to where it begins a rigid phase.
hfStatus hfi_soft_phase(hfiSwitching* s, double t_end, hfError* error);
// Right-hand sides, x = (q, v, act) and the layers behind it.
hfStatus hfi_arc_rate(void* context, double t, const double* x, double* xdot);
hfStatus hfi_soft_rate(void* context, double t, const double* x, double* xdot);

// Derivatives J (n x n) of hfi_soft_rate in the tangent space at x, and their change into the chart (soft_jacobian.c).
hfStatus hfi_soft_jacobian(void* context, double t, const double* x, double* J);
void hfi_soft_lift_jacobian(void* context, const double* u, const double* udot, double* J);
// The number of the smooth piece of the layers' laws on which x lies: which layers press, and which friction groups slip.
uint64_t hfi_soft_region(void* context, double t, const double* x);
// The deformation of layer k in the state vector x; zero for a contact without a layer.
hfiDeformation hfi_soft_deformation(const hfiSwitching* s, const double* x, int k);
// The rest gap of contact i.
double hfi_soft_rest(const hfRigid* r, int i);

// Begins a compliant phase at the point looked at last: the layers take over the forces that the tracks hold.
void hfi_switch_to_soft(hfiSwitching* s, int reason);
// Computes the forces and layers of the contacts at the present point of a compliant phase.
hfStatus hfi_soft_look(hfiSwitching* s);
// Energy of the layers at the point looked at last [J].
double hfi_soft_energy(const hfiSwitching* s);

// Makes one track for each contact of the accel's last evaluation: a copy of the one that matches, or a new one.
void hfi_tracks_renew(hfiSwitching* s);
// The rest gap of contact i, which has no track: zero, or that of the deepest known contact of its pair. Shapes that overlap find other points
// as they move, and each would begin with the force of the whole overlap.
double hfi_relaxed_gap(const hfRigid* r, int i);
void hfi_tracks_copy(hfiTrack* to, int32_t* nto, const hfiTrack* from, int32_t n);
// Reads the tracks and phases from the contact memory and the discrete part of a state.
hfStatus hfi_switching_recall(hfiSwitching* s, const hfState* state);
// Writes them to a state. Returns the number of contacts for which there was no room.
int hfi_switching_store(hfiSwitching* s, hfState* state);

void hfi_add_integration(hfiSwitching* s, const hfIntegrator* integrator);

#endif
