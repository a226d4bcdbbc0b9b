// Reading URDF: its links and joints, which are written in any order, become a tree of bodies.
//
// Roots (links that are no joint's child) are fixed in the world; a root called "world" is the world. The order of
// bodies is depth-first, children in the order of their joints, as in MuJoCo.
//
// u: the robot that is read, r: its reader, j: a joint.
#include "io/robots/urdf_model.h"

#include "io/mjcf/mjcf_settings.h"

#include <holdfast/step_problem.h>
#include <string.h>

// ---- links and joints ---------------------------------------------------------------------------

// Adds a link to the list in the order of the file, and its name to the table of names.
static void add_link(hfiUrdf* u, hfiElem* elem, const char* name) {
  if (hfi_urdf_find_link(u, name)) hfi_fail(u->r, elem, HF_ERROR_MODEL, "link \"%s\" is defined twice", name);
  hfiUrdfLink* link = HFI_NEW(u->r, hfiUrdfLink, 1);
  if (!link) return;
  link->name = name;
  link->elem = elem;
  link->body = -1;
  link->tail = &link->first;
  link->frame = hfi_placement_identity();
  link->def = hf_body_def_default();

  if (hfi_names_add(&u->names, HF_OBJECT_BODY, name, u->link_count) != 0)
    hfi_fail(u->r, elem, HF_ERROR_MEMORY, "out of memory");

  u->link_of[u->link_count++] = link;
  *u->link_tail = link;
  u->link_tail = &link->next;
}

// Adds the link "world" of a file that names it as a parent without declaring it, as files for Drake do.
static void add_implied_world(hfiUrdf* u, const hfiElem* parent) {
  hfiElem* elem = HFI_NEW(u->r, hfiElem, 1);
  if (!elem) return;
  *elem = (hfiElem){.name = "link", .file = parent->file, .line = parent->line, .parent = u->root, .used = 1};
  add_link(u, elem, "world");
}

// The link that <parent> or <child> of a joint names, or NULL after a refusal. A parent "world" need not be declared.
static hfiUrdfLink* find_end(hfiUrdf* u, hfiElem* joint, const char* end) {
  hfiElem* e = hfi_child(joint, end);
  if (!e) {
    hfi_fail(u->r, joint, HF_ERROR_PARSE, "<%s> is missing", end);
    return NULL;
  }

  const char* name = hfi_require(u->r, e, "link");
  int is_world = strcmp(end, "parent") == 0 && strcmp(name, "world") == 0;
  if (is_world && !hfi_urdf_find_link(u, name)) add_implied_world(u, e);
  hfiUrdfLink* link = hfi_urdf_find_link(u, name);
  if (!link) hfi_fail(u->r, e, HF_ERROR_MODEL, "there is no link \"%s\"", name);
  return link;
}

// Reads the type, the ends and the origin of a joint. Appends it to its parent's joints and to the joints of the file.
static void add_joint(hfiUrdf* u, hfiElem* elem) {
  static const hfiKeyword types[] = {{"revolute", HFI_URDF_REVOLUTE},
                                     {"continuous", HFI_URDF_CONTINUOUS},
                                     {"prismatic", HFI_URDF_PRISMATIC},
                                     {"fixed", HFI_URDF_FIXED},
                                     {"floating", HFI_URDF_FLOATING},
                                     {"planar", HFI_URDF_PLANAR},
                                     {"ball", HFI_URDF_BALL},
                                     {"spherical", HFI_URDF_BALL},
                                     {NULL, 0}};
  hfiReader* r = u->r;
  hfiUrdfJoint* j = HFI_NEW(r, hfiUrdfJoint, 1);
  if (!j) return;

  j->elem = elem;
  j->name = hfi_require(r, elem, "name");
  hfi_require(r, elem, "type");
  hfi_read_keyword(r, elem, "type", types, &j->type);
  j->parent = find_end(u, elem, "parent");
  j->child = find_end(u, elem, "child");
  j->origin = hfi_urdf_origin(u, elem);
  if (r->status) return;

  if (j->child->joint)
    hfi_fail(r, elem, HF_ERROR_MODEL, "link \"%s\" is moved by joint \"%s\" already", j->child->name,
             j->child->joint->name);
  if (strcmp(j->child->name, "world") == 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "the link \"world\" cannot be moved by a joint");

  j->child->joint = j;
  *j->parent->tail = j;
  j->parent->tail = &j->sibling;
  *u->joint_tail = j;
  u->joint_tail = &j->next;
}

// ---- bodies -------------------------------------------------------------------------------------

// Whether a link on a fixed joint is merged into its parent. The option must ask for it. Two links are not merged if
// one has an <inertial> and the other gets its mass from its geometry.
static int can_merge(hfiUrdf* u, const hfiUrdfLink* link) {
  const hfiUrdfJoint* j = link->joint;
  if (!u->r->config.merge_fixed_links || !j || j->type != HFI_URDF_FIXED) return 0;

  const hfiUrdfLink* outer = j->parent->leader;
  int to_world = strcmp(outer->name, "world") == 0 && !outer->joint;
  if (to_world || !link->mass || !outer->mass || link->mass == outer->mass) return 1;
  hfi_note(u->r, link->elem, HF_NOTE,
           "a link on a fixed joint is kept: only one of it and its parent has an <inertial>");
  return 0;
}

// Sets where the mass of a link comes from (mass), the first of the links that are fixed to it (group), and the link to
// whose body it belongs (leader). Adds its <inertial> to this body.
static void choose_leader(hfiUrdf* u, hfiUrdfLink* link) {
  if (hfi_child(link->elem, "inertial"))
    link->mass = HFI_URDF_EXPLICIT;
  else if (hfi_child(link->elem, "collision"))
    link->mass = HFI_URDF_INFERRED;
  else
    link->mass = HFI_URDF_MASSLESS;

  link->leader = link;
  link->group = link->joint && link->joint->type == HFI_URDF_FIXED ? link->joint->parent->group : link;

  if (can_merge(u, link)) {
    link->leader = link->joint->parent->leader;
    link->frame = hfi_placement_mul(link->joint->parent->frame, link->joint->origin);
    if (!link->leader->mass) link->leader->mass = link->mass;
  }

  hfi_urdf_add_inertial(u, link);
}

// Warns if a link that can move has no <inertial>, and says where its mass comes from.
static void report_missing_inertia(hfiUrdf* u, const hfiUrdfLink* link) {
  int moves = u->r->config.floating_base;
  for (const hfiUrdfLink* l = link; l->joint && !moves; l = l->joint->parent) moves = l->joint->type != HFI_URDF_FIXED;
  if (!moves || link->mass == HFI_URDF_EXPLICIT) return;

  if (link->mass == HFI_URDF_INFERRED)
    hfi_note(u->r, link->elem, HF_WARNING,
             "link \"%.100s\" has no <inertial>: its mass is that of its collision geometry at 1000 kg/m^3",
             link->name);
  else if (link->joint && link->joint->type != HFI_URDF_FIXED)
    hfi_note(u->r, link->elem, HF_WARNING,
             "link \"%.100s\" has no <inertial> and no collision geometry: it has no mass", link->name);
}

// Whether this is a floating joint on a link that is fixed in the world. Then its child is free in the world.
static int floats_in_world(const hfiUrdf* u, const hfiUrdfJoint* j) {
  return j && j->type == HFI_URDF_FLOATING && !j->parent->group->joint && !u->r->config.floating_base;
}

// The pose of the link in the world when all joints are at zero.
static hfiPlacement placement_in_world(const hfiUrdfLink* link) {
  hfiPlacement X = hfi_placement_identity();
  for (; link->joint; link = link->joint->parent) X = hfi_placement_mul(link->joint->origin, X);
  return X;
}

// Adds the body of a link and what moves it: the joints of its URDF joint, or a free joint for a root if the option
// asks for it.
static void add_body(hfiUrdf* u, hfiUrdfLink* link) {
  hfiReader* r = u->r;
  const hfiUrdfJoint* j = link->joint;
  hfi_urdf_set_weight(u, link);
  hfBodyDef def = link->def;

  int in_world = !j || floats_in_world(u, j);
  // j->parent->frame: pose of the parent link in its body; j->origin: pose of this link in the parent link
  hfiPlacement X_PB = in_world ? placement_in_world(link) : hfi_placement_mul(j->parent->frame, j->origin);
  def.name = link->name;
  def.where = hfi_where(r, link->elem);
  def.parent = in_world ? 0 : j->parent->body;
  v3_store(def.pos, X_PB.p);
  q_store(def.quat, X_PB.q);

  report_missing_inertia(u, link);
  link->body = hfi_keep(r, link->elem, hf_builder_add_body(r->builder, &def, &r->scratch));
  if (r->status) return;

  // what moves it
  if (j) {
    hfi_urdf_add_joints(u, j, link->body);
  } else if (r->config.floating_base) {
    hfJointDef free_joint = hf_joint_def_default();
    free_joint.type = HF_JOINT_FREE;
    free_joint.body = link->body;
    free_joint.name = hfi_format(r, "%s_free_joint", link->name);
    free_joint.where = def.where;
    if (!r->status) hfi_keep(r, link->elem, hf_builder_add_joint(r->builder, &free_joint, &r->scratch));
  }
}

// Finds or adds the body of a link, and reads the geoms of the link.
static void make_body(hfiUrdf* u, hfiUrdfLink* link) {
  if (strcmp(link->name, "world") == 0 && !link->joint) {
    link->body = 0;
  } else if (link->leader != link) {
    // merged: its fixed joint adds nothing, and its axis and limits count as used
    link->body = link->leader->body;
    hfi_urdf_add_joints(u, link->joint, link->body);
  } else {
    add_body(u, link);
  }

  if (!u->r->status) hfi_urdf_read_geoms(u, link);
}

// Visits the links of a tree depth-first. It does not recurse, because a chain may be as long as the file. Each link is
// visited once for each `number`, which grows from one visit of the tree to the next.
static void visit_tree(hfiUrdf* u, hfiUrdfLink* root, int number, void (*visit)(hfiUrdf*, hfiUrdfLink*)) {
  hfiUrdfLink* link = root;
  while (link && !u->r->status) {
    if (link->visited < number) visit(u, link);
    link->visited = number;

    // down to the first child that was not visited, or else up
    hfiUrdfJoint* j = link->first;
    while (j && j->child->visited == number) j = j->sibling;
    if (j)
      link = j->child;
    else
      link = link == root ? NULL : link->joint->parent;
  }
}

// ---- document -----------------------------------------------------------------------------------

// Reads the <mujoco> extension into u->settings: <compiler> and <option> with MJCF's meaning, angles always in radians.
static void read_extension(hfiUrdf* u) {
  hfiReader* r = u->r;
  hfiMjcf* m = HFI_NEW(r, hfiMjcf, 1);
  u->settings = m;
  if (!m) return;

  m->r = r;
  m->root = u->root;
  m->compiler.build = hfi_build_config_default();
  m->compiler.assetdir = "";
  m->prefix = "";
  m->suffix = "";

  hfiElem* extension = hfi_child(u->root, "mujoco");
  hfiElem* compiler = extension ? hfi_child(extension, "compiler") : NULL;
  hfiElem* option = extension ? hfi_child(extension, "option") : NULL;

  if (compiler) {
    hfi_mjcf_read_compiler(m, compiler);
    hfi_read_bool(r, compiler, "discardvisual", &u->discard_visual);
  }
  if (option) hfi_mjcf_read_option(m, option);

  *hf_builder_config(r->builder) = m->compiler.build;
  // rpy of URDF: radians, turns about axes that stay fixed
  m->compiler.degree = 0;
  memcpy(m->compiler.eulerseq, "XYZ", 4);
}

// Lists the links and joints of the file. Refuses a file without links.
static void read_elements(hfiUrdf* u) {
  hfiReader* r = u->r;
  int count = 0;
  for (hfiElem* e = hfi_child(u->root, "link"); e; e = hfi_next(e, "link")) ++count;
  u->link_of = HFI_NEW(r, hfiUrdfLink*, count + 1); // plus one for an implied world

  for (hfiElem* e = hfi_child(u->root, "link"); e && !r->status; e = hfi_next(e, "link"))
    add_link(u, e, hfi_require(r, e, "name"));
  for (hfiElem* e = hfi_child(u->root, "joint"); e && !r->status; e = hfi_next(e, "joint")) add_joint(u, e);

  hfi_urdf_refuse_macros(r, u->root);
  if (r->status || u->links) return;

  int is_srdf = hfi_child(u->root, "group") || hfi_child(u->root, "disable_collisions");
  if (is_srdf)
    hfi_fail(r, u->root, HF_ERROR_MODEL,
             "this is an SRDF: read the URDF of the robot, and give this file as srdf (--srdf)");
  else
    hfi_fail(r, u->root, HF_ERROR_MODEL, "a robot without links");
}

// Makes the bodies below each root. Refuses links to which no root leads.
static void build_trees(hfiUrdf* u) {
  int roots = 0;
  for (hfiUrdfLink* l = u->links; l && !u->r->status; l = l->next) {
    if (l->joint) continue;
    ++roots;
    if (roots == 2)
      hfi_note(u->r, l->elem, HF_NOTE,
               "more than one root link: each is attached to the world (URDF asks for one root)");
    visit_tree(u, l, 1, choose_leader);
    visit_tree(u, l, 2, make_body);
  }

  for (const hfiUrdfLink* l = u->links; l && !u->r->status; l = l->next)
    if (!l->visited)
      hfi_fail(u->r, l->elem, HF_ERROR_MODEL, "the link is part of a loop of joints: no root leads to it");
}

// Excludes contacts between two links that a joint connects, and between links that are fixed to these two. If the
// parent moves, the world's rule about parents excludes these pairs already. So they are excluded here if the parent is
// fixed in the world.
static void exclude_neighbours(hfiUrdf* u) {
  hfiReader* r = u->r;
  for (const hfiUrdfLink* b = u->links; b && !r->status; b = b->next) {
    const hfiUrdfJoint* j = b->group->joint;
    if (!j || b->body <= 0 || j->parent->group->joint || floats_in_world(u, j)) continue;

    for (const hfiUrdfLink* a = u->links; a && !r->status; a = a->next)
      if (a->body > 0 && a->body != b->body && a->group == j->parent->group)
        hfi_keep(r, j->elem, hf_builder_add_exclude(r->builder, a->body, b->body, &r->scratch));
  }
}

static const hfiMeaning meanings[] = {
    {"gazebo", NULL, 1, "of Gazebo's extensions only mu1, mu2, turnGravityOff and gravity are used"},
    {"safety_controller", NULL, 1, "soft limits are a controller's matter: not used"},
    {"calibration", NULL, 1, "no effect on the motion"},
    {"self_collision_checking", NULL, 1, "an extension of other tools: not used"},
    {"verbose", NULL, 1, "no effect on the motion"},
    {"sensor", NULL, 1, "sensors of URDF are not used"},
    {"texture", NULL, 1, NULL},
    {"contact", NULL, 1, "Bullet's parameters of a link without collision geometry"},
    {"rolling_friction", NULL, 0, "of Bullet's contact parameters only lateral friction and restitution are used"},
    {"spinning_friction", NULL, 0, "of Bullet's contact parameters only lateral friction and restitution are used"},
    {"stiffness", NULL, 0, "of Bullet's contact parameters only lateral friction and restitution are used"},
    {"damping", NULL, 0, "of Bullet's contact parameters only lateral friction and restitution are used"},
    {"contact_cfm", NULL, 1, "a setting of Bullet's solver: Holdfast's own applies"},
    {"contact_erp", NULL, 1, "a setting of Bullet's solver: Holdfast's own applies"},
    {"friction_anchor", NULL, 1, "friction is anchored in any case"},
    {"inertia", "iyx", 1, "the matrix of inertia is symmetric: ixy counts"},
    {"inertia", "izx", 1, "the matrix of inertia is symmetric: ixz counts"},
    {"inertia", "izy", 1, "the matrix of inertia is symmetric: iyz counts"},
    {"joint_properties", NULL, 0, "not URDF: use <dynamics>"},
    {"origin", NULL, 0,
     "not used here: joints, <inertial>, <visual> and <collision> have an origin, a link has the one of its joint"},
    {"loop_joint", NULL, 0, "loop joints are not supported: the loop stays open"},
    {"drake:declare_convex", NULL, 1, NULL},
    {"drake:compliant_hydroelastic", NULL, 0, "contact is between points, not pressure fields"},
    {"drake:rigid_hydroelastic", NULL, 0, "contact is between points, not pressure fields"},
    {"drake:hydroelastic_modulus", NULL, 0,
     "contact is between points, not pressure fields: not used for the stiffness"},
    {"drake:mesh_resolution_hint", NULL, 1, "contact is between points, not pressure fields"},
    {"drake:relaxation_time", NULL, 0, "not used: see drake:hunt_crossley_dissipation"},
    {"drake:bushing", NULL, 0, "bushings are not supported: no force acts"},
    {"drake:linear_bushing_rpy", NULL, 0, "bushings are not supported: no force acts"},
    {"drake:ball_constraint", NULL, 0, "this constraint is not supported: it is missing"},
    {"drake:tendon_constraint", NULL, 0, "this constraint is not supported: it is missing"},
    {"limit", "velocity", 1, "speed limits are a controller's matter: not enforced"},
    {"limit", "drake:acceleration", 1,
     "acceleration limits are a controller's matter: not enforced"},
    {"robot", "*", 1, NULL},
    HFI_COMPILER_MEANINGS,
    {"size", NULL, 1, "memory sizes: no effect on the motion"},
    HFI_OPTION_MEANINGS,
    {"mesh", "*", 1, "not used"},
    {"material", NULL, 1, NULL},
    {"color", NULL, 1, NULL},
    {"visual", NULL, 1, NULL},
    {NULL, NULL, 0, NULL},
};

// Reads a document whose root is <robot> into r->builder: lists its elements, makes bodies, then what refers to them.
void hfi_urdf_read(hfiReader* r, hfiElem* root) {
  hfiUrdf u = {.r = r, .root = root};
  u.link_tail = &u.links;
  u.joint_tail = &u.joints;

  root->used = 1;
  hf_builder_world(r->builder)->friction_rule = HF_COMBINE_HARMONIC;
  read_extension(&u);
  // A link whose inertia no material body can have was reported; its moments are replaced by their mean.
  hf_builder_config(r->builder)->balance_inertia = 1;

  if (!r->status) read_elements(&u);
  if (!r->status) hfi_urdf_read_gazebo(&u);
  if (!r->status) hfi_urdf_read_materials(&u);

  // bodies, then what refers to them
  if (!r->status) build_trees(&u);
  if (!r->status) exclude_neighbours(&u);
  if (!r->status) hfi_urdf_read_mimic(&u);
  if (!r->status) hfi_urdf_read_actuators(&u);
  if (!r->status) hfi_urdf_read_start(&u);
  if (!r->status) hfi_urdf_read_filters(&u);
  if (!r->status) hfi_urdf_read_frames(&u);
  if (!r->status) hfi_xml_report(r, root, meanings);
  if (!r->status && r->config.srdf) hfi_srdf_read(&u);
  hfi_names_release(&u.names);
}
