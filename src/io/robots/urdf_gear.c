// Gears of <transmission>: a rotor of inertia J behind a gear of ratio n has the inertia n^2 J at its joint.
#include "io/robots/urdf_model.h"

#include <stdlib.h>
#include <string.h>

// The number of a child element: its text, or its attribute `value`. A text that is no number, as templates leave it
// behind, is reported.
static int read_number(hfiUrdf* u, const hfiElem* parent, const char* name, double* x) {
  hfiElem* e = hfi_child(parent, name);
  if (!e || hfi_read_real(u->r, e, "value", x)) return e != NULL;

  char* end = NULL;
  if (e->text) (void)strtod(e->text, &end);
  if (e->text && end == e->text) {
    hfi_note(u->r, e, HF_WARNING, "\"%.60s\" is not a number: not used", e->text);
    return 0;
  }
  return hfi_text_reals(u->r, e, 1, 1, x);
}

// Whether a <transmission> names this joint.
static int names_joint(const hfiElem* transmission, const char* joint) {
  for (const hfiElem* e = hfi_child(transmission, "joint"); e; e = hfi_next(e, "joint")) {
    const char* name = hfi_attr(e, "name");
    if (name && strcmp(name, joint) == 0) return 1;
  }
  return 0;
}

double hfi_urdf_rotor_inertia(hfiUrdf* u, const char* joint) {
  double armature = 0;
  for (hfiElem* t = u->root->child; t && !u->r->status; t = t->next) {
    if (!hfi_is(t, "transmission") || !names_joint(t, joint)) continue;
    for (hfiElem* a = hfi_child(t, "actuator"); a; a = hfi_next(a, "actuator")) {
      double ratio = 1;
      double inertia = 0;

      if (!read_number(u, a, "drake:gear_ratio", &ratio)) read_number(u, a, "mechanicalReduction", &ratio);
      if (!read_number(u, a, "drake:rotor_inertia", &inertia)) read_number(u, a, "motorInertia", &inertia);
      armature += ratio * ratio * inertia;
    }
  }

  return armature > 0 ? armature : 0;
}
