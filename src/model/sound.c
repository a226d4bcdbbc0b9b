// See sound.h.
#include "model/sound.h"

#include "base/error.h"
#include "model/height_field.h"
#include "model/joint.h"
#include "model/layout.h"
#include "model/samples.h"
#include "model/shape.h"
#include "model/topology.h"

#include <holdfast/methods.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the tree ------------------------------------------------------------------------------------

// Bodies are depth-first: the parent of a body is the body before it or one of that body's ancestors. The walk leaves
// every body once, so that it costs O(nbody) in all. Returns the first body whose parent is wrong, or nbody.
static int find_wrong_parent(const hfModel* m) {
  const int32_t* parent = hf_model_body_parent(m);
  if (parent[0] != 0) return 0;
  for (int b = 1; b < m->nbody; ++b) {
    int a = b - 1;
    if (parent[b] < 0 || parent[b] >= b) return b;
    while (a > parent[b]) a = parent[a];
    if (a != parent[b]) return b;
  }
  return m->nbody;
}

// Checks that the ids of bodies from `first` on do not decrease.
static int groups_are_sound(const int32_t* body, int count, int first, int nbody) {
  for (int i = 0; i < count; ++i)
    if (body[i] < first || body[i] >= nbody || (i > 0 && body[i] < body[i - 1])) return 0;
  return 1;
}

static int joint_is_sound(const hfModel* m, int j) {
  const int32_t* body = hf_model_jnt_body(m);
  int b = body[j], alone = (j == 0 || body[j - 1] != b) && (j + 1 == m->njnt || body[j + 1] != b);
  if (hf_model_body_mocap(m)[b] >= 0) return 0;
  return !hfi_joint_kinds[hf_model_jnt_type(m)[j]].nworld || (alone && hf_model_body_parent(m)[b] == 0);
}

static hfStatus check_joint_types(const hfModel* m, hfError* error) {
  const int32_t* type = hf_model_jnt_type(m);
  for (int j = 0; j < m->njnt; ++j)
    if (type[j] < 0 || type[j] >= HFI_JOINT_TYPES)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: jnt_type[%d] = %d is out of range", j, type[j]);
  return HF_OK;
}

static int joints_are_sound(const hfModel* m) {
  if (!groups_are_sound(hf_model_jnt_body(m), m->njnt, 1, m->nbody)) return 0;
  for (int j = 0; j < m->njnt; ++j)
    if (!joint_is_sound(m, j)) return 0;
  return 1;
}

// Whether nq, nv, nM, ntree and nmocap are those of the tree. depth (nbody): scratch, how many dofs move a body.
static int counts_are_sound(const hfModel* m, int64_t* depth) {
  int64_t nq = 0, nv = 0, nM = 0;
  int ntree = 0, nmocap = 0, j = 0;
  for (int b = 0; b < m->nbody; ++b) {
    int parent = hf_model_body_parent(m)[b];
    int64_t above = depth[b] = b ? depth[parent] : 0;
    if (hf_model_body_mocap(m)[b] >= 0 && (b == 0 || parent != 0)) return 0;
    nmocap += hf_model_body_mocap(m)[b] >= 0;
    for (; j < m->njnt && hf_model_jnt_body(m)[j] == b; ++j) {
      int n = hfi_joint_nv(hf_model_jnt_type(m)[j]);
      nq += hfi_joint_nq(hf_model_jnt_type(m)[j]);
      for (int i = 0; i < n; ++i) nM += ++depth[b];
      nv += n;
    }
    ntree += above == 0 && depth[b] > 0;
  }
  return nq == m->nq && nv == m->nv && nM == m->nM && ntree == m->ntree && nmocap == m->nmocap;
}

// Compares the fields that follow from the tree with those computed again.
static hfStatus compare_topology(const hfModel* m, hfModel* copy, hfError* error) {
  hfi_fill_topology(copy);
  for (int k = 0; k < HFI_TOPOLOGY_FIELDS; ++k) {
    hfModelField f = hfi_topology_fields[k];
    const void *a = (const char*)m + m->offset[f], *b = (const char*)copy + copy->offset[f];
    if (memcmp(a, b, hfi_field_bytes(m, f)) != 0)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s does not follow from the tree of bodies", hf_model_field_info(m, f).name);
  }
  return HF_OK;
}

hfStatus hfi_check_topology(const hfModel* m, hfModel* copy, hfError* error) {
  if (m->nbody < 1) return hfi_refuse(error, HF_ERROR_MODEL, "model block: there is no world");
  int wrong = find_wrong_parent(m);
  if (wrong < m->nbody)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: body_parent[%d] = %d makes no tree in depth-first order", wrong,
                      hf_model_body_parent(m)[wrong]);
  hfStatus status = check_joint_types(m, error);
  if (status != HF_OK) return status;
  if (!joints_are_sound(m)) return hfi_refuse(error, HF_ERROR_MODEL, "model block: a joint is on a body that cannot have it");
  if (!groups_are_sound(hf_model_geom_body(m), m->ngeom, 0, m->nbody))
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: geoms are not grouped by body");
  int64_t* depth = malloc((size_t)m->nbody * sizeof *depth);
  if (!depth) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  int sound = counts_are_sound(m, depth);
  free(depth);
  if (!sound) return hfi_refuse(error, HF_ERROR_MODEL, "model block: nq, nv, nM, ntree or nmocap is not that of its joints");
  return compare_topology(m, copy, error);
}

// ---- hulls ---------------------------------------------------------------------------------------

// Runs of entries: start (count + 1) begins with 0, each run has at least `least` entries, which lie in [0, limit).
static int runs_are_sound(const int32_t* start, int count, int least, const int32_t* entry, int64_t room, int limit) {
  if (start[0] != 0) return 0;
  for (int i = 0; i < count; ++i)
    if (start[i + 1] < start[i] || start[i + 1] - start[i] < least || start[i + 1] > room) return 0;
  for (int i = 0; i < start[count]; ++i)
    if (entry[i] < 0 || entry[i] >= limit) return 0;
  return 1;
}

static int hull_is_sound(const hfModel* m, int i) {
  int64_t vertadr = hf_model_mesh_vertadr(m)[i], nvert = hf_model_mesh_vertnum(m)[i], faceadr = hf_model_mesh_faceadr(m)[i],
          nface = hf_model_mesh_facenum(m)[i], facevertadr = hf_model_mesh_facevertadr(m)[i], edgeadr = hf_model_mesh_edgeadr(m)[i];
  if (vertadr < 0 || nvert < 1 || vertadr + nvert > m->nhullvert || faceadr < 0 || nface < 1 || faceadr + nface > m->nhullface ||
      facevertadr < 0 || facevertadr > m->nhullfacevert || edgeadr < 0 || edgeadr > m->nhulledge)
    return 0;
  return runs_are_sound(hf_model_hull_facestart(m) + faceadr + i, (int)nface, 3, hf_model_hull_facevert(m) + facevertadr,
                        m->nhullfacevert - facevertadr, (int)nvert) &&
         runs_are_sound(hf_model_hull_edgestart(m) + vertadr + i, (int)nvert, 0, hf_model_hull_edgevert(m) + edgeadr,
                        m->nhulledge - edgeadr, (int)nvert);
}

hfStatus hfi_check_hulls(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->nmesh; ++i)
    if (!hull_is_sound(m, i)) return hfi_refuse(error, HF_ERROR_MODEL, "model block: the hull of mesh %d is out of range", i);
  return HF_OK;
}

// ---- height fields -------------------------------------------------------------------------------

static int height_field_is_sound(const hfModel* m, int i, int64_t height, int64_t tri) {
  int64_t nrow = hf_model_hfield_nrow(m)[i], ncol = hf_model_hfield_ncol(m)[i];
  const double* size = hf_model_hfield_size(m) + 3 * i;
  if (nrow < 2 || ncol < 2 || nrow * ncol > HFI_MOST_HEIGHTS) return 0;
  if (hf_model_hfield_adr(m)[i] != height || hf_model_hfield_regionadr(m)[i] != tri) return 0;
  if (height + nrow * ncol > m->nhfieldheight || tri + 2 * (nrow - 1) * (ncol - 1) > m->nhfieldtri) return 0;
  for (int k = 0; k < 3; ++k)
    if (!(size[k] > 0) || !isfinite(size[k])) return 0;
  for (int64_t k = 0; k < nrow * ncol; ++k)
    if (!(hf_model_hfield_height(m)[height + k] > -size[2]) || !isfinite(hf_model_hfield_height(m)[height + k])) return 0;
  return 1;
}

hfStatus hfi_check_height_fields(const hfModel* m, hfModel* copy, hfError* error) {
  int64_t height = 0, tri = 0;
  for (int i = 0; i < m->nhfield; ++i) {
    if (!height_field_is_sound(m, i, height, tri))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: height field %d is out of range", i);
    hfi_hfield_range(hf_model_hfield_height(m) + height, hf_model_hfield_nrow(m)[i] * hf_model_hfield_ncol(m)[i],
                    hfi_set_hfield_range(copy) + 2 * i);
    hfiHeightField view = hfi_model_height_field(copy, i);
    hfi_hfield_regions(&view, hfi_set_hfield_region(copy) + tri);
    height += (int64_t)view.nrow * view.ncol, tri += hfi_hfield_triangles(view.nrow, view.ncol);
  }
  if (height != m->nhfieldheight || tri != m->nhfieldtri ||
      memcmp(hf_model_hfield_range(m), hf_model_hfield_range(copy), hfi_field_bytes(m, HF_FIELD_hfield_range)) != 0 ||
      memcmp(hf_model_hfield_region(m), hf_model_hfield_region(copy), hfi_field_bytes(m, HF_FIELD_hfield_region)) != 0)
    return hfi_refuse(error, HF_ERROR_MODEL, "model block: ranges or regions of height fields do not follow from their heights");
  return HF_OK;
}

// ---- values --------------------------------------------------------------------------------------

// Fields that the builder of a model does not let be negative.
static int is_never_negative(int field) {
  static const hfModelField fields[] = {
      HF_FIELD_geom_friction, HF_FIELD_pair_friction, HF_FIELD_jnt_stiffness,    HF_FIELD_dof_damping,    HF_FIELD_dof_armature,
      HF_FIELD_dof_frictionloss, HF_FIELD_tendon_stiffness, HF_FIELD_tendon_damping, HF_FIELD_tendon_armature, HF_FIELD_tendon_frictionloss,
      HF_FIELD_jnt_springyield, HF_FIELD_jnt_bend, HF_FIELD_tendon_springyield, HF_FIELD_actuator_delay, HF_FIELD_sensor_delay};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
    if ((int)fields[i] == field) return 1;
  return 0;
}

static hfStatus check_field(const hfModel* m, hfModelField f, hfError* error) {
  hfFieldInfo info = hf_model_field_info(m, f);
  if (hf_model_is_overlay(m) && !info.overlay) return HF_OK;
  const void* array = (const void*)((uintptr_t)m + (uintptr_t)m->offset[f]);
  size_t n = (size_t)info.rows * (size_t)info.columns;
  for (size_t i = 0; i < n && (info.type == 'd' || info.type == 'f'); ++i) {
    double x = info.type == 'd' ? ((const double*)array)[i] : (double)((const float*)array)[i];
    if (x != x) return hfi_refuse(error, HF_ERROR_NONFINITE, "parameter %s[%zu] is not a number", info.name, i);
    if (x < 0 && is_never_negative((int)f))
      return hfi_refuse(error, HF_ERROR_MODEL, "parameter %s[%zu] = %g cannot be negative", info.name, i, x);
  }
  return HF_OK;
}

static int is_condim(int n) { return n == 1 || n == 3 || n == 4 || n == 6; }

hfStatus hfi_check_world(const hfWorld* w, hfError* error) {
  const struct {
    const char* name;
    const double* x;
    int count, may_be_negative;
  } values[] = {{"timestep", &w->timestep, 1, 0},
                {"gravity", w->gravity, 3, 1},
                {"magnetic", w->magnetic, 3, 1},
                {"density", &w->density, 1, 0},
                {"viscosity", &w->viscosity, 1, 0},
                {"wind", w->wind, 3, 1},
                {"stiffness", &w->stiffness, 1, 0},
                {"dissipation", &w->dissipation, 1, 0},
                {"stiction_speed", &w->stiction_speed, 1, 0},
                {"tangential_ratio", &w->tangential_ratio, 1, 0},
                {"release_speed", &w->release_speed, 1, 0},
                {"impratio", &w->impratio, 1, 0},
                {"sleep_speed", &w->sleep_speed, 1, 0}};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    for (int k = 0; k < values[i].count; ++k) {
      double x = values[i].x[k];
      if (!isfinite(x)) return hfi_refuse(error, HF_ERROR_NONFINITE, "the world's %s is not finite", values[i].name);
      if (x < 0 && !values[i].may_be_negative)
        return hfi_refuse(error, HF_ERROR_MODEL, "the world's %s = %g cannot be negative", values[i].name, x);
    }
  if (w->method < 0 || w->method > HF_METHOD_SWITCHING || w->friction < 0 || w->friction > HF_FRICTION_COULOMB ||
      w->friction_rule < 0 || w->friction_rule > HF_COMBINE_HARMONIC)
    return hfi_refuse(error, HF_ERROR_MODEL, "the world's method %d, friction law %d or friction rule %d is unknown", w->method,
                      w->friction, w->friction_rule);
  return HF_OK;
}

// Checks the contact dimensions of geoms and pairs.
static hfStatus check_condims(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->ngeom; ++i)
    if (!is_condim(hf_model_geom_condim(m)[i]))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: geom_condim[%d] = %d", i, hf_model_geom_condim(m)[i]);
  for (int i = 0; i < m->npair; ++i)
    if (!is_condim(hf_model_pair_condim(m)[i]))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: pair_condim[%d] = %d", i, hf_model_pair_condim(m)[i]);
  return HF_OK;
}

static hfStatus check_sizes(const hfModel* m, hfError* error) {
  for (int g = 0; g < m->ngeom; ++g)
    for (int k = 0; k < hfi_shape_kinds[hf_model_geom_type(m)[g]].nsize; ++k)
      if (!(hf_model_geom_size(m)[3 * g + k] > 0))
        return hfi_refuse(error, HF_ERROR_MODEL, "parameter geom_size[%d] is not positive", 3 * g + k);
  return HF_OK;
}

// Checks that histories follow each other without gaps, and reach back as far as delays need in steps of the scene's length.
static hfStatus check_histories(const hfModel* m, hfError* error) {
  int64_t at = 0;
  for (int i = 0; i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n < 0 || n > HFI_MOST_SAMPLES || hf_model_actuator_historyadr(m)[i] != (n ? at : -1))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the history of actuator %d is out of range", i);
    if (!hfi_control_fits(m, i, m->world.timestep))
      return hfi_refuse(error, HF_ERROR_MODEL, "parameter actuator_delay[%d] = %g is more than its history of %d steps of %g s", i,
                        hf_model_actuator_delay(m)[i], n, m->world.timestep);
    at += hfi_delay_size(n, 1);
  }
  for (int i = 0; i < m->nsensor; ++i) {
    int n = hf_model_sensor_nsample(m)[i];
    const double* interval = hf_model_sensor_interval(m) + 2 * i;
    if (n < 0 || n > HFI_MOST_SAMPLES || hf_model_sensor_historyadr(m)[i] != (n ? at : -1))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the history of sensor %d is out of range", i);
    if (!hfi_interval_is_sound(interval[0], interval[1]))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: sensor_interval[%d] is %g, %g", i, interval[0], interval[1]);
    if (!hfi_samples_fit(m, i, m->world.timestep))
      return hfi_refuse(error, HF_ERROR_MODEL, "parameter sensor_delay[%d] = %g is more than its history of %d measurements", i, hf_model_sensor_delay(m)[i], n);
    at += hfi_samples_size(m, i);
  }
  return at == m->nhistory ? HF_OK : hfi_refuse(error, HF_ERROR_MODEL, "model block: nhistory = %d", m->nhistory);
}

// Checks that states have room for the rests of springs if one yields.
static hfStatus check_rests(const hfModel* m, hfError* error) {
  int yields = 0;
  for (int j = 0; j < m->njnt; ++j) {
    yields |= hf_model_jnt_springyield(m)[j] > 0;
    if (hf_model_jnt_springyield(m)[j] > 0 && hf_model_jnt_type(m)[j] == HF_JOINT_FREE)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: jnt_springyield[%d] is that of a free joint", j);
  }
  for (int t = 0; t < m->ntendon; ++t) yields |= hf_model_tendon_springyield(m)[t] > 0;
  if (m->nrest == (yields ? m->nq + 2 * m->ntendon : 0)) return HF_OK;
  return hfi_refuse(error, HF_ERROR_MODEL, "model block: nrest = %d", m->nrest);
}

hfStatus hfi_check_values(const hfModel* m, hfError* error) {
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfStatus status = check_field(m, (hfModelField)f, error);
    if (status != HF_OK) return status;
  }
  for (int i = 0; i < 3; ++i)
    if (!isfinite(m->world.gravity[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "gravity[%d] is not finite", i);
  hfStatus status = check_histories(m, error);
  if (status == HF_OK) status = check_rests(m, error);
  if (status != HF_OK || hf_model_is_overlay(m)) return status; // An overlay has the dimensions and sizes of its base.
  status = hfi_check_world(&m->world, error);
  if (status == HF_OK) status = check_condims(m, error);
  return status == HF_OK ? check_sizes(m, error) : status;
}
