// Writing attributes of MJCF: names and references, poses, ranges, and the parameters of MuJoCo's solver.
//
// w: the writer.
#include "io/mjcf/mjcf_write.h"

// Writes a coefficient and, if they are not zero, the coefficients of the second and third power.
void hfi_mjcf_put_polynomial(hfiMjcfWriter* w, const char* attribute, double linear, const double poly[2]) {
  const double x[3] = {linear, poly[0], poly[1]};
  if (poly[0] != 0 || poly[1] != 0)
    hfi_xml_put_reals(&w->xml, attribute, x, 3);
  else
    hfi_xml_put_real(&w->xml, attribute, linear, 0);
}

// Writes a position and an orientation, unless they are zero and one.
void hfi_mjcf_put_pose(hfiMjcfWriter* w, const double pos[3], const double quat[4]) {
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) hfi_xml_put_reals(&w->xml, "pos", pos, 3);
  if (quat[0] != 1 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0) hfi_xml_put_reals(&w->xml, "quat", quat, 4);
}

void hfi_mjcf_put_range(hfiMjcfWriter* w, const char* limited, const char* range, int is_limited, const double x[2]) {
  int has_range = x[0] != 0 || x[1] != 0;
  if (is_limited || has_range) hfi_xml_put_bool(&w->xml, limited, is_limited);
  if (has_range) hfi_xml_put_reals(&w->xml, range, x, 2);
}

void hfi_mjcf_put_solver(hfiMjcfWriter* w, const char* ref_name, const char* imp_name, const double solref[2],
                         const double solimp[5]) {
  if (solref[0] == 0) return;
  hfi_xml_put_reals(&w->xml, ref_name, solref, 2);
  hfi_xml_put_reals(&w->xml, imp_name, solimp, 5);
}

// The name of an object, or NULL. An inertial frame has the name of its body.
static const char* name_of(const hfiMjcfWriter* w, hfObjectKind kind, int id) {
  return w->name[kind == HF_OBJECT_INERTIAL ? HF_OBJECT_BODY : kind][id];
}

void hfi_mjcf_put_name(hfiMjcfWriter* w, hfObjectKind kind, int id) {
  const char* name = name_of(w, kind, id);
  if (name) hfi_xml_put_text(&w->xml, "name", name);
}

void hfi_mjcf_put_reference(hfiMjcfWriter* w, const char* attribute, hfObjectKind kind, int id) {
  if (id >= 0) hfi_xml_put_text(&w->xml, attribute, name_of(w, kind, id));
}
