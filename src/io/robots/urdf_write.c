// hf_model_write_urdf: a robot as URDF, for ROS, Drake, Pinocchio and others.
//
// A file contains one tree. Its root is the link "world", so that every reader knows whether the robot is fixed or
// floats.
//
// w: the writer, m: its model.
#include "io/robots/urdf_write.h"

#include "base/error.h"
#include "model/shape.h"

#include <holdfast/import.h>
#include <string.h>

// ---- what is refused ----------------------------------------------------------------------------

static const char WRITE_SDF[] = "SDFormat can say it: write a file that ends in .sdf";

// Refuses joints that URDF lacks, and a second body that floats.
static void refuse_joints(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  int floating = 0; // how many bodies float
  for (int j = 0; j < m->njnt; ++j) {
    int type = hf_model_jnt_type(m)[j];
    const char* name = hfi_robot_name_of(w, HF_OBJECT_JOINT, j);

    if (type == HF_JOINT_BALL) hfi_xml_refuse(&w->xml, "joint \"%s\": URDF has no ball joints; %s", name, WRITE_SDF);
    if (type == HF_JOINT_SCREW) hfi_xml_refuse(&w->xml, "joint \"%s\": URDF has no screw joints; %s", name, WRITE_SDF);
    if (type == HF_JOINT_FREE) ++floating;
    if (type == HF_JOINT_FREE && floating == 2)
      hfi_xml_refuse(&w->xml, "URDF describes one robot, but body \"%s\" is not the only one that floats; %s",
                     hfi_robot_name_of(w, HF_OBJECT_BODY, hf_model_jnt_body(m)[j]), WRITE_SDF);
  }
}

// Refuses scenes that are not one robot without loops.
static void refuse_what_urdf_lacks(hfiRobotWriter* w) {
  int loops = w->nloop + w->open_loops;
  refuse_joints(w);
  if (w->m->nbody < 2) hfi_xml_refuse(&w->xml, "URDF describes a robot, but there is no body");
  if (loops)
    hfi_xml_refuse(&w->xml, "URDF has no loops, but %d equalities connect or weld bodies; %s", loops, WRITE_SDF);
}

// Warns of what the file lacks, kind by kind.
static void warn_of_urdf(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  int springs = 0;
  int gains = 0;
  int ranges = 0;
  for (int j = 0; j < m->njnt; ++j) {
    springs += hf_model_jnt_stiffness(m)[j] != 0;
    gains += w->drive[j].kind > HFI_DRIVEN_BY_FORCE;
    ranges += w->drive[j].has_own_range;
  }

  int geoms_of_type[HFI_SHAPES] = {0};
  for (int i = 0; i < m->ngeom; ++i) ++geoms_of_type[hf_model_geom_type(m)[i]];
  int capsules = geoms_of_type[HF_GEOM_CAPSULE];
  int ellipsoids = geoms_of_type[HF_GEOM_ELLIPSOID];

  int partly_compensated = 0;
  for (int i = 1; i < m->nbody; ++i) {
    double share = hf_model_body_gravcomp(m)[i];
    partly_compensated += share != 0 && share != 1;
  }

  hfi_robot_left_out(w, springs, "springs of joints");
  hfi_robot_left_out(w, geoms_of_type[HF_GEOM_PLANE], "planes");
  hfi_robot_left_out(w, geoms_of_type[HF_GEOM_HFIELD], "height fields");
  hfi_robot_left_out(w, partly_compensated, "compensation of a part of a weight");
  hfi_robot_left_out(w, ranges, "ranges of controls other than the limits of the joint; a reader takes these");
  hfi_robot_left_out(w, gains, "gains of actuators; a reader chooses them");
  if (capsules) hfi_robot_warn(w, "URDF has no capsules: each becomes a cylinder and two balls (%d)", capsules);
  if (ellipsoids)
    hfi_robot_warn(w, "URDF has no ellipsoids: each becomes a mesh, within 0.5 %% of its size (%d)", ellipsoids);
}

// ---- the file -----------------------------------------------------------------------------------

enum { SPACE_LINKS, SPACE_JOINTS }; // the spaces of names; frames share the space of links

// Gives unique names to links and joints. The root is called "world".
static void name_all(hfiRobotWriter* w) {
  for (int i = 0; i < w->nlink; ++i)
    if (w->link[i].body == 0) w->link[i].name = hfi_robot_unique(w, SPACE_LINKS, "world", "");

  for (int i = 0; i < w->nlink; ++i) {
    hfiWrittenLink* link = &w->link[i];
    const char* wanted = strcmp(link->name, "world") == 0 ? "world_link" : link->name;
    if (link->body > 0) link->name = hfi_robot_unique(w, SPACE_LINKS, wanted, "_link");
  }

  for (int i = 0; i < w->nlink; ++i) {
    hfiWrittenLink* link = &w->link[i];
    const char* suffix = link->floats ? "free_joint" : "fixed";
    const char* name = hfi_robot_format(w, "%s_%s", link->name, suffix);
    if (link->joint >= 0) name = hfi_robot_name_of(w, HF_OBJECT_JOINT, link->joint);
    link->joint_name = hfi_robot_unique(w, SPACE_JOINTS, name, "_joint");
  }
}

// Writes the extension of Gazebo that takes the weight off a link.
static void write_weightless(hfiRobotWriter* w, const hfiWrittenLink* link) {
  if (link->body <= 0 || !link->carries || hf_model_body_gravcomp(w->m)[link->body] != 1) return;
  hfi_xml_begin(&w->xml, 1, "gazebo");
  hfi_xml_put_text(&w->xml, "reference", link->name);
  hfi_xml_print(&w->xml, ">\n    <turnGravityOff>true</turnGravityOff>\n  </gazebo>\n");
}

// Writes each site as a <frame> of its link.
static void write_frames(hfiRobotWriter* w) {
  const hfModel* m = w->m;
  for (int i = 0; i < m->nsite; ++i) {
    const hfiWrittenLink world = {.name = "world"};
    int id = w->link_of[hf_model_site_body(m)[i]];
    const hfiWrittenLink* link = id < 0 ? &world : &w->link[id];
    hfiPlacement X = hfi_robot_in_link(link, hf_model_site_pos(m) + 3 * i, hf_model_site_quat(m) + 4 * i);

    double xyz[3];
    double rpy[3];
    v3_store(xyz, X.p);
    hfi_robot_rpy(X.q, rpy);

    const char* name = hfi_robot_unique(w, SPACE_LINKS, hfi_robot_name_of(w, HF_OBJECT_SITE, i), "_frame");
    hfi_xml_begin(&w->xml, 1, "frame");
    hfi_xml_put_text(&w->xml, "name", name);
    hfi_xml_put_text(&w->xml, "link", link->name);
    hfi_xml_put_reals(&w->xml, "xyz", xyz, 3);
    hfi_xml_put_reals(&w->xml, "rpy", rpy, 3);
    hfi_xml_print(&w->xml, "/>\n");
  }
}

// Writes a pair of bodies that do not touch as two filter groups of one link each, of which the first ignores the
// second.
static void write_filter(hfiRobotWriter* w, int number) {
  for (int k = 0; k < 2; ++k) {
    int link = w->link_of[w->apart[2 * number + k]];
    hfi_xml_print(&w->xml, "  <drake:collision_filter_group name=\"apart_%d_%d\">\n    <drake:member", number, k);
    hfi_xml_put_text(&w->xml, "link", link < 0 ? "world" : w->link[link].name);
    hfi_xml_print(&w->xml, "/>\n");
    if (k == 0) hfi_xml_print(&w->xml, "    <drake:ignored_collision_filter_group name=\"apart_%d_1\"/>\n", number);
    hfi_xml_print(&w->xml, "  </drake:collision_filter_group>\n");
  }
}

// Writes the extension that MuJoCo and Holdfast read. Without it MuJoCo merges links, and drops the folders of meshes
// and everything that is only drawn.
static void write_extension(hfiRobotWriter* w) {
  static const double none[3] = {0, 0, 0};
  const hfWorld* world = &w->m->world;
  hfi_xml_print(&w->xml, "  <mujoco>\n");
  hfi_xml_print(&w->xml, "    <compiler strippath=\"false\" fusestatic=\"false\" discardvisual=\"false\"/>\n");
  hfi_xml_print(&w->xml, "    <option");
  hfi_xml_put_reals(&w->xml, "timestep", &world->timestep, 1);
  hfi_xml_put_reals(&w->xml, "gravity", world->disable_gravity ? none : world->gravity, 3);
  hfi_xml_print(&w->xml, "/>\n  </mujoco>\n");
}

// Writes the whole document, or refuses what URDF lacks.
static void write_document(hfiRobotWriter* w) {
  refuse_what_urdf_lacks(w);
  if (w->xml.status) return;
  name_all(w);

  hfi_xml_print(&w->xml, "<?xml version=\"1.0\"?>\n<robot xmlns:drake=\"http://drake.mit.edu\"");
  hfi_xml_put_text(&w->xml, "name", hfi_robot_name_of(w, HF_OBJECT_BODY, 1));
  hfi_xml_print(&w->xml, ">\n");

  // links and joints; the world is in the list of links only if it has geoms
  write_extension(w);
  if (w->link[0].body > 0) hfi_xml_print(&w->xml, "  <link name=\"world\"/>\n");
  for (int i = 0; i < w->nlink; ++i) hfi_urdf_write_link(w, &w->link[i]);
  for (int i = 0; i < w->nlink; ++i)
    if (w->link[i].body > 0) hfi_urdf_write_joint(w, &w->link[i]);
  for (int i = 0; i < w->nlink; ++i) hfi_urdf_write_transmission(w, &w->link[i]);

  // extensions of Gazebo and Drake
  for (int i = 0; i < w->nlink; ++i) write_weightless(w, &w->link[i]);
  write_frames(w);
  for (int i = 0; i < w->napart; ++i) write_filter(w, i);
  hfi_xml_print(&w->xml, "</robot>\n");
  warn_of_urdf(w);
}

// Writes a model as URDF. Refuses what is not one robot without loops. What else the format lacks is a warning in the
// diagnostics.
hfStatus hf_model_write_urdf(const hfModel* model, const char* path, hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  hfiRobotWriter w = {.xml = {.path = path, .error = error},
                      .m = model,
                      .format = "URDF",
                      .diagnostics = diagnostics,
                      .joints_at_origins = 1};
  return hfi_robot_write(&w, write_document);
}
