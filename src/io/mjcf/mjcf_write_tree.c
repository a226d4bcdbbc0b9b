// Writing <custom>, meshes, height fields and the tree of bodies.
//
// w: the writer, d: the definition of object i, D, R: moments and axes of an inertia. The last argument of
// hfi_xml_put_real and _int is MuJoCo's default, which is not written.
#include "io/mjcf/mjcf_write.h"

#include "io/mjcf/mjcf.h"
#include "model/height_field.h"
#include "model/object.h"
#include "build/order.h"
#include "base/finite.h"
#include "math/eigen3.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what MJCF lacks ----------------------------------------------------------------------------

// Writes a number of <custom>, hf.PREFIX.KEY, unless it has the value that means none.
static void put_numeric(hfiMjcfWriter* w, const char* prefix, const char* key, double x, double unless) {
  if (x == unless) return;
  char name[256];
  snprintf(name, sizeof name, "hf.%s%s%s", prefix, *prefix ? "." : "", key);
  hfi_xml_begin(&w->xml, 2, "numeric");
  hfi_xml_put_text(&w->xml, "name", name);
  hfi_xml_put_reals(&w->xml, "data", &x, 1);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes a word of <custom>, hf.KEY.
static void put_word(hfiMjcfWriter* w, const char* key, const char* word) {
  hfi_xml_begin(&w->xml, 2, "text");
  hfi_xml_print(&w->xml, " name=\"hf.%s\" data=\"%s\"/>\n", key, word);
}

// The word of a table for a value.
static const char* find_word(const hfiKeyword* table, int value) {
  while (table->word && table->value != value) ++table;
  return table->word;
}

// Writes the parameters of the world that MJCF lacks.
static void write_world(hfiMjcfWriter* w) {
  const hfWorld* v = &w->b->world;
  put_numeric(w, "", "stiffness", v->stiffness, 0);
  put_numeric(w, "", "dissipation", v->dissipation, -1);
  put_numeric(w, "", "stiction_speed", v->stiction_speed, -1);
  put_numeric(w, "", "tangential_ratio", v->tangential_ratio, -1);
  put_numeric(w, "", "release_speed", v->release_speed, -1);

  put_word(w, "method", find_word(hfi_mjcf_methods, v->method));
  put_word(w, "friction", find_word(hfi_mjcf_friction_laws, v->friction));
  put_word(w, "friction_rule", find_word(hfi_mjcf_friction_rules, v->friction_rule));
}

// Writes the parameters of contact that MJCF lacks, for each geom that has a name.
static void write_geom_parameters(hfiMjcfWriter* w) {
  for (int i = 0; i < w->b->geom.count; ++i) {
    const hfGeomDef* d = &w->b->geom.data[i];
    const char* name = w->name[HF_OBJECT_GEOM][i];
    if (!name) continue;

    put_numeric(w, name, "stiffness", d->stiffness, -1);
    put_numeric(w, name, "dissipation", d->dissipation, -1);
    put_numeric(w, name, "stiction_speed", d->stiction_speed, -1);
    put_numeric(w, name, "tangential_stiffness", d->tangential_stiffness, -1);
    put_numeric(w, name, "tangential_damping", d->tangential_damping, -1);
    put_numeric(w, name, "friction_dynamic", d->friction_dynamic, -1);
    put_numeric(w, name, "restitution", d->restitution, 0);
  }
}

// Writes the signal that drives an actuator. A feedback begins with the names of its joints.
static void write_signal(hfiMjcfWriter* w, const hfActuatorDef* d, const char* name) {
  char key[256];
  snprintf(key, sizeof key, "hf.signal.%s", name);
  hfi_xml_begin(&w->xml, 2, "text");
  hfi_xml_put_text(&w->xml, "name", key);
  hfi_xml_print(&w->xml, " data=\"%s ", find_word(hfi_mjcf_signals, d->signal));

  // the data of a feedback begin with how many joints it has, and their ids
  int joints = d->signal == HF_SIGNAL_FEEDBACK ? (int)d->signal_data[0] : 0;
  int head = joints ? 1 + joints : 0;
  for (int i = 1; i <= joints; ++i) {
    const char* joint = w->name[HF_OBJECT_JOINT][(int)d->signal_data[i]];
    if (joint && (strchr("+-.0123456789", joint[0]) || strchr(joint, ' ')))
      hfi_xml_refuse(&w->xml, "feedback cannot name a joint that begins like a number or has a blank");
    hfi_xml_print(&w->xml, "%s ", joint);
  }

  hfi_xml_print_numbers(&w->xml, d->signal_data + head, d->signal_count - head);
  hfi_xml_print(&w->xml, "\"/>\n");
}

// Writes the drives and signals of actuators.
static void write_drives(hfiMjcfWriter* w) {
  for (int i = 0; i < w->b->actuator.count; ++i) {
    const hfActuatorDef* d = &w->b->actuator.data[i];
    const char* name = w->name[HF_OBJECT_ACTUATOR][i];

    if (d->drive != HF_DRIVE_SERVO) {
      char key[256];
      snprintf(key, sizeof key, "drive.%s", name);
      put_word(w, key, find_word(hfi_mjcf_drives, d->drive));
    }
    if (d->signal != HF_SIGNAL_NONE) write_signal(w, d, name);
  }
}

// Writes <custom>: all parameters that MJCF lacks.
void hfi_mjcf_write_custom(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <custom>\n");
  write_world(w);
  write_geom_parameters(w);
  write_drives(w);
  hfi_xml_print(&w->xml, "  </custom>\n");
}

// ---- meshes -------------------------------------------------------------------------------------

// Writes a mesh with its vertices and triangles.
static void write_mesh(hfiMjcfWriter* w, int i) {
  static const char* const inertias[] = {"convex", "exact", "legacy", "shell"};
  const hfMeshDef* d = &w->b->mesh.data[i].def;

  hfi_xml_begin(&w->xml, 2, "mesh");
  hfi_mjcf_put_name(w, HF_OBJECT_MESH, i);
  hfi_xml_put_text(&w->xml, "inertia", inertias[d->inertia]);
  if (d->max_hull_vert > 0) hfi_xml_put_int(&w->xml, "maxhullvert", d->max_hull_vert, -1);
  hfi_xml_put_reals(&w->xml, "vertex", d->vert, 3 * d->nvert);

  hfi_xml_print(&w->xml, " face=\"");
  for (int k = 0; k < 3 * d->ntri; ++k) hfi_xml_print(&w->xml, k ? " %d" : "%d", d->tri[k]);
  hfi_xml_print(&w->xml, "\"/>\n");
}

// The lowest height of a field, and *range from there to the highest [m]. In MJCF the lowest height is at zero and the
// highest at the third size. So base and poses of the geoms are shifted by the lowest height.
static double find_lowest_height(const hfHeightFieldDef* d, double* range) {
  double extent[2];
  hfi_hfield_range(d->height, d->nrow * d->ncol, extent);
  *range = extent[1] - extent[0];
  return extent[0];
}

// Writes a height field, whose rows MJCF has from the top.
static void write_height_field(hfiMjcfWriter* w, int i) {
  const hfHeightFieldDef* d = &w->b->hfield.data[i];
  // MJCF counts heights from the lowest one, as shares of range, which is the difference to the highest
  double range = 0;
  double lowest = find_lowest_height(d, &range);
  const double size[4] = {d->half_size[0], d->half_size[1], range > 0 ? range : 1, d->base + lowest};

  hfi_xml_begin(&w->xml, 2, "hfield");
  hfi_mjcf_put_name(w, HF_OBJECT_HFIELD, i);
  hfi_xml_put_int(&w->xml, "nrow", d->nrow, 0);
  hfi_xml_put_int(&w->xml, "ncol", d->ncol, 0);
  hfi_xml_put_reals(&w->xml, "size", size, 4);

  hfi_xml_print(&w->xml, " elevation=\"");
  for (int r = d->nrow - 1; r >= 0; --r) {
    for (int c = 0; c < d->ncol; ++c) {
      int is_first = r == d->nrow - 1 && c == 0;
      double share = range > 0 ? (d->height[r * d->ncol + c] - lowest) / range : 0;
      hfi_xml_print(&w->xml, is_first ? "%.17g" : " %.17g", share);
    }
  }
  hfi_xml_print(&w->xml, "\"/>\n");
}

void hfi_mjcf_write_assets(hfiMjcfWriter* w) {
  hfi_xml_print(&w->xml, "  <asset>\n");
  for (int i = 0; i < w->b->mesh.count; ++i) write_mesh(w, i);
  for (int i = 0; i < w->b->hfield.count; ++i) write_height_field(w, i);
  hfi_xml_print(&w->xml, "  </asset>\n");
}

// ---- the tree -----------------------------------------------------------------------------------

// MuJoCo refuses a fullinertia with a smaller moment, but takes a diaginertia with zeros [kg m^2].
static const double LEAST_MOMENT = 1e-14;

// The number with so many significant digits.
static double round_to_digits(double x, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

static int are_equal(const double* a, const double* b, int count) {
  for (int i = 0; i < count; ++i)
    if (a[i] != b[i]) return 0;
  return 1;
}

// Computes the moments D about the axes R of an inertia, which the reader turns back. Several roundings of D can belong
// to one inertia. The one with the fewest digits that gives the same bits again is taken, because files have such
// numbers. If none does, D has all its digits.
static void find_moments(hfMat3 R, const double* inertia, double* D) {
  double turned[6];
  sym3_rotate(m3_transpose(R), inertia, turned);

  for (int digits = 6; digits <= DBL_DECIMAL_DIG; ++digits) {
    double moments[6] = {0};
    double again[6];
    for (int i = 0; i < 3; ++i) moments[i] = max2(0, round_to_digits(turned[i], digits));
    sym3_rotate(R, moments, again);
    memcpy(D, moments, 3 * sizeof *D);
    if (are_equal(again, inertia, 6)) return;
  }
}

// Writes an inertia as moments about the axes of q.
static void write_moments(hfiMjcfWriter* w, hfQuat q, const double* inertia) {
  double D[3];
  double quat[4];
  find_moments(m3_from_quat(q), inertia, D);
  q_store(quat, q);
  if (q.x != 0 || q.y != 0 || q.z != 0) hfi_xml_put_reals(&w->xml, "quat", quat, 4);
  hfi_xml_put_reals(&w->xml, "diaginertia", D, 3);
}

// Writes an <inertial>, in the form that gives the same bits again.
static void write_inertial(hfiMjcfWriter* w, const hfBodyDef* d, int depth) {
  double moment[3];
  hfMat3 R;
  eigen3(d->inertia, moment, &R);

  hfi_xml_begin(&w->xml, depth, "inertial");
  hfi_xml_put_reals(&w->xml, "pos", d->com, 3);
  hfi_xml_put_reals(&w->xml, "mass", &d->mass, 1);

  if (is_principal(q_load(d->inertia_quat), d->inertia))
    write_moments(w, q_load(d->inertia_quat), d->inertia);
  else if (moment[2] >= LEAST_MOMENT)
    hfi_xml_put_reals(&w->xml, "fullinertia", d->inertia, 6);
  else
    write_moments(w, hfi_any_nonzero(d->inertia + 3, 3) ? q_from_m3(R) : q_identity(), d->inertia);

  hfi_xml_print(&w->xml, "/>\n");
}

// Writes a joint. Refuses a stiffness of limits, which MJCF lacks.
static void write_joint(hfiMjcfWriter* w, int i, int depth) {
  const hfJointDef* d = &w->b->joint.data[i];
  const hfiJointKind* kind = &hfi_joint_kinds[d->type];
  if (d->limit_stiffness > 0 || d->limit_damping > 0)
    hfi_xml_refuse(&w->xml, "%s: MJCF has no stiffness of limits", hfi_label(HF_OBJECT_JOINT, d->name, i).text);

  hfi_xml_begin(&w->xml, depth, "joint");
  hfi_mjcf_put_name(w, HF_OBJECT_JOINT, i);
  hfi_xml_put_text(&w->xml, "type", kind->info.name);
  if (kind->uses_anchor) hfi_xml_put_reals(&w->xml, "pos", d->pos, 3);
  if (kind->uses_anchor) hfi_xml_put_reals(&w->xml, "axis", d->axis, 3);
  hfi_xml_put_real(&w->xml, "pitch", d->pitch, 0);

  // limits
  if (kind->limits) hfi_mjcf_put_range(w, "limited", "range", d->limited, d->range);
  if (d->actfrclimited) hfi_mjcf_put_range(w, "actuatorfrclimited", "actuatorfrcrange", 1, d->actfrcrange);
  if (d->actgravcomp) hfi_xml_put_bool(&w->xml, "actuatorgravcomp", 1);
  hfi_xml_put_real(&w->xml, "margin", d->margin, 0);
  hfi_xml_put_real(&w->xml, "ref", d->ref, 0);

  // passive forces and rotor
  hfi_xml_put_real(&w->xml, "springref", d->springref, 0);
  hfi_xml_put_real(&w->xml, "springyield", d->springyield, 0);
  if (hfi_any_nonzero(d->bend, 3)) hfi_xml_put_reals(&w->xml, "bend", d->bend, 3);
  if (hfi_any_nonzero(d->bend_rest, 3)) hfi_xml_put_reals(&w->xml, "bendrest", d->bend_rest, 3);
  if (d->springdamper[0] > 0 || d->springdamper[1] > 0) hfi_xml_put_reals(&w->xml, "springdamper", d->springdamper, 2);
  hfi_mjcf_put_polynomial(w, "stiffness", d->stiffness, d->stiffness_poly);
  hfi_mjcf_put_polynomial(w, "damping", d->damping, d->damping_poly);
  hfi_xml_put_real(&w->xml, "armature", d->armature, 0);
  hfi_xml_put_real(&w->xml, "frictionloss", d->frictionloss, 0);
  hfi_mjcf_put_solver(w, "solreflimit", "solimplimit", d->limit_solref, d->limit_solimp);

  hfi_xml_print(&w->xml, "/>\n");
}

// Writes the parameters of contact that MJCF has.
static void put_contact(hfiMjcfWriter* w, const hfGeomDef* d) {
  hfi_xml_put_int(&w->xml, "contype", d->contype, 1);
  hfi_xml_put_int(&w->xml, "conaffinity", d->conaffinity, 1);
  hfi_xml_put_int(&w->xml, "condim", d->condim, 3);
  hfi_xml_put_int(&w->xml, "priority", d->priority, 0);

  hfi_xml_put_reals(&w->xml, "friction", d->friction, 3);
  hfi_xml_put_real(&w->xml, "margin", d->margin - d->gap, 0); // In MJCF contacts act below margin.
  hfi_xml_put_real(&w->xml, "gap", d->gap, 0);
  hfi_xml_put_real(&w->xml, "adhesion", d->adhesion, 0);
  hfi_xml_put_real(&w->xml, "solmix", d->solmix, 1);
  hfi_mjcf_put_solver(w, "solref", "solimp", d->solref, d->solimp);
}

// Writes the surface velocity of a geom, unless it is zero: linear, then angular. The velocity of a height field is
// that of its origin, which MJCF has at the lowest height: u' = u + w x (0, 0, lowest).
static void put_surface_velocity(hfiMjcfWriter* w, const hfGeomDef* d) {
  double u[6];
  double range = 0;
  memcpy(u, d->surface_velocity, sizeof u);
  if (d->hfield >= 0) {
    hfVec3 origin = v3(0, 0, find_lowest_height(&w->b->hfield.data[d->hfield], &range));
    v3_store(u, v3_add(v3_load(u), v3_cross(v3_load(u + 3), origin)));
  }

  if (hfi_any_nonzero(u, 6)) hfi_xml_put_reals(&w->xml, "surfacevel", u, 6);
}

// Writes the size of a geom. MuJoCo refuses a plane whose third size, the spacing of the grid that it draws, is not
// positive; it gets 1.
static void put_size(hfiMjcfWriter* w, const hfGeomDef* d) {
  double size[3] = {d->size[0], d->size[1], d->size[2]};
  if (d->type == HF_GEOM_PLANE && size[2] <= 0) size[2] = 1;
  hfi_xml_put_reals(&w->xml, "size", size, 3);
}

// Writes a geom.
static void write_geom(hfiMjcfWriter* w, int i, int depth) {
  const hfGeomDef* d = &w->b->geom.data[i];
  hfi_xml_begin(&w->xml, depth, "geom");
  hfi_mjcf_put_name(w, HF_OBJECT_GEOM, i);
  hfi_xml_put_text(&w->xml, "type", hf_geom_type_name(d->type));
  hfi_mjcf_put_reference(w, "mesh", HF_OBJECT_MESH, d->mesh);
  hfi_mjcf_put_reference(w, "hfield", HF_OBJECT_HFIELD, d->hfield);
  if (d->mesh < 0 && d->hfield < 0) put_size(w, d);

  // pose, shifted to the origin that MJCF has for a height field
  double pos[3] = {d->pos[0], d->pos[1], d->pos[2]};
  if (d->hfield >= 0) {
    double range = 0;
    hfVec3 lowest = v3(0, 0, find_lowest_height(&w->b->hfield.data[d->hfield], &range));
    v3_store(pos, v3_add(v3_load(pos), q_rotate(q_load(d->quat), lowest)));
  }
  hfi_mjcf_put_pose(w, pos, d->quat);

  // mass and medium
  if (d->mass >= 0)
    hfi_xml_put_reals(&w->xml, "mass", &d->mass, 1);
  else
    hfi_xml_put_real(&w->xml, "density", d->density, 1000);
  if (d->shell_inertia) hfi_xml_put_bool(&w->xml, "shellinertia", 1);
  hfi_xml_put_real(&w->xml, "fitscale", d->fitscale, 1);
  if (d->fluid) {
    hfi_xml_put_text(&w->xml, "fluidshape", "ellipsoid");
    hfi_xml_put_reals(&w->xml, "fluidcoef", d->fluidcoef, 5);
  }

  // looks and contact
  hfi_xml_put_int(&w->xml, "group", d->group, 0);
  put_contact(w, d);
  put_surface_velocity(w, d);
  const double rgba[4] = {d->rgba[0], d->rgba[1], d->rgba[2], d->rgba[3]};
  hfi_xml_put_reals(&w->xml, "rgba", rgba, 4);
  hfi_xml_print(&w->xml, "/>\n");
}

// Writes a site.
static void write_site(hfiMjcfWriter* w, int i, int depth) {
  const hfSiteDef* d = &w->b->site.data[i];
  hfi_xml_begin(&w->xml, depth, "site");
  hfi_mjcf_put_name(w, HF_OBJECT_SITE, i);
  hfi_xml_put_text(&w->xml, "type", hf_geom_type_name(d->type));
  hfi_xml_put_reals(&w->xml, "size", d->size, 3);
  hfi_mjcf_put_pose(w, d->pos, d->quat);
  hfi_xml_print(&w->xml, "/>\n");
}

// The degrees from which the reader computes these radians, bit by bit, if there are any. Rounding may make the plain
// product miss them by one unit.
static double degrees_of(double radians) {
  double degrees = radians * 180 / HFI_PI;
  double near[3] = {degrees, nextafter(degrees, 0), nextafter(degrees, INFINITY)};
  for (int i = 0; i < 3; ++i)
    if (near[i] * HFI_PI / 180 == radians) return near[i];
  return degrees;
}

// Writes a camera.
static void write_camera(hfiMjcfWriter* w, int i, int depth) {
  const hfCameraDef* d = &w->b->camera.data[i];
  const double size[2] = {d->resolution[0], d->resolution[1]};

  hfi_xml_begin(&w->xml, depth, "camera");
  hfi_mjcf_put_name(w, HF_OBJECT_CAMERA, i);
  if (d->mode != HF_CAMERA_FIXED) hfi_xml_put_text(&w->xml, "mode", hfi_mjcf_camera_modes[d->mode].word);
  hfi_mjcf_put_reference(w, "target", HF_OBJECT_BODY, d->target);
  if (d->orthographic) hfi_xml_put_text(&w->xml, "projection", "orthographic");

  if (d->resolution[0] != 1 || d->resolution[1] != 1) hfi_xml_put_reals(&w->xml, "resolution", size, 2);
  if (d->sensorsize[0] > 0) {
    hfi_xml_put_reals(&w->xml, "sensorsize", d->sensorsize, 2);
    hfi_xml_put_reals(&w->xml, "focal", d->focal, 2);
    hfi_xml_put_reals(&w->xml, "principal", d->principal, 2);
  } else {
    hfi_xml_put_real(&w->xml, "fovy", d->orthographic ? d->fovy : degrees_of(d->fovy), 45);
  }

  hfi_mjcf_put_pose(w, d->pos, d->quat);
  hfi_xml_print(&w->xml, "/>\n");
}

// The elements that are written next. Each list is in the order of bodies, so that the elements of one body follow each
// other.
typedef struct Cursor {
  const hfiOrder* order;
  int joint, geom, site, camera;
} Cursor;

// Writes the elements of a body, and moves the cursor behind them. The cursor counts objects in the order of the
// finished model, where the objects of a body stand side by side. hfi_order_old gives the id of such an object in the
// builder.
static void write_own_elements(hfiMjcfWriter* w, Cursor* c, int body, int depth) {
  const hfBuilder* b = w->b;

  for (; c->joint < b->joint.count; ++c->joint) {
    int id = hfi_order_old(c->order, HF_OBJECT_JOINT, c->joint);
    if (b->joint.data[id].body != body) break;
    write_joint(w, id, depth);
  }

  for (; c->geom < b->geom.count; ++c->geom) {
    int id = hfi_order_old(c->order, HF_OBJECT_GEOM, c->geom);
    if (b->geom.data[id].body != body) break;
    write_geom(w, id, depth);
  }

  for (; c->site < b->site.count; ++c->site) {
    int id = hfi_order_old(c->order, HF_OBJECT_SITE, c->site);
    if (b->site.data[id].body != body) break;
    write_site(w, id, depth);
  }

  for (; c->camera < b->camera.count; ++c->camera) {
    int id = hfi_order_old(c->order, HF_OBJECT_CAMERA, c->camera);
    if (b->camera.data[id].body != body) break;
    write_camera(w, id, depth);
  }
}

// The inertial of body i of the model.
static void write_own_inertial(hfiMjcfWriter* w, int i, int depth) {
  const hfModel* m = w->model;
  hfBodyDef d = {.mass = hf_model_body_mass(m)[i]};
  memcpy(d.com, hf_model_body_com(m) + 3 * i, sizeof d.com);
  memcpy(d.inertia, hf_model_body_inertia(m) + 6 * i, sizeof d.inertia);
  memcpy(d.inertia_quat, hf_model_body_iquat(m) + 4 * i, sizeof d.inertia_quat);
  write_inertial(w, &d, depth);
}

// Opens the body with this id, which is body i in the order of the tree, and writes its inertial.
static void open_body(hfiMjcfWriter* w, int id, int i, int depth) {
  const hfBodyDef* d = &w->b->body.data[id];
  hfi_xml_begin(&w->xml, depth, "body");
  hfi_mjcf_put_name(w, HF_OBJECT_BODY, id);
  hfi_mjcf_put_pose(w, d->pos, d->quat);
  hfi_xml_put_real(&w->xml, "gravcomp", d->gravcomp, 0);
  if (d->sleep != HF_SLEEP_AUTO) hfi_xml_put_text(&w->xml, "sleep", hfi_mjcf_sleep_policies[d->sleep].word);
  if (d->mocap) hfi_xml_put_bool(&w->xml, "mocap", 1);
  hfi_xml_print(&w->xml, ">\n");

  if (w->model && (w->all_inertias || hfi_builder_has_own_rules(w->b, id)))
    write_own_inertial(w, i, depth + 1);
  else if (d->has_inertial)
    write_inertial(w, d, depth + 1);
}

static void close_body(hfiMjcfWriter* w, int depth) { hfi_xml_print(&w->xml, "%*s</body>\n", 2 * depth, ""); }

// Writes the tree. The depth of the world is 1. A body is closed when the next one in depth-first order is not below
// it.
void hfi_mjcf_write_tree(hfiMjcfWriter* w) {
  hfiOrder order;
  if (w->xml.status) return;
  w->xml.status = hfi_order_create(&order, w->b, w->xml.error);
  if (w->xml.status) return;

  int* depth = hfi_pool_copy(&w->pool, NULL, sizeof *depth * (size_t)w->b->body.count);
  if (!depth) hfi_xml_refuse_memory(&w->xml);

  Cursor cursor = {.order = &order};
  int open_depth = 1; // depth of the body that was opened last; all bodies around it are open
  hfi_xml_print(&w->xml, "  <worldbody>\n");

  for (int i = 0; i < w->b->body.count && !w->xml.status; ++i) {
    // i: the number of the body in the finished model, which is depth-first; id: its id in the builder
    int id = hfi_order_old(&order, HF_OBJECT_BODY, i);
    int is_world = i == 0;
    depth[id] = is_world ? 1 : depth[w->b->body.data[id].parent] + 1;

    if (!is_world) {
      for (; open_depth >= depth[id]; --open_depth) close_body(w, open_depth);
      open_body(w, id, i, depth[id]);
    }
    open_depth = depth[id];
    write_own_elements(w, &cursor, id, open_depth + 1);
  }

  for (; open_depth > 1; --open_depth) close_body(w, open_depth);
  hfi_xml_print(&w->xml, "  </worldbody>\n");
  hfi_order_release(&order);
}
