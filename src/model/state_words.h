// The words of a state that its methods keep for themselves (hf_state_discrete), by their places.
#ifndef HFI_MODEL_STATE_WORDS_H
#define HFI_MODEL_STATE_WORDS_H

#include <stdint.h>

// The word of a tree that sleeps from the start. The first step replaces it by the signature of the tree.
#define HFI_ASLEEP_FROM_START INT64_MIN

enum {
  HFI_WORD_PHASE, // phase of the method switching
  HFI_WORD_SINCE, // time at which this phase began [s]
  HFI_WORD_PACE,  // pace of error control (hfiPace)
  HFI_WORD_TREES  // the first of ntree words: how long the tree has rested, or that it sleeps
};

#endif
