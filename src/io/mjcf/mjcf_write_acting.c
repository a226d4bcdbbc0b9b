// Writing actuators and sensors.
//
// w: the writer, d: the definition of actuator or sensor i.
#include "io/mjcf/mjcf_write.h"

#include "io/mjcf/mjcf.h"
#include "model/actuator.h"

#include <stdio.h>

// ---- actuators ----------------------------------------------------------------------------------

// Writes delay, number of samples and interpolation, of an actuator or a sensor.
static void put_samples(hfiMjcfWriter* w, double delay, int nsample, int interp) {
  hfi_xml_put_int(&w->xml, "nsample", nsample, 0);
  hfi_xml_put_real(&w->xml, "delay", delay, 0);
  if (interp != HF_INTERPOLATE_HOLD) hfi_xml_put_text(&w->xml, "interp", hfi_mjcf_interpolations[interp].word);
}

// Writes what an actuator acts on, and the range of its control.
static void put_transmission(hfiMjcfWriter* w, const hfActuatorDef* d, int i) {
  static const char* const targets[] = {"joint", "jointinparent", "tendon", "site", "body", "cranksite"};
  int is_crank = d->trntype == HF_TRANSMISSION_SLIDER_CRANK;

  hfi_mjcf_put_name(w, HF_OBJECT_ACTUATOR, i);
  hfi_mjcf_put_reference(w, targets[d->trntype], hfi_transmission_target(d->trntype), d->trnid[0]);
  hfi_mjcf_put_reference(w, is_crank ? "slidersite" : "refsite", HF_OBJECT_SITE, d->trnid[1]);
  if (is_crank) hfi_xml_put_reals(&w->xml, "cranklength", &d->cranklength, 1);

  hfi_xml_put_int(&w->xml, "group", d->group, 0);
  put_samples(w, d->delay, d->nsample, d->interp);
  if (d->gaintype != HF_GAIN_ORIENTATION) hfi_xml_put_reals(&w->xml, "gear", d->gear, 6);
  hfi_mjcf_put_range(w, "ctrllimited", "ctrlrange", d->ctrllimited, d->ctrlrange);
}

// Writes the attributes that most actuators have.
static void put_common(hfiMjcfWriter* w, const hfActuatorDef* d, int i) {
  put_transmission(w, d, i);
  hfi_mjcf_put_range(w, "forcelimited", "forcerange", d->forcelimited, d->forcerange);
}

// Writes a PID controller as MuJoCo's plugin, which limits the force ki I, not the integral I.
static void write_pid(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  int integrates = d->dyntype == HF_ACTIVATION_ERROR;
  double ki = integrates ? d->dynprm[0] : 0;
  // imax -1: no bound; the slew is bounded only where the activation is not the integral
  const struct {
    const char* key;
    double x;
  } gains[] = {{"kp", d->gainprm[0]},
               {"ki", ki},
               {"kd", -d->biasprm[2]},
               {"imax", integrates && d->actlimited ? d->actrange[1] * ki : -1},
               {"slewmax", integrates ? 0 : d->dynprm[0]}};

  hfi_xml_begin(&w->xml, 2, "plugin plugin=\"mujoco.pid\"");
  put_common(w, d, i);
  hfi_xml_print(&w->xml, ">\n");

  for (size_t k = 0; k < sizeof gains / sizeof *gains; ++k) {
    hfi_xml_begin(&w->xml, 3, "config");
    hfi_xml_put_text(&w->xml, "key", gains[k].key);
    hfi_xml_put_reals(&w->xml, "value", &gains[k].x, 1);
    hfi_xml_print(&w->xml, "/>\n");
  }

  hfi_xml_print(&w->xml, "    </plugin>\n");
}

// Writes a PID controller as the element <pid>, which can have a damping ratio.
static void write_damped_pid(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  int integrates = d->dyntype == HF_ACTIVATION_ERROR;

  hfi_xml_begin(&w->xml, 2, "pid input=\"pos\"");
  put_common(w, d, i);
  hfi_xml_put_reals(&w->xml, "kp", d->gainprm, 1);
  hfi_xml_put_reals(&w->xml, "dampratio", &d->dampratio, 1);
  hfi_xml_put_reals(&w->xml, integrates ? "ki" : "slewmax", d->dynprm, 1);
  if (integrates && d->actlimited) hfi_xml_put_reals(&w->xml, "imax", &d->actrange[1], 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes <general>. The nine parameters of a muscle are written as gainprm and biasprm. A damping ratio is written in
// the place of the damping, where MuJoCo reads a positive number as a ratio.
static void write_general(hfiMjcfWriter* w, int i) {
  enum { MUSCLE_PARAMETERS = 9 };
  static const char* const dynamics[] = {[HF_ACTIVATION_NONE] = "none",
                                         [HF_ACTIVATION_INTEGRATOR] = "integrator",
                                         [HF_ACTIVATION_FILTER] = "filter",
                                         [HF_ACTIVATION_FILTER_EXACT] = "filterexact",
                                         [HF_ACTIVATION_MUSCLE] = "muscle"};
  static const char* const gains[] = {[HF_GAIN_FIXED] = "fixed", [HF_GAIN_AFFINE] = "affine",
                                      [HF_GAIN_MUSCLE] = "muscle"};
  static const char* const biases[] = {[HF_BIAS_NONE] = "none", [HF_BIAS_AFFINE] = "affine",
                                       [HF_BIAS_MUSCLE] = "muscle"};
  const hfActuatorDef* d = &w->b->actuator.data[i];
  int has_muscle_gain = d->gaintype == HF_GAIN_MUSCLE;
  int has_muscle_bias = d->biastype == HF_BIAS_MUSCLE;

  hfi_xml_begin(&w->xml, 2, "general");
  put_common(w, d, i);
  hfi_mjcf_put_range(w, "actlimited", "actrange", d->actlimited, d->actrange);
  hfi_xml_put_text(&w->xml, "dyntype", dynamics[d->dyntype]);
  hfi_xml_put_text(&w->xml, "gaintype", gains[d->gaintype]);
  hfi_xml_put_text(&w->xml, "biastype", biases[d->biastype]);

  hfi_xml_put_reals(&w->xml, "dynprm", d->dynprm, 3);
  if (has_muscle_gain)
    hfi_xml_put_reals(&w->xml, "gainprm", d->muscle, MUSCLE_PARAMETERS);
  else
    hfi_xml_put_reals(&w->xml, "gainprm", d->gainprm, 3);

  if (has_muscle_bias) {
    hfi_xml_put_reals(&w->xml, "biasprm", hfi_passive_muscle(d), MUSCLE_PARAMETERS);
  } else {
    double damping = d->dampratio > 0 ? d->dampratio : d->biasprm[2];
    hfi_xml_put_reals(&w->xml, "biasprm", (double[]){d->biasprm[0], d->biasprm[1], damping}, 3);
  }

  if (has_muscle_gain || has_muscle_bias) hfi_xml_put_reals(&w->xml, "lengthrange", d->lengthrange, 2);
  if (d->actearly) hfi_xml_put_bool(&w->xml, "actearly", 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes a motor with all its inputs; the actuators that hold the other inputs are not written. Its range of torque
// is written as saturation. p: its parameters. A number that follows from others is written as 0: the inductance from
// the time constant t_e, the thermal time constant from resistance and capacity, the largest current from the torque.
static void write_motor(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  const double* p = d->motor;
  const double inductance[2] = {0, p[HF_MOTOR_TIME_CONSTANT]};
  const double saturation[3] = {d->forcelimited ? d->forcerange[1] : 0, 0, p[HF_MOTOR_CURRENT_RATE]};
  const double thermal[6] = {p[HF_MOTOR_THERMAL_RESISTANCE], p[HF_MOTOR_THERMAL_CAPACITY], 0,
                             p[HF_MOTOR_TEMPCOEF],           p[HF_MOTOR_REFTEMP],          p[HF_MOTOR_AMBIENT]};
  const double controller[6] = {p[HF_MOTOR_KP], p[HF_MOTOR_KI], p[HF_MOTOR_KD], p[HF_MOTOR_SLEWMAX], p[HF_MOTOR_IMAX],
                                p[HF_MOTOR_VMAX]};
  static const char* const inputs[] = {"pos", "vel", "ff", "voltage"};

  hfi_xml_begin(&w->xml, 2, "dcmotor");
  put_transmission(w, d, i);

  const char* gap = "";
  hfi_xml_print(&w->xml, " input=\"");
  for (int k = 0; k < 4; ++k) {
    if (!(d->inputs >> k & 1)) continue;
    hfi_xml_print(&w->xml, "%s%s", gap, inputs[k]);
    gap = " ";
  }
  hfi_xml_print(&w->xml, d->inputs ? "\"" : "none\"");

  hfi_xml_put_reals(&w->xml, "resistance", p + HF_MOTOR_RESISTANCE, 1);
  hfi_xml_put_reals(&w->xml, "motorconst", p + HF_MOTOR_CONSTANT, 1);
  hfi_xml_put_reals(&w->xml, "inductance", inductance, 2);
  hfi_xml_put_reals(&w->xml, "thermal", thermal, 6);
  hfi_xml_put_reals(&w->xml, "saturation", saturation, 3);
  hfi_xml_put_reals(&w->xml, "cogging", p + HF_MOTOR_COGGING, 3);
  hfi_xml_put_reals(&w->xml, "lugre", p + HF_MOTOR_BRISTLE_STIFFNESS, 5);
  hfi_xml_put_reals(&w->xml, "controller", controller, 6);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes all actuators of an orientation servo as one element. <orientation> cannot have activations, <general> cannot
// have a damping ratio.
static void write_orientation(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  double kv = -d->biasprm[2];
  int integrates = d->dyntype == HF_ACTIVATION_INTEGRATOR;
  static const char general[] = "general gaintype=\"so3\" biastype=\"so3\" dyntype=\"integrator\"";

  hfi_xml_begin(&w->xml, 2, integrates ? general : "orientation");
  put_common(w, d, i);
  hfi_xml_put_text(&w->xml, "input", hfi_orientation_count(d->inputs) == 4 ? "quat" : "expmap");

  if (integrates) {
    hfi_mjcf_put_range(w, "actlimited", "actrange", d->actlimited, d->actrange);
    hfi_xml_put_reals(&w->xml, "gainprm", d->gainprm, 1);
    hfi_xml_put_reals(&w->xml, "biasprm", d->biasprm, 3);
    if (d->actearly) hfi_xml_put_bool(&w->xml, "actearly", 1);
  } else {
    hfi_xml_put_reals(&w->xml, "kp", d->gainprm, 1);
    if (d->dampratio > 0)
      hfi_xml_put_reals(&w->xml, "dampratio", &d->dampratio, 1);
    else
      hfi_xml_put_reals(&w->xml, "kv", &kv, 1);
  }
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes an actuator as the element that can describe it.
static void write_actuator(hfiMjcfWriter* w, int i) {
  const hfActuatorDef* d = &w->b->actuator.data[i];
  int is_pid = d->dyntype == HF_ACTIVATION_ERROR || d->dyntype == HF_ACTIVATION_SLEW;

  if (d->gaintype == HF_GAIN_MOTOR)
    write_motor(w, i);
  else if (d->gaintype == HF_GAIN_ORIENTATION)
    write_orientation(w, i);
  else if (is_pid && d->dampratio > 0)
    write_damped_pid(w, i);
  else if (is_pid)
    write_pid(w, i);
  else
    write_general(w, i);
}

// Writes <actuator>. Actuators that hold the other inputs of a motor or orientation servo belong to its element.
void hfi_mjcf_write_actuators(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <actuator>\n");
  for (int i = 0; i < w->b->actuator.count;) {
    write_actuator(w, i);
    int inputs = hfi_count_bits(w->b->actuator.data[i].inputs);
    i += imax2(1, inputs);
  }
  hfi_xml_print(&w->xml, "  </actuator>\n");
}

// ---- sensors ------------------------------------------------------------------------------------

// The word of MJCF for the kind of object of a frame sensor.
static const char* frame_word(int kind) {
  switch (kind) {
  case HF_OBJECT_INERTIAL: return "body";
  case HF_OBJECT_BODY: return "xbody";
  case HF_OBJECT_GEOM: return "geom";
  case HF_OBJECT_CAMERA: return "camera";
  default: return "site";
  }
}

// Writes the object of a frame sensor, or its reference; nothing if there is none. type, name: the two attributes.
static void put_frame(hfiMjcfWriter* w, const char* type, const char* name, int kind, int id) {
  if (kind == HF_OBJECT_NONE) return;
  hfi_xml_put_text(&w->xml, type, frame_word(kind));
  hfi_mjcf_put_reference(w, name, (hfObjectKind)kind, id);
}

// Writes data="…": the words of the bits that are set.
static void put_data(hfiMjcfWriter* w, const char* const* words, int data) {
  const char* gap = "";
  hfi_xml_print(&w->xml, " data=\"");
  for (int i = 0; words[i]; ++i) {
    if (!(data >> i & 1)) continue;
    hfi_xml_print(&w->xml, "%s%s", gap, words[i]);
    gap = " ";
  }
  hfi_xml_print(&w->xml, "\"");
}

// Writes one of the two objects of a sensor, as geom1, body2, subtree1 or site.
static void put_end(hfiMjcfWriter* w, int is_second, int kind, int id, int is_subtree) {
  if (kind == HF_OBJECT_NONE) return;
  if (kind == HF_OBJECT_SITE) {
    hfi_mjcf_put_reference(w, "site", HF_OBJECT_SITE, id);
    return;
  }

  char attribute[32];
  const char* word = is_subtree ? "subtree" : "body";
  if (kind == HF_OBJECT_GEOM) word = "geom";
  snprintf(attribute, sizeof attribute, "%s%d", word, is_second ? 2 : 1);
  hfi_mjcf_put_reference(w, attribute, (hfObjectKind)kind, id);
}

// Writes what a contact sensor measures.
static void put_contact(hfiMjcfWriter* w, const hfSensorDef* d) {
  const hfiKeyword* reduction = hfi_mjcf_reductions;
  while (reduction->word && reduction->value != d->reduce) ++reduction;

  put_end(w, 0, d->objkind, d->obj, d->subtree & 1);
  put_end(w, 1, d->refkind, d->ref, d->subtree & 2);
  put_data(w, hfi_mjcf_contact_data, d->data);
  hfi_xml_put_text(&w->xml, "reduce", reduction->word);
  hfi_xml_put_int(&w->xml, "num", d->num, 1);
}

// Writes what a sensor measures. attribute: the one that names its object; NULL for a frame sensor, "" for a sensor
// without an object.
static void put_target(hfiMjcfWriter* w, const hfSensorDef* d, const char* attribute) {
  switch (d->type) {
  // sensors with attributes of their own
  case HF_SENSOR_CONTACT:
    put_contact(w, d);
    return;

  case HF_SENSOR_RANGEFINDER:
    hfi_mjcf_put_reference(w, d->objkind == HF_OBJECT_CAMERA ? "camera" : "site", (hfObjectKind)d->objkind, d->obj);
    put_data(w, hfi_mjcf_ray_data, d->data);
    return;

  case HF_SENSOR_CAMERA_PROJECTION:
    hfi_mjcf_put_reference(w, "site", HF_OBJECT_SITE, d->obj);
    hfi_mjcf_put_reference(w, "camera", HF_OBJECT_CAMERA, d->ref);
    return;

  case HF_SENSOR_INSIDE_SITE:
    put_frame(w, "objtype", "objname", d->objkind, d->obj);
    hfi_mjcf_put_reference(w, "site", HF_OBJECT_SITE, d->ref);
    return;

  case HF_SENSOR_DISTANCE:
  case HF_SENSOR_NORMAL:
  case HF_SENSOR_FROM_TO:
    put_end(w, 0, d->objkind, d->obj, 0);
    put_end(w, 1, d->refkind, d->ref, 0);
    return;

  case HF_SENSOR_USER:
    hfi_xml_put_int(&w->xml, "dim", d->num, -1);
    return;

  // all others name one object, two frames, or nothing
  default:
    if (!attribute) {
      put_frame(w, "objtype", "objname", d->objkind, d->obj);
      put_frame(w, "reftype", "refname", d->refkind, d->ref);
    } else if (attribute[0]) {
      hfi_mjcf_put_reference(w, attribute, (hfObjectKind)d->objkind, d->obj);
    }
  }
}

// Writes a sensor.
static void write_sensor(hfiMjcfWriter* w, int i) {
  const hfSensorDef* d = &w->b->sensor.data[i];
  const char* attribute = NULL;

  hfi_xml_begin(&w->xml, 2, hfi_mjcf_sensor_word(d->type, &attribute));
  hfi_mjcf_put_name(w, HF_OBJECT_SENSOR, i);
  put_target(w, d, attribute);

  hfi_xml_put_real(&w->xml, "cutoff", d->cutoff, 0);
  hfi_xml_put_real(&w->xml, "noise", d->noise, 0);
  put_samples(w, d->delay, d->nsample, d->interp);
  if (d->interval[0] > 0) hfi_xml_put_reals(&w->xml, "interval", d->interval, 2);
  hfi_xml_print(&w->xml, "/>\n");
}

void hfi_mjcf_write_sensors(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <sensor>\n");
  for (int i = 0; i < w->b->sensor.count; ++i) write_sensor(w, i);
  hfi_xml_print(&w->xml, "  </sensor>\n");
}
