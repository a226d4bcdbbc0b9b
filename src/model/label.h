// The name of an object in messages.
#ifndef HFI_MODEL_LABEL_H
#define HFI_MODEL_LABEL_H

#include <holdfast/model.h>

// Longer names are cut off.
typedef struct hfiLabel {
  char text[256];
} hfiLabel;

// The label of a name: `joint "knee"`. An object without a name gets its number, `joint 3`; if that is negative, it is `joint without a name`.
hfiLabel hfi_label(hfObjectKind kind, const char* name, int id);

// The label of an object of a model.
hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id);

#endif
