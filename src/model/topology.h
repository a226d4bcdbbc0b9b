// What follows from the tree of bodies: which joints, dofs, geoms and trees a body has, and the pattern of M.
#ifndef HFI_MODEL_TOPOLOGY_H
#define HFI_MODEL_TOPOLOGY_H

#include "model/layout.h"

// Fills all fields that follow from body_parent, body_mocap (>= 0: the body is one), jnt_body, jnt_type and geom_body. They
// are hfi_topology_fields. Bodies must be depth-first, joints and geoms grouped by body, and the counts right.
void hfi_fill_topology(hfModel* m);

enum { HFI_TOPOLOGY_FIELDS = 25 };
extern const hfModelField hfi_topology_fields[HFI_TOPOLOGY_FIELDS];

#endif
