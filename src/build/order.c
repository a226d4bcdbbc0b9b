// Depth-first order of bodies by lists of their children and a walk with an own stack; a stable counting sort groups
// other objects by body.
#include "build/inside.h"

#include "base/error.h"

#include <stdlib.h>

// Lists the bodies depth-first, children in the order in which they were added.
// head, next, stack: scratch for as many numbers as there are bodies.
static void order_bodies(const hfiOrder* order, const hfBuilder* b, int* head, int* next, int* stack) {
  int n = b->body.count;

  // the children of each body as a list, filled from the last one
  for (int i = 0; i < n; ++i) head[i] = -1;

  for (int i = n - 1; i > 0; --i) {
    int parent = b->body.data[i].parent;
    next[i] = head[parent];
    head[parent] = i;
  }

  // the walk: a body gets its new id when it leaves the stack
  int top = 0;
  int count = 0;
  stack[top++] = 0;

  while (top) {
    int i = stack[--top];
    order->old_id[HF_OBJECT_BODY][count] = i;
    order->new_id[HF_OBJECT_BODY][i] = count++;

    // children in reverse, so that the first one is taken first
    int first = top;
    for (int c = head[i]; c >= 0; c = next[c]) stack[top++] = c;
    for (int left = first, right = top - 1; left < right; ++left, --right) {
      int swapped = stack[left];
      stack[left] = stack[right];
      stack[right] = swapped;
    }
  }
}

// Groups the objects of a kind by the new ids of their bodies, each group in the order of the builder.
// start: scratch for one number more than there are bodies.
static void group_by_body(const hfiOrder* order, const hfBuilder* b, hfObjectKind kind, int* start) {
  int nbody = b->body.count;
  int count = hfi_list_of(b, kind)->count;
  const int* new_body = order->new_id[HF_OBJECT_BODY];

  // start[k + 1] counts the objects of body k, then start[k] is where its group begins
  for (int i = 0; i <= nbody; ++i) start[i] = 0;

  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < count; ++i) {
      int32_t body = *(const int32_t*)((const char*)hfi_definition(b, kind, i) + hfi_objects[kind].body);
      if (pass == 0) {
        // counts
        start[new_body[body] + 1]++;
      } else {
        // the next id of the group
        int id = start[new_body[body]]++;
        order->old_id[kind][id] = i;
        order->new_id[kind][i] = id;
      }
    }
    for (int i = 0; pass == 0 && i < nbody; ++i) start[i + 1] += start[i];
  }
}

// Does a model have objects of this kind in another order than the builder?
static int is_ordered(hfObjectKind kind) { return kind == HF_OBJECT_BODY || hfi_objects[kind].body > 0; }

// Finds the new ids of bodies, and of the objects that are grouped by body, with the way back to the ids of the
// builder. All of them and the scratch lie in one block.
hfStatus hfi_order_create(hfiOrder* order, const hfBuilder* b, hfError* error) {
  *order = (hfiOrder){0};
  size_t nbody = (size_t)b->body.count;
  size_t total = 4 * nbody + 1;

  for (int k = 0; k < HF_OBJECT_KINDS; ++k)
    if (is_ordered((hfObjectKind)k)) total += 2 * (size_t)hfi_list_of(b, (hfObjectKind)k)->count;

  order->memory = malloc(sizeof *order->memory * total);
  if (!order->memory) return hfi_refuse_memory(error);

  int* room = order->memory;
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    if (!is_ordered((hfObjectKind)k)) continue;
    int count = hfi_list_of(b, (hfObjectKind)k)->count;
    order->old_id[k] = room;
    order->new_id[k] = room + count;
    room += 2 * count;
  }

  order->old_id[HF_OBJECT_INERTIAL] = order->old_id[HF_OBJECT_BODY];
  order->new_id[HF_OBJECT_INERTIAL] = order->new_id[HF_OBJECT_BODY];

  order_bodies(order, b, room, room + nbody, room + 2 * nbody);
  for (int k = 0; k < HF_OBJECT_KINDS; ++k)
    if (hfi_objects[k].body > 0) group_by_body(order, b, (hfObjectKind)k, room + 3 * nbody);
  return HF_OK;
}

void hfi_order_release(hfiOrder* order) { free(order->memory); }
