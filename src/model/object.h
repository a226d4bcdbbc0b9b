// Objects of a model: their names in messages, and what the types of actuators, equalities and sensors imply.
#ifndef HFI_MODEL_OBJECT_H
#define HFI_MODEL_OBJECT_H

#include <holdfast/model.h>

// ---- labels -----------------------------------------------------------------------------------------
// The name of an object in messages.

// Longer names are cut off.
typedef struct hfiLabel {
  char text[256];
} hfiLabel;

// The label of a name: `joint "knee"`. An object without a name gets its number, `joint 3`; if that is negative, it is `joint without a name`.
hfiLabel hfi_label(hfObjectKind kind, const char* name, int id);

// The label of an object of a model.
hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id);

// ---- types ------------------------------------------------------------------------------------------
// What the types of a model's actuators, equalities and sensors imply.

// The kind of object that an actuator of this transmission acts on.
hfObjectKind hfi_transmission_target(int trntype);

// The kind of object that an equality of this type names.
hfObjectKind hfi_equality_target(int type, int objkind);

// How many numbers a sensor delivers. num: what the model keeps as sensor_num.
int hfi_sensor_dim(int type, int data, int num);

enum { HFI_MOST_SENSOR_SLOTS = 1 << 16, HFI_MOST_SENSOR_PIXELS = 1 << 20, HFI_MOST_SENSOR_NUMBERS = 1 << 28 };
enum { HFI_MOST_PIXELS_WIDE = 1 << 15 }; // largest width, and height, of a camera's picture

// Whether a sensor may measure an object of this kind, or a joint of this type.
int hfi_sensor_accepts(int type, int kind);
int hfi_sensor_accepts_joint(int type, int joint_type);

// The least number of numbers that a signal of this type has (hfSignalType).
int hfi_signal_size(int type);

#endif
