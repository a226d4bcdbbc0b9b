// What the writers of SDFormat and URDF share: a model as links and joints, where each joint is one motion between two
// links; names, drives, couplings, mesh files, and warnings about what a format cannot describe.
//
// In these formats a robot is drawn with all joints at zero, but a model has its reference qpos0: X_PL is the pose at
// zero. A body with n joints becomes n links. The last one has the mass, geoms and sites of the body; the others have
// nothing.
#ifndef HFI_IMPORT_ROBOT_WRITE_H
#define HFI_IMPORT_ROBOT_WRITE_H

#include "base/names.h"
#include "base/pool.h"
#include "io/mjcf/mjcf.h"
#include "io/xml/xml_write.h"

typedef struct hfiWrittenLink {
  int body;           // body of the model; 0: the world
  int carries;        // 1: it has the mass, geoms and sites of the body; 0: it is between two joints of the body
  int parent;         // link, or -1: the world
  int joint;          // joint that moves it in its parent; -1: it is fixed there, or floats
  int floats;         // 1: a free joint moves it
  int hangs;          // 1: it floated in the model, and a joint of a loop moves it in the file
  int group;          // number of the SDFormat model to which it belongs
  hfVec3 p_BL;        // its origin in the body's frame
  hfiPlacement X_PL;  // pose in the parent link, with all joints at zero
  hfiPlacement X_WL;  // pose in the world, with all joints at zero
  const char *name, *joint_name;
} hfiWrittenLink;

typedef enum hfiDriveKind {
  HFI_UNDRIVEN,
  HFI_DRIVEN_BY_FORCE,
  HFI_DRIVEN_TO_POSITION,
  HFI_DRIVEN_TO_VELOCITY
} hfiDriveKind;

typedef struct hfiJointDrive { // the first actuator of a joint
  hfiDriveKind kind;
  int actuator;
  double effort; // bound of its force, or -1: none [N or N m]
  double speed;  // bound of its control where that is a velocity, or -1 [m/s or rad/s]
  // 1: its control has a range other than the one that a reader takes from the joint: its range, +- speed or +- effort.
  int has_own_range;
} hfiJointDrive;

typedef struct hfiMimic { // q = multiplier q_leader + offset
  int leader; // joint, or -1: it follows none
  double multiplier, offset;
} hfiMimic;

typedef struct hfiLoop { // a connect or weld of two links that fit together with all joints at zero
  int equality, parent, child; // links; a parent of -1 is the world
  int is_fixed;                // 1: weld, 0: connect
  hfVec3 p_W;                  // its place with all joints at zero
} hfiLoop;

// The files beside the robot's own file: meshes and images (robot_mesh.c).
typedef struct hfiRobotFiles {
  const char** mesh_file[2]; // (nmesh) names of the files of hulls [0] and surfaces [1] that are written, or NULL
  const char** image_file;   // (nhfield) names of the images that are written, or NULL
  const char* ball_file;     // name of the file of a ball, or NULL
  const char* folder;        // folder of these files, if it was made now; NULL: it was there, or is not needed yet
  hfiOutput* unnamed;        // (nunnamed) files that have no name yet
  int nunnamed;
} hfiRobotFiles;

typedef struct hfiRobotWriter {
  hfiXmlWriter xml;
  const hfModel* m;
  const char* format;         // its name, for messages
  hfDiagnostics* diagnostics; // may be NULL
  hfiPool pool;
  hfiNames names;

  // links
  int joints_at_origins; // 1: the origin of a link lies on the axis of its joint, as URDF wants it
  int nlink;
  hfiWrittenLink* link; // (nlink) parents before children, in the order of bodies
  int* link_of;         // (nbody) the link that carries the body, or -1

  // joints
  hfiJointDrive* drive; // (njnt)
  hfiMimic* mimic;      // (njnt)
  int nloop;
  hfiLoop* loop;                               // (nloop)
  int open_loops, lost_couplings, lost_drives; // how many of each the file cannot have

  // Pairs of bodies that do not touch, and that a reader of the file would not keep apart by itself.
  int napart;
  int* apart; // (napart x 2)

  hfiRobotFiles files;
} hfiRobotWriter;

// ---- robot_names.c ------------------------------------------------------------------------------

// Zeros from the pool: count items of `width` bytes and one more, so that a text has its zero byte. NULL and a refusal
// if there is no memory.
void* hfi_robot_take(hfiRobotWriter* w, size_t count, size_t width);
// A text that belongs to the pool. It is "" if there is no memory.
const char* hfi_robot_format(hfiRobotWriter* w, const char* format, ...) HF_PRINTF(2, 3);
// A name that nothing else in this space has: `wanted`, else with the suffix, else also with a number.
const char* hfi_robot_unique(hfiRobotWriter* w, int space, const char* wanted, const char* suffix);
// The name of an object, or one made of its kind and number.
const char* hfi_robot_name_of(hfiRobotWriter* w, hfObjectKind kind, int id);
void hfi_robot_warn(hfiRobotWriter* w, const char* format, ...) HF_PRINTF(2, 3);
// Warns that the format cannot describe these things, unless the count is 0.
void hfi_robot_left_out(hfiRobotWriter* w, int count, const char* what);

// ---- robot_links.c ------------------------------------------------------------------------------

// Makes the links. Their names are those of their bodies.
void hfi_robot_make_links(hfiRobotWriter* w);
// The pose in a link of something that is placed in its body.
hfiPlacement hfi_robot_in_link(const hfiWrittenLink* link, const double pos[3], const double quat[4]);
// R = Rz(yaw) Ry(pitch) Rx(roll), with pitch between -90 and 90 degrees.
void hfi_robot_rpy(hfQuat q, double rpy[3]);
// Whether a geom collides; and whether it is drawn. It is drawn if it does not collide, or if its body has no geom that
// is only drawn.
int hfi_robot_collides(const hfModel* m, int geom);
int hfi_robot_is_drawn(const hfModel* m, int geom);

// ---- robot_joints.c -----------------------------------------------------------------------------

// Fills drives, couplings and loops.
void hfi_robot_make_joints(hfiRobotWriter* w);

// ---- robot_mesh.c -------------------------------------------------------------------------------

// Returns the path of a mesh's file in the folder "FILE.meshes", relative to the robot's file FILE. The first call
// writes it: the hull of the mesh or, if `drawn`, the surface that is drawn.
const char* hfi_robot_mesh(hfiRobotWriter* w, int mesh, int drawn);
// Like hfi_robot_mesh, for a ball of radius 1 with 1106 vertices on its surface.
const char* hfi_robot_ball(hfiRobotWriter* w);
// Like hfi_robot_mesh, for a height field: a grey image with 255 steps from the lowest to the highest height.
const char* hfi_robot_height_image(hfiRobotWriter* w, int hfield);
// Gives the files of the folder their names. After a refusal, files that have no name yet are dropped.
void hfi_robot_name_files(hfiRobotWriter* w);

// ---- robot_apart.c ------------------------------------------------------------------------------

// Fills the list of pairs of bodies that the file must keep apart.
void hfi_robot_make_apart(hfiRobotWriter* w);
// Counts the bodies that may touch the body that carries them because it stands still. No reader of the written file
// lets such bodies touch.
int hfi_robot_count_touching_bases(const hfModel* m);

// ---- robot_left_out.c ---------------------------------------------------------------------------

// Warns of everything in the model that neither SDFormat nor URDF can describe.
void hfi_robot_warn_left_out(hfiRobotWriter* w);

// ---- robot_write.c ------------------------------------------------------------------------------

// Prepares links, drives and couplings, then writes the file by `write_document`. Returns the status.
hfStatus hfi_robot_write(hfiRobotWriter* w, void (*write_document)(hfiRobotWriter* w));

#endif
