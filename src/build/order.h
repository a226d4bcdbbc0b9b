// The order of a finished model: bodies depth-first; joints, geoms, sites and cameras grouped by body.
#ifndef HFI_BUILD_ORDER_H
#define HFI_BUILD_ORDER_H

#include "build/builder.h"

typedef struct hfiOrder {
  int* old_id[HF_OBJECT_KINDS]; // (objects of the kind) id in the builder of each object of the model; NULL: the same
  int* new_id[HF_OBJECT_KINDS]; // (objects of the kind) id in the model of each object of the builder; NULL: the same
  int* memory;
} hfiOrder;

// Computes the order of the builder's objects. On refusal nothing is left to release.
hfStatus hfi_order_create(hfiOrder* order, const hfBuilder* builder, hfError* error);
void hfi_order_release(hfiOrder* order);

// Id in the model of an object of the builder; ids below 0 become -1.
static inline int hfi_order_new(const hfiOrder* order, int kind, int id) {
  if (id < 0) return -1;
  return order->new_id[kind] ? order->new_id[kind][id] : id;
}

// Id in the builder of an object of the model.
static inline int hfi_order_old(const hfiOrder* order, int kind, int id) {
  return order->old_id[kind] ? order->old_id[kind][id] : id;
}

#endif
