// Filling a model block, section by section.
#ifndef HFI_BUILD_FINISH_H
#define HFI_BUILD_FINISH_H

#include "model/block.h"
#include "build/mass.h"
#include "build/order.h"

typedef struct hfiFinish {
  const hfBuilder* b;
  hfModel* m;
  hfiOrder order;
  hfiMass* mesh_mass; // (nmesh) unit-density properties in the mesh file's frame
} hfiFinish;

void hfi_finish_tree(hfiFinish* f);                        // bodies, joints, dofs, trees, sparsity of M
hfStatus hfi_check_joints(const hfiFinish* f, hfError* error); // refuses joints of one body that move it in the same way
hfStatus hfi_finish_meshes(hfiFinish* f, hfError* error);  // hulls, recentred at their centre of mass
void hfi_finish_height_fields(hfiFinish* f);
void hfi_finish_geoms(hfiFinish* f);                       // geoms, sites, pairs, excludes
hfStatus hfi_finish_inertias(hfiFinish* f, hfError* error);
hfStatus hfi_finish_cameras(hfiFinish* f, hfError* error);    // cameras, and their poses at qpos0
hfStatus hfi_finish_constraints(hfiFinish* f, hfError* error); // tendons and equalities at qpos0
hfStatus hfi_finish_springs(hfiFinish* f, hfError* error);   // springs given by time constant and damping ratio
hfStatus hfi_finish_actuators(hfiFinish* f, hfError* error);
void hfi_finish_sensors(hfiFinish* f);
hfStatus hfi_finish_histories(hfiFinish* f, hfError* error); // histories of delays, in states
hfStatus hfi_finish_keys(hfiFinish* f, hfError* error);

#endif
