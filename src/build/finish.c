// hf_builder_finish: counts -> block -> sections -> derived fields.
//
// Sections are filled in the order of the field table; each reads the builder's definitions through
// the new order of ids.
#include "build/finish.h"

#include "base/error.h"
#include "model/block.h"
#include "model/derive.h"
#include "model/height_field.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// ---- counts --------------------------------------------------------------------------------------

static size_t name_bytes(const char* name) { return name ? strlen(name) + 1 : 0; }

#define SUM_NAMES(list, member)                                                                    \
  for (int i = 0; i < b->list.count; ++i)                                                          \
  h->nnames += (int32_t)name_bytes(b->list.data[i] member.name)

static void count_names(const hfBuilder* b, hfModel* h) {
  SUM_NAMES(body, );
  SUM_NAMES(joint, );
  SUM_NAMES(geom, );
  SUM_NAMES(site, );
  SUM_NAMES(camera, );
  SUM_NAMES(mesh, .def);
  SUM_NAMES(hfield, );
  SUM_NAMES(tendon, );
  SUM_NAMES(equality, );
  SUM_NAMES(actuator, );
  SUM_NAMES(sensor, );
  SUM_NAMES(key, .def);
  SUM_NAMES(pair, );
}

static void count_hulls(const hfBuilder* b, hfModel* h) {
  for (int i = 0; i < b->mesh.count; ++i) {
    const hfiHullData* hull = &b->mesh.data[i].hull;
    h->nhullvert += hull->nvert;
    h->nhullface += hull->nface;
    h->nhullfacevert += hull->face_start[hull->nface];
    h->nhulledge += hull->edge_start[hull->nvert];
    h->nsurfvert += b->mesh.data[i].def.nvert;
    h->nsurftri += b->mesh.data[i].def.ntri;
  }
}

static void count_height_fields(const hfBuilder* b, hfModel* h) {
  h->nhfield = b->hfield.count;
  for (int i = 0; i < b->hfield.count; ++i) {
    const hfHeightFieldDef* d = &b->hfield.data[i];
    h->nhfieldheight += d->nrow * d->ncol;
    h->nhfieldtri += hfi_hfield_triangles(d->nrow, d->ncol);
  }
}

// Counts the non-zeros of the lower triangle of M: each dof has a row of its depth + 1 entries. Joints are grouped by body.
static void count_topology(const hfBuilder* b, const hfiOrder* o, int* dofs_above, hfModel* h) {
  for (int i = 0, j = 0; i < b->body.count; ++i) {
    int above = i ? dofs_above[o->new_body[b->body.data[o->body_of[i]].parent]] : 0, depth = above;
    for (; j < b->joint.count && b->joint.data[o->joint_of[j]].body == o->body_of[i]; ++j)
      for (int k = hfi_joint_nv(b->joint.data[o->joint_of[j]].type); k > 0; --k) h->nM += ++depth;
    h->ntree += above == 0 && depth > 0;
    dofs_above[i] = depth;
  }
}

static void count_rest(const hfBuilder* b, hfModel* h) {
  hf_builder_sizes(b, &h->nq, &h->nv, &h->na, &h->nu, &h->nmocap);
  h->nbody = b->body.count, h->njnt = b->joint.count, h->ngeom = b->geom.count,
  h->nsite = b->site.count, h->ncam = b->camera.count;
  h->nmesh = b->mesh.count, h->ntendon = b->tendon.count, h->neq = b->equality.count,
  h->npair = b->pair.count;
  h->nexclude = b->exclude.count, h->nkey = b->key.count, h->nsensor = b->sensor.count;
  for (int i = 0; i < b->tendon.count; ++i) h->nwrap += b->tendon.data[i].count + b->tendon.data[i].path_count;
  for (int i = 0; i < b->sensor.count; ++i)
    h->nsensordata += hfi_sensor_dim(b->sensor.data[i].type, b->sensor.data[i].data, hfi_sensor_num(b, &b->sensor.data[i]));
  for (int i = 0; i < b->actuator.count; ++i)
    if (b->actuator.data[i].signal != HF_SIGNAL_NONE)
      h->nsignal++, h->nsignaldata += b->actuator.data[i].signal_count;
}

// ---- names ---------------------------------------------------------------------------------------

static int32_t store_name(hfModel* m, int32_t* used, const char* name) {
  if (!name) return -1;
  int32_t at = *used;
  size_t n = strlen(name) + 1;
  memcpy(hfi_set_names(m) + at, name, n);
  *used += (int32_t)n;
  return at;
}

static void fill_names(const hfiFinish* f) {
  const hfBuilder* b = f->b;
  hfModel* m = f->m;
  const hfiOrder* o = &f->order;
  int32_t used = 0;
  for (int i = 0; i < m->nbody; ++i)
    hfi_set_body_name(m)[i] = store_name(m, &used, b->body.data[o->body_of[i]].name);
  for (int i = 0; i < m->njnt; ++i)
    hfi_set_jnt_name(m)[i] = store_name(m, &used, b->joint.data[o->joint_of[i]].name);
  for (int i = 0; i < m->ngeom; ++i)
    hfi_set_geom_name(m)[i] = store_name(m, &used, b->geom.data[o->geom_of[i]].name);
  for (int i = 0; i < m->nsite; ++i)
    hfi_set_site_name(m)[i] = store_name(m, &used, b->site.data[o->site_of[i]].name);
  for (int i = 0; i < m->ncam; ++i)
    hfi_set_cam_name(m)[i] = store_name(m, &used, b->camera.data[o->camera_of[i]].name);
  for (int i = 0; i < m->nmesh; ++i)
    hfi_set_mesh_name(m)[i] = store_name(m, &used, b->mesh.data[i].def.name);
  for (int i = 0; i < m->nhfield; ++i)
    hfi_set_hfield_name(m)[i] = store_name(m, &used, b->hfield.data[i].name);
  for (int i = 0; i < m->ntendon; ++i)
    hfi_set_tendon_name(m)[i] = store_name(m, &used, b->tendon.data[i].name);
  for (int i = 0; i < m->neq; ++i)
    hfi_set_eq_name(m)[i] = store_name(m, &used, b->equality.data[i].name);
  for (int i = 0; i < m->nu; ++i)
    hfi_set_actuator_name(m)[i] = store_name(m, &used, b->actuator.data[i].name);
  for (int i = 0; i < m->nsensor; ++i)
    hfi_set_sensor_name(m)[i] = store_name(m, &used, b->sensor.data[i].name);
  for (int i = 0; i < m->nkey; ++i)
    hfi_set_key_name(m)[i] = store_name(m, &used, b->key.data[i].def.name);
  for (int i = 0; i < m->npair; ++i)
    hfi_set_pair_name(m)[i] = store_name(m, &used, b->pair.data[i].name);
}

// ---- the whole -----------------------------------------------------------------------------------

// Computes the derived fields. A refusal begins with the place in the file of the body at fault.
static hfStatus derive_fields(hfiFinish* f, hfError* error) {
  hfError inner = {HF_OK, ""};
  int body = 0;
  hfStatus status = hfi_derive(f->m, &body, &inner);
  if (status == HF_OK) return HF_OK;
  const char* where = f->b->body.data[f->order.body_of[body]].where;
  return hfi_refuse(error, status, "%s%s%.900s", where ? where : "", where ? ": " : "", inner.message);
}

// Stiffness of geoms without a given one, in scenes whose moving bodies are light [N/m].
static const double LEAST_STIFFNESS = 1e6;
// In a heavier scene the stiffness is such that all its moving bodies, if they stood on one geom, would press it in by this [m].
static const double MOST_PRESSED_IN = 1e-3;

static void choose_stiffness(hfModel* m) {
  double mass = 0;
  if (m->world.stiffness > 0) return;
  for (int b = 1; b < m->nbody; ++b)
    if (hf_model_body_lastdof(m)[b] >= 0) mass += hf_model_body_mass(m)[b];
  double enough = mass * v3_norm(v3_load(m->world.gravity)) / MOST_PRESSED_IN;
  m->world.stiffness = min2(DBL_MAX, max2(LEAST_STIFFNESS, enough)); // A model has finite numbers, also in a gravity of 1e308 m/s^2.
}

// Checks sleep policies: only the first body of a tree may have one, which holds for the whole tree.
static hfStatus check_sleep(const hfiFinish* f, hfError* error) {
  for (int b = 0; b < f->m->nbody; ++b) {
    const hfBodyDef* d = &f->b->body.data[f->order.body_of[b]];
    int tree = hf_model_body_tree(f->m)[b];
    if (d->sleep != HF_SLEEP_AUTO && (tree < 0 || hf_model_tree_body(f->m)[tree] != b))
      return hfi_refuse_def(error, d->where, HF_OBJECT_BODY, d->name, "a sleep policy belongs to the first body of a tree that has joints");
  }
  return HF_OK;
}

static hfStatus fill_sections(hfiFinish* f, hfError* error) {
  fill_names(f);
  hfi_finish_tree(f);
  hfStatus status = check_sleep(f, error);
  if (status == HF_OK) status = hfi_check_joints(f, error);
  if (status == HF_OK) status = hfi_finish_meshes(f, error);
  if (status == HF_OK) hfi_finish_height_fields(f);
  if (status == HF_OK) hfi_finish_geoms(f);
  if (status == HF_OK) status = hfi_finish_inertias(f, error);
  if (status == HF_OK) status = derive_fields(f, error);
  if (status == HF_OK) status = hfi_finish_cameras(f, error);
  if (status == HF_OK) status = hfi_finish_constraints(f, error);
  if (status == HF_OK) status = hfi_finish_springs(f, error);
  if (status == HF_OK) status = hfi_finish_actuators(f, error);
  if (status == HF_OK) hfi_finish_sensors(f);
  if (status == HF_OK) status = hfi_finish_histories(f, error);
  if (status == HF_OK) status = hfi_finish_keys(f, error);
  if (status == HF_OK) choose_stiffness(f->m);
  return status;
}

hfStatus hf_builder_finish(hfBuilder* b, hfModel** model, hfError* error) {
  hfi_clear_error(error);
  hfiFinish f = {.b = b};
  hfStatus status = hfi_check_world(&b->world, error);
  if (status == HF_OK) status = hfi_check_sensors(b, error);
  if (status == HF_OK) status = hfi_order_create(&f.order, b, error);
  if (status != HF_OK) return status;
  hfModel header = {0};
  header.world = b->world;
  int* dofs_above = malloc(sizeof *dofs_above * (size_t)b->body.count);
  f.mesh_mass = calloc((size_t)b->mesh.count + 1, sizeof *f.mesh_mass);
  if (dofs_above && f.mesh_mass) {
    count_rest(b, &header);
    count_topology(b, &f.order, dofs_above, &header);
    count_hulls(b, &header);
    count_height_fields(b, &header);
    count_names(b, &header);
    f.m = hfi_model_allocate(&header);
  }
  status = f.m ? fill_sections(&f, error) : hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  if (status == HF_OK) status = hfi_check_values(f.m, error); // what the additions let pass
  if (status == HF_OK)
    *model = f.m;
  else
    hf_model_free(f.m);
  free(dofs_above);
  free(f.mesh_mass);
  hfi_order_release(&f.order);
  return status;
}
