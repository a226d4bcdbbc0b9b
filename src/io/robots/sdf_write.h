// Inside of the SDFormat writer. Links that are connected, or whose names begin with the same "model::", are one
// <model>.
#ifndef HFI_IMPORT_SDF_WRITE_H
#define HFI_IMPORT_SDF_WRITE_H

#include "io/robots/robot_write.h"

// A <model> of the file.
typedef struct hfiSdfGroup {
  const char* name;
  size_t prefix; // how many characters of "model::" its links and joints have before their names
  int is_static; // 1: all of its links stand still
  int links;     // number of links
  int first;     // index of the first one in hfiSdfWriter.member
  hfiPlacement X; // pose of the model in the world: the pose of its first link
} hfiSdfGroup;

typedef struct hfiSdfWriter {
  hfiRobotWriter robot; // the first member, so that a pointer to it is a pointer to this struct
  int ngroup;
  hfiSdfGroup* group;
  int* member;  // (nlink) links, group by group
  int is_world; // 1: a <world> of models, 0: one <model>
} hfiSdfWriter;

// ---- sdf_write_groups.c -------------------------------------------------------------------------

// Divides the links into groups, and gives names to groups, links and joints.
void hfi_sdf_make_groups(hfiSdfWriter* w);
// A name without the prefix of its group and without characters that SDFormat reserves.
const char* hfi_sdf_clean_name(hfiRobotWriter* w, const char* name, size_t prefix);

// ---- sdf_write_link.c, sdf_write_joint.c --------------------------------------------------------

// <pose> of x y z roll pitch yaw, relative to a link if that is not NULL; nothing for the identity.
void hfi_sdf_write_pose(hfiXmlWriter* xml, int depth, hfiPlacement X, const char* relative_to);
void hfi_sdf_write_link(hfiSdfWriter* w, const hfiWrittenLink* link, int depth);
// Writes the joint that moves a link or fixes it; nothing if the link floats.
void hfi_sdf_write_joint(hfiSdfWriter* w, const hfiWrittenLink* link, int depth);
void hfi_sdf_write_loop(hfiSdfWriter* w, const hfiLoop* loop, int depth);

#endif
