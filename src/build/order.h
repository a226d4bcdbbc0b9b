// The order of a finished model: bodies depth-first; joints, geoms, sites and cameras grouped by body.
#ifndef HFI_BUILD_ORDER_H
#define HFI_BUILD_ORDER_H

#include "build/builder.h"

// X_of[new] = builder id; new_X[builder id] = new.
typedef struct hfiOrder {
  int *body_of, *new_body;
  int *joint_of, *new_joint;
  int *geom_of, *new_geom;
  int *site_of, *new_site;
  int *camera_of, *new_camera;
  void* memory;
} hfiOrder;

hfStatus hfi_order_create(hfiOrder* order, const hfBuilder* builder, hfError* error);
void hfi_order_release(hfiOrder* order);

// New id of an object of any kind; -1 stays -1.
int hfi_order_map(const hfiOrder* order, int kind, int id);

#endif
