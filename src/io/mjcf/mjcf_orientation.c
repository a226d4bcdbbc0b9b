// <orientation>, a servo for the rotation of a ball joint or of a site in its reference. It has three controls (a
// rotation vector) or four (a quaternion). The actuator NAME has the first control; actuators NAME.x, NAME.y and NAME.z
// that follow it have the others.
//
// m: the document, d: the definition of the actuator.
#include "io/mjcf/mjcf.h"

#include "model/actuator.h"

// Reads `input`: a rotation vector (expmap, also if the attribute is empty) or a quaternion. Sets d->inputs.
void hfi_mjcf_read_chart(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  enum { VECTOR = HF_INPUT_X | HF_INPUT_Y | HF_INPUT_Z };
  static const hfiKeyword charts[] = {{"expmap", VECTOR}, {"quat", VECTOR | HF_INPUT_W}, {NULL, 0}};
  const char* text = hfi_attr(elem, "input");
  if (!hfi_orientation_count(d->inputs) || (text && !text[0])) d->inputs = VECTOR;
  if (text && text[0]) hfi_read_keyword(m->r, elem, "input", charts, &d->inputs);
}

// Reads the attributes of <orientation>: gains and the kind of input.
void hfi_mjcf_apply_orientation(hfiMjcf* m, const hfiElem* elem, hfActuatorDef* d) {
  hfi_read_real(m->r, elem, "kp", &d->gainprm[0]);
  hfi_mjcf_read_servo_damping(m, elem, d);
  d->dyntype = HF_ACTIVATION_NONE;
  d->gaintype = HF_GAIN_ORIENTATION;
  d->biastype = HF_BIAS_AFFINE;
  d->biasprm[0] = 0;
  d->biasprm[1] = -d->gainprm[0];
  hfi_mjcf_read_chart(m, elem, d);
}

// Adds an actuator for each control of an orientation servo except the first. Does nothing for other actuators.
void hfi_mjcf_add_axes(hfiMjcf* m, const hfiElem* elem, const hfActuatorDef* first) {
  int count = first->gaintype == HF_GAIN_ORIENTATION ? hfi_orientation_count(first->inputs) : 0;

  for (int k = 1; k < count; ++k) {
    hfActuatorDef d = *first;
    d.inputs = hfi_orientation_input(count, k);
    if (first->name) d.name = hfi_format(m->r, "%s.%c", first->name, "xyz"[hfi_orientation_axis(d.inputs)]);

    // each control has a signal of its own
    d.signal = HF_SIGNAL_NONE;
    d.signal_count = 0;
    d.signal_data = NULL;
    hfi_mjcf_read_signal(m, d.name, &d);
    if (!m->r->status) hfi_keep(m->r, elem, hf_builder_add_actuator(m->r->builder, &d, &m->r->scratch));
  }
}
