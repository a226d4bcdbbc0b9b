// Keyframes of a builder. A keyframe is given in the order of the model: joints by the depth-first order of their
// bodies, activations and controls by actuator, mocap poses by body. Objects that are added later move these places. So
// a builder keeps its keyframes in the order of its own ids, which do not change.
#ifndef HFI_BUILD_KEY_H
#define HFI_BUILD_KEY_H

#include "build/builder.h"
#include "build/order.h"

// Where the values of each object lie in the arrays of a keyframe, for a builder as it is now.
typedef struct hfiKeyLayout {
  int nq, nv, na, nu, nmocap;
  int *qpos, *qvel, *act; // (joints), (joints), (actuators): first number in the arrays
  int* act_count;         // (actuators) how many activations each has
  int* mocap;             // (bodies) number of the mocap body, or -1
} hfiKeyLayout;

// Makes the layout of keyframes in the model with this order. If order is NULL, makes the layout of keyframes in a
// builder: by ids, with room for the activations of any actuator and a pose for every body. If there is no memory, the
// arrays are NULL and the status is HF_ERROR_MEMORY.
hfStatus hfi_key_layout_create(hfiKeyLayout* layout, const hfBuilder* b, const hfiOrder* order, hfError* error);
void hfi_key_layout_release(hfiKeyLayout* layout);

// The arrays of a keyframe that is written. NULL: the keyframe does not have this array.
typedef struct hfiKeyArrays {
  double *qpos, *qvel, *act, *ctrl, *mpos, *mquat;
} hfiKeyArrays;

// Copy the values of one object from keyframe d to the arrays a. An array that one of the two does not have is left
// out.
void hfi_key_copy_joint(const hfiKeyArrays* a, const hfiKeyLayout* to, int j, const hfKeyDef* d,
                        const hfiKeyLayout* from, int k, int type);
void hfi_key_copy_actuator(const hfiKeyArrays* a, const hfiKeyLayout* to, int i, const hfKeyDef* d,
                           const hfiKeyLayout* from, int k);
void hfi_key_copy_mocap(const hfiKeyArrays* a, const hfiKeyLayout* to, int body, const hfKeyDef* d,
                        const hfiKeyLayout* from, int k);

// Makes a keyframe of b in the pool, laid out by ids. It has the arrays that `like` has, with everything at its
// reference.
hfStatus hfi_key_create(hfBuilder* b, const hfiKeyLayout* ids, const hfKeyDef* like, hfiKey* key, hfiKeyArrays* a,
                        hfError* error);
// Adds a keyframe of hfi_key_create. Returns its id, or a status < 0.
int hfi_key_add(hfBuilder* b, hfiKey* key, hfError* error);
// Writes the numbers of a keyframe in the order of the model. Objects that were added later, and arrays that the
// keyframe does not give, are at their reference.
void hfi_key_unfold(const hfBuilder* b, const hfiKeyLayout* ids, const hfiKeyLayout* model, const hfiKey* key,
                    const hfiKeyArrays* a);
// Puts everything at its reference, at rest and without controls, in the order of the model as it is now.
hfStatus hfi_key_reference(const hfBuilder* b, const hfiKeyArrays* a, hfError* error);

#endif
