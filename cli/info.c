// holdfast info: tree, sizes and masses of a model.
#include "json.h"
#include "model_verb.h"
#include "near.h"
#include "object.h"

#include <stdio.h>

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {0}};
static const struct argp info_argp = {
    model_options,
    parse_model_option,
    "MODEL",
    "Print the tree, sizes, masses, joints, actuators and keyframes of a model.\vExamples:\n"
    "  holdfast info models/iiwa14.xml\n"
    "  holdfast info models/allegro_mug.xml --json",
    children,
    0,
    0};

static const char* const drives[] = {"servo", "constraint", "computed torque"};
static const char* const transmissions[] = {"joint", "joint in parent", "tendon",
                                            "site",  "body",            "slider-crank of site"};

// The kind of object that an actuator with this transmission acts on.
static hfObjectKind transmission_kind(int type) {
  switch (type) {
  case HF_TRANSMISSION_TENDON: return HF_OBJECT_TENDON;
  case HF_TRANSMISSION_SITE:
  case HF_TRANSMISSION_SLIDER_CRANK: return HF_OBJECT_SITE;
  case HF_TRANSMISSION_BODY: return HF_OBJECT_BODY;
  default: return HF_OBJECT_JOINT;
  }
}

// ---- text --------------------------------------------------------------------------------------

// Prints name, type and range of a joint.
static void print_joint(const hfModel* m, int j) {
  char buffer[HF_LABEL_SIZE];
  hfJointInfo joint = hf_joint_info(hf_model_jnt_type(m)[j]);
  const double* range = hf_model_jnt_range(m) + 2 * j;

  printf("%s (%s", hf_model_label(m, HF_OBJECT_JOINT, j, buffer), joint.name);
  if (hf_model_jnt_limited(m)[j])
    printf(", %.4g to %.4g %s", range[0], range[1], joint.is_angle ? "rad" : "m");
  printf(")");
}

// The number of bodies above a body, up to the world.
static int depth_of(const hfModel* m, int body) {
  int depth = 0;
  for (; body > 0; body = hf_model_body_parent(m)[body]) ++depth;
  return depth;
}

// Prints a line of the tree: a body, its mass, its geoms and its joints.
static void print_body(const hfModel* m, int b) {
  char buffer[HF_LABEL_SIZE];
  printf("%*s%s", 2 * depth_of(m, b), "", hf_model_label(m, HF_OBJECT_BODY, b, buffer));
  if (b > 0) printf("  %.6g kg", hf_model_body_mass(m)[b]);

  int ngeom = hf_model_body_geomnum(m)[b];
  if (ngeom > 0) printf("  %d geom%s", ngeom, ngeom > 1 ? "s" : "");
  if (hf_model_body_mocap(m)[b] >= 0) printf("  mocap");

  for (int k = 0; k < hf_model_body_jntnum(m)[b]; ++k) {
    printf(k ? ", " : "  moves by ");
    print_joint(m, hf_model_body_jntadr(m)[b] + k);
  }
  printf("\n");
}

// Prints what an actuator acts on, its limits and where its control comes from.
static void print_actuator(const hfModel* m, int i) {
  char name[HF_LABEL_SIZE], target[HF_LABEL_SIZE];
  int type = hf_model_actuator_trntype(m)[i];
  printf("  %s on %s %s", hf_model_label(m, HF_OBJECT_ACTUATOR, i, name), transmissions[type],
         hf_model_label(m, transmission_kind(type), hf_model_actuator_trnid(m)[2 * i], target));

  const double* ctrl = hf_model_actuator_ctrlrange(m) + 2 * i;
  const double* force = hf_model_actuator_forcerange(m) + 2 * i;
  if (hf_model_actuator_ctrllimited(m)[i]) printf(", control %.4g to %.4g", ctrl[0], ctrl[1]);
  if (hf_model_actuator_forcelimited(m)[i]) printf(", force %.4g to %.4g", force[0], force[1]);

  int drive = hf_model_actuator_drive(m)[i];
  if (hf_model_actuator_signal(m)[i] >= 0) printf(", driven by a signal of the scene");
  if (drive != HF_DRIVE_SERVO) printf(", by %s", drives[drive]);
  printf("\n");
}

// Prints the actuators, if there are any.
static void print_actuators(const hfModel* m) {
  if (m->nu > 0) printf("\nActuators:\n");
  for (int i = 0; i < m->nu; ++i) print_actuator(m, i);
}

// Prints the names of all objects of a kind in one line with a title, if there are any.
static void print_names(const hfModel* m, hfObjectKind kind, const char* title) {
  int count = hf_model_object_count(m, kind);
  if (count == 0) return;

  printf("\n%s:", title);
  for (int i = 0; i < count; ++i) {
    char buffer[HF_LABEL_SIZE];
    printf(" %s", hf_model_label(m, kind, i, buffer));
  }
  printf("\n");
}

// Prints what each equality joins.
static void print_equalities(const hfModel* m) {
  if (m->neq > 0) printf("\nEqualities:\n");

  for (int i = 0; i < m->neq; ++i) {
    char text[OBJECT_TEXT];
    printf("  %s\n", describe_object(m, HF_OBJECT_EQUALITY, i, text));
  }
}

// Prints the number of heights, their range and the area of each height field.
static void print_height_fields(const hfModel* m) {
  if (m->nhfield > 0) printf("\nHeight fields:\n");

  for (int i = 0; i < m->nhfield; ++i) {
    char buffer[HF_LABEL_SIZE];
    const double* half_size = hf_model_hfield_size(m) + 3 * i;
    const double* range = hf_model_hfield_range(m) + 2 * i;
    printf("  %s, %d x %d heights of %.4g to %.4g m over %.4g m x %.4g m\n",
           hf_model_label(m, HF_OBJECT_HFIELD, i, buffer), hf_model_hfield_nrow(m)[i], hf_model_hfield_ncol(m)[i],
           range[0], range[1], 2 * half_size[0], 2 * half_size[1]);
  }
}

// Prints the size of each mesh and by how much its convex hull, which collides, differs from it.
static void print_meshes(const hfModel* m) {
  if (m->nmesh > 0) printf("\nMeshes, which collide as their convex hulls:\n");

  for (int i = 0; i < m->nmesh; ++i) {
    char buffer[HF_LABEL_SIZE];
    hfMeshShape shape = hf_model_mesh_shape(m, i);
    printf("  %s, %d triangles, %.4g m long, %.4g m^3, ", hf_model_label(m, HF_OBJECT_MESH, i, buffer),
           hf_model_mesh_surftrinum(m)[i], shape.longest_side, shape.volume);
    printf(shape.differs ? "hull of %.3g times its volume" : "convex (%.3g)", shape.volume_ratio);
    printf(shape.has_opening ? ", open (%.4g m^2)\n" : "\n", shape.opening);
  }
}

// Prints the model as text: its counts, its world, the bodies with what belongs to them, then what belongs to none.
static void print_info(const hfModel* m) {
  printf("%d bodies in %d trees, %d joints, nq %d, nv %d, nu %d, na %d, %d geoms, %d meshes, ", m->nbody - 1, m->ntree,
         m->njnt, m->nq, m->nv, m->nu, m->na, m->ngeom, m->nmesh);
  printf("%d height fields, %d sites, %d cameras, %d tendons, %d equalities, %d sensors, %d keyframes\n", m->nhfield,
         m->nsite, m->ncam, m->ntendon, m->neq, m->nsensor, m->nkey);

  const hfWorld* w = &m->world;
  printf("mass %.6g kg, timestep %g s, gravity %g %g %g m/s^2, method %s, friction %s\n\n",
         hf_model_body_subtreemass(m)[0], w->timestep, w->gravity[0], w->gravity[1], w->gravity[2],
         hf_method_name(w->method), hf_friction_name(w->friction));

  for (int b = 0; b < m->nbody; ++b) print_body(m, b);
  print_actuators(m);
  print_meshes(m);
  print_height_fields(m);
  print_names(m, HF_OBJECT_CAMERA, "Cameras");
  print_names(m, HF_OBJECT_SENSOR, "Sensors");
  print_names(m, HF_OBJECT_TENDON, "Tendons");
  print_equalities(m);
  print_names(m, HF_OBJECT_KEY, "Keyframes");
}

// ---- JSON --------------------------------------------------------------------------------------

// The names of all objects of a kind.
static json_t* names_json(const hfModel* m, hfObjectKind kind) {
  json_t* array = json_array();
  for (int i = 0; i < hf_model_object_count(m, kind); ++i)
    json_array_append_new(array, json_name(m, kind, i));
  return array;
}

// A body with its inertia and its place in its parent.
static json_t* body_json(const hfModel* m, int b) {
  json_t* o = json_object();
  json_object_set_new(o, "name", json_name(m, HF_OBJECT_BODY, b));
  json_object_set_new(o, "parent", json_integer(b ? hf_model_body_parent(m)[b] : -1));

  json_object_set_new(o, "mass", json_number(hf_model_body_mass(m)[b]));
  json_object_set_new(o, "com", json_numbers(hf_model_body_com(m) + 3 * b, 3));
  json_object_set_new(o, "inertia", json_numbers(hf_model_body_inertia(m) + 6 * b, 6));
  json_object_set_new(o, "pos", json_numbers(hf_model_body_pos(m) + 3 * b, 3));
  json_object_set_new(o, "quat", json_numbers(hf_model_body_quat(m) + 4 * b, 4));
  return o;
}

// A joint, and where its positions and velocities begin.
static json_t* joint_json(const hfModel* m, int j) {
  json_t* o = json_object();
  json_object_set_new(o, "name", json_name(m, HF_OBJECT_JOINT, j));
  json_object_set_new(o, "type", json_string(hf_joint_info(hf_model_jnt_type(m)[j]).name));
  json_object_set_new(o, "body", json_integer(hf_model_jnt_body(m)[j]));

  json_object_set_new(o, "qposadr", json_integer(hf_model_jnt_qposadr(m)[j]));
  json_object_set_new(o, "dofadr", json_integer(hf_model_jnt_dofadr(m)[j]));

  if (hf_model_jnt_limited(m)[j])
    json_object_set_new(o, "range", json_numbers(hf_model_jnt_range(m) + 2 * j, 2));
  return o;
}

// A geom and its friction.
static json_t* geom_json(const hfModel* m, int g) {
  json_t* o = json_object();
  json_object_set_new(o, "name", json_name(m, HF_OBJECT_GEOM, g));
  json_object_set_new(o, "type", json_string(hf_geom_type_name(hf_model_geom_type(m)[g])));
  json_object_set_new(o, "body", json_integer(hf_model_geom_body(m)[g]));
  json_object_set_new(o, "size", json_numbers(hf_model_geom_size(m) + 3 * g, 3));
  json_object_set_new(o, "friction", json_numbers(hf_model_geom_friction(m) + 3 * g, 3));
  return o;
}

// A mesh, and how its convex hull, which collides, differs from it.
static json_t* mesh_json(const hfModel* m, int i) {
  hfMeshShape shape = hf_model_mesh_shape(m, i);
  json_t* o = json_object();

  json_object_set_new(o, "name", json_name(m, HF_OBJECT_MESH, i));
  json_object_set_new(o, "triangles", json_integer(hf_model_mesh_surftrinum(m)[i]));
  json_object_set_new(o, "longest_side", json_number(shape.longest_side));

  json_object_set_new(o, "volume", json_number(shape.volume));
  json_object_set_new(o, "hull_volume", json_number(shape.hull_volume));
  json_object_set_new(o, "opening", json_number(shape.opening));
  json_object_set_new(o, "differs_from_hull", json_boolean(shape.differs));
  return o;
}

// A height field.
static json_t* height_field_json(const hfModel* m, int i) {
  json_t* o = json_object();
  json_object_set_new(o, "name", json_name(m, HF_OBJECT_HFIELD, i));
  json_object_set_new(o, "nrow", json_integer(hf_model_hfield_nrow(m)[i]));
  json_object_set_new(o, "ncol", json_integer(hf_model_hfield_ncol(m)[i]));
  json_object_set_new(o, "size", json_numbers(hf_model_hfield_size(m) + 3 * i, 3));
  json_object_set_new(o, "range", json_numbers(hf_model_hfield_range(m) + 2 * i, 2));
  return o;
}

// An actuator, what it acts on and its limits.
static json_t* actuator_json(const hfModel* m, int i) {
  int type = hf_model_actuator_trntype(m)[i];
  json_t* o = json_object();

  json_object_set_new(o, "name", json_name(m, HF_OBJECT_ACTUATOR, i));
  json_object_set_new(o, "transmission", json_string(transmissions[type]));
  json_object_set_new(o, "drive", json_string(drives[hf_model_actuator_drive(m)[i]]));
  json_object_set_new(o, "target",
                      json_name(m, transmission_kind(type), hf_model_actuator_trnid(m)[2 * i]));

  if (hf_model_actuator_ctrllimited(m)[i])
    json_object_set_new(o, "ctrlrange", json_numbers(hf_model_actuator_ctrlrange(m) + 2 * i, 2));
  if (hf_model_actuator_forcelimited(m)[i])
    json_object_set_new(o, "forcerange", json_numbers(hf_model_actuator_forcerange(m) + 2 * i, 2));
  return o;
}

// The objects 0 to count - 1, each as `item` describes it.
static json_t* list_json(const hfModel* m, int count, json_t* (*item)(const hfModel*, int)) {
  json_t* array = json_array();
  for (int i = 0; i < count; ++i) json_array_append_new(array, item(m, i));
  return array;
}

// Sets the sizes of the model in an object.
static void set_counts(json_t* o, const hfModel* m) {
#define X(name) json_object_set_new(o, #name, json_integer(m->name));
  HF_MODEL_COUNTS(X)
#undef X
}

// Prints the model as JSON. Returns the exit status.
static int print_info_json(const hfModel* m) {
  json_t* o = json_object();
  set_counts(o, m);

  json_object_set_new(o, "mass", json_number(hf_model_body_subtreemass(m)[0]));
  json_object_set_new(o, "timestep", json_number(m->world.timestep));
  json_object_set_new(o, "gravity", json_numbers(m->world.gravity, 3));
  json_object_set_new(o, "method", json_string(hf_method_name(m->world.method)));
  json_object_set_new(o, "friction", json_string(hf_friction_name(m->world.friction)));

  json_object_set_new(o, "bodies", list_json(m, m->nbody, body_json));
  json_object_set_new(o, "joints", list_json(m, m->njnt, joint_json));
  json_object_set_new(o, "geoms", list_json(m, m->ngeom, geom_json));
  json_object_set_new(o, "meshes", list_json(m, m->nmesh, mesh_json));
  json_object_set_new(o, "height_fields", list_json(m, m->nhfield, height_field_json));
  json_object_set_new(o, "actuators", list_json(m, m->nu, actuator_json));

  json_object_set_new(o, "cameras", names_json(m, HF_OBJECT_CAMERA));
  json_object_set_new(o, "sensors", names_json(m, HF_OBJECT_SENSOR));
  json_object_set_new(o, "tendons", names_json(m, HF_OBJECT_TENDON));
  json_object_set_new(o, "equalities", names_json(m, HF_OBJECT_EQUALITY));
  json_object_set_new(o, "keyframes", names_json(m, HF_OBJECT_KEY));

  return print_json(o);
}

static int show_info(const void* arguments, const hfModel* m) {
  const modelArguments* a = arguments;
  if (a->json) return print_info_json(m);
  print_info(m);
  return CLI_GOOD;
}

int verb_info(int argc, char** argv) {
  modelArguments a;
  parse_arguments(&info_argp, argc, argv, &a);
  return with_scene(&a.scene, show_info, &a);
}
