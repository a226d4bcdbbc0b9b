// Actuators for the joints of URDF and SDFormat files, which rarely have gains.
#ifndef HFI_IMPORT_DRIVE_H
#define HFI_IMPORT_DRIVE_H

#include "io/xml/reader.h"

typedef struct hfiDrivenJoint {
  const char* name;    // name of the joint and of its actuator
  const hfiElem* elem; // element that asks for the actuator
  int is_slide, is_endless;
  double effort, speed;      // limits of the joint [N or N m, m/s or rad/s]; 0: none
  double range[2];           // ends of the range of the control that the file gives
  int has_end[2];            // 1: range has this end; 0: the range of hfi_add_drive has it
  const hfiElem* range_elem; // element that gives these ends; NULL: none
  double kp, kv;             // gains of a position servo; kp 0: they follow from the effort
} hfiDrivenJoint;

// Adds an actuator of this kind, unless the joint has one already.
//   position   force = kp (control - q) - kv v       range of the control: that of the joint
//   velocity   force = kv (control - v)              range: +- speed
//   motor      force = control                       range: +- effort
// Gains of the options have priority over those of the joint. If neither is given, kp reaches the effort at an error of
// 0.02 rad or 0.002 m, and kv damps the joint critically; kv of a velocity servo reaches the effort at 0.1 rad/s or
// 0.01 m/s. Ends that the file gives take the place of those above. If nothing gives an end, the control has none on
// this side. If the range is empty, the ends above are used, with a warning.
void hfi_add_drive(hfiReader* reader, const hfiDrivenJoint* joint, hfUrdfActuators kind);

#endif
