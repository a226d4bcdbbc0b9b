// Events of a simulation: which bodies begin or cease to touch, slide or stick, and what the solver reports.
//
//   hfEvents* events = NULL;
//   hf_events_create(&events, &error);
//   while (hf_sim_step(sim, state, input, &report, &error) >= 0) {
//     hf_events_update(events, sim, state->time, &report, &error);
//     int count;
//     const hfEvent* event = hf_events_list(events, &count); // count events of this step
//   }
//
// Two bodies touch while one of their contacts carries a normal force. They slide while every contact between them that
// carries one is at its friction bound: then nothing holds them against each other.
#ifndef HOLDFAST_EVENTS_H
#define HOLDFAST_EVENTS_H

#include <holdfast/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfEventKind {
  HF_EVENT_TOUCH = 1,     // contact began: two bodies begin to press on each other
  HF_EVENT_LEAVE = 2,     // contact ended: they no longer press on each other
  HF_EVENT_SLIDE = 3,     // every loaded contact between them is at its friction bound
  HF_EVENT_STICK = 4,     // one of these contacts holds again
  HF_EVENT_RUNG = 5,      // a rung other than TAMSI begins to serve; value: hfRung
  HF_EVENT_RIGID = 6,     // method "switching" changes to rigid contact; value: hfSwitchReason
  HF_EVENT_COMPLIANT = 7, // method "switching" changes to compliant contact; value: hfSwitchReason
  HF_EVENT_DROPPED = 8,   // contacts were dropped, because there were more than the capacity; value: how many
} hfEventKind;

typedef struct hfEvent {
  double time;            // [s]
  int32_t kind;           // hfEventKind
  int32_t body_a, body_b; // body_a < body_b; -1: none
  int32_t value;
} hfEvent;

// Remembers which bodies touched after the last update. Keep one for each world that you follow.
typedef struct hfEvents hfEvents;

HF_API hfStatus hf_events_create(hfEvents** events, hfError* error);
HF_API void hf_events_free(hfEvents* events); // NULL is allowed
// Lists what changed between the update before and the sim's last step, which ended at `time`. step may be NULL: no events of the solver. In the
// first update every pair that touches has an event HF_EVENT_TOUCH. Refuses only if there is no memory (HF_ERROR_MEMORY); then the list is empty and
// nothing is forgotten.
HF_API hfStatus hf_events_update(hfEvents* events, const hfSim* sim, double time, const hfStepReport* step, hfError* error);
// The events of the last update (*count), sorted by bodies; valid until the next.
HF_API const hfEvent* hf_events_list(const hfEvents* events, int* count);
// Forgets which bodies touch: for a state that does not follow from the one before.
HF_API void hf_events_reset(hfEvents* events);

#ifdef __cplusplus
}
#endif
#endif
