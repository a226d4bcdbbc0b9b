// Inside of the URDF writer.
#ifndef HFI_IMPORT_URDF_WRITE_H
#define HFI_IMPORT_URDF_WRITE_H

#include "io/robots/robot_write.h"

// Writes <origin xyz rpy>, or nothing for the identity.
void hfi_urdf_write_origin(hfiXmlWriter* xml, int depth, hfiPlacement X);
void hfi_urdf_write_link(hfiRobotWriter* w, const hfiWrittenLink* link);
// Writes the joint of a link, whose parent is another link or the link "world".
void hfi_urdf_write_joint(hfiRobotWriter* w, const hfiWrittenLink* link);
// Writes the <transmission> of a joint that has an actuator or an armature.
void hfi_urdf_write_transmission(hfiRobotWriter* w, const hfiWrittenLink* link);

#endif
