// Functions that the readers of links, joints, shapes and SRDF share: finding a link or joint by its name, reading the
// pose of an element, refusing xacro.
//
// u: the robot that is read.
#include "io/robots/urdf_model.h"

#include <string.h>

hfiUrdfLink* hfi_urdf_find_link(const hfiUrdf* u, const char* name) {
  int number = hfi_names_find(&u->names, HF_OBJECT_BODY, name);
  return number < 0 ? NULL : u->link_of[number];
}

hfiUrdfJoint* hfi_urdf_find_joint(const hfiUrdf* u, const char* name) {
  hfiUrdfJoint* j = u->joints;
  while (j && strcmp(j->name, name) != 0) j = j->next;
  return j;
}

void hfi_urdf_refuse_macros(hfiReader* r, const hfiElem* root) {
  for (const hfiElem* e = root->child; e && !r->status; e = e->next)
    if (strncmp(e->name, "xacro:", 6) == 0)
      hfi_fail(r, e, HF_ERROR_UNSUPPORTED, "a xacro macro: expand the file with xacro first");
}

// The pose <origin xyz rpy> of an element, or the identity.
hfiPlacement hfi_urdf_origin(hfiUrdf* u, const hfiElem* elem) {
  hfiElem* origin = hfi_child(elem, "origin");
  double xyz[3] = {0, 0, 0};
  double rpy[3] = {0, 0, 0};
  if (origin) {
    hfi_read_reals(u->r, origin, "xyz", 3, 3, xyz);
    hfi_read_reals(u->r, origin, "rpy", 3, 3, rpy);
  }

  hfiPlacement X = {v3_load(xyz), hfi_mjcf_euler(u->settings, rpy)};
  return X;
}
