// What happens between two steps: pairs of bodies that begin or cease to touch, slide or stick.
//
// A pair touches while one of its contacts carries a normal force. It slides while every contact that
// carries one is at its friction bound: then nothing holds the two bodies against each other.
#ifndef HFI_RECORD_EVENTS_H
#define HFI_RECORD_EVENTS_H

#include "record/bytes.h"

#include <holdfast/record.h>

typedef struct hfiTouch {
  int32_t body_a, body_b;
  int32_t slides; // 1: no loaded contact sticks
} hfiTouch;

typedef struct hfiEvents {
  hfiTouch *touch, *next; // pairs that touch, sorted; those of the step that is read
  int count, capacity;
  int32_t rung; // of the step before
} hfiEvents;

// Compares with the step before and adds a chunk for each event. step may be NULL.
void hfi_events_step(hfiEvents* events, const hfSim* sim, double time, const hfStepReport* step,
                     hfiBytes* out);
void hfi_events_release(hfiEvents* events);

#endif
