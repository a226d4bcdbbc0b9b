// How far equalities and limits are from being kept (docs/theory/equalities.md#how-far-they-give-way).
#ifndef HOLDFAST_VIOLATION_H
#define HOLDFAST_VIOLATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The largest violation of its kind. If the amount is 0, nothing is violated, and kind and id are 0.
typedef struct hfViolation {
  double amount; // [m or rad]
  int32_t kind;  // hfObjectKind: HF_OBJECT_EQUALITY, HF_OBJECT_JOINT or HF_OBJECT_TENDON
  int32_t id;    // which one: hf_model_name(model, kind, id)
} hfViolation;

// The worst violations of lengths and of angles. The length of a fixed tendon that has only hinges counts as an angle, the length of any other tendon as a
// length. Equalities and limits that are switched off do not count. Soft ones count like all others, although they are meant to give way.
typedef struct hfViolations {
  hfViolation equality_distance; // connect, weld: how far the two points are apart; coupling of slides or of tendons: its error [m]
  hfViolation equality_angle;    // weld: angle between the two bodies; coupling of hinges or of tendons: its error [rad]
  hfViolation limit_distance;    // slides and tendons: how far beyond the range; a margin is no part of the range [m]
  hfViolation limit_angle;       // hinges, balls and tendons: how far beyond the range [rad]
} hfViolations;

#ifdef __cplusplus
}
#endif
#endif
