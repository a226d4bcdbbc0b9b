// holdfast convert: a recording as MCAP, for Foxglove, Rerun and PlotJuggler, or as a report;
// a model as MJCF, SDFormat, URDF or as a block.
//
//   /tf        foxglove.FrameTransforms   poses of all bodies in the frame "world"
//   /scene     foxglove.SceneUpdate       their shapes, once
//   /forces    foxglove.SceneUpdate       contact forces as arrows, coloured by the share of friction used
//   /contacts, /joints, /actuators, /energy, /solver, /events   numbers by name, for plots
#include "cli.h"
#include "mcap.h"
#include "near.h"
#include "outfile.h"
#include "scene.h"

#include <argp.h>
#include <holdfast/record.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct convertOptions {
  sceneOptions scene; // its path is the input, a recording or a model
  const char* output;
} convertOptions;

static const struct argp_option options[] = {
    {0, 'o', "FILE", 0, "The file to write, instead of the second argument", 1},
    {0}};

// The parser of argp for the file that is written; the model's parser takes the input.
static error_t parse(int key, char* argument, struct argp_state* state) {
  convertOptions* o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    o->output = NULL;
    state->child_inputs[0] = &o->scene;
    return 0;

  case 'o':
    o->output = argument;
    return 0;

  case ARGP_KEY_ARG:
    if (!o->scene.path) return ARGP_ERR_UNKNOWN; // the parser of the model takes it
    if (o->output) argp_error(state, "one file is read and one is written, not also \"%s\"", argument);
    o->output = argument;
    return 0;

  case ARGP_KEY_END:
    if (o->scene.path && !o->output)
      argp_error(state, "which file shall be written? "
                        ".mcap and .html of a recording, .xml, .sdf, .urdf and .hfm of a model");
    return 0;

  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child children[] = {{&scene_argp, 0, 0, 0}, {0}};
static const struct argp convert_argp = {
    options,
    parse,
    "FILE OUTPUT",
    "Convert a recording to MCAP (Foxglove, Rerun, PlotJuggler) or to a report; "
    "a model (MJCF, URDF, SDFormat) to one MJCF file with everything in it, "
    "to SDFormat or URDF with a folder of meshes beside it, or to Holdfast's own format, which loads fastest. "
    "The end of OUTPUT's name decides. What SDFormat or URDF cannot say is left out with a warning.\vExamples:\n"
    "  holdfast convert run.rec run.mcap\n"
    "  holdfast convert run.rec run.html\n"
    "  holdfast convert robot.urdf robot.xml\n"
    "  holdfast convert scene.xml scene.sdf\n"
    "  holdfast convert robot.xml robot.urdf\n"
    "  holdfast convert scene.xml scene.hfm",
    children,
    0,
    0};

// ---- JSON of Foxglove's schemas ----------------------------------------------------------------------

// The value of a time [s] in Foxglove's schemas.
static json_t* stamp(double time) {
  double whole = floor(time);
  return json_pack("{s:i,s:i}", "sec", (int)whole, "nsec", (int)(1e9 * (time - whole)));
}

static json_t* xyz(double x, double y, double z) {
  return json_pack("{s:f,s:f,s:f}", "x", x, "y", y, "z", z);
}

static json_t* wxyz(const double* q) {
  return json_pack("{s:f,s:f,s:f,s:f}", "x", q[1], "y", q[2], "z", q[3], "w", q[0]);
}

static json_t* colour(double r, double g, double b, double a) {
  return json_pack("{s:f,s:f,s:f,s:f}", "r", r, "g", g, "b", b, "a", a);
}

// The poses of all bodies in a frame, in the frame "world".
static json_t* frame_transforms(const hfModel* m, const hfFrame* f) {
  json_t* list = json_array();
  char buffer[HF_LABEL_SIZE];

  for (int b = 1; b < m->nbody; ++b) {
    const float* p = f->pose + 7 * b;
    const double q[4] = {(double)p[3], (double)p[4], (double)p[5], (double)p[6]};
    json_t* transform = json_pack("{s:o,s:s,s:s,s:o,s:o}", "timestamp", stamp(f->time),
                                  "parent_frame_id", "world",
                                  "child_frame_id", hf_model_label(m, HF_OBJECT_BODY, b, buffer),
                                  "translation", xyz((double)p[0], (double)p[1], (double)p[2]),
                                  "rotation", wxyz(q));
    json_array_append_new(list, transform);
  }

  return json_pack("{s:o}", "transforms", list);
}

// Adds the numbers of the corners of a triangle.
static void add_triangle(json_t* indices, int a, int b, int c) {
  json_array_append_new(indices, json_integer(a));
  json_array_append_new(indices, json_integer(b));
  json_array_append_new(indices, json_integer(c));
}

// Adds the vertices and triangles of the surface of a mesh.
static void add_surface(const hfModel* m, int mesh, json_t* points, json_t* indices) {
  const float* v = hf_model_surf_vert(m) + 3 * hf_model_mesh_surfvertadr(m)[mesh];
  const int32_t* t = hf_model_surf_tri(m) + 3 * hf_model_mesh_surftriadr(m)[mesh];

  for (int i = 0; i < hf_model_mesh_surfvertnum(m)[mesh]; ++i)
    json_array_append_new(points, xyz((double)v[3 * i], (double)v[3 * i + 1], (double)v[3 * i + 2]));
  for (int i = 0; i < hf_model_mesh_surftrinum(m)[mesh]; ++i)
    add_triangle(indices, t[3 * i], t[3 * i + 1], t[3 * i + 2]);
}

// Adds the surface of a height field: two triangles a cell, with the diagonal along +x +y.
static void add_terrain(const hfModel* m, int hfield, json_t* points, json_t* indices) {
  const double* z = hf_model_hfield_height(m) + hf_model_hfield_adr(m)[hfield];
  const double* size = hf_model_hfield_size(m) + 3 * hfield; // half lengths along x and y
  int nrow = hf_model_hfield_nrow(m)[hfield];
  int ncol = hf_model_hfield_ncol(m)[hfield];

  for (int i = 0; i < nrow * ncol; ++i) {
    // vertex i is in column i % ncol, which goes along x, and row i/ncol, along y
    double x = size[0] * (2.0 * (i % ncol) / (ncol - 1) - 1);
    double y = size[1] * (2.0 * (i / ncol) / (nrow - 1) - 1);
    json_array_append_new(points, xyz(x, y, z[i]));
  }

  for (int row = 0; row < nrow - 1; ++row) {
    for (int col = 0; col < ncol - 1; ++col) {
      int i = row * ncol + col; // the corner of the cell with the least x and y
      add_triangle(indices, i, i + 1, i + ncol + 1);
      add_triangle(indices, i, i + ncol + 1, i + ncol);
    }
  }
}

// The size of the cube that shows a plane: one without bounds has 10 m each way, all are 1 mm thick.
static json_t* plane_size(const double* half) {
  double x = half[0] == 0 ? 5 : half[0];
  double y = half[1] == 0 ? 10 : 2 * half[1];
  return xyz(2 * x, y, 1e-3);
}

// Adds a geom to the list of an entity that is for its shape: cubes, spheres, cylinders or triangles.
// Sizes of the model are half lengths and radii, those of an entity whole lengths. Meshes and height fields are
// triangles.
static void add_shape(const hfModel* m, int g, json_t* entity) {
  hfGeomType type = (hfGeomType)hf_model_geom_type(m)[g];
  const double* size = hf_model_geom_size(m) + 3 * g;
  const double* p = hf_model_geom_pos(m) + 3 * g;
  const float* c = hf_model_geom_rgba(m) + 4 * g;
  json_t* shape = json_pack("{s:{s:o,s:o},s:o}", "pose",
                            "position", xyz(p[0], p[1], p[2]),
                            "orientation", wxyz(hf_model_geom_quat(m) + 4 * g),
                            "color", colour((double)c[0], (double)c[1], (double)c[2], (double)c[3]));
  const char* list = NULL;

  switch (type) {
  case HF_GEOM_PLANE:
    json_object_set_new(shape, "size", plane_size(size));
    list = "cubes";
    break;
  case HF_GEOM_BOX:
    json_object_set_new(shape, "size", xyz(2 * size[0], 2 * size[1], 2 * size[2]));
    list = "cubes";
    break;

  case HF_GEOM_SPHERE:
    json_object_set_new(shape, "size", xyz(2 * size[0], 2 * size[0], 2 * size[0]));
    list = "spheres";
    break;
  case HF_GEOM_ELLIPSOID:
    json_object_set_new(shape, "size", xyz(2 * size[0], 2 * size[1], 2 * size[2]));
    list = "spheres";
    break;

  case HF_GEOM_CYLINDER:
  case HF_GEOM_CAPSULE: {
    double caps = type == HF_GEOM_CAPSULE ? 2 * size[0] : 0; // a capsule is drawn as a cylinder of its whole length
    json_object_set_new(shape, "size", xyz(2 * size[0], 2 * size[0], 2 * size[1] + caps));
    json_object_set_new(shape, "bottom_scale", json_real(1));
    json_object_set_new(shape, "top_scale", json_real(1));
    list = "cylinders";
    break;
  }

  default: {
    json_t* points = json_array();
    json_t* indices = json_array();
    if (type == HF_GEOM_HFIELD)
      add_terrain(m, hf_model_geom_hfield(m)[g], points, indices);
    else
      add_surface(m, hf_model_geom_mesh(m)[g], points, indices);
    json_object_set_new(shape, "points", points);
    json_object_set_new(shape, "indices", indices);
    list = "triangles";
  }
  }

  json_array_append_new(json_object_get(entity, list), shape);
}

// An entity of a scene without any shape. It moves with the frame of this name.
static json_t* empty_entity(const char* frame, const char* id, double time) {
  return json_pack("{s:o,s:s,s:s,s:{s:i,s:i},s:b,s:[],s:[],s:[],s:[],s:[]}", "timestamp", stamp(time),
                   "frame_id", frame, "id", id, "lifetime", "sec", 0, "nsec", 0, "frame_locked", 1,
                   "arrows", "cubes", "spheres", "cylinders", "triangles");
}

// The shapes of all bodies.
static json_t* scene_update(const hfModel* m, double time) {
  json_t* list = json_array();
  char buffer[HF_LABEL_SIZE];

  for (int b = 0; b < m->nbody; ++b) {
    int count = hf_model_body_geomnum(m)[b];
    if (count == 0) continue;

    const char* name = hf_model_label(m, HF_OBJECT_BODY, b, buffer);
    json_t* entity = empty_entity(name, name, time);
    for (int k = 0; k < count; ++k) add_shape(m, hf_model_body_geomadr(m)[b] + k, entity);
    json_array_append_new(list, entity);
  }

  return json_pack("{s:o,s:[]}", "entities", list, "deletions");
}

// The quaternion q of the turn that takes x to the unit vector d: (1 + d_x, 0, -d_z, d_y), normalised.
static void turn_x_to(const double* d, double* q) {
  // d is -x: half a turn about z
  double w = 1 + d[0];
  if (w < 1e-9) {
    q[0] = 0;
    q[1] = 0;
    q[2] = 0;
    q[3] = 1;
    return;
  }

  q[0] = w;
  q[1] = 0;
  q[2] = -d[2];
  q[3] = d[1];
  double n = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] /= n;
}

// Parts of an arrow of a contact force.
static const double SHAFT_LENGTH = 0.008;   // [m/N]
static const double HEAD_LENGTH = 0.002;    // [m/N]; with the shaft 1 cm a newton
static const double SHAFT_DIAMETER = 0.002; // [m]
static const double HEAD_DIAMETER = 0.005;  // [m]

// The contact forces on body A of a frame, in the world, as arrows of 1 cm a newton. An arrow that sticks is green, and
// the more yellow the more of its friction is used; one that slips is red. Contacts without force have none.
static json_t* force_arrows(const hfFrame* f) {
  json_t* entity = empty_entity("world", "forces", f->time);

  for (int i = 0; i < f->ncontact; ++i) {
    const hfFrameContact* c = &f->contact[i];
    double force[3], q[4];
    double size = 0;
    double friction_squared = 0;
    for (int k = 0; k < 3; ++k) {
      force[k] = (double)(c->fn * c->n_W[k] + c->ft[k]);
      size += force[k] * force[k];
      friction_squared += (double)(c->ft[k] * c->ft[k]);
    }
    size = sqrt(size); // [N]
    if (!(size > 0)) continue;

    // arrows point along the x axis of their pose
    for (int k = 0; k < 3; ++k) force[k] /= size;
    turn_x_to(force, q);

    // the share of friction that is used
    double use = c->mu * c->fn > 0 ? fmin(1, sqrt(friction_squared) / (double)(c->mu * c->fn)) : 0;
    json_t* arrow = json_pack("{s:{s:o,s:o},s:f,s:f,s:f,s:f,s:o}", "pose",
                              "position", xyz((double)c->p_W[0], (double)c->p_W[1], (double)c->p_W[2]),
                              "orientation", wxyz(q),
                              "shaft_length", SHAFT_LENGTH * size, "shaft_diameter", SHAFT_DIAMETER,
                              "head_length", HEAD_LENGTH * size, "head_diameter", HEAD_DIAMETER,
                              "color", c->stick ? colour(use, 0.7, 0.2, 1) : colour(0.86, 0.16, 0.16, 1));
    json_array_append_new(json_object_get(entity, "arrows"), arrow);
  }

  return json_pack("{s:[o],s:[]}", "entities", entity, "deletions");
}

// ---- numbers -----------------------------------------------------------------------------------------

// The numbers of all contacts of a frame, in SI units: forces on body A and velocities of A against B, in the world.
static json_t* contact_numbers(const hfModel* m, const hfFrame* f) {
  json_t* list = json_array();
  char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE];

  for (int i = 0; i < f->ncontact; ++i) {
    const hfFrameContact* c = &f->contact[i];
    json_t* contact = json_pack("{s:s,s:s,s:[fff],s:[fff],s:f,s:[fff],s:[fff],s:f,s:f,s:b}",
                                "a", hf_model_label(m, HF_OBJECT_GEOM, c->geom_a, a),
                                "b", hf_model_label(m, HF_OBJECT_GEOM, c->geom_b, b),
                                "point", (double)c->p_W[0], (double)c->p_W[1], (double)c->p_W[2],
                                "normal", (double)c->n_W[0], (double)c->n_W[1], (double)c->n_W[2],
                                "normal_force", (double)c->fn,
                                "friction", (double)c->ft[0], (double)c->ft[1], (double)c->ft[2],
                                "slip", (double)c->vt[0], (double)c->vt[1], (double)c->vt[2],
                                "mu", (double)c->mu, "depth", (double)c->depth, "stick", (int)c->stick);
    json_array_append_new(list, contact);
  }

  return json_pack("{s:o}", "contacts", list);
}

// Positions and velocities, by name, of the joints of one degree of freedom.
static json_t* joint_numbers(const hfModel* m, const hfFrame* f) {
  json_t* positions = json_object();
  json_t* velocities = json_object();
  char buffer[HF_LABEL_SIZE];

  for (int j = 0; j < m->njnt; ++j) {
    if (hf_joint_info(hf_model_jnt_type(m)[j]).nv != 1) continue;
    const char* name = hf_model_label(m, HF_OBJECT_JOINT, j, buffer);
    json_object_set_new(positions, name, json_real((double)f->q[hf_model_jnt_qposadr(m)[j]]));
    json_object_set_new(velocities, name, json_real((double)f->v[hf_model_jnt_dofadr(m)[j]]));
  }

  return json_pack("{s:o,s:o}", "position", positions, "velocity", velocities);
}

// Controls and forces of the actuators, by name.
static json_t* actuator_numbers(const hfModel* m, const hfFrame* f) {
  json_t* controls = json_object();
  json_t* forces = json_object();
  char buffer[HF_LABEL_SIZE];

  for (int i = 0; i < m->nu; ++i) {
    const char* name = hf_model_label(m, HF_OBJECT_ACTUATOR, i, buffer);
    json_object_set_new(controls, name, json_real((double)f->ctrl[i]));
    json_object_set_new(forces, name, json_real((double)f->force[i]));
  }

  return json_pack("{s:o,s:o}", "control", controls, "force", forces);
}

// What an event is, and which bodies it is of.
static json_t* event_words(const hfModel* m, hfEvent e) {
  static const char* const kinds[] = {"",     "touch", "leave",     "slide",  "stick",
                                      "rung", "rigid", "compliant", "dropped"};
  char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE];
  return json_pack("{s:s,s:s,s:s,s:i}",
                   "event", e.kind > 0 && e.kind <= HF_EVENT_DROPPED ? kinds[e.kind] : "",
                   "a", e.body_a >= 0 ? hf_model_label(m, HF_OBJECT_BODY, e.body_a, a) : "",
                   "b", e.body_b >= 0 ? hf_model_label(m, HF_OBJECT_BODY, e.body_b, b) : "",
                   "value", e.value);
}

// ---- the file ----------------------------------------------------------------------------------------

// Writes a recording as MCAP: the shapes once, and a message a frame in each other channel. Returns the exit status.
static int write_mcap(const hfRecording* r, const char* path) {
  mcapFile file;
  const hfModel* m = hf_recording_model(r);
  hfError error = {HF_OK, ""};
  if (mcap_open(&file, path, &error) != HF_OK) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }

  uint16_t tf = mcap_channel(&file, "/tf", "foxglove.FrameTransforms");
  uint16_t shapes = mcap_channel(&file, "/scene", "foxglove.SceneUpdate");
  uint16_t forces = mcap_channel(&file, "/forces", "foxglove.SceneUpdate");
  uint16_t contacts = mcap_channel(&file, "/contacts", "holdfast.Contacts");
  uint16_t joints = mcap_channel(&file, "/joints", "holdfast.Joints");
  uint16_t actuators = mcap_channel(&file, "/actuators", "holdfast.Actuators");
  uint16_t energy = mcap_channel(&file, "/energy", "holdfast.Energy");
  uint16_t solver = mcap_channel(&file, "/solver", "holdfast.Solver");
  uint16_t events = mcap_channel(&file, "/events", "holdfast.Event");

  int event = 0; // the next event that is not written
  int count = hf_recording_frame_count(r);
  for (int i = 0; i < count; ++i) {
    hfFrame f = hf_recording_frame(r, i);
    if (i == 0) mcap_message(&file, shapes, f.time, scene_update(m, f.time));

    // the events up to this frame
    for (; event < hf_recording_event_count(r); ++event) {
      hfEvent e = hf_recording_event(r, event);
      if (!(e.time <= f.time)) break;
      mcap_message(&file, events, e.time, event_words(m, e));
    }

    mcap_message(&file, tf, f.time, frame_transforms(m, &f));
    mcap_message(&file, forces, f.time, force_arrows(&f));
    mcap_message(&file, contacts, f.time, contact_numbers(m, &f));
    mcap_message(&file, joints, f.time, joint_numbers(m, &f));
    mcap_message(&file, actuators, f.time, actuator_numbers(m, &f));
    mcap_message(&file, energy, f.time,
                 json_pack("{s:f,s:f}", "kinetic", f.head->kinetic, "potential", f.head->potential));
    mcap_message(&file, solver, f.time,
                 json_pack("{s:i,s:i,s:i,s:f}", "steps", f.head->steps, "iterations", f.head->iterations,
                           "rung", f.head->rung, "residual", f.head->residual));
    show_progress((double)i / count, "%d of %d frames", i, count);
  }
  clear_progress();

  if (mcap_close(&file, &error) == HF_OK) return CLI_GOOD;
  say_error("%s: %s", path, error.message);
  return CLI_FAILED;
}

// Does a text end in `end`?
static int ends_in(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

// Converts a recording to a report or to MCAP, as the name of the output asks. Returns the exit status.
static int convert_recording(const convertOptions* o) {
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};
  hfStatus status = hf_recording_read(&recording, o->scene.path, &error);
  if (status == HF_OK && ends_in(o->output, ".html")) status = hf_report_convert(o->output, recording, &error);

  int result = exit_status_of(status);
  if (status != HF_OK)
    say_error("%s", error.message);
  else if (ends_in(o->output, ".mcap"))
    result = write_mcap(recording, o->output);

  hf_recording_free(recording);
  return result;
}

// Writes a model in Holdfast's own format. Returns the exit status.
static int save_model(const void* arguments, const hfModel* model) {
  const convertOptions* o = arguments;
  hfError error = {HF_OK, ""};
  hfStatus status = hf_model_write(model, o->output, &error);

  if (status != HF_OK) say_error("%s", error.message);
  return exit_status_of(status);
}

// Writes a model as SDFormat or URDF. What the file cannot say is warned of; the model is written nevertheless.
// Returns the exit status.
static int write_robot(const void* arguments, const hfModel* model) {
  const convertOptions* o = arguments;
  hfError error = {HF_OK, ""};
  hfDiagnostics* diagnostics = hf_diagnostics_create();
  hfStatus status = ends_in(o->output, ".sdf") ? hf_model_write_sdf(model, o->output, diagnostics, &error)
                                               : hf_model_write_urdf(model, o->output, diagnostics, &error);

  for (int i = 0; diagnostics && status == HF_OK && i < hf_diagnostics_count(diagnostics); ++i)
    say_warning("%s: %s", o->output, hf_diagnostics_get(diagnostics, i).message);
  if (status != HF_OK) say_error("%s", error.message);
  hf_diagnostics_free(diagnostics);
  return exit_status_of(status);
}

// Writes a model as MJCF, from its definitions, which are read once more: a model no longer has them.
// Returns the exit status.
static int write_mjcf(const void* arguments, const hfModel* model) {
  const convertOptions* o = arguments;
  (void)model;
  hfBuilder* builder = NULL;
  hfError error = {HF_OK, ""};

  hfStatus status = load_builder(&o->scene, &builder, &error);
  if (status == HF_OK) status = hf_builder_write_mjcf(builder, o->output, &error);
  hf_builder_free(builder);
  if (status != HF_OK) say_error("%s", error.message);
  return exit_status_of(status);
}

// The verb: converts a recording or a model, as the end of the output's name says. Returns the exit status.
int verb_convert(int argc, char** argv) {
  convertOptions o = {0};
  parse_arguments(&convert_argp, argc, argv, &o);

  // the end of the name says what is written
  int recording = ends_in(o.output, ".mcap") || ends_in(o.output, ".html");
  int (*write_model)(const void*, const hfModel*) = NULL;
  if (ends_in(o.output, ".sdf") || ends_in(o.output, ".urdf")) write_model = write_robot;
  if (ends_in(o.output, ".hfm")) write_model = save_model;
  if (ends_in(o.output, ".xml")) write_model = write_mjcf;

  const usedFile files[] = {{"what is converted", o.scene.path, 0},
                            {"--srdf", o.scene.import.srdf, 0},
                            {"what is written", o.output, 1}};
  int result = CLI_MISUSED;
  if (!recording && !write_model)
    say_error("%s: the name must end in .mcap or .html (of a recording), .xml, .sdf, .urdf or .hfm (of a model)",
              o.output);
  else if (refuse_same_file(files, 3))
    result = CLI_MISUSED;
  else if (recording && is_pipe(o.scene.path))
    say_error("%s: a recording is read from a file, not from a pipe", o.scene.path);
  else if (recording)
    result = convert_recording(&o);
  else
    return with_scene(&o.scene, write_model, &o); // which frees the list of folders

  free(o.scene.search);
  return result;
}
