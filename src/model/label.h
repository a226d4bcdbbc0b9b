// What messages call an object.
#ifndef HFI_MODEL_LABEL_H
#define HFI_MODEL_LABEL_H

#include <holdfast/model.h>

// Longer names are cut off.
typedef struct hfiLabel {
  char text[256];
} hfiLabel;

// The label of a name: `joint "knee"`. An object that has no name gets its number, `joint 3`, or where that is negative
// `joint without a name`.
hfiLabel hfi_label(hfObjectKind kind, const char* name, int id);

// The label of an object of a model.
hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id);

#endif
