// hf_model_write_sdf: a model as SDFormat, for Gazebo and Drake.
//
// A scene of one connected robot is one <model>, which other files can include; anything else is a <world> with a model
// for each connected group of links. The poses of links are those with all joints at zero, each relative to the link
// that carries it.
//
// w: the writer, r: its part that both formats share, m: the model; depth: of an element, from which its indent
// follows.
#include "io/robots/sdf_write.h"

#include "base/error.h"

#include <holdfast/import.h>
#include <string.h>

// Writes a site as a frame that is attached to its link, or to the world.
static void write_frame(hfiSdfWriter* w, int site, int depth) {
  hfiRobotWriter* r = &w->robot;
  const hfModel* m = r->m;
  // the link that carries the body of the site; -1 for the world
  int id = r->link_of[hf_model_site_body(m)[site]];
  int in_world = id < 0;
  const hfiWrittenLink world = {0};
  const hfiWrittenLink* link = in_world ? &world : &r->link[id];

  // its name, without the prefix of its model
  const char* name = hfi_robot_name_of(r, HF_OBJECT_SITE, site);
  const char* model = in_world ? "" : w->group[link->group].name;
  size_t prefix = in_world ? 0 : w->group[link->group].prefix;
  if (strncmp(name, model, strlen(model)) != 0) prefix = 0;
  name = hfi_robot_unique(r, in_world ? 0 : link->group + 1, hfi_sdf_clean_name(r, name, prefix), "_frame");

  hfi_xml_begin(&r->xml, depth, "frame");
  hfi_xml_put_text(&r->xml, "name", name);
  hfi_xml_put_text(&r->xml, "attached_to", in_world ? "world" : link->name);
  hfi_xml_print(&r->xml, ">\n");
  hfiPlacement X = hfi_robot_in_link(link, hf_model_site_pos(m) + 3 * site, hf_model_site_quat(m) + 4 * site);
  hfi_sdf_write_pose(&r->xml, depth + 1, X, NULL);
  hfi_xml_print(&r->xml, "%*s</frame>\n", 2 * depth, "");
}

// Writes the frames of a body. The sites of a model are in the order of their bodies.
static void write_frames(hfiSdfWriter* w, int body, int depth) {
  const hfModel* m = w->robot.m;

  // bisection for the first site of this body or of a later one
  int low = 0;
  int high = m->nsite;
  while (low < high) {
    int middle = (low + high) / 2;
    if (hf_model_site_body(m)[middle] < body)
      low = middle + 1;
    else
      high = middle;
  }

  for (int site = low; site < m->nsite && hf_model_site_body(m)[site] == body; ++site) write_frame(w, site, depth);
}

// Returns the model that has both bodies of an excluded pair; -1 if they belong to two models.
static int find_group_of_pair(const hfiRobotWriter* r, int pair) {
  int a = r->link_of[r->apart[2 * pair]];
  int b = r->link_of[r->apart[2 * pair + 1]];
  int is_one_model = a >= 0 && b >= 0 && r->link[a].group == r->link[b].group;
  return is_one_model ? r->link[a].group : -1;
}

// Writes an excluded pair. Each of its two links becomes a group of one member.
static void write_filter(hfiRobotWriter* r, int pair, int depth) {
  for (int k = 0; k < 2; ++k) {
    hfi_xml_print(&r->xml, "%*s<drake:collision_filter_group name=\"apart_%d_%d\">\n", 2 * depth, "", pair, k);
    hfi_xml_text_element(&r->xml, depth + 1, "drake:member", r->link[r->link_of[r->apart[2 * pair + k]]].name);
    if (k == 0)
      hfi_xml_text_element(&r->xml, depth + 1, "drake:ignored_collision_filter_group",
                           hfi_robot_format(r, "apart_%d_1", pair));
    hfi_xml_print(&r->xml, "%*s</drake:collision_filter_group>\n", 2 * depth, "");
  }
}

// Writes a model: its links, joints, loops, frames and filters.
static void write_model(hfiSdfWriter* w, int id, int depth) {
  hfiRobotWriter* r = &w->robot;
  const hfiSdfGroup* group = &w->group[id];
  hfi_xml_begin(&r->xml, depth, "model");
  hfi_xml_put_text(&r->xml, "name", group->name);
  hfi_xml_print(&r->xml, ">\n");

  hfi_sdf_write_pose(&r->xml, depth + 1, group->X, NULL);
  if (group->is_static) hfi_xml_text_element(&r->xml, depth + 1, "static", "true");
  if (!group->is_static && group->links > 1) hfi_xml_text_element(&r->xml, depth + 1, "self_collide", "true");

  // its links, which w->member lists, and their joints
  const int* begin = w->member + group->first;
  const int* end = begin + group->links;
  for (const int* i = begin; i < end && !r->xml.status; ++i) hfi_sdf_write_link(w, &r->link[*i], depth + 1);
  for (const int* i = begin; i < end && !r->xml.status; ++i) hfi_sdf_write_joint(w, &r->link[*i], depth + 1);

  // a loop belongs to the model of its child
  for (int i = 0; i < r->nloop && !r->xml.status; ++i)
    if (r->link[r->loop[i].child].group == id) hfi_sdf_write_loop(w, &r->loop[i], depth + 1);

  // frames of its bodies, and pairs of its links that do not touch
  for (const int* i = begin; i < end; ++i)
    if (r->link[*i].carries && r->link[*i].body > 0) write_frames(w, r->link[*i].body, depth + 1);

  for (int i = 0; i < r->napart; ++i)
    if (find_group_of_pair(r, i) == id) write_filter(r, i, depth + 1);

  hfi_xml_print(&r->xml, "%*s</model>\n", 2 * depth, "");
}

// ---- the file -----------------------------------------------------------------------------------

// Whether the world has the gravity and time step that a reader assumes. A <model> has neither.
static int has_usual_world(const hfModel* m) {
  static const double usual[3] = {0, 0, -9.81};
  return m->world.timestep == 0.002 && !m->world.disable_gravity && memcmp(m->world.gravity, usual, sizeof usual) == 0;
}

// Writes a world with all models.
static void write_world(hfiSdfWriter* w) {
  static const double none[3] = {0, 0, 0};
  const hfWorld* world = &w->robot.m->world;
  hfiXmlWriter* xml = &w->robot.xml;

  hfi_xml_print(xml, "  <world name=\"holdfast\">\n");
  hfi_xml_number_element(xml, 2, "gravity", world->disable_gravity ? none : world->gravity, 3);
  hfi_xml_print(xml, "    <physics name=\"default\" type=\"ignored\">\n");
  hfi_xml_number_element(xml, 3, "max_step_size", &world->timestep, 1);
  hfi_xml_print(xml, "    </physics>\n");

  for (int i = 0; i < w->ngroup; ++i) write_model(w, i, 2);
  write_frames(w, 0, 2);
  hfi_xml_print(xml, "  </world>\n");
}

// The first version of SDFormat that has what the file uses.
static const char* find_version(const hfiRobotWriter* r) {
  const char* version = "1.8"; // frames, capsules and ellipsoids
  for (int j = 0; j < r->m->njnt; ++j)
    if (hf_model_jnt_type(r->m)[j] == HF_JOINT_SCREW) version = "1.10"; // screw_thread_pitch
  for (int j = 0; j < r->m->njnt; ++j)
    if (r->mimic[j].leader >= 0) version = "1.11"; // mimic
  return version;
}

// Warns of what the file lacks.
static void warn_of_sdf(hfiRobotWriter* r) {
  const hfModel* m = r->m;
  int laws = 0;
  int ranges = 0;
  for (int j = 0; j < m->njnt; ++j) {
    laws += r->drive[j].kind > HFI_DRIVEN_BY_FORCE;
    ranges += r->drive[j].kind == HFI_DRIVEN_BY_FORCE && r->drive[j].has_own_range;
  }

  int partly_compensated = 0;
  for (int i = 1; i < m->nbody; ++i) {
    double share = hf_model_body_gravcomp(m)[i];
    partly_compensated += share != 0 && share != 1;
  }

  // find_group_of_pair is -1 where the two bodies are in two models
  int excluded = 0;
  for (int i = 0; i < r->napart; ++i) excluded += find_group_of_pair(r, i) < 0;

  if (m->nhfield)
    hfi_robot_warn(r,
                   "height fields (%d) are rounded to the 255 steps of an image; "
                   "Gazebo wants 2^n + 1 rows and columns",
                   m->nhfield);
  hfi_robot_left_out(r, laws, "control laws and gains of actuators; their joints have motors");
  hfi_robot_left_out(r, ranges, "ranges of controls other than the effort to both sides; a reader takes this");
  hfi_robot_left_out(r, partly_compensated, "compensation of a part of a weight");
  hfi_robot_left_out(r, excluded, "pairs of bodies of two models that do not touch");
  hfi_robot_left_out(r, r->open_loops, "loops that are open where all joints are at zero");
}

// Writes the document: one model, or a world if there are several, or sites of the world, or an unusual gravity or time
// step.
static void write_document(hfiRobotWriter* r) {
  hfiSdfWriter* w = (hfiSdfWriter*)r; // r is its first member
  hfi_sdf_make_groups(w);
  if (r->xml.status) return;
  for (int i = 0; i < r->m->nsite; ++i) w->is_world |= hf_model_site_body(r->m)[i] == 0;
  w->is_world |= !has_usual_world(r->m);

  hfi_xml_print(&r->xml, "<?xml version=\"1.0\"?>\n<sdf version=\"%s\" xmlns:drake=\"http://drake.mit.edu\">\n",
                find_version(r));
  if (w->is_world)
    write_world(w);
  else
    write_model(w, 0, 1);
  hfi_xml_print(&r->xml, "</sdf>\n");
  warn_of_sdf(r);
}

// Writes a model as SDFormat. What the format lacks is a warning in the diagnostics.
hfStatus hf_model_write_sdf(const hfModel* model, const char* path, hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  hfiSdfWriter w = {.robot = {.xml = {.path = path, .error = error}, .m = model, .format = "SDFormat",
                              .diagnostics = diagnostics}};
  return hfi_robot_write(&w.robot, write_document);
}
