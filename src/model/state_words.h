// The words of a state that its methods keep for themselves (hf_state_discrete), by their places.
#ifndef HFI_MODEL_STATE_WORDS_H
#define HFI_MODEL_STATE_WORDS_H

#include <stdint.h>

// The word of a tree that sleeps from the start; the first step replaces it by the signature of what acts on the tree.
#define HFI_ASLEEP_FROM_START INT64_MIN

enum {
  HFI_WORD_PHASE, // of the method switching
  HFI_WORD_SINCE, // the time at which that began [s]
  HFI_WORD_PACE,  // of error control: how the next step is begun
  HFI_WORD_TREES  // the first of ntree words: how long the tree has rested, or that it sleeps
};

#endif
