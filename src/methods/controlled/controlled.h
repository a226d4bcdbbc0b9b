// Error control for the methods of discrete time (docs/theory/accuracy.md).
#ifndef HFI_CONTROLLED_CONTROLLED_H
#define HFI_CONTROLLED_CONTROLLED_H

#include "methods/continuous/continuous.h"
#include "step/discrete/discrete.h"
#include "methods/ode/ode.h"

// What error control needs of a step of discrete time beside the state at its end.
typedef struct hfiStepSummary {
  int bounced;    // 1: a contact bounced
  double early;   // upper bound on how far bodies that bounced across a gap are ahead of their impact [m]
  int32_t* flies; // (ntree) 1: only inertia and gravity acted on the tree
} hfiStepSummary;

// A velocity error counts as the error of position that it makes in this time [s].
static const double HFI_VELOCITY_TIME = 0.1;

// How the motion continues: with which length of steps, and in discrete time or by an explicit method.
typedef struct hfiPace {
  double h;            // length of the next step [s]
  double stiffness;    // lambda, the largest known rate of the equation [1/s]
  int32_t resolved;    // 1: an explicit method follows the motion
  int32_t patience;    // number of stiff steps that the explicit method may still take
  int32_t doublings;   // how often patience was doubled
  int32_t has_stepped; // 1: discrete time has taken a step since the explicit method handed over
  int32_t failed;      // 1: the explicit method could not continue
  double span;         // length of the last half step of discrete time, over which contacts remember; 0: none [s]
} hfiPace;

// Explicit methods that follow the motion.
typedef struct hfiResolved {
  hfiContinuous* apart;    // for motion without contacts
  hfiContinuous* touching; // for motion with contacts
  hfiContinuous* last;     // the method that advanced last
} hfiResolved;

// The method. Its files call it controlled.
typedef struct hfiControlled {
  hfiWorld* world;
  hfiDiscrete* discrete;  // takes the steps
  hfiResolved resolved;   // explicit methods, which follow the motion if that is less work (resolved.c)
  int32_t ended_resolved; // 1: an explicit method took the last stretch of the last step
  double step;            // step of the sim [s]
  double accuracy;        // error that one step may have [m, rad]
  double smallest;        // shortest step [s]

  // copies of the state
  hfState* origin; // at the start of the sim's step
  hfState* start;  // at the start of the present step
  hfState* full;   // after the full step
  hfState* middle; // after the first half

  // summaries of the full step and of its two halves
  hfiStepSummary full_summary;
  hfiStepSummary first_summary;
  hfiStepSummary second_summary;

  // extrapolation (extrapolate.c)
  double* difference; // (nv) half (-) full of positions
  double* share;      // (nv) share of its difference by which a dof is extrapolated [-]
  double* change;     // (nv) share times difference
} hfiControlled;

// Summarises the last step of controlled->discrete.
void hfi_summarise_step(hfiStepSummary* summary, const hfiControlled* controlled);

// Computes `difference` and returns the estimated error of the step [m, rad].
double hfi_controlled_estimate_error(hfiControlled* controlled, const hfState* half, const hfState* full);
// Extrapolates: half <- half (+) share difference for positions, and in the same way for velocities, activations and
// contact memory. Does nothing if a contact bounced or if the change would press bodies into each other. The last step
// of `discrete` must be the second half.
void hfi_controlled_extrapolate(hfiControlled* controlled, hfState* half, const hfState* full);

// ---- resolved motion ----------------------------------------------------------------------------------

hfStatus hfi_resolved_create(hfiResolved* resolved, hfiWorld* world, const hfSimConfig* config, hfError* error);
void hfi_resolved_free(hfiResolved* resolved);
// Whether the motion may be resolved: all laws that can act on this model must give the same motion in discrete time,
// with shorter and shorter steps, as in continuous time.
int hfi_resolved_can_apply(const hfiControlled* controlled, const hfInput* input);
// Advances the state by `rest` [s], or by less if that does not pay or takes more than `most` >= 1 tries. Never returns
// trouble: in that case steps of discrete time continue.
hfStatus hfi_resolved_advance(hfiControlled* controlled, hfState* state, const hfInput* input, double rest, int most,
                              hfiPace* pace, hfError* error);
// The pace that the last step of the sim left in the state, so that the same state gives the same bits in any sim. A
// fresh state knows none: an explicit method then tries the whole step.
hfiPace hfi_pace_recall(const hfiControlled* controlled, const hfState* state);
void hfi_pace_store(const hfiControlled* controlled, hfState* state, const hfiPace* pace);
// Hands the motion over to an explicit method if discrete time, whose next step has the length h, is no faster. Returns
// 1 if it does.
int hfi_pace_hand_over(hfiPace* pace, double h);

// The method for the table of methods.
extern const hfiMethod hfi_method_controlled;

#endif
