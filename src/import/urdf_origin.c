// Two functions that the readers of links, joints and shapes share: finding a link by its name, and reading the pose of an element.
#include "import/urdf_model.h"

hfiUrdfLink* hfi_urdf_find_link(const hfiUrdf* u, const char* name) {
  int number = hfi_names_find(&u->names, HF_OBJECT_BODY, name);
  return number < 0 ? NULL : u->link_of[number];
}

hfiPlacement hfi_urdf_origin(hfiUrdf* u, const hfiElem* elem) {
  hfiElem* origin = hfi_child(elem, "origin");
  double xyz[3] = {0, 0, 0}, rpy[3] = {0, 0, 0};
  if (origin) {
    hfi_read_reals(u->r, origin, "xyz", 3, 3, xyz);
    hfi_read_reals(u->r, origin, "rpy", 3, 3, rpy);
  }
  hfiPlacement f = {v3_load(xyz), hfi_mjcf_euler(u->settings, rpy)};
  return f;
}
