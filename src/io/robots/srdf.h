// Reading SRDF, MoveIt's file beside a URDF.
#ifndef HFI_IMPORT_SRDF_H
#define HFI_IMPORT_SRDF_H

#include "io/robots/urdf_model.h"

// Reads the file config.srdf of the reader, after the URDF: pairs of links that must not touch, and states of groups of
// joints.
void hfi_srdf_read(hfiUrdf* u);
// Adds each <group_state> as a keyframe.
void hfi_srdf_read_states(hfiUrdf* u, const hfiElem* root);

#endif
