// Objects of a model: their kinds, names and labels, and what the types of actuators, equalities and sensors imply.
#ifndef HFI_MODEL_OBJECT_H
#define HFI_MODEL_OBJECT_H

#include <holdfast/model.h>

// ---- kinds and names (object.c) ----------------------------------------------------------------------

// Is this a kind that models have? NONE and other numbers are not.
int hfi_is_kind(hfObjectKind kind);
// Where a model counts the objects of a kind that it has.
int32_t* hfi_object_count(hfModel* m, hfObjectKind kind);
// The field with the offsets of their names into the pool of names, -1: unnamed; and its array.
hfModelField hfi_name_field(hfObjectKind kind);
int32_t* hfi_object_names(hfModel* m, hfObjectKind kind);

// May an object of a model have this name: is it UTF-8, with the characters that XML can hold? Control characters below
// U+0020, of which ESC lets a text command a terminal, are not among them, except spaces.
int hfi_name_is_sound(const char* name);

// The name of an object in messages. Longer names are cut off.
typedef struct hfiLabel {
  char text[256];
} hfiLabel;

// The label of a name: `joint "knee"`. An object without a name gets its number, `joint 3`; if that is negative, it is
// `joint without a name`.
hfiLabel hfi_label(hfObjectKind kind, const char* name, int id);
// The label of an object of a model.
hfiLabel hfi_model_label(const hfModel* m, hfObjectKind kind, int id);

// ---- types ------------------------------------------------------------------------------------------

// The kind of object that an actuator of this transmission acts on.
hfObjectKind hfi_transmission_target(int trntype);
// The kind of object that an equality of this type names.
hfObjectKind hfi_equality_target(int type, int objkind);
// The least number of numbers that a signal of this type has (hfSignalType).
int hfi_signal_size(int type);

// Bounds of contacts that a sensor reports, of pixels of a rangefinder's camera, and of numbers of all sensors.
enum { HFI_MOST_SENSOR_SLOTS = 1 << 16, HFI_MOST_SENSOR_PIXELS = 1 << 20, HFI_MOST_SENSOR_NUMBERS = 1 << 28 };
// Largest width, and height, of a camera's picture.
enum { HFI_MOST_PIXELS_WIDE = 1 << 15 };

// How many numbers a sensor delivers (sensor_dim.c). num: what the model keeps as sensor_num.
int hfi_sensor_dim(int type, int data, int num);
// Whether a sensor may measure an object of this kind, or a joint of this type.
int hfi_sensor_accepts(int type, int kind);
int hfi_sensor_accepts_joint(int type, int joint_type);

#endif
