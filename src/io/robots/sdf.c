// Reading SDFormat: models, which may be nested and included, become trees of bodies.
//
// A link that no joint moves floats, as in Gazebo and Drake, unless its model is static or the option says that it is
// fixed. Where the file has one model, its links keep their names; inside of nested models and of a world a name is
// "model::link".
//
// s: the document that is read, r: its reader, j: a joint.
#include "io/robots/sdf.h"

#include <holdfast/step_problem.h>
#include <string.h>

// ---- entities -----------------------------------------------------------------------------------

// Adds an entity under its full name, SCOPE::NAME. Returns NULL after a refusal.
static hfiSdfEntity* add_entity(hfiSdf* s, hfiSdfKind kind, hfiElem* elem, hfiSdfEntity* scope, const char* name) {
  hfiReader* r = s->r;
  const char* prefix = hfi_sdf_prefix(scope);
  const char* full = *prefix ? hfi_format(r, "%s::%s", prefix, name) : name;
  if (hfi_names_find(&s->names, 0, full) >= 0)
    hfi_fail(r, elem, HF_ERROR_MODEL, "the name \"%s\" is used already", full);

  // make room for one more
  if (s->count == s->capacity) {
    hfiSdfEntity** more = HFI_NEW(r, hfiSdfEntity*, 2 * s->capacity + 64);
    if (more && s->count) memcpy(more, s->entity, sizeof *more * (size_t)s->count);
    s->entity = more;
    s->capacity = 2 * s->capacity + 64;
  }

  hfiSdfEntity* e = HFI_NEW(r, hfiSdfEntity, 1);
  if (!e) return NULL;
  *e = (hfiSdfEntity){.kind = kind, .name = full, .elem = elem, .placed = elem, .scope = scope, .body = -1};
  if (hfi_names_add(&s->names, 0, full, s->count) != 0) hfi_fail(r, elem, HF_ERROR_MEMORY, "out of memory");
  s->entity[s->count++] = e;

  elem->used = 1;
  return r->status ? NULL : e;
}

// Finds a child of <include>, or else of the <model> that it includes. `include` is NULL for a model that stands in the
// file itself. The child of <include> replaces the child of the model, whose attributes then count as used.
static const hfiElem* find_overridable(const hfiElem* include, const hfiElem* model, const char* child) {
  const hfiElem* in_model = hfi_child(model, child);
  const hfiElem* in_include = include ? hfi_child(include, child) : NULL;
  if (in_model && in_include)
    for (hfiAttr* a = in_model->attr; a; a = a->next) a->used = 1;
  return in_include ? in_include : in_model;
}

static void read_model(hfiSdf* s, hfiElem* elem, hfiElem* include, hfiSdfEntity* scope, const char* name,
                       const char* folder);
static void read_include(hfiSdf* s, hfiElem* elem, hfiSdfEntity* scope, const char* folder);

// Lists the links, joints, frames and models in a model or world.
static void read_members(hfiSdf* s, hfiElem* elem, hfiSdfEntity* scope, const char* folder) {
  for (hfiElem* e = elem->child; e && !s->r->status; e = e->next) {
    if (hfi_is(e, "link"))
      add_entity(s, HFI_SDF_LINK, e, scope, hfi_require(s->r, e, "name"));
    else if (hfi_is(e, "joint"))
      add_entity(s, HFI_SDF_JOINT, e, scope, hfi_require(s->r, e, "name"));
    else if (hfi_is(e, "frame"))
      add_entity(s, HFI_SDF_FRAME, e, scope, hfi_require(s->r, e, "name"));
    else if (hfi_is(e, "model"))
      read_model(s, e, NULL, scope, hfi_require(s->r, e, "name"), folder);
    else if (hfi_is(e, "include"))
      read_include(s, e, scope, folder);
  }
}

// Whether an <include> puts the members of its model into the model around it. A frame then stands for the model.
static int wants_merge(hfiSdf* s, const hfiElem* include, const hfiSdfEntity* scope) {
  if (!include || !hfi_sdf_is_true(hfi_attr(include, "merge"))) return 0;
  if (!scope)
    hfi_fail(s->r, include, HF_ERROR_UNSUPPORTED, "a model can be merged into a model only, not into a world");
  return 1;
}

// Lists a model and its members. include: the <include> that asks for it, or NULL; folder: from which its relative
// files resolve.
static void read_model(hfiSdf* s, hfiElem* elem, hfiElem* include, hfiSdfEntity* scope, const char* name,
                       const char* folder) {
  enum { MOST_NESTED = 30 };
  if (++s->depth > MOST_NESTED)
    hfi_fail(s->r, elem, HF_ERROR_MODEL, "models are nested more than %d deep; does one contain itself?", MOST_NESTED);

  int merged = wants_merge(s, include, scope);
  if (merged) name = hfi_format(s->r, "_merged__%s__model_frame__", name);

  hfiSdfEntity* model = s->r->status ? NULL : add_entity(s, HFI_SDF_MODEL, elem, scope, name);
  if (model) {
    const char* placement = include ? hfi_sdf_text(include, "placement_frame") : NULL;
    const char* placement_of_model = hfi_attr(elem, "placement_frame");
    if (!placement && placement_of_model && *placement_of_model) placement = placement_of_model;
    const hfiElem* pose = find_overridable(include, elem, "pose");
    const hfiElem* fixed = merged ? NULL : find_overridable(include, elem, "static");

    model->included = include ? elem->parent : NULL;
    model->placed = pose && pose->parent == include ? include : elem;
    model->placement = placement;
    model->folder = folder;
    model->merged = merged;
    model->is_static = (scope && scope->is_static) || (fixed && hfi_sdf_is_true(fixed->text));

    hfi_attr(elem, "canonical_link");
    read_members(s, elem, model, folder);
  }
  --s->depth;
}

// ---- includes -----------------------------------------------------------------------------------

// The path of the file that a URI names. model://NAME, or a folder, stands for the file model.sdf in it.
static const char* find_included(hfiSdf* s, const char* uri, const char* folder) {
  hfiReader* r = s->r;
  const char* rest = strstr(uri, "://");
  if (rest && !strchr(rest + 3, '/')) return hfi_resolve_uri(r, hfi_format(r, "%s/model.sdf", uri));
  const char* path = rest ? hfi_resolve_uri(r, uri) : hfi_resolve(r, folder, uri);
  return hfi_folder_exists(path) ? hfi_join(r, path, "model.sdf") : path;
}

// Reads the model of the file that an <include> names.
static void read_include(hfiSdf* s, hfiElem* elem, hfiSdfEntity* scope, const char* folder) {
  hfiReader* r = s->r;
  elem->used = 1;
  const char* uri = hfi_sdf_text(elem, "uri");
  const char* name = hfi_sdf_text(elem, "name");
  if (!uri) {
    hfi_fail(r, elem, HF_ERROR_PARSE, "<uri> is missing");
    return;
  }

  const char* path = find_included(s, uri, folder);
  if (!r->status && !hfi_file_exists(path))
    hfi_fail(r, elem, HF_ERROR_FILE,
             "cannot read %s: there is no such file (--search FOLDER, search_path: look in more folders)", path);
  hfiElem* root = r->status ? NULL : hfi_xml_load(r, path, elem);
  if (!root) return;

  hfiElem* model = hfi_is(root, "sdf") ? hfi_child(root, "model") : NULL;
  root->used = 1;
  hfi_attr(root, "version");
  if (!model) {
    hfi_fail(r, elem, HF_ERROR_UNSUPPORTED, "%s: only an SDFormat file with a model can be included", path);
    return;
  }

  if (!name) name = hfi_attr(model, "name");
  if (!name) name = hfi_require(r, model, "name");
  read_model(s, model, elem, scope, name, hfi_folder_of(r, path));
}

// ---- the tree -----------------------------------------------------------------------------------

// The entity that <parent> or <child> of a joint names. NULL for the world, and after a refusal.
static hfiSdfEntity* find_end(hfiSdf* s, hfiSdfEntity* joint, const char* end) {
  hfiReader* r = s->r;
  const hfiElem* e = hfi_child(joint->elem, end);
  if (!e || !e->text) {
    hfi_fail(r, joint->elem, HF_ERROR_PARSE, "<%s> is missing", end);
    return NULL;
  }

  int world = 0;
  hfiSdfEntity* found = hfi_sdf_find(s, joint->scope, e->text, &world);
  if (world) return NULL;
  if (!found) hfi_fail(r, e, HF_ERROR_MODEL, "there is no link \"%s\"", e->text);
  return found;
}

// Notes that a joint does not move because the model of its child is static.
static void note_static_joint(hfiSdf* s, hfiSdfEntity* j) {
  hfi_note(s->r, j->elem, HF_NOTE, "its model is static: the joint does not move");
  hfi_xml_use_all(j->elem);
}

// Finds the links of a joint, and appends it to the joints of its parent. If another joint moves its child already, it
// closes a loop instead, perhaps with a part of the child of its own (sdf_loop.c). A gearbox moves no link.
static void connect_joint(hfiSdf* s, hfiSdfEntity* j) {
  int world = 0;
  hfiSdfEntity* parent = find_end(s, j, "parent");
  j->child_frame = s->r->status ? NULL : find_end(s, j, "child");
  j->parent = parent ? hfi_sdf_link_of(s, parent, &world) : NULL;
  j->child = j->child_frame ? hfi_sdf_link_of(s, j->child_frame, &world) : NULL;

  if (s->r->status) return;
  if (j->child && hfi_sdf_is_static(j->child) && strcmp(hfi_require(s->r, j->elem, "type"), "fixed") != 0)
    note_static_joint(s, j);

  if (!j->child) {
    hfi_fail(s->r, j->elem, HF_ERROR_MODEL, "the world cannot be moved by a joint");
    return;
  }
  if (hfi_sdf_is_gearbox(j)) return;
  // the first joint that moves a link is the one of the tree
  if (j->child->moved_by) {
    j->closes = 1;
    j->child->parts += hfi_sdf_splits(j);
    return;
  }

  // append it to the joints of the parent, a list from `first` by `sibling` to `last`; NULL is the world
  j->child->moved_by = j;
  if (!j->parent) return;
  if (j->parent->last)
    j->parent->last->sibling = j;
  else
    j->parent->first = j;
  j->parent->last = j;
}

// The body of a link or, if joints close loops, one of the equal parts of the link, which are welded together. Each
// part has the same share of mass and inertia.
static hfBodyDef* make_part(hfiSdf* s, const hfiSdfEntity* link) {
  hfBodyDef* part = HFI_NEW(s->r, hfBodyDef, 1);
  if (!part) return NULL;
  *part = hf_body_def_default();

  part->where = hfi_where(s->r, link->elem);
  hfi_sdf_read_inertial(s, link, part);
  part->mass /= 1 + link->parts;
  for (int k = 0; k < 6; ++k) part->inertia[k] /= 1 + link->parts;
  return part;
}

// Adds the body of a link, its joint, a free joint if it floats, and its geoms.
static void add_body(hfiSdf* s, hfiSdfEntity* link) {
  hfiReader* r = s->r;
  const hfiSdfEntity* parent = link->moved_by ? link->moved_by->parent : NULL;

  // its group, which is the first of the links that fixed joints connect with it, and its pose X in the parent
  link->group = parent && hfi_sdf_is_fixed(link->moved_by) ? parent->group : link;
  hfiPlacement base = parent ? hfi_placement_inverse(parent->X_W) : hfi_placement_identity();
  hfiPlacement X = hfi_placement_mul(base, hfi_sdf_place(s, link));

  // mass and inertia of the body; a link that closes loops is divided into equal parts (sdf_loop.c)
  link->part = make_part(s, link);
  if (r->status) return;
  if (!hfi_child(link->elem, "inertial") && !hfi_sdf_stands(s, link->group))
    hfi_note(r, link->elem, HF_WARNING,
             "link \"%.100s\" has no <inertial>: it has SDFormat's default of 1 kg and 1 kg m^2", link->name);

  hfBodyDef def = *link->part;
  def.name = link->name;
  def.parent = parent ? parent->body : 0;
  v3_store(def.pos, X.p);
  q_store(def.quat, X.q);

  link->body = hfi_keep(r, link->elem, hf_builder_add_body(r->builder, &def, &r->scratch));
  if (r->status) return;

  if (link->moved_by) hfi_sdf_add_joints(s, link->moved_by, link->body);
  if (hfi_sdf_floats(s, link)) {
    hfJointDef joint = hf_joint_def_default();
    joint.type = HF_JOINT_FREE;
    joint.body = link->body;
    joint.name = hfi_format(r, "%s_free_joint", link->name);
    joint.where = def.where;
    hfi_keep(r, link->elem, hf_builder_add_joint(r->builder, &joint, &r->scratch));
  }

  if (!r->status) hfi_sdf_read_geoms(s, link, link->body);
}

// Whether the child of a joint that closes a loop is fixed to the parent, so that the joint cannot move.
static int is_rigid(const hfiSdf* s, const hfiSdfEntity* joint) {
  return joint->parent ? joint->parent->group == joint->child->group : hfi_sdf_stands(s, joint->child->group);
}

// Adds an equality for each joint that closes a loop.
static void close_loops(hfiSdf* s) {
  for (int i = 0; i < s->count && !s->r->status; ++i) {
    hfiSdfEntity* e = s->entity[i];
    if (!e->closes) continue;
    if (!hfi_sdf_splits(e) && is_rigid(s, e))
      hfi_note(s->r, e->elem, HF_NOTE, "not used: the links are fixed to each other already");
    else
      hfi_sdf_close_loop(s, e);
  }
}

// Adds a link and all that hangs on it, depth-first. It does not recurse, because a chain may be as long as the file.
static void add_tree(hfiSdf* s, hfiSdfEntity* root) {
  for (hfiSdfEntity* link = root; link && !s->r->status;) {
    if (link->body < 0) add_body(s, link);

    // down to the first child without a body, or else up
    hfiSdfEntity* j = link->first;
    while (j && j->child->body >= 0) j = j->sibling;
    if (j)
      link = j->child;
    else
      link = link == root ? NULL : link->moved_by->parent;
  }
}

// Connects the joints, makes the bodies below each root, and closes loops. Refuses links to which no root leads.
static void build_trees(hfiSdf* s) {
  hfiReader* r = s->r;
  for (int i = 0; i < s->count && !r->status; ++i)
    if (s->entity[i]->kind == HFI_SDF_JOINT) connect_joint(s, s->entity[i]);

  for (int i = 0; i < s->count && !r->status; ++i) {
    hfiSdfEntity* e = s->entity[i];
    if (e->kind == HFI_SDF_LINK && (!e->moved_by || !e->moved_by->parent)) add_tree(s, e);
  }

  for (int i = 0; i < s->count && !r->status; ++i)
    if (s->entity[i]->kind == HFI_SDF_LINK && s->entity[i]->body < 0)
      hfi_fail(r, s->entity[i]->elem, HF_ERROR_MODEL, "the link is part of a loop of joints: no root leads to it");

  close_loops(s);
}

// Excludes contacts between a link and all links of a group.
static void exclude_group(hfiSdf* s, const hfiSdfEntity* joint, const hfiSdfEntity* group, const hfiSdfEntity* link) {
  for (int k = 0; k < s->count && !s->r->status; ++k) {
    const hfiSdfEntity* a = s->entity[k];
    if (a->kind == HFI_SDF_LINK && a->group == group)
      hfi_keep(s->r, joint->elem, hf_builder_add_exclude(s->r->builder, a->body, link->body, &s->r->scratch));
  }
}

// Excludes contacts between two links that a joint connects, and between links that are fixed to these two. If the
// parent moves, the world's rule about parents excludes these pairs already. So they are excluded here if the parent is
// fixed in the world, or if the joint closes a loop or is a gearbox.
static void exclude_neighbours(hfiSdf* s) {
  for (int i = 0; i < s->count && !s->r->status; ++i) {
    const hfiSdfEntity* b = s->entity[i];

    // a link whose parent stands still
    const hfiSdfEntity* joint = b->kind == HFI_SDF_LINK ? b->group->moved_by : NULL;
    if (joint && joint->parent && hfi_sdf_stands(s, joint->parent->group))
      exclude_group(s, joint, joint->parent->group, b);

    // joints that are not part of the tree
    int is_extra_joint = b->closes || (b->kind == HFI_SDF_JOINT && hfi_sdf_is_gearbox(b));
    if (!is_extra_joint || !b->parent || b->parent->group == b->child->group) continue;
    for (int k = 0; k < s->count && !s->r->status; ++k) {
      const hfiSdfEntity* link = s->entity[k];
      if (link->kind == HFI_SDF_LINK && link->group == b->child->group) exclude_group(s, b, b->parent->group, link);
    }
  }
}

// Adds each frame as a site of the link that it is attached to.
static void add_frames(hfiSdf* s) {
  hfiReader* r = s->r;
  for (int i = 0; i < s->count && !r->status; ++i) {
    hfiSdfEntity* e = s->entity[i];
    if (e->kind != HFI_SDF_FRAME) continue;
    int world = 0;
    const hfiSdfEntity* link = hfi_sdf_link_of(s, e, &world);
    if (r->status) return;

    hfiPlacement base = link ? hfi_placement_inverse(link->X_W) : hfi_placement_identity();
    hfiPlacement X = hfi_placement_mul(base, hfi_sdf_place(s, e));

    hfSiteDef d = hf_site_def_default();
    d.name = e->name;
    d.where = hfi_where(r, e->elem);
    d.body = link ? link->body : 0;
    v3_store(d.pos, X.p);
    q_store(d.quat, X.q);

    if (!r->status) hfi_keep(r, e->elem, hf_builder_add_site(r->builder, &d, &r->scratch));
  }
}

// ---- document -----------------------------------------------------------------------------------

// Reads gravity and time step of a world, and lists what is in it.
static void read_world(hfiSdf* s, hfiElem* world) {
  hfWorld* w = hf_builder_world(s->r->builder);
  const hfiElem* gravity = hfi_child(world, "gravity");
  const hfiElem* physics = hfi_child(world, "physics");
  hfi_attr(world, "name");

  if (gravity) hfi_text_reals(s->r, gravity, 3, 3, w->gravity);
  if (physics) hfi_sdf_number(s, physics, "max_step_size", &w->timestep);
  if (!s->r->status && !(w->timestep > 0))
    hfi_fail(s->r, physics, HF_ERROR_MODEL, "max_step_size must be positive, is %g", w->timestep);
  read_members(s, world, NULL, s->r->folder);
}

static const hfiMeaning meanings[] = {
    {"plugin", NULL, 1, "plugins of Gazebo are not used"},
    {"drake:compliant_hydroelastic", NULL, 0, "contact is between points, not pressure fields"},
    {"drake:rigid_hydroelastic", NULL, 0, "contact is between points, not pressure fields"},
    {"drake:hydroelastic_modulus", NULL, 0,
     "contact is between points, not pressure fields: not used for the stiffness"},
    {"drake:mesh_resolution_hint", NULL, 1, "contact is between points, not pressure fields"},
    {"drake:declare_convex", NULL, 1, NULL},
    {"drake:accepting_renderer", NULL, 1, NULL},
    {"drake:illustration_properties", NULL, 1, NULL},
    {"drake:perception_properties", NULL, 1, NULL},
    {"drake:joint", NULL, 0, "joints that only Drake knows are not supported: the link is not connected"},
    {"drake:collision_filter_group", NULL, 0,
     "collision filter groups are read inside of models only, with members that are links: these contacts act"},
    {"drake:member_group", NULL, 0, "groups of groups are not read: these contacts act"},
    {"model", NULL, 0, "a file has one model or one world: this one is left out"},
    {"world", NULL, 0, "a file has one model or one world: this one is left out"},
    {"light", NULL, 1, NULL},
    {"scene", NULL, 1, NULL},
    {"gui", NULL, 1, NULL},
    {"physics", NULL, 1, "a setting of Gazebo's solvers: Holdfast's own applies"},
    {"ode", NULL, 1, "a setting of one of Gazebo's engines: Holdfast's own applies"},
    {"bullet", NULL, 1, "a setting of one of Gazebo's engines: Holdfast's own applies"},
    {"dart", NULL, 1, "a setting of one of Gazebo's engines: Holdfast's own applies"},
    {"simbody", NULL, 1, "a setting of one of Gazebo's engines: Holdfast's own applies"},
    {"real_time_factor", NULL, 1, "no effect on the motion"},
    {"real_time_update_rate", NULL, 1, "no effect on the motion"},
    {"soft_contact", NULL, 1, "links are rigid"},
    {"must_be_base_link", NULL, 1, "no effect on the motion"},
    {"velocity_decay", NULL, 0, "velocities do not decay"},
    {"initial_position", NULL, 0, "the joint begins at zero"},
    {"density", NULL, 1, "it counts where <inertial> is auto"},
    {"magnetic_field", NULL, 1, "no effect on the motion"},
    {"atmosphere", NULL, 1, "no effect on the motion"},
    {"spherical_coordinates", NULL, 1, "no effect on the motion"},
    {"audio", NULL, 1, NULL},
    {"audio_sink", NULL, 1, NULL},
    {"audio_source", NULL, 1, NULL},
    {"particle_emitter", NULL, 1, NULL},
    {"projector", NULL, 1, NULL},
    {"battery", NULL, 1, "no effect on the motion"},
    {"actor", NULL, 1, "actors, which are drawn and have no dynamics, are not used"},
    {"road", NULL, 1, NULL},
    {"state", NULL, 0, "models are where their poses say"},
    {"population", NULL, 0, "populations of models are not supported: these models are missing"},
    {"gripper", NULL, 0, "grippers of Gazebo, which hold what they touch by a rule, are not used: contacts hold"},
    {"sensor", NULL, 1, "sensors of SDFormat are not used"},
    {"wind", NULL, 0, "wind does not act"},
    {"texture", NULL, 1, NULL},
    {"blend", NULL, 1, NULL},
    {"use_terrain_paging", NULL, 1, NULL},
    {"ambient", NULL, 1, NULL},
    {"specular", NULL, 1, NULL},
    {"emissive", NULL, 1, NULL},
    {"lighting", NULL, 1, NULL},
    {"script", NULL, 1, NULL},
    {"shader", NULL, 1, NULL},
    {"pbr", NULL, 1, NULL},
    {"shininess", NULL, 1, NULL},
    {"double_sided", NULL, 1, NULL},
    {"render_order", NULL, 1, NULL},
    {"cast_shadows", NULL, 1, NULL},
    {"transparency", NULL, 1, NULL},
    {"visibility_flags", NULL, 1, NULL},
    {"meta", NULL, 1, NULL},
    {"laser_retro", NULL, 1, NULL},
    {"max_contacts", NULL, 1, "a contact has as many points as its shapes need"},
    {"mu2", NULL, 1, "friction is the same in all directions, mu"},
    {"fdir1", NULL, 1, "friction is the same in all directions"},
    {"slip1", NULL, 0, "a surface does not slip below its friction"},
    {"slip2", NULL, 0, "a surface does not slip below its friction"},
    {"torsional", NULL, 1, "torsional friction of Gazebo is not used"},
    {"threshold", NULL, 1, "a rebound begins at any speed"},
    {"contact", NULL, 1, "a setting of Gazebo's contacts: Holdfast's own applies"},
    {"stiffness", NULL, 1, "the stiffness of limits is Holdfast's own"},
    {"dissipation", NULL, 1, "the damping of limits is Holdfast's own"},
    {"self_collide", NULL, 1, "links of a model collide, unless a joint connects them"},
    {"allow_auto_disable", NULL, 1, "no effect on the motion"},
    {"enable_wind", NULL, 1, "wind does not act"},
    {"kinematic", NULL, 0, "the link moves by its dynamics"},
    {"drake:acceleration", NULL, 1, "acceleration limits are a controller's matter: not enforced"},
    {"kp", NULL, 1, "the stiffness of a contact is Holdfast's own"},
    {"kd", NULL, 1, "the damping of a contact is Holdfast's own"},
    {"material", NULL, 1, NULL},
    {"visual", NULL, 1, NULL},
    {"*", "*", 1, "not used"},
    {NULL, NULL, 0, NULL},
};

// Whether an element and all below it say zero or false.
static int is_zero(const hfiElem* elem) {
  if (elem->text) return strcmp(elem->text, "false") == 0 || strspn(elem->text, "0. ") == strlen(elem->text);
  const hfiElem* child = elem->child;
  while (child && is_zero(child)) child = child->next;
  return elem->child && !child;
}

// Marks elements as used that say that an effect is absent. Exported files contain every default. If one of these
// elements is zero or false, it describes what Holdfast does anyway, and nothing is reported.
static void accept_absent_effects(hfiElem* elem) {
  static const char* const effects[] = {"kinematic", "slip1", "slip2", "enable_wind", "wind", "velocity_decay",
                                        "initial_position"};
  for (size_t i = 0; i < sizeof effects / sizeof *effects; ++i)
    if (hfi_is(elem, effects[i]) && is_zero(elem)) hfi_xml_use_all(elem);
  for (hfiElem* child = elem->child; child; child = child->next) accept_absent_effects(child);
}

// Reports what was not used of the file and of the files that it includes.
static void report(hfiSdf* s) {
  accept_absent_effects(s->root);
  hfi_xml_report(s->r, s->root, meanings);
  for (int i = 0; i < s->count && !s->r->status; ++i) {
    hfiElem* file = s->entity[i]->included;
    if (!file) continue;
    accept_absent_effects(file);
    hfi_xml_report(s->r, file, meanings);
  }
}

// Reads a document whose root is <sdf> into r->builder: lists its entities, makes bodies, then what refers to them.
void hfi_sdf_read(hfiReader* r, hfiElem* root) {
  hfiSdf s = {.r = r, .root = root};
  root->used = 1;
  hfi_attr(root, "version");
  hf_builder_world(r->builder)->friction_rule = HF_COMBINE_HARMONIC;

  // entities
  hfiElem* world = hfi_child(root, "world");
  hfiElem* model = hfi_child(root, "model");
  if (world) {
    read_world(&s, world);
  } else if (model) {
    hfi_attr(model, "name");
    read_model(&s, model, NULL, NULL, "", r->folder);
  } else {
    hfi_fail(r, root, HF_ERROR_MODEL, "neither a <model> nor a <world>");
  }

  // bodies, then what refers to them
  if (!r->status) build_trees(&s);
  if (!r->status) exclude_neighbours(&s);
  if (!r->status) hfi_sdf_read_filters(&s);
  if (!r->status) add_frames(&s);
  if (!r->status) hfi_sdf_read_couplings(&s);
  if (!r->status) hfi_sdf_read_gearboxes(&s);
  if (!r->status) report(&s);
  hfi_names_release(&s.names);
}
