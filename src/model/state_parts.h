// What states have in common, and the words that methods keep in them.
#ifndef HFI_MODEL_STATE_PARTS_H
#define HFI_MODEL_STATE_PARTS_H

#include <holdfast/state.h>
#include <stddef.h>
#include <stdint.h>

// ---- parts -----------------------------------------------------------------------------------------
//
// The arrays of a state, in the order in which they lie: what copies, compares or saves a state goes by this list.
// Integrators and error control go by the motion of each part.

// How a part changes while time goes on.
typedef enum hfiPartMotion {
  HFI_PART_CONFIGURATION, // along velocities, as hf_model_integrate does
  HFI_PART_VELOCITY,      // a rate for each dof, which adds up
  HFI_PART_VECTOR,        // a rate for each number, which adds up
  HFI_PART_MEMORY,        // contacts come and go, and between that their deformations change
  HFI_PART_HELD,          // by jumps only: it stays as it is within a step
} hfiPartMotion;

typedef struct hfiStatePart {
  hfiPartMotion motion;
  size_t address; // where the header has the offset of the array (int64_t)
  size_t count;   // where it has the number of its elements (int32_t)
  size_t width;   // bytes of an element
} hfiStatePart;

enum { HFI_STATE_PARTS = 8 };
extern const hfiStatePart hfi_state_parts[HFI_STATE_PARTS];

// The array of a part, which may be written if the state may, and the bytes of it that count.
void* hfi_state_part(const hfState* s, const hfiStatePart* part);
size_t hfi_state_part_bytes(const hfState* s, const hfiStatePart* part);
// Does an integrator follow the part? Its numbers are doubles.
static inline int hfi_state_part_is_integrated(const hfiStatePart* part) { return part->motion <= HFI_PART_VECTOR; }

// Do two states belong to one model, by the sizes that a model determines? Their room for remembered contacts may
// differ.
static inline int hfi_state_same_sizes(const hfState* a, const hfState* b) {
  return a->nq == b->nq && a->nv == b->nv && a->na == b->na && a->ndiscrete == b->ndiscrete &&
         a->nfriction == b->nfriction && a->nhistory == b->nhistory && a->nrest == b->nrest;
}

// ---- words -----------------------------------------------------------------------------------------
//
// The words of a state that its methods keep for themselves (hf_state_discrete), by their places.

// The word of a tree that sleeps from the start. The first step replaces it by the signature of the tree.
#define HFI_ASLEEP_FROM_START INT64_MIN

enum {
  HFI_WORD_PHASE, // phase of the method switching
  HFI_WORD_SINCE, // time at which this phase began [s]
  HFI_WORD_PACE,  // pace of error control (hfiPace)
  HFI_WORD_TREES  // the first of ntree words: how long the tree has rested, or that it sleeps
};

#endif
