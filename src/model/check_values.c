// Checks of the numbers of a model block or of an overlay (block.h).
#include "model/block.h"

#include "base/error.h"
#include "model/history.h"
#include "model/shape.h"

#include <holdfast/methods.h>
#include <float.h>
#include <math.h>

// ---- fields ----------------------------------------------------------------------------------------

// Fields of ranges: lower and upper end.
static const hfModelField RANGES[] = {HF_FIELD_jnt_range,           HF_FIELD_jnt_actfrcrange,
                                      HF_FIELD_tendon_range,        HF_FIELD_tendon_actfrcrange,
                                      HF_FIELD_actuator_ctrlrange,  HF_FIELD_actuator_forcerange,
                                      HF_FIELD_actuator_actrange};

static int is_range(hfModelField f) {
  for (size_t k = 0; k < sizeof RANGES / sizeof *RANGES; ++k)
    if (RANGES[k] == f) return 1;
  return 0;
}

// What the numbers of a field must be: from low to high, and how a refusal says it.
typedef struct ValueRule {
  double low, high;
  const char* demand;
} ValueRule;

// Returns the bounds of the numbers of a field, and what a message says of a number beyond them. In fields that a world
// may change (overlay), only ranges may be infinite.
static ValueRule find_rule(hfModelField f, const hfFieldInfo* info) {
  switch (f) {
  case HF_FIELD_geom_friction:
  case HF_FIELD_pair_friction:
  case HF_FIELD_jnt_stiffness:
  case HF_FIELD_dof_damping:
  case HF_FIELD_dof_armature:
  case HF_FIELD_dof_frictionloss:
  case HF_FIELD_tendon_stiffness:
  case HF_FIELD_tendon_damping:
  case HF_FIELD_tendon_armature:
  case HF_FIELD_tendon_frictionloss:
  case HF_FIELD_jnt_springyield:
  case HF_FIELD_jnt_bend:
  case HF_FIELD_tendon_springyield:
  case HF_FIELD_actuator_delay:
  case HF_FIELD_sensor_delay:
    return (ValueRule){0, info->overlay ? DBL_MAX : INFINITY, "it must be finite and cannot be negative"};

  case HF_FIELD_geom_restitution:
    return (ValueRule){0, 1, "it must be between 0 and 1"};

  default:
    if (info->overlay && !is_range(f)) return (ValueRule){-DBL_MAX, DBL_MAX, "it must be finite"};
    return (ValueRule){-INFINITY, INFINITY, "it must be a number"};
  }
}

// Refuses number i of a field, named by row and column as in Python: geom_friction[3, 0].
static hfStatus refuse_value(const hfFieldInfo* info, size_t i, double x, const char* fault, hfError* error) {
  size_t columns = (size_t)info->columns;
  hfStatus status = isfinite(x) ? HF_ERROR_MODEL : HF_ERROR_NONFINITE;
  if (columns == 1) return hfi_refuse(error, status, "parameter %s[%zu] = %g: %s", info->name, i, x, fault);
  return hfi_refuse(error, status, "parameter %s[%zu, %zu] = %g: %s", info->name, i / columns, i % columns, x, fault);
}

// Checks the numbers of one field by its rule.
static hfStatus check_field(const hfModel* m, hfModelField f, hfError* error) {
  hfFieldInfo info = hf_model_field_info(m, f);
  if (hf_model_is_overlay(m) && !info.overlay) return HF_OK;
  if (info.type != 'd' && info.type != 'f') return HF_OK;

  const void* array = hfi_field_array(m, f);
  const ValueRule rule = find_rule(f, &info);
  size_t n = (size_t)info.rows * (size_t)info.columns;

  for (size_t i = 0; i < n; ++i) {
    double x = info.type == 'd' ? ((const double*)array)[i] : (double)((const float*)array)[i];
    if (!(x >= rule.low && x <= rule.high)) return refuse_value(&info, i, x, rule.demand, error);
  }

  return HF_OK;
}

// Refuses ranges whose ends are exchanged, and those that hold no finite number.
static hfStatus check_ranges(const hfModel* m, hfError* error) {
  for (size_t k = 0; k < sizeof RANGES / sizeof *RANGES; ++k) {
    hfFieldInfo info = hf_model_field_info(m, RANGES[k]);
    const double* x = hfi_field_array(m, RANGES[k]);
    for (size_t i = 0; i < 2 * (size_t)info.rows; i += 2) {
      if (x[i + 1] == -INFINITY)
        return refuse_value(&info, i + 1, x[i + 1], "it is below the start of the range", error);
      if (x[i] == INFINITY || x[i] > x[i + 1])
        return refuse_value(&info, i, x[i], "it is above the end of the range", error);
    }
  }

  return HF_OK;
}

// Checks the values of geoms that must be positive if they are not negative, which stands for the world's default.
static hfStatus check_materials(const hfModel* m, hfError* error) {
  static const hfModelField fields[] = {HF_FIELD_geom_stiffness, HF_FIELD_geom_tangential_stiffness,
                                        HF_FIELD_geom_stiction_speed};

  for (size_t f = 0; f < sizeof fields / sizeof *fields; ++f) {
    hfFieldInfo info = hf_model_field_info(m, fields[f]);
    const double* x = hfi_field_array(m, fields[f]);
    for (int i = 0; i < m->ngeom; ++i)
      if (x[i] == 0)
        return refuse_value(&info, (size_t)i, 0, "it must be positive, or negative for the world's default", error);
  }

  return HF_OK;
}

// Checks that the sizes of geoms are positive.
static hfStatus check_sizes(const hfModel* m, hfError* error) {
  hfFieldInfo info = hf_model_field_info(m, HF_FIELD_geom_size);
  for (int g = 0; g < m->ngeom; ++g)
    for (int k = 0; k < hfi_shape_kinds[hf_model_geom_type(m)[g]].nsize; ++k) {
      double size = hf_model_geom_size(m)[3 * g + k];
      if (!(size > 0)) return refuse_value(&info, (size_t)(3 * g + k), size, "it must be positive", error);
    }
  return HF_OK;
}

// Checks the contact dimensions of geoms and pairs.
static hfStatus check_condims(const hfModel* m, hfError* error) {
  for (int i = 0; i < m->ngeom + m->npair; ++i) {
    int is_geom = i < m->ngeom;
    int id = is_geom ? i : i - m->ngeom;
    int n = is_geom ? hf_model_geom_condim(m)[id] : hf_model_pair_condim(m)[id];
    if (n != 1 && n != 3 && n != 4 && n != 6)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: %s_condim[%d] = %d is not 1, 3, 4 or 6",
                        is_geom ? "geom" : "pair", id, n);
  }

  return HF_OK;
}

// ---- the world -------------------------------------------------------------------------------------

// Refuses numbers, method and friction of a world that are not finite, out of their bounds or unknown. The message
// names the value.
hfStatus hfi_check_world(const hfWorld* w, hfError* error) {
  enum { ANY, NOT_NEGATIVE, POSITIVE };
  const struct {
    const char* name;
    const double* x;
    int count, sign;
  } values[] = {{"timestep", &w->timestep, 1, NOT_NEGATIVE},
                {"gravity", w->gravity, 3, ANY},
                {"magnetic", w->magnetic, 3, ANY},
                {"density", &w->density, 1, NOT_NEGATIVE},
                {"viscosity", &w->viscosity, 1, NOT_NEGATIVE},
                {"wind", w->wind, 3, ANY},
                {"stiffness", &w->stiffness, 1, NOT_NEGATIVE},
                {"dissipation", &w->dissipation, 1, NOT_NEGATIVE},
                {"stiction_speed", &w->stiction_speed, 1, POSITIVE},
                {"tangential_ratio", &w->tangential_ratio, 1, POSITIVE},
                {"release_speed", &w->release_speed, 1, NOT_NEGATIVE},
                {"impratio", &w->impratio, 1, POSITIVE},
                {"sleep_speed", &w->sleep_speed, 1, NOT_NEGATIVE}};

  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    for (int k = 0; k < values[i].count; ++k) {
      double x = values[i].x[k];
      const char* name = values[i].name;
      if (!isfinite(x)) return hfi_refuse(error, HF_ERROR_NONFINITE, "the world's %s is not finite", name);
      if (x < 0 && values[i].sign != ANY)
        return hfi_refuse(error, HF_ERROR_MODEL, "the world's %s = %g cannot be negative", name, x);
      if (x == 0 && values[i].sign == POSITIVE)
        return hfi_refuse(error, HF_ERROR_MODEL, "the world's %s must be positive, is 0", name);
    }

  int method = (int)w->method;
  int friction = (int)w->friction;
  int rule = (int)w->friction_rule;

  if (method < 0 || method > HF_METHOD_SWITCHING || friction < 0 || friction > HF_FRICTION_COULOMB || rule < 0 ||
      rule > HF_COMBINE_HARMONIC)
    return hfi_refuse(error, HF_ERROR_MODEL, "the world's method %d, friction law %d or friction rule %d is unknown",
                      method, friction, rule);

  return HF_OK;
}

// ---- histories and rests -----------------------------------------------------------------------------

// Checks the histories of actuators, which follow each other from number *next on; *next moves behind them.
static hfStatus check_control_histories(const hfModel* m, int64_t* next, hfError* error) {
  for (int i = 0; i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n < 0 || n > HFI_MOST_SAMPLES || hf_model_actuator_historyadr(m)[i] != (n ? *next : -1))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the history of actuator %d is out of range", i);
    if (!hfi_control_fits(m, i, m->world.timestep))
      return hfi_refuse(error, HF_ERROR_MODEL,
                        "parameter actuator_delay[%d] = %g is more than its history of %d steps of %g s", i,
                        hf_model_actuator_delay(m)[i], n, m->world.timestep);
    *next += hfi_delay_size(n, 1);
  }

  return HF_OK;
}

// Checks the histories of sensors, which follow each other from number *next on; *next moves behind them.
static hfStatus check_sensor_histories(const hfModel* m, int64_t* next, hfError* error) {
  for (int i = 0; i < m->nsensor; ++i) {
    int n = hf_model_sensor_nsample(m)[i];
    const double* interval = hf_model_sensor_interval(m) + 2 * i;
    if (n < 0 || n > HFI_MOST_SAMPLES || hf_model_sensor_historyadr(m)[i] != (n ? *next : -1))
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: the history of sensor %d is out of range", i);
    if (!hfi_interval_is_sound(interval[0], interval[1]))
      return hfi_refuse(error, HF_ERROR_MODEL,
                        "model block: sensor_interval[%d] is %g, %g: the interval must not be negative, and the phase "
                        "is above minus the interval and at most 0", i, interval[0], interval[1]);
    if (!hfi_samples_fit(m, i, m->world.timestep))
      return hfi_refuse(error, HF_ERROR_MODEL,
                        "parameter sensor_delay[%d] = %g is more than its history of %d measurements", i,
                        hf_model_sensor_delay(m)[i], n);
    *next += hfi_samples_size(m, i);
  }

  return HF_OK;
}

// Checks that histories follow each other without gaps, and that each is long enough for its delay at the scene's step.
static hfStatus check_histories(const hfModel* m, hfError* error) {
  int64_t next = 0;
  hfStatus status = check_control_histories(m, &next, error);
  if (status == HF_OK) status = check_sensor_histories(m, &next, error);
  if (status != HF_OK || next == m->nhistory) return status;
  return hfi_refuse(error, HF_ERROR_MODEL, "model block: nhistory = %d, the histories need %lld", m->nhistory,
                    (long long)next);
}

// Checks that a state has room for the rest positions of springs if some spring yields, and none otherwise.
static hfStatus check_rests(const hfModel* m, hfError* error) {
  int yields = 0;
  for (int j = 0; j < m->njnt; ++j) {
    int joint_yields = hf_model_jnt_springyield(m)[j] > 0;
    if (joint_yields && hf_model_jnt_type(m)[j] == HF_JOINT_FREE)
      return hfi_refuse(error, HF_ERROR_MODEL, "model block: jnt_springyield[%d] is that of a free joint", j);
    yields |= joint_yields;
  }

  for (int t = 0; t < m->ntendon; ++t) yields |= hf_model_tendon_springyield(m)[t] > 0;

  int needed = yields ? m->nq + 2 * m->ntendon : 0;
  if (m->nrest == needed) return HF_OK;
  return hfi_refuse(error, HF_ERROR_MODEL, "model block: nrest = %d, the springs need %d", m->nrest, needed);
}

// ---- the whole -------------------------------------------------------------------------------------

// Refuses the first number that breaks its rule, and says its field and place: fields one by one, then what several
// fields say together.
hfStatus hfi_check_values(const hfModel* m, hfError* error) {
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfStatus status = check_field(m, (hfModelField)f, error);
    if (status != HF_OK) return status;
  }

  for (int i = 0; i < 3; ++i)
    if (!isfinite(m->world.gravity[i])) return hfi_refuse(error, HF_ERROR_NONFINITE, "gravity[%d] is not finite", i);

  hfStatus status = check_ranges(m, error);
  if (status == HF_OK) status = check_materials(m, error);
  if (status == HF_OK) status = check_histories(m, error);
  if (status == HF_OK) status = check_rests(m, error);
  if (status == HF_OK) status = check_sizes(m, error);

  // an overlay has the world and the contact dimensions of its base
  if (status != HF_OK || hf_model_is_overlay(m)) return status;

  status = hfi_check_world(&m->world, error);
  return status == HF_OK ? check_condims(m, error) : status;
}
