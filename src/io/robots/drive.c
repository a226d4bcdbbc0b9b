// Servos and motors of joints of URDF and SDFormat.
//
// r: the reader, j: the joint that is driven, d: the definition of its actuator; kp, kv: gains.
#include "io/robots/drive.h"

// A servo without given gains uses all of its joint's effort at this error of the position [rad, m].
static const double FULL_EFFORT_ERROR[2] = {0.02, 0.002};
// A velocity servo without given gains uses all of its joint's effort at this error of the speed [rad/s, m/s].
static const double FULL_EFFORT_SPEED[2] = {0.1, 0.01};
// The effort from which gains are computed if the joint has none [N m, N].
static const double ASSUMED_EFFORT = 50;

// Sets the range of the control. An empty range means none.
static void set_range(hfActuatorDef* d, double low, double high) {
  d->ctrllimited = low < high;
  d->ctrlrange[0] = d->ctrllimited ? low : 0;
  d->ctrlrange[1] = d->ctrllimited ? high : 0;
}

// Makes a position servo. effort: the joint's, from which the gain follows if nothing gives one [N m or N].
static void make_position(hfiReader* r, const hfiDrivenJoint* j, double effort, hfActuatorDef* d) {
  const hfImportConfig* c = &r->config;
  double range[2] = {0, 0};
  // an error of this size takes the whole effort; index 0 [rad], 1 [m]
  double kp = effort / FULL_EFFORT_ERROR[j->is_slide];
  if (j->kp > 0) kp = j->kp;
  if (c->servo_kp > 0) kp = c->servo_kp;
  double kv = c->servo_kv > 0 ? c->servo_kv : j->kv;

  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kp;
  d->biasprm[1] = -kp;
  d->biasprm[2] = -kv;
  if (!(c->servo_kv > 0) && !(j->kp > 0)) d->dampratio = 1;

  if (!j->is_endless && hf_builder_range(r->builder, HF_OBJECT_JOINT, d->trnid[0], range))
    set_range(d, range[0], range[1]);
}

// Makes a velocity servo. effort: the joint's, from which the gain follows if no option gives one [N m or N].
static void make_velocity(hfiReader* r, const hfiDrivenJoint* j, double effort, hfActuatorDef* d) {
  double kv = r->config.servo_kv > 0 ? r->config.servo_kv : effort / FULL_EFFORT_SPEED[j->is_slide];
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_AFFINE;
  d->gainprm[0] = kv;
  d->biasprm[2] = -kv;
  set_range(d, -j->speed, j->speed);
}

// Makes a motor whose control is the force. effort: the joint's, or 0 [N m or N].
static void make_motor(double effort, hfActuatorDef* d) {
  d->gaintype = HF_GAIN_FIXED;
  d->biastype = HF_BIAS_NONE;
  d->gainprm[0] = 1;
  set_range(d, -effort, effort);
}

// Replaces the ends of the control's range that the file gives. If the range is empty then, it stays, with a warning.
static void replace_ends(hfiReader* r, const hfiDrivenJoint* j, hfActuatorDef* d) {
  static const double open[2] = {-HFI_NO_END, HFI_NO_END};
  const double* kept = d->ctrllimited ? d->ctrlrange : open;
  double low = j->has_end[0] ? j->range[0] : kept[0];
  double high = j->has_end[1] ? j->range[1] : kept[1];
  if (!j->has_end[0] && !j->has_end[1]) return;

  if (low < high)
    set_range(d, low, high);
  else if (d->ctrllimited)
    hfi_note(r, j->range_elem, HF_WARNING,
             "joint \"%s\": the range [%g, %g] of the control is empty: "
             "[%g, %g], from the limits of the joint, is used instead",
             j->name, low, high, kept[0], kept[1]);
  else
    hfi_note(r, j->range_elem, HF_WARNING,
             "joint \"%s\": the range [%g, %g] of the control is empty: "
             "the control has no range, as the joint has no limit for it",
             j->name, low, high);
}

// Adds an actuator of this kind with the name of the joint, unless there is one already.
void hfi_add_drive(hfiReader* r, const hfiDrivenJoint* j, hfUrdfActuators kind) {
  if (r->status || hf_builder_find(r->builder, HF_OBJECT_ACTUATOR, j->name) >= 0) return;

  hfActuatorDef d = hf_actuator_def_default();
  d.name = j->name;
  d.where = hfi_where(r, j->elem);
  d.trntype = HF_TRANSMISSION_JOINT;
  d.trnid[0] = hf_builder_find(r->builder, HF_OBJECT_JOINT, j->name);

  double effort = j->effort > 0 ? j->effort : ASSUMED_EFFORT;
  if (kind == HF_URDF_MOTORS)
    make_motor(j->effort, &d);
  else if (kind == HF_URDF_POSITION_SERVOS)
    make_position(r, j, effort, &d);
  else
    make_velocity(r, j, effort, &d);
  replace_ends(r, j, &d);
  if (!r->status) hfi_keep(r, j->elem, hf_builder_add_actuator(r->builder, &d, &r->scratch));
}
