// hf_builder_finish: checks -> counts -> block -> sections -> derived fields.
//
// Sections are filled in the order of the field table; each reads the builder's definitions through
// the new order of ids.
#include "build/inside.h"

#include "base/error.h"
#include "model/derive.h"
#include "model/height_field.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// ---- checks ----------------------------------------------------------------------------------------

// Refuses sleep policies of bodies other than the first one of a tree; a policy holds for the whole tree.
static hfStatus check_sleep(const hfiFinish* f, hfError* error) {
  for (int b = 0; b < f->m->nbody; ++b) {
    const hfBodyDef* d = hfi_finish_def(f, HF_OBJECT_BODY, b);
    int tree = hf_model_body_tree(f->m)[b];
    int is_first = tree >= 0 && hf_model_tree_body(f->m)[tree] == b;
    if (d->sleep != HF_SLEEP_AUTO && !is_first)
      return HFI_REFUSE(d, HF_OBJECT_BODY, "a sleep policy belongs to the first body of a tree that has joints");
  }

  return HF_OK;
}

// ---- counts ----------------------------------------------------------------------------------------

// Adds to a count. One that grows too large stays beyond the limit, where hfi_check_counts refuses it.
static void add_count(int32_t* count, int64_t n) {
  int64_t sum = *count + n;
  *count = sum > HFI_MOST_OBJECTS ? HFI_MOST_OBJECTS + 1 : (int32_t)sum;
}

// Counts the objects of each kind, and the bytes of their names.
static void count_objects(const hfBuilder* b, hfModel* h) {
  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    if (hfi_objects[k].entry_size == 0) continue;
    int count = hf_builder_count(b, (hfObjectKind)k);
    add_count(hfi_object_count(h, (hfObjectKind)k), count);
    for (int i = 0; i < count; ++i) {
      const char* name = hfi_definition(b, (hfObjectKind)k, i)->name;
      if (name) add_count(&h->nnames, (int64_t)strlen(name) + 1);
    }
  }

  h->nexclude = b->exclude.count;
}

// Counts vertices, faces and edges of all hulls and surfaces.
static void count_hulls(const hfBuilder* b, hfModel* h) {
  for (int i = 0; i < b->mesh.count; ++i) {
    const hfiMesh* mesh = &b->mesh.data[i];
    const hfiHullData* hull = &mesh->hull;

    add_count(&h->nhullvert, hull->nvert);
    add_count(&h->nhullface, hull->nface);
    add_count(&h->nhullfacevert, hull->face_start[hull->nface]);
    add_count(&h->nhulledge, hull->edge_start[hull->nvert]);
    add_count(&h->nsurfvert, mesh->def.nvert);
    add_count(&h->nsurftri, mesh->def.ntri);
  }
}

// Counts heights and triangles of all height fields.
static void count_height_fields(const hfBuilder* b, hfModel* h) {
  for (int i = 0; i < b->hfield.count; ++i) {
    const hfHeightFieldDef* d = &b->hfield.data[i];
    add_count(&h->nhfieldheight, (int64_t)d->nrow * d->ncol);
    add_count(&h->nhfieldtri, hfi_hfield_triangles(d->nrow, d->ncol));
  }
}

// Counts trees, and the non-zeros of the lower triangle of M: each dof has a row of its depth + 1 entries.
// dofs_above: scratch for a number of each body.
static void count_topology(const hfBuilder* b, const hfiOrder* order, int* dofs_above, hfModel* h) {
  int j = 0; // joints are grouped by body
  for (int i = 0; i < b->body.count; ++i) {
    int body = hfi_order_old(order, HF_OBJECT_BODY, i);
    int above = i ? dofs_above[hfi_order_new(order, HF_OBJECT_BODY, b->body.data[body].parent)] : 0;
    int depth = above;

    for (; j < b->joint.count; ++j) {
      const hfJointDef* joint = &b->joint.data[hfi_order_old(order, HF_OBJECT_JOINT, j)];
      if (joint->body != body) break;
      for (int k = hfi_joint_nv(joint->type); k > 0; --k) add_count(&h->nM, ++depth);
    }

    h->ntree += above == 0 && depth > 0;
    dofs_above[i] = depth;
  }
}

// Counts places of tendons, numbers of sensors and of signals.
static void count_numbers(const hfBuilder* b, hfModel* h) {
  for (int i = 0; i < b->tendon.count; ++i)
    add_count(&h->nwrap, (int64_t)b->tendon.data[i].count + b->tendon.data[i].path_count);

  for (int i = 0; i < b->sensor.count; ++i) {
    const hfSensorDef* d = &b->sensor.data[i];
    add_count(&h->nsensordata, hfi_sensor_dim(d->type, d->data, hfi_sensor_num(b, d)));
  }

  for (int i = 0; i < b->actuator.count; ++i) {
    if (b->actuator.data[i].signal == HF_SIGNAL_NONE) continue;
    h->nsignal++;
    add_count(&h->nsignaldata, b->actuator.data[i].signal_count);
  }
}

// ---- names -----------------------------------------------------------------------------------------

// Copies the names of all objects into the pool of the model.
static void fill_names(const hfiFinish* f) {
  hfModel* m = f->m;
  int32_t used = 0;

  for (int k = 0; k < HF_OBJECT_KINDS; ++k) {
    if (hfi_objects[k].entry_size == 0) continue;
    int32_t* offset = hfi_object_names(m, (hfObjectKind)k);
    for (int i = 0; i < *hfi_object_count(m, (hfObjectKind)k); ++i) {
      const hfiDefinition* d = hfi_finish_def(f, (hfObjectKind)k, i);
      offset[i] = d->name ? used : -1;
      if (!d->name) continue;
      size_t bytes = strlen(d->name) + 1;
      memcpy(hfi_set_names(m) + used, d->name, bytes);
      used += (int32_t)bytes;
    }
  }
}

// ---- the whole -------------------------------------------------------------------------------------

// Computes the derived fields. A refusal begins with the place in the file of the body at fault.
static hfStatus derive_fields(const hfiFinish* f, hfError* error) {
  hfError inner = {HF_OK, ""};
  int body = 0;
  hfStatus status = hfi_derive(f->m, &body, &inner);
  if (status == HF_OK) return HF_OK;

  const hfiDefinition* d = hfi_finish_def(f, HF_OBJECT_BODY, body);
  return hfi_refuse_at(error, status, d->where, "%s", inner.message);
}

// Chooses the stiffness of geoms without a given one, if the world does not give it.
static void choose_stiffness(hfModel* m) {
  static const double LEAST_STIFFNESS = 1e6;  // in scenes whose moving bodies are light [N/m]
  static const double LARGEST_INDENT = 1e-3;  // all moving bodies, if they stood on one geom, press it in by this [m]
  if (m->world.stiffness > 0) return;

  double mass = 0;
  for (int b = 1; b < m->nbody; ++b)
    if (hf_model_body_lastdof(m)[b] >= 0) mass += hf_model_body_mass(m)[b];

  double enough = mass * v3_norm(v3_load(m->world.gravity)) / LARGEST_INDENT;
  // a model has finite numbers, also in a gravity of 1e308 m/s^2
  m->world.stiffness = min2(DBL_MAX, max2(LEAST_STIFFNESS, enough));
}

// Fills an empty block, section by section; each may read those before it.
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

  // what follows from other fields was just computed; all others are checked as those of a block from outside
  return status == HF_OK ? hfi_check_given_fields(f->m, error) : status;
}

// Counts everything and makes an empty block, f->m. `order` is that of f.
static hfStatus create_block(hfiFinish* f, hfError* error) {
  const hfBuilder* b = f->b;
  int* dofs_above = malloc(sizeof *dofs_above * (size_t)b->body.count);
  f->mesh_mass = calloc((size_t)b->mesh.count + 1, sizeof *f->mesh_mass);

  if (!dofs_above || !f->mesh_mass) {
    free(dofs_above);
    return hfi_refuse_memory(error);
  }

  hfModel header = {.world = b->world};
  // sizes of states and inputs
  hf_builder_sizes(b, &header.nq, &header.nv, &header.na, &header.nu, &header.nmocap);
  header.nu = 0; // counted again with the other kinds
  count_objects(b, &header);
  count_numbers(b, &header);
  count_topology(b, &f->order, dofs_above, &header);
  count_hulls(b, &header);
  count_height_fields(b, &header);
  free(dofs_above);

  hfStatus status = hfi_check_counts(&header, error);
  if (status != HF_OK) return status;

  f->m = hfi_model_allocate(&header);
  return f->m ? HF_OK : hfi_refuse_memory(error);
}

// Makes a model of the definitions: checks, order of ids, block, sections. The builder is only read. On refusal nothing
// is left of the model.
hfStatus hf_builder_finish(hfBuilder* b, hfModel** model, hfError* error) {
  hfi_clear_error(error);
  hfiFinish f = {.b = b};
  hfStatus status = hfi_check_builder(b, error);
  if (status == HF_OK) status = hfi_check_names(b, error);
  if (status == HF_OK) status = hfi_order_create(&f.order, b, error);
  if (status != HF_OK) return status;

  status = create_block(&f, error);
  if (status == HF_OK) status = fill_sections(&f, error);
  if (status == HF_OK) *model = f.m;
  else hf_model_free(f.m);
  free(f.mesh_mass);
  hfi_order_release(&f.order);

  return status;
}
