// Refusals inside a step, as data. The step writes no text, because it may run where there is none; explain.c and
// sim/explain.c write it.
#ifndef HFI_PROBLEM_TROUBLE_H
#define HFI_PROBLEM_TROUBLE_H

#include <holdfast/status.h>

#include <stdint.h>

// Why a step or a problem is refused. The comments say what `id` and `number` of hfiTrouble are.
typedef enum hfiTroubleKind {
  HFI_TROUBLE_NONE,
  HFI_TROUBLE_TREE,     // A number of tree `id` is not finite: mass matrix, momentum or velocity.
  HFI_TROUBLE_BLOCK,    // A number of block `id` is not finite: Jacobian or law. number: its first tree.
  HFI_TROUBLE_LENGTH,   // The length of the step is not finite.
  // The problem has `number` of what hfiProblemCount `id` names, more than its solver has room for. room: how many.
  HFI_TROUBLE_CAPACITY,
  HFI_TROUBLE_ISLAND,   // An island of `id` coupled trees needs more memory than was planned.
  HFI_TROUBLE_VELOCITY, // The velocity of tree `id` is not finite or too large at the end of the step.
} hfiTroubleKind;

// What a step problem has a number of.
typedef enum hfiProblemCount {
  HFI_COUNT_DOFS,
  HFI_COUNT_TREES,
  HFI_COUNT_BLOCKS,
  HFI_COUNT_ROWS,
  HFI_COUNT_PIECES,
  HFI_COUNT_COLUMNS,
  HFI_COUNT_ENTRIES,
  HFI_COUNT_TREE_DOFS,
  HFI_COUNTS
} hfiProblemCount;

typedef struct hfiTrouble {
  hfStatus status; // < 0: refused
  hfiTroubleKind kind;
  int32_t id, number, room;
} hfiTrouble;

// Notes a refusal (`trouble` may be NULL) and returns its status, so that a refusal is `return
// hfi_note_trouble(trouble, ...);`.
static inline hfStatus hfi_note_trouble(hfiTrouble* trouble, hfiTrouble found) {
  if (trouble) *trouble = found;
  return found.status;
}

// Writes the text of a refusal that concerns a step problem alone. Does nothing if there is none. Returns its status.
hfStatus hfi_explain_problem(const hfiTrouble* trouble, hfError* error);

#endif
