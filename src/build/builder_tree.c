// Adding bodies, joints, geoms, sites, cameras and meshes.
#include "build/builder_add.h"

#include "base/error.h"
#include "math/vec3.h"
#include "model/height_field.h"
#include "model/joint.h"
#include "model/shape.h"

hfStatus hfi_check_body(const hfBuilder* b, hfBodyDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_BODY;
  if (!hfi_object_exists(b, HF_OBJECT_BODY, d->parent))
    return hfi_refuse_def(error, d->where, kind, d->name, "parent %d does not exist", d->parent);
  if (!hfi_all_finite(d->pos, 3) || !hfi_normalise_quat(d->quat))
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "pose is not finite or its quaternion is zero");
  if (!isfinite(d->mass) || d->mass < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "mass %g is negative or not finite",
                          d->mass);
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, com), HFI_NUMBERS(d, inertia), HFI_NUMBERS(d, gravcomp)};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;
  if (q_norm(q_load(d->inertia_quat)) != 0 && !hfi_normalise_quat(d->inertia_quat))
    return hfi_refuse_def(error, d->where, kind, d->name, "quaternion of the inertial frame is not finite or nearly zero");
  if (d->mocap && d->parent != 0)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "a mocap body must be a child of the world");
  if (d->sleep < HF_SLEEP_AUTO || d->sleep > HF_SLEEP_INIT)
    return hfi_refuse_def(error, d->where, kind, d->name, "sleep policy %d does not exist", d->sleep);
  return HF_OK;
}

int hf_builder_add_body(hfBuilder* b, const hfBodyDef* source, hfError* error) {
  hfi_clear_error(error);
  hfBodyDef d = *source;
  const hfObjectKind kind = HF_OBJECT_BODY;
  hfStatus status = hfi_check_body(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->body, kind, d);
  return HFI_APPEND(b->body, d);
}

// Which joints a body has already.
enum { HAS_JOINT = 1, HAS_FREE_JOINT = 2, HAS_BALL_JOINT = 4 };

// Makes room for the entry of a body in b->companions. Returns 0 if there is no memory.
static int reserve_companions(hfBuilder* b, int body) {
  while (b->companions.count <= body) {
    void* grown = hfi_grow(b->companions.data, &b->companions.capacity, b->companions.count, sizeof *b->companions.data);
    if (!grown) return 0;
    b->companions.data = grown;
    HFI_APPEND(b->companions, 0);
  }
  return 1;
}

static void add_companion(hfBuilder* b, const hfJointDef* d) {
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  b->companions.data[d->body] |= (unsigned char)(HAS_JOINT | (joint->nworld ? HAS_FREE_JOINT : 0) | (joint->nbody ? HAS_BALL_JOINT : 0));
}

int hfi_body_has_joints(const hfBuilder* b, int body) { return body < b->companions.count && b->companions.data[body]; }

// Checks a new joint against those that its body has already.
static hfStatus check_companions(const hfBuilder* b, const hfJointDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  int turns = joint->ntranslation < joint->info.nv;
  if (!hfi_body_has_joints(b, d->body)) return HF_OK;
  int has = b->companions.data[d->body];
  if (joint->nworld || has & HAS_FREE_JOINT)
    return hfi_refuse_def(error, d->where, kind, d->name, "a free joint must be its body's only joint");
  if (joint->nbody && has & HAS_BALL_JOINT)
    return hfi_refuse_def(error, d->where, kind, d->name, "a body has at most one ball joint");
  // The rates of a ball joint are about the body's axes, which a later joint would turn.
  if (turns && has & HAS_BALL_JOINT)
    return hfi_refuse_def(error, d->where, kind, d->name, "a %s cannot follow a ball joint on the same body", joint->info.name);
  return HF_OK;
}

static hfStatus check_joint_numbers(const hfJointDef* d, hfError* error) {
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, pos), HFI_NUMBERS(d, pitch), HFI_NUMBERS(d, range), HFI_NUMBERS(d, margin), HFI_NUMBERS(d, ref),
                                HFI_NUMBERS(d, springref), HFI_NUMBERS(d, stiffness), HFI_NUMBERS(d, damping), HFI_NUMBERS(d, armature),
                                HFI_NUMBERS(d, frictionloss), HFI_NUMBERS(d, springyield), HFI_NUMBERS(d, stiffness_poly), HFI_NUMBERS(d, damping_poly),
                                HFI_NUMBERS(d, bend), HFI_NUMBERS(d, bend_rest), HFI_NUMBERS(d, springdamper), HFI_NUMBERS(d, limit_stiffness),
                                HFI_NUMBERS(d, limit_damping), HFI_NUMBERS(d, limit_solref), HFI_NUMBERS(d, limit_solimp), HFI_RANGE(d, actfrcrange)};
  return HFI_CHECK_NUMBERS(numbers, d, HF_OBJECT_JOINT, error);
}

hfStatus hfi_check_joint(const hfBuilder* b, hfJointDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_JOINT;
  if (!hfi_object_exists(b, HF_OBJECT_BODY, d->body)) return hfi_refuse_def(error, d->where, kind, d->name, "body %d does not exist", d->body);
  if (d->body == 0) return hfi_refuse_def(error, d->where, kind, d->name, "the world cannot have a joint");
  if (d->type < 0 || d->type >= HFI_JOINT_TYPES)
    return hfi_refuse_def(error, d->where, kind, d->name, "unknown type %d", d->type);
  const hfiJointKind* joint = &hfi_joint_kinds[d->type];
  if (b->body.data[d->body].mocap)
    return hfi_refuse_def(error, d->where, kind, d->name, "a mocap body has no joints");
  if (joint->nworld && b->body.data[d->body].parent != 0)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "a free joint belongs to a child of the world; a model that is attached to another body "
                          "needs a base without one (SDFormat: fixed_base, --fixed; hf_builder_remove)");
  double axis = v3_norm(v3_load(d->axis));
  if (joint->uses_axis) {
    if (!(axis > 1e-10) || !isfinite(axis))
      return hfi_refuse_def(error, d->where, kind, d->name, "axis has no direction");
    v3_store(d->axis, v3_unit_once(v3_load(d->axis)));
  }
  hfStatus status = check_joint_numbers(d, error);
  if (status != HF_OK) return status;
  for (int k = 0; k < 3; ++k)
    if (d->bend[k] < 0 || (d->bend[k] > 0 && d->type != HF_JOINT_BALL))
      return hfi_refuse_def(error, d->where, kind, d->name, "bend %g: it cannot be negative, and only a ball joint has it", d->bend[k]);
  if (d->limited && d->range[0] > d->range[1])
    return hfi_refuse_def(error, d->where, kind, d->name, "range [%g, %g] is empty", d->range[0],
                          d->range[1]);
  if (d->springyield < 0 || (d->springyield > 0 && d->type == HF_JOINT_FREE))
    return hfi_refuse_def(error, d->where, kind, d->name, "springyield %g: it cannot be negative, and a free joint has none", d->springyield);
  if (d->stiffness < 0 || d->damping < 0 || d->armature < 0 || d->frictionloss < 0 ||
      d->limit_stiffness < 0 || d->limit_damping < 0)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "stiffness, damping, armature and friction loss cannot be negative");
  return HF_OK;
}

int hf_builder_add_joint(hfBuilder* b, const hfJointDef* source, hfError* error) {
  hfi_clear_error(error);
  hfJointDef d = *source;
  hfStatus status = hfi_check_joint(b, &d, error);
  if (status == HF_OK) status = check_companions(b, &d, error);
  if (status != HF_OK) return status;
  if (!reserve_companions(b, d.body)) return hfi_refuse_memory(error);
  HFI_ADD(b->joint, HF_OBJECT_JOINT, d);
  add_companion(b, &d);
  return HFI_APPEND(b->joint, d);
}

// Checks body, pose, shape and size, and normalises the quaternion.
static hfStatus check_shape(const hfBuilder* b, hfGeomDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_GEOM;
  if (!hfi_object_exists(b, HF_OBJECT_BODY, d->body))
    return hfi_refuse_def(error, d->where, kind, d->name, "body %d does not exist", d->body);
  if (d->type < 0 || d->type >= HFI_SHAPES)
    return hfi_refuse_def(error, d->where, kind, d->name, "unknown type %d", d->type);
  const hfiShapeKind* shape = &hfi_shape_kinds[d->type];
  if (!hfi_all_finite(d->pos, 3) || !hfi_normalise_quat(d->quat))
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "pose is not finite or its quaternion is zero");
  if (d->mesh >= b->mesh.count || (shape->uses_mesh && d->mesh < 0))
    return hfi_refuse_def(error, d->where, kind, d->name, "mesh %d does not exist", d->mesh);
  if (d->mesh >= 0 && !shape->uses_mesh && !shape->fit)
    return hfi_refuse_def(error, d->where, kind, d->name, "a %s cannot be fitted to a mesh", shape->name);
  if (shape->uses_hfield ? !hfi_object_exists(b, HF_OBJECT_HFIELD, d->hfield) : d->hfield >= 0)
    return hfi_refuse_def(error, d->where, kind, d->name, shape->uses_hfield ? "height field %d does not exist" : "a geom of another type cannot have height field %d", d->hfield);
  for (int i = 0; i < shape->nsize && d->mesh < 0; ++i)
    if (!(d->size[i] > 0) || !isfinite(d->size[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "size %d must be positive, is %g", i,
                            d->size[i]);
  if (!(d->fitscale > 0) || !isfinite(d->fitscale))
    return hfi_refuse_def(error, d->where, kind, d->name, "fitscale must be positive, is %g", d->fitscale);
  return HF_OK;
}

// Checks mass, contact and fluid.
static hfStatus check_substance(const hfGeomDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_GEOM;
  if (d->condim != 1 && d->condim != 3 && d->condim != 4 && d->condim != 6)
    return hfi_refuse_def(error, d->where, kind, d->name, "condim must be 1, 3, 4 or 6, is %d",
                          d->condim);
  const hfiNumbers numbers[] = {HFI_NUMBERS(d, mass), HFI_NUMBERS(d, density), HFI_NUMBERS(d, friction), HFI_NUMBERS(d, friction_dynamic),
                                HFI_NUMBERS(d, margin), HFI_NUMBERS(d, gap), HFI_NUMBERS(d, solmix), HFI_NUMBERS(d, solref), HFI_NUMBERS(d, solimp),
                                HFI_NUMBERS(d, stiffness), HFI_NUMBERS(d, dissipation), HFI_NUMBERS(d, stiction_speed),
                                HFI_NUMBERS(d, tangential_stiffness), HFI_NUMBERS(d, tangential_damping), HFI_NUMBERS(d, restitution),
                                HFI_NUMBERS(d, surface_velocity), HFI_NUMBERS(d, adhesion), HFI_NUMBERS(d, fluidcoef)};
  hfStatus status = HFI_CHECK_NUMBERS(numbers, d, kind, error);
  if (status != HF_OK) return status;
  if (d->friction[0] < 0 || d->friction[1] < 0 || d->friction[2] < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "friction cannot be negative");
  if (d->mass < 0 && d->density < 0)
    return hfi_refuse_def(error, d->where, kind, d->name, "density %g is negative", d->density);
  if (d->restitution < 0 || d->restitution > 1)
    return hfi_refuse_def(error, d->where, kind, d->name, "restitution must be between 0 and 1, is %g", d->restitution);
  const char* zero = d->stiffness == 0 ? "stiffness" : d->tangential_stiffness == 0 ? "tangential_stiffness" : d->stiction_speed == 0 ? "stiction_speed" : NULL;
  if (zero) return hfi_refuse_def(error, d->where, kind, d->name, "%s must be positive, or negative for the world's default", zero);
  return HF_OK;
}

hfStatus hfi_check_geom(const hfBuilder* b, hfGeomDef* d, hfError* error) {
  hfStatus status = check_shape(b, d, error);
  return status == HF_OK ? check_substance(d, error) : status;
}

int hf_builder_add_geom(hfBuilder* b, const hfGeomDef* source, hfError* error) {
  hfi_clear_error(error);
  hfGeomDef d = *source;
  hfStatus status = hfi_check_geom(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->geom, HF_OBJECT_GEOM, d);
  return HFI_APPEND(b->geom, d);
}

hfStatus hfi_check_site(const hfBuilder* b, hfSiteDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_SITE;
  if (!hfi_object_exists(b, HF_OBJECT_BODY, d->body))
    return hfi_refuse_def(error, d->where, kind, d->name, "body %d does not exist", d->body);
  if (d->type < 0 || d->type >= HFI_SHAPES || !hfi_shape_kinds[d->type].solid)
    return hfi_refuse_def(error, d->where, kind, d->name, "type %d is no shape of a site", d->type);
  if (!hfi_all_finite(d->pos, 3) || !hfi_all_finite(d->size, 3) || !hfi_normalise_quat(d->quat))
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "pose is not finite or its quaternion is zero");
  return HF_OK;
}

int hf_builder_add_site(hfBuilder* b, const hfSiteDef* source, hfError* error) {
  hfi_clear_error(error);
  hfSiteDef d = *source;
  hfStatus status = hfi_check_site(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->site, HF_OBJECT_SITE, d);
  return HFI_APPEND(b->site, d);
}

// The vertical angle that a chip sees.
static double angle_of_chip(const hfCameraDef* d) { return 2 * atan(0.5 * d->sensorsize[1] / d->focal[1]); }

static int is_positive(const double x[2]) { return isfinite(x[0]) && isfinite(x[1]) && x[0] > 0 && x[1] > 0; }

// Checks the picture, and sets fovy from the chip if there is one.
static hfStatus check_lens(hfCameraDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_CAMERA;
  int has_chip = d->sensorsize[0] != 0 || d->sensorsize[1] != 0;
  for (int k = 0; k < 2; ++k)
    if (d->resolution[k] < 1 || d->resolution[k] > HFI_MOST_PIXELS_WIDE)
      return hfi_refuse_def(error, d->where, kind, d->name, "resolution must be 1 to %d pixels each way, is %d x %d", HFI_MOST_PIXELS_WIDE, d->resolution[0], d->resolution[1]);
  if (has_chip && (!is_positive(d->sensorsize) || !is_positive(d->focal) || !hfi_all_finite(d->principal, 2)))
    return hfi_refuse_def(error, d->where, kind, d->name, "sensorsize and focal must be positive");
  if (has_chip && d->orthographic)
    return hfi_refuse_def(error, d->where, kind, d->name, "an orthographic camera has no chip: give its height by fovy");
  if (has_chip) d->fovy = angle_of_chip(d);
  if (!isfinite(d->fovy) || d->fovy <= 0 || (!d->orthographic && d->fovy >= HFI_PI))
    return hfi_refuse_def(error, d->where, kind, d->name, "fovy must be between 0 and 180 degrees, is %g degrees (%g rad)", d->fovy * 180 / HFI_PI, d->fovy);
  return HF_OK;
}

hfStatus hfi_check_camera(const hfBuilder* b, hfCameraDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_CAMERA;
  if (!hfi_object_exists(b, HF_OBJECT_BODY, d->body))
    return hfi_refuse_def(error, d->where, kind, d->name, "body %d does not exist", d->body);
  if (d->mode < HF_CAMERA_FIXED || d->mode > HF_CAMERA_TARGET_COM)
    return hfi_refuse_def(error, d->where, kind, d->name, "unknown mode %d", d->mode);
  if (d->mode >= HF_CAMERA_TARGET ? !hfi_object_exists(b, HF_OBJECT_BODY, d->target) : d->target != -1)
    return hfi_refuse_def(error, d->where, kind, d->name, "target %d: a camera that looks at a target needs the id of a body, any other camera needs -1", d->target);
  if (!hfi_all_finite(d->pos, 3) || !hfi_normalise_quat(d->quat))
    return hfi_refuse_def(error, d->where, kind, d->name, "pose is not finite or its quaternion is zero");
  return check_lens(d, error);
}

int hf_builder_add_camera(hfBuilder* b, const hfCameraDef* source, hfError* error) {
  hfi_clear_error(error);
  hfCameraDef d = *source;
  hfStatus status = hfi_check_camera(b, &d, error);
  if (status != HF_OK) return status;
  HFI_ADD(b->camera, HF_OBJECT_CAMERA, d);
  return HFI_APPEND(b->camera, d);
}

static hfStatus check_mesh(const hfMeshDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_MESH;
  if (d->nvert < 4 || d->nhulltri < 4)
    return hfi_refuse_def(error, d->where, kind, d->name,
                          "needs at least 4 vertices and 4 hull triangles");
  if (!hfi_all_finite(d->vert, 3 * d->nvert))
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
  hfi_clear_error(error);
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
  else if (!grown || !d.vert || !d.tri || !d.hulltri || hfi_own_strings(b, &d.name, &d.where) != 0 ||
           (d.name && hfi_names_add(&b->names, HF_OBJECT_MESH, d.name, b->mesh.count) != 0))
    status = hfi_refuse_memory(error);
  if (status != HF_OK) {
    hfi_hull_release(&mesh.hull);
    return status;
  }
  mesh.def = d;
  return HFI_APPEND(b->mesh, mesh);
}

static hfStatus check_height_field(const hfHeightFieldDef* d, hfError* error) {
  const hfObjectKind kind = HF_OBJECT_HFIELD;
  if (d->nrow < 2 || d->ncol < 2)
    return hfi_refuse_def(error, d->where, kind, d->name, "needs at least 2 rows and 2 columns, has %d and %d", d->nrow, d->ncol);
  if ((int64_t)d->nrow * d->ncol > HFI_MOST_HEIGHTS)
    return hfi_refuse_def(error, d->where, kind, d->name, "%d rows of %d heights are more than %d", d->nrow, d->ncol, HFI_MOST_HEIGHTS);
  const double size[3] = {d->half_size[0], d->half_size[1], d->base};
  for (int i = 0; i < 3; ++i)
    if (!(size[i] > 0) || !isfinite(size[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "%s must be positive, is %g", i < 2 ? "half_size" : "base", size[i]);
  for (int i = 0; i < d->nrow * d->ncol; ++i) {
    if (!isfinite(d->height[i]))
      return hfi_refuse_def(error, d->where, kind, d->name, "the height in row %d, column %d is not finite", i / d->ncol, i % d->ncol);
    if (!(d->height[i] > -d->base))
      return hfi_refuse_def(error, d->where, kind, d->name, "the height %g in row %d, column %d is not above the base, %g", d->height[i],
                            i / d->ncol, i % d->ncol, -d->base);
  }
  return HF_OK;
}

int hf_builder_add_height_field(hfBuilder* b, const hfHeightFieldDef* source, hfError* error) {
  hfi_clear_error(error);
  hfHeightFieldDef d = *source;
  hfStatus status = check_height_field(&d, error);
  if (status != HF_OK) return status;
  d.height = hfi_pool_copy(&b->pool, d.height, sizeof *d.height * (size_t)(d.nrow * d.ncol));
  if (!d.height) return hfi_refuse_memory(error);
  HFI_ADD(b->hfield, HF_OBJECT_HFIELD, d);
  return HFI_APPEND(b->hfield, d);
}
