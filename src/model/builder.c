// Adding definitions: each is validated, copied and named, or refused with nothing changed.
#include "model/builder.h"

#include "base/error.h"
#include "math/vec3.h"

#include <holdfast/step_problem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hfStatus hfi_refuse_def(hfError* error, const char* where, hfObjectKind kind, const char* name,
                        const char* format, ...) {
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  return hfi_refuse(error, HF_ERROR_MODEL, "%s%s%s \"%s\": %s", where ? where : "",
                    where ? ": " : "", hf_object_kind_name(kind), name ? name : "", what);
}

static int refuse_memory(hfError* error) {
  return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
}

// ---- creation ------------------------------------------------------------------------------------

static hfWorld default_world(void) {
  hfWorld w = {0};
  w.timestep = 0.002;
  w.gravity[2] = -9.81;
  w.stiffness = 1e6;
  w.dissipation = 20;
  w.stiction_speed = 1e-4;
  w.tangential_ratio = 0.8;
  w.impratio = 1;
  w.method = HF_METHOD_TAMSI;
  w.friction = HF_FRICTION_ANCHORED;
  w.friction_rule = HF_COMBINE_MAX;
  w.filter_parent = 1;
  return w;
}

hfBuilder* hf_builder_create(void) {
  hfBuilder* b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->world = default_world();
  b->config.inertia_from_geom = -1;
  b->config.inertia_group_max = 5;
  hfBodyDef world = hf_body_def_default();
  world.name = "world";
  world.parent = -1;
  world.has_inertial = 1;
  b->body.data = hfi_grow(NULL, &b->body.capacity, 0, sizeof *b->body.data);
  if (!b->body.data || hfi_names_add(&b->names, HF_OBJECT_BODY, world.name, 0) != 0) {
    hf_builder_free(b);
    return NULL;
  }
  b->body.data[b->body.count++] = world;
  return b;
}

void hf_builder_free(hfBuilder* b) {
  if (!b) return;
  for (int i = 0; i < b->mesh.count; ++i) hfi_hull_release(&b->mesh.data[i].hull);
  void* lists[] = {b->body.data,    b->joint.data,    b->geom.data,     b->mesh.data,
                   b->site.data,    b->tendon.data,   b->equality.data, b->pair.data,
                   b->exclude.data, b->actuator.data, b->sensor.data,   b->key.data};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) free(lists[i]);
  hfi_names_release(&b->names);
  hfi_pool_release(&b->pool);
  free(b);
}

hfWorld* hf_builder_world(hfBuilder* b) { return &b->world; }
hfBuildConfig* hf_builder_config(hfBuilder* b) { return &b->config; }

// ---- checks --------------------------------------------------------------------------------------

static int all_finite(const double* x, int n) {
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

static int normalise_quat(double* quat) {
  hfQuat q = q_load(quat);
  if (!all_finite(quat, 4) || !(q_norm(q) > 1e-10)) return 0;
  q_store(quat, q_unit(q));
  return 1;
}

static int body_exists(const hfBuilder* b, int body) { return body >= 0 && body < b->body.count; }

// Copies name and where into the pool; 0 on success.
static int own_strings(hfBuilder* b, const char** name, const char** where) {
  if (*name && !**name) *name = NULL;
  const char *n = hfi_pool_string(&b->pool, *name), *w = hfi_pool_string(&b->pool, *where);
  if ((*name && !n) || (*where && !w)) return -1;
  *name = n, *where = w;
  return 0;
}

// Grows the list, owns the strings, registers the name and appends; evaluates to the id or a status.
#define ADD(list, kind, def)                                                                       \
  do {                                                                                             \
    if (def.name && *def.name && hfi_names_find(&b->names, kind, def.name) >= 0)                   \
      return hfi_refuse_def(error, def.where, kind, def.name, "name is used already");             \
    void* grown = hfi_grow(list.data, &list.capacity, list.count, sizeof *list.data);              \
    if (!grown) return refuse_memory(error);                                                       \
    list.data = grown;                                                                             \
    if (own_strings(b, &def.name, &def.where) != 0) return refuse_memory(error);                   \
    if (def.name && hfi_names_add(&b->names, kind, def.name, list.count) != 0)                     \
      return refuse_memory(error);                                                                 \
  } while (0)

#define APPEND(list, value) (list.data[list.count] = (value), list.count++)

// ---- bodies, joints, geoms, sites ----------------------------------------------------------------

int hf_builder_add_body(hfBuilder* b, const hfBodyDef* source, hfError* error) {
  hfBodyDef d = *source;
  const hfObjectKind kind = HF_OBJECT_BODY;
  if (!body_exists(b, d.parent))
    return hfi_refuse_def(error, d.where, kind, d.name, "parent %d does not exist", d.parent);
  if (!all_finite(d.pos, 3) || !normalise_quat(d.quat))
    return hfi_refuse_def(error, d.where, kind, d.name,
                          "pose is not finite or its quaternion is zero");
  if (!isfinite(d.mass) || d.mass < 0)
    return hfi_refuse_def(error, d.where, kind, d.name, "mass %g is negative or not finite",
                          d.mass);
  if (!all_finite(d.com, 3) || !all_finite(d.inertia, 6) || !isfinite(d.gravcomp))
    return hfi_refuse_def(error, d.where, kind, d.name, "inertial is not finite");
  if (d.mocap && d.parent != 0)
    return hfi_refuse_def(error, d.where, kind, d.name,
                          "a mocap body must be a child of the world");
  ADD(b->body, kind, d);
  return APPEND(b->body, d);
}

static hfStatus check_joint(const hfBuilder* b, hfJointDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  if (!body_exists(b, d->body) || d->body == 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "body %d cannot have a joint", d->body);
  if (d->type < HF_JOINT_FREE || d->type > HF_JOINT_HINGE)
    return hfi_refuse_def(error, d->where, kind, d->name, "unknown type %d", d->type);
  if (b->body.data[d->body].mocap)
    return hfi_refuse_def(error, d->where, kind, d->name, "a mocap body has no joints");
  if (d->type == HF_JOINT_FREE && b->body.data[d->body].parent != 0)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "a free joint belongs to a child of the world");
  double axis = v3_norm(v3_load(d->axis));
  if (d->type == HF_JOINT_SLIDE || d->type == HF_JOINT_HINGE) {
    if (!(axis > 1e-10) || !isfinite(axis))
      return hfi_refuse_def(error, d->where, kind, d->name, "axis has no direction");
    v3_store(d->axis, v3_scale(1 / axis, v3_load(d->axis)));
  }
  const double values[] = {d->pos[0],          d->pos[1],       d->pos[2],   d->range[0],
                           d->range[1],        d->margin,       d->ref,      d->springref,
                           d->stiffness,       d->damping,      d->armature, d->frictionloss,
                           d->limit_stiffness, d->limit_damping};
  if (!all_finite(values, sizeof values / sizeof *values))
    return hfi_refuse_def(error, d->where, kind, d->name, "a value is not finite");
  if (d->limited && d->range[0] > d->range[1])
    return hfi_refuse_def(error, d->where, kind, d->name, "range [%g, %g] is empty", d->range[0],
                          d->range[1]);
  if (d->stiffness < 0 || d->damping < 0 || d->armature < 0 || d->frictionloss < 0 ||
      d->limit_stiffness < 0 || d->limit_damping < 0)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "stiffness, damping, armature and friction loss cannot be negative");
  int njoint = 0, nfree = d->type == HF_JOINT_FREE, nball = d->type == HF_JOINT_BALL;
  for (int i = 0; i < b->joint.count; ++i)
    if (b->joint.data[i].body == d->body) {
      njoint++;
      nfree += b->joint.data[i].type == HF_JOINT_FREE;
      nball += b->joint.data[i].type == HF_JOINT_BALL;
    }
  if (nfree && njoint)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "a free joint must be its body's only joint");
  if (nball > 1)
    return hfi_refuse_def(error, d->where, kind, d->name, "a body has at most one ball joint");
  // the rates of a ball joint are about the body's axes, which a later hinge would turn
  if (nball && d->type == HF_JOINT_HINGE)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "a hinge cannot follow a ball joint on the same body");
  return HF_OK;
}

int hf_builder_add_joint(hfBuilder* b, const hfJointDef* source, hfError* error) {
  hfJointDef d = *source;
  hfStatus status = check_joint(b, &d, error);
  if (status != HF_OK) return status;
  ADD(b->joint, HF_OBJECT_JOINT, d);
  return APPEND(b->joint, d);
}

// How many of size[] a shape reads.
static int shape_sizes(int type) {
  switch (type) {
  case HF_GEOM_SPHERE:
    return 1;
  case HF_GEOM_CAPSULE:
  case HF_GEOM_CYLINDER:
    return 2;
  case HF_GEOM_ELLIPSOID:
  case HF_GEOM_BOX:
    return 3;
  default:
    return 0;
  }
}

static hfStatus check_geom(const hfBuilder* b, hfGeomDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_GEOM;
  if (!body_exists(b, d->body))
    return hfi_refuse_def(error, d->where, kind, d->name, "body %d does not exist", d->body);
  if (d->type < HF_GEOM_PLANE || d->type > HF_GEOM_MESH)
    return hfi_refuse_def(error, d->where, kind, d->name, "unknown type %d", d->type);
  if (!all_finite(d->pos, 3) || !normalise_quat(d->quat))
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "pose is not finite or its quaternion is zero");
  if (d->mesh >= b->mesh.count || (d->type == HF_GEOM_MESH && d->mesh < 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "mesh %d does not exist", d->mesh);
  for (int i = 0; i < shape_sizes(d->type) && d->mesh < 0; ++i)
    if (!(d->size[i] > 0) || !isfinite(d->size[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "size %d must be positive, is %g", i,
                            d->size[i]);
  if (d->condim != 1 && d->condim != 3 && d->condim != 4 && d->condim != 6)
    return hfi_refuse_def(error, d->where, kind, d->name, "condim must be 1, 3, 4 or 6, is %d",
                          d->condim);
  if (!all_finite(d->friction, 3) || d->friction[0] < 0 || d->friction[1] < 0 || d->friction[2] < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "friction cannot be negative");
  const double values[] = {d->mass,
                           d->density,
                           d->friction_dynamic,
                           d->margin,
                           d->gap,
                           d->solmix,
                           d->stiffness,
                           d->dissipation,
                           d->stiction_speed,
                           d->tangential_stiffness,
                           d->tangential_damping};
  if (!all_finite(values, sizeof values / sizeof *values))
    return hfi_refuse_def(error, d->where, kind, d->name, "a value is not finite");
  if (d->mass < 0 && d->density < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "density %g is negative", d->density);
  if (d->stiffness == 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "stiffness must be positive");
  return HF_OK;
}

int hf_builder_add_geom(hfBuilder* b, const hfGeomDef* source, hfError* error) {
  hfGeomDef d = *source;
  hfStatus status = check_geom(b, &d, error);
  if (status != HF_OK) return status;
  ADD(b->geom, HF_OBJECT_GEOM, d);
  return APPEND(b->geom, d);
}

int hf_builder_add_site(hfBuilder* b, const hfSiteDef* source, hfError* error) {
  hfSiteDef d = *source;
  const hfObjectKind kind = HF_OBJECT_SITE;
  if (!body_exists(b, d.body))
    return hfi_refuse_def(error, d.where, kind, d.name, "body %d does not exist", d.body);
  if (!all_finite(d.pos, 3) || !all_finite(d.size, 3) || !normalise_quat(d.quat))
    return hfi_refuse_def(error, d.where, kind, d.name,
                          "pose is not finite or its quaternion is zero");
  ADD(b->site, kind, d);
  return APPEND(b->site, d);
}

// ---- meshes --------------------------------------------------------------------------------------

static hfStatus check_mesh(const hfMeshDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_MESH;
  if (d->nvert < 4 || d->nhulltri < 4)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "needs at least 4 vertices and 4 hull triangles");
  if (!all_finite(d->vert, 3 * d->nvert))
    return hfi_refuse_def(error, d->where, kind, d->name, "a vertex is not finite");
  for (int i = 0; i < 3 * d->ntri; ++i)
    if (d->tri[i] < 0 || d->tri[i] >= d->nvert)
      return hfi_refuse_def(error, d->where, kind, d->name, "triangle %d names vertex %d of %d",
                            i / 3, d->tri[i], d->nvert);
  for (int i = 0; i < 3 * d->nhulltri; ++i)
    if (d->hulltri[i] < 0 || d->hulltri[i] >= d->nvert)
      return hfi_refuse_def(error, d->where, kind, d->name,
                            "hull triangle %d names vertex %d of %d", i / 3, d->hulltri[i],
                            d->nvert);
  return HF_OK;
}

int hf_builder_add_mesh(hfBuilder* b, const hfMeshDef* source, hfError* error) {
  hfMeshDef d = *source;
  hfStatus status = check_mesh(&d, error);
  if (status != HF_OK) return status;
  hfiMesh mesh = {.def = d};
  status = hfi_hull_build(&mesh.hull, d.nvert, d.vert, d.nhulltri, d.hulltri, error);
  if (status != HF_OK) return status;
  d.vert = hfi_pool_copy(&b->pool, d.vert, sizeof *d.vert * 3 * (size_t)d.nvert);
  d.tri = hfi_pool_copy(&b->pool, d.tri, sizeof *d.tri * 3 * (size_t)d.ntri);
  d.hulltri = hfi_pool_copy(&b->pool, d.hulltri, sizeof *d.hulltri * 3 * (size_t)d.nhulltri);
  void* grown = hfi_grow(b->mesh.data, &b->mesh.capacity, b->mesh.count, sizeof *b->mesh.data);
  if (grown) b->mesh.data = grown;
  int taken = d.name && *d.name && hfi_names_find(&b->names, HF_OBJECT_MESH, d.name) >= 0;
  if (taken)
    status = hfi_refuse_def(error, d.where, HF_OBJECT_MESH, d.name, "name is used already");
  else if (!grown || !d.vert || !d.tri || !d.hulltri || own_strings(b, &d.name, &d.where) != 0 ||
           (d.name && hfi_names_add(&b->names, HF_OBJECT_MESH, d.name, b->mesh.count) != 0))
    status = refuse_memory(error);
  if (status != HF_OK) {
    hfi_hull_release(&mesh.hull);
    return status;
  }
  mesh.def = d;
  return APPEND(b->mesh, mesh);
}

// ---- tendons, equalities, pairs ------------------------------------------------------------------

int hf_builder_add_tendon(hfBuilder* b, const hfTendonDef* source, hfError* error) {
  hfTendonDef d = *source;
  const hfObjectKind kind = HF_OBJECT_TENDON;
  if (d.count < 1) return hfi_refuse_def(error, d.where, kind, d.name, "has no joints");
  for (int i = 0; i < d.count; ++i) {
    int j = d.joint[i];
    if (j < 0 || j >= b->joint.count || b->joint.data[j].type < HF_JOINT_SLIDE)
      return hfi_refuse_def(error, d.where, kind, d.name, "joint %d is not a hinge or slide joint",
                            j);
    if (!isfinite(d.coef[i]))
      return hfi_refuse_def(error, d.where, kind, d.name, "a coefficient is not finite");
  }
  if (d.stiffness < 0 || d.damping < 0 || d.frictionloss < 0 || d.armature < 0)
    return hfi_refuse_def(error, d.where, kind, d.name,
                          "stiffness, damping, armature and friction loss cannot be negative");
  if (d.limited && d.range[0] > d.range[1])
    return hfi_refuse_def(error, d.where, kind, d.name, "range [%g, %g] is empty", d.range[0],
                          d.range[1]);
  d.joint = hfi_pool_copy(&b->pool, d.joint, sizeof *d.joint * (size_t)d.count);
  d.coef = hfi_pool_copy(&b->pool, d.coef, sizeof *d.coef * (size_t)d.count);
  if (!d.joint || !d.coef) return refuse_memory(error);
  ADD(b->tendon, kind, d);
  return APPEND(b->tendon, d);
}

static int object_exists(const hfBuilder* b, int kind, int id) {
  return id >= 0 && id < hf_builder_count(b, (hfObjectKind)kind);
}

static hfStatus check_equality(const hfBuilder* b, const hfEqualityDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_EQUALITY;
  if (!all_finite(d->data, 11))
    return hfi_refuse_def(error, d->where, kind, d->name, "a value is not finite");
  int expected = d->type == HF_EQUALITY_JOINT    ? HF_OBJECT_JOINT
                 : d->type == HF_EQUALITY_TENDON ? HF_OBJECT_TENDON
                                                 : d->objkind;
  if (expected != HF_OBJECT_JOINT && expected != HF_OBJECT_TENDON && expected != HF_OBJECT_BODY &&
      expected != HF_OBJECT_SITE)
    return hfi_refuse_def(error, d->where, kind, d->name, "connects bodies or sites");
  int optional = expected != HF_OBJECT_SITE;
  if (!object_exists(b, expected, d->obj1) ||
      (!(optional && d->obj2 < 0) && !object_exists(b, expected, d->obj2)))
    return hfi_refuse_def(error, d->where, kind, d->name, "names a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)expected));
  if (d->type == HF_EQUALITY_JOINT)
    for (int i = 0; i < 2; ++i) {
      int j = i == 0 ? d->obj1 : d->obj2;
      if (j >= 0 && b->joint.data[j].type < HF_JOINT_SLIDE)
        return hfi_refuse_def(error, d->where, kind, d->name, "joints must be hinge or slide");
    }
  return HF_OK;
}

int hf_builder_add_equality(hfBuilder* b, const hfEqualityDef* source, hfError* error) {
  hfEqualityDef d = *source;
  hfStatus status = check_equality(b, &d, error);
  if (status != HF_OK) return status;
  ADD(b->equality, HF_OBJECT_EQUALITY, d);
  return APPEND(b->equality, d);
}

int hf_builder_add_pair(hfBuilder* b, const hfPairDef* source, hfError* error) {
  hfPairDef d = *source;
  const hfObjectKind kind = HF_OBJECT_PAIR;
  if (!object_exists(b, HF_OBJECT_GEOM, d.geom1) || !object_exists(b, HF_OBJECT_GEOM, d.geom2) ||
      d.geom1 == d.geom2)
    return hfi_refuse_def(error, d.where, kind, d.name, "needs two different geoms that exist");
  ADD(b->pair, kind, d);
  return APPEND(b->pair, d);
}

int hf_builder_add_exclude(hfBuilder* b, int body1, int body2, hfError* error) {
  if (!body_exists(b, body1) || !body_exists(b, body2))
    return hfi_refuse(error, HF_ERROR_MODEL, "exclude: body %d or %d does not exist", body1, body2);
  void* grown =
      hfi_grow(b->exclude.data, &b->exclude.capacity, b->exclude.count, sizeof *b->exclude.data);
  if (!grown) return refuse_memory(error);
  b->exclude.data = grown;
  hfiExclude e = {{body1, body2}};
  return APPEND(b->exclude, e);
}

// ---- actuators, sensors, keyframes ---------------------------------------------------------------

static hfStatus check_actuator(const hfBuilder* b, const hfActuatorDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_ACTUATOR;
  int target = d->trntype == HF_TRANSMISSION_TENDON ? HF_OBJECT_TENDON
               : d->trntype == HF_TRANSMISSION_SITE ? HF_OBJECT_SITE
                                                    : HF_OBJECT_JOINT;
  if (!object_exists(b, target, d->trnid[0]))
    return hfi_refuse_def(error, d->where, kind, d->name, "acts on a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)target));
  if (d->trnid[1] >= 0 && !object_exists(b, HF_OBJECT_SITE, d->trnid[1]))
    return hfi_refuse_def(error, d->where, kind, d->name, "reference site does not exist");
  const double* arrays[] = {d->dynprm, d->gainprm, d->biasprm};
  for (int i = 0; i < 3; ++i)
    if (!all_finite(arrays[i], 3))
      return hfi_refuse_def(error, d->where, kind, d->name, "a gain or bias is not finite");
  if (!all_finite(d->gear, 6) || !isfinite(d->dampratio))
    return hfi_refuse_def(error, d->where, kind, d->name, "gear or damping ratio is not finite");
  const double* ranges[] = {d->ctrlrange, d->forcerange, d->actrange};
  const int limited[] = {d->ctrllimited, d->forcelimited, d->actlimited};
  const char* const names[] = {"ctrlrange", "forcerange", "actrange"};
  for (int i = 0; i < 3; ++i)
    if (limited[i] && !(ranges[i][0] <= ranges[i][1]))
      return hfi_refuse_def(error, d->where, kind, d->name, "%s [%g, %g] is empty", names[i],
                            ranges[i][0], ranges[i][1]);
  static const int needed[] = {0, 1, 4, 4, 5, 2};
  if (d->signal < HF_SIGNAL_NONE || d->signal > HF_SIGNAL_TABLE ||
      d->signal_count < needed[d->signal])
    return hfi_refuse_def(error, d->where, kind, d->name, "signal needs %d numbers, has %d",
                          needed[d->signal < 0 || d->signal > HF_SIGNAL_TABLE ? 0 : d->signal],
                          d->signal_count);
  if (!all_finite(d->signal_data, d->signal_count))
    return hfi_refuse_def(error, d->where, kind, d->name, "a signal value is not finite");
  if (d->signal == HF_SIGNAL_TABLE)
    for (int i = 2; i + 1 < d->signal_count; i += 2)
      if (d->signal_data[i] <= d->signal_data[i - 2])
        return hfi_refuse_def(error, d->where, kind, d->name, "signal table: times must increase");
  return HF_OK;
}

int hf_builder_add_actuator(hfBuilder* b, const hfActuatorDef* source, hfError* error) {
  hfActuatorDef d = *source;
  hfStatus status = check_actuator(b, &d, error);
  if (status != HF_OK) return status;
  d.signal_data =
      hfi_pool_copy(&b->pool, d.signal_data, sizeof *d.signal_data * (size_t)d.signal_count);
  if (!d.signal_data) return refuse_memory(error);
  ADD(b->actuator, HF_OBJECT_ACTUATOR, d);
  return APPEND(b->actuator, d);
}

int hf_builder_add_sensor(hfBuilder* b, const hfSensorDef* source, hfError* error) {
  hfSensorDef d = *source;
  const hfObjectKind kind = HF_OBJECT_SENSOR;
  if (d.type < 0 || d.type > HF_SENSOR_CONTACT)
    return hfi_refuse_def(error, d.where, kind, d.name, "unknown type %d", d.type);
  int free_standing = d.objkind == HF_OBJECT_NONE;
  if (!free_standing && !object_exists(b, d.objkind, d.obj))
    return hfi_refuse_def(error, d.where, kind, d.name, "names a %s that does not exist",
                          hf_object_kind_name((hfObjectKind)d.objkind));
  if (!hfi_sensor_accepts(d.type, d.objkind) ||
      (d.objkind == HF_OBJECT_JOINT &&
       !hfi_sensor_accepts_joint(d.type, b->joint.data[d.obj].type)))
    return hfi_refuse_def(error, d.where, kind, d.name,
                          free_standing ? "needs an object" : "cannot measure a %s",
                          hf_object_kind_name((hfObjectKind)d.objkind));
  if (d.refkind != HF_OBJECT_NONE && !object_exists(b, d.refkind, d.ref))
    return hfi_refuse_def(error, d.where, kind, d.name, "reference %s does not exist",
                          hf_object_kind_name((hfObjectKind)d.refkind));
  if (d.refkind != HF_OBJECT_NONE && !hfi_sensor_accepts(d.type, d.refkind))
    return hfi_refuse_def(error, d.where, kind, d.name, "cannot refer to a %s",
                          hf_object_kind_name((hfObjectKind)d.refkind));
  if (!isfinite(d.cutoff) || d.cutoff < 0)
    return hfi_refuse_def(error, d.where, kind, d.name, "cutoff %g is negative", d.cutoff);
  ADD(b->sensor, kind, d);
  return APPEND(b->sensor, d);
}

// Replaces *array by a copy of n numbers; 0 on success. NULL stays NULL.
static int own_array(hfBuilder* b, const double** array, int n) {
  if (!*array) return 0;
  *array = hfi_pool_copy(&b->pool, *array, sizeof **array * (size_t)n);
  return *array ? 0 : -1;
}

int hf_builder_add_key(hfBuilder* b, const hfKeyDef* source, hfError* error) {
  hfKeyDef d = *source;
  int nq, nv, na, nu, nmocap;
  hf_builder_sizes(b, &nq, &nv, &na, &nu, &nmocap);
  const double** arrays[] = {&d.qpos, &d.qvel, &d.act, &d.ctrl, &d.mpos, &d.mquat};
  const int sizes[] = {nq, nv, na, nu, 3 * nmocap, 4 * nmocap};
  for (int i = 0; i < 6; ++i) {
    if (*arrays[i] && !all_finite(*arrays[i], sizes[i]))
      return hfi_refuse_def(error, d.where, HF_OBJECT_KEY, d.name, "a value is not finite");
    if (own_array(b, arrays[i], sizes[i]) != 0) return refuse_memory(error);
  }
  ADD(b->key, HF_OBJECT_KEY, d);
  return APPEND(b->key, d);
}

// ---- look-ups ------------------------------------------------------------------------------------

int hf_builder_find(const hfBuilder* b, hfObjectKind kind, const char* name) {
  return hfi_names_find(&b->names, kind, name);
}

int hf_builder_count(const hfBuilder* b, hfObjectKind kind) {
  switch (kind) {
  case HF_OBJECT_BODY:
  case HF_OBJECT_INERTIAL:
    return b->body.count;
  case HF_OBJECT_JOINT:
    return b->joint.count;
  case HF_OBJECT_GEOM:
    return b->geom.count;
  case HF_OBJECT_SITE:
    return b->site.count;
  case HF_OBJECT_MESH:
    return b->mesh.count;
  case HF_OBJECT_TENDON:
    return b->tendon.count;
  case HF_OBJECT_EQUALITY:
    return b->equality.count;
  case HF_OBJECT_ACTUATOR:
    return b->actuator.count;
  case HF_OBJECT_SENSOR:
    return b->sensor.count;
  case HF_OBJECT_KEY:
    return b->key.count;
  case HF_OBJECT_PAIR:
    return b->pair.count;
  case HF_OBJECT_NONE:
  case HF_OBJECT_KINDS:
    break;
  }
  return 0;
}

int hf_builder_range(const hfBuilder* b, hfObjectKind kind, int id, double range[2]) {
  if (!object_exists(b, (int)kind, id) || (kind != HF_OBJECT_JOINT && kind != HF_OBJECT_TENDON))
    return 0;
  const double* from = kind == HF_OBJECT_JOINT ? b->joint.data[id].range : b->tendon.data[id].range;
  if (!(from[0] < from[1])) return 0;
  range[0] = from[0], range[1] = from[1];
  return 1;
}

int hfi_joint_nq(int type) { return type == HF_JOINT_FREE ? 7 : type == HF_JOINT_BALL ? 4 : 1; }
int hfi_joint_nv(int type) { return type == HF_JOINT_FREE ? 6 : type == HF_JOINT_BALL ? 3 : 1; }

void hf_builder_sizes(const hfBuilder* b, int* nq, int* nv, int* na, int* nu, int* nmocap) {
  *nq = *nv = *na = *nmocap = 0;
  for (int i = 0; i < b->joint.count; ++i) {
    *nq += hfi_joint_nq(b->joint.data[i].type);
    *nv += hfi_joint_nv(b->joint.data[i].type);
  }
  for (int i = 0; i < b->actuator.count; ++i)
    *na += b->actuator.data[i].dyntype != HF_ACTIVATION_NONE;
  for (int i = 0; i < b->body.count; ++i) *nmocap += b->body.data[i].mocap != 0;
  *nu = b->actuator.count;
}
