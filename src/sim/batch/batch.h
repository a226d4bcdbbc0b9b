// Inside of a batch: what the files of this folder share.
#ifndef HFI_BATCH_BATCH_H
#define HFI_BATCH_BATCH_H

#include <holdfast/batch.h>

#include "base/threads.h"

#include <stdatomic.h>

// What one thread needs to step worlds, and the range of worlds that it steps first.
typedef struct hfiLane {
  hfSim* sim;          // sim of the batch's model
  hfParams* params;    // NULL until some world gets parameters of its own
  hfSim* overlaid;     // over params
  int32_t first, last; // its range is first .. last - 1
  atomic_int next;     // first world of the range that no thread has taken in this call; >= last: none is left
  int32_t refused;     // the first world that this lane stepped and that was refused in this call, or -1
  hfError error;       // error of that refusal
} hfiLane;

struct hfBatch {
  const hfModel* model;
  hfBatchConfig config; // checked, with zeros replaced by defaults
  int32_t nworld, nlane;
  hfiThreads* threads;
  hfiLane* lane; // (nlane)
  char* states;  // (nworld x state_bytes)
  size_t state_bytes;
  void* arrays;                    // memory of all fields
  double* field[HF_BATCH_FIELDS];  // NULL for fields of the state
  uint8_t used[HF_BATCH_FIELDS];   // inputs that act, results that are filled
  hfWorldReport* report;           // (nworld)
  hfContact* contact;              // (nworld x max_contacts)
  // parameters: NULL for fields that no world has of its own
  int overlays; // 1: worlds have parameters of their own
  double* param[HF_MODEL_FIELD_COUNT + 1];    // (nworld x size) as written by the user; the last is gravity
  double* in_force[HF_MODEL_FIELD_COUNT + 1]; // (nworld x size) as they act: those of the last row that was not refused
};

enum { HFI_GRAVITY = HF_MODEL_FIELD_COUNT };

static inline hfState* hfi_batch_state(const hfBatch* b, int world) {
  return (hfState*)(void*)(b->states + (size_t)world * b->state_bytes);
}

// How many numbers a world has in a field or parameter.
int hfi_batch_width(const hfModel* m, hfBatchField field);
int hfi_param_width(const hfModel* m, int field);
// The inputs of a world that act.
hfInput hfi_batch_input(const hfBatch* b, int world);
// The sim that steps a world on this lane, with the world's parameters; NULL after a refusal, with a message in *error.
hfSim* hfi_batch_sim(hfBatch* b, hfiLane* lane, int world, hfError* error);
void hfi_params_free(hfBatch* b);

#endif
