// Depth-first order of bodies by a stable counting sort of children, then a walk with an own stack.
#include "build/order.h"

#include "base/error.h"

#include <stdlib.h>

// Children of each body in the order of adding: head/next lists filled backwards.
static void order_bodies(hfiOrder* o, const hfBuilder* b, int* head, int* next, int* stack) {
  int n = b->body.count;
  for (int i = 0; i < n; ++i) head[i] = -1;
  for (int i = n - 1; i > 0; --i) {
    int parent = b->body.data[i].parent;
    next[i] = head[parent];
    head[parent] = i;
  }
  int top = 0, count = 0;
  stack[top++] = 0;
  while (top) {
    int i = stack[--top];
    o->body_of[count] = i;
    o->new_body[i] = count++;
    int first = top;
    for (int c = head[i]; c >= 0; c = next[c]) stack[top++] = c;
    for (int l = first, r = top - 1; l < r; ++l, --r) {
      int t = stack[l];
      stack[l] = stack[r];
      stack[r] = t;
    }
  }
}

// Stable grouping of n objects by the new id of their body.
static void group_by_body(const hfiOrder* o, int nbody, int n, const int* body, int* of,
                          int* renamed, int* start) {
  for (int i = 0; i <= nbody; ++i) start[i] = 0;
  for (int i = 0; i < n; ++i) start[o->new_body[body[i]] + 1]++;
  for (int i = 0; i < nbody; ++i) start[i + 1] += start[i];
  for (int i = 0; i < n; ++i) {
    int at = start[o->new_body[body[i]]]++;
    of[at] = i;
    renamed[i] = at;
  }
}

hfStatus hfi_order_create(hfiOrder* o, const hfBuilder* b, hfError* error) {
  size_t nb = (size_t)b->body.count, nj = (size_t)b->joint.count, ng = (size_t)b->geom.count,
         ns = (size_t)b->site.count, nc = (size_t)b->camera.count;
  size_t most = nj > ng ? nj : ng;
  if (ns > most) most = ns;
  if (nc > most) most = nc;
  int* memory = malloc(sizeof(int) * (2 * (nb + nj + ng + ns + nc) + 3 * nb + (nb + 1) + most + 1));
  if (!memory) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  int* at = memory;
  int** slots[] = {&o->body_of, &o->new_body, &o->joint_of, &o->new_joint,
                   &o->geom_of, &o->new_geom, &o->site_of,  &o->new_site, &o->camera_of, &o->new_camera};
  size_t sizes[] = {nb, nb, nj, nj, ng, ng, ns, ns, nc, nc};
  for (int i = 0; i < 10; ++i) *slots[i] = at, at += sizes[i];
  o->memory = memory;
  int *head = at, *next = at + nb, *stack = at + 2 * nb, *start = at + 3 * nb,
      *body = start + nb + 1;
  order_bodies(o, b, head, next, stack);
  for (size_t i = 0; i < nj; ++i) body[i] = b->joint.data[i].body;
  group_by_body(o, (int)nb, (int)nj, body, o->joint_of, o->new_joint, start);
  for (size_t i = 0; i < ng; ++i) body[i] = b->geom.data[i].body;
  group_by_body(o, (int)nb, (int)ng, body, o->geom_of, o->new_geom, start);
  for (size_t i = 0; i < ns; ++i) body[i] = b->site.data[i].body;
  group_by_body(o, (int)nb, (int)ns, body, o->site_of, o->new_site, start);
  for (size_t i = 0; i < nc; ++i) body[i] = b->camera.data[i].body;
  group_by_body(o, (int)nb, (int)nc, body, o->camera_of, o->new_camera, start);
  return HF_OK;
}

void hfi_order_release(hfiOrder* o) { free(o->memory); }

int hfi_order_map(const hfiOrder* o, int kind, int id) {
  if (id < 0) return -1;
  switch (kind) {
  case HF_OBJECT_BODY:
  case HF_OBJECT_INERTIAL:
    return o->new_body[id];
  case HF_OBJECT_JOINT:
    return o->new_joint[id];
  case HF_OBJECT_GEOM:
    return o->new_geom[id];
  case HF_OBJECT_SITE:
    return o->new_site[id];
  case HF_OBJECT_CAMERA:
    return o->new_camera[id];
  default:
    return id;
  }
}
