// Configuration of a sim: defaults, and setting fields by name through one table.
#include "sim/inside.h"

#include "base/error.h"
#include "base/locale.h"
#include "math/vec3.h"
#include "step/law/tals.h"
#include <holdfast/lcp.h>

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the default configuration. headers: HF_VERSION_NUMBER of the headers that the caller was compiled with.
void hf_sim_config_init(hfSimConfig* config, int headers) {
  hfSimConfig c = {.headers = headers};

  // what is left to the scene; step and sleep_speed are zero
  c.method = HF_METHOD_OF_SCENE;
  c.friction = HF_FRICTION_OF_SCENE;
  c.drive_law = HF_DRIVE_OF_SCENE;
  c.sleep = -1;

  c.gyroscopic = 1;
  c.anticipate = 1;
  c.scene_signals = 1;
  c.threads = 1;
  c.smallest_step = 1e-9;
  c.near_rigid = 0.1;
  c.sleep_time = 0.5;
  c.static_speed = 10;
  c.solver = hf_solver_config_default();
  c.mlcp = hf_mlcp_config_default();
  c.continuous = (hfContinuousConfig){.newton = HF_NEWTON_FULL, .jacobian = HF_JACOBIAN_ANALYTIC, .tals = 1};
  c.switching = hf_switch_config_default();
  *config = c;
}

// ---- names ---------------------------------------------------------------------------------------

static const char* const FRICTIONS[] = {"regularised", "smooth", "anchored", "coulomb", NULL};
static const char* const COUPLINGS[] = {"two-way", "one-way", "frictionless", NULL};
static const char* const RUNGS[] = {"none", "tamsi", "merit", "convex", NULL};
static const char* const NEWTONS[] = {"full", "quasi", NULL};
static const char* const FORMS[] = {"complementarity", "two-stage", "dissipation", NULL};
static const char* const LCP_METHODS[] = {"lemke", "dantzig", NULL};
static const char* const DRIVE_LAWS[] = {"servo", "constraint", "computed-torque", NULL};
static const char* const SWITCHES[] = {"off", "on", NULL};
static const char* const JACOBIANS[] = {"fd", "analytic", NULL};
static const char* const CONTACT_MODES[] = {"switching", "rigid", "compliant", NULL};
static const char* const STARTS[] = {"equilibrium", "paper", NULL};
static const char* const LAYER_LAWS[] = {"linear", "hertz", "hunt-crossley", "stiffening", NULL};
static const char* const RETURNS[] = {"layer", "gross", NULL};

static const char* name_at(const char* const* names, int i) {
  for (int k = 0; names[k]; ++k)
    if (k == i) return names[k];
  return "unknown";
}

const char* hf_method_name(int method) { return name_at(hfi_method_names, method); }
const char* hf_friction_name(int friction) { return name_at(FRICTIONS, friction); }

// The smallest accuracy that may be asked for [m, rad]. Coordinates of order one are rounded by 1e-16 in each step, and
// over many steps this adds up to more.
static const double LEAST_ACCURACY = 1e-14;

// ---- fields --------------------------------------------------------------------------------------

typedef struct Field {
  const char* name;
  size_t offset;
  char type;                 // 'd' double, 'i' int32_t
  double lo, hi;             // smallest and largest value allowed
  const char* const* values; // names of 0, 1, …; or NULL
  unsigned group;            // hfiOptionGroup: with which methods it acts
} Field;

#define FIELD(member, type, lo, hi, values, group)                                               \
  { #member, offsetof(hfSimConfig, member), type, lo, hi, values, group }
static const Field FIELDS[] = {
    FIELD(step, 'd', 0, 1, NULL, HFI_OPTION_ALL),
    FIELD(accuracy, 'd', 0, 1, NULL, HFI_OPTION_CONTROLLED),
    FIELD(smallest_step, 'd', 1e-12, 1, NULL, HFI_OPTION_SOLVED),
    FIELD(method, 'i', -1, HFI_METHODS - 1, hfi_method_names, HFI_OPTION_ALL),
    FIELD(friction, 'i', -1, HF_FRICTION_COULOMB, FRICTIONS, HFI_OPTION_ALL),
    FIELD(max_contacts, 'i', 0, 1e6, NULL, HFI_OPTION_ALL),
    FIELD(gyroscopic, 'i', 0, 1, SWITCHES, HFI_OPTION_DISCRETE),
    FIELD(anticipate, 'i', 0, 1, SWITCHES, HFI_OPTION_DISCRETE),
    FIELD(drive_law, 'i', -1, HF_DRIVE_COMPUTED_TORQUE, DRIVE_LAWS, HFI_OPTION_ALL),
    FIELD(explicit_drives, 'i', 0, 1, SWITCHES, HFI_OPTION_DISCRETE),
    FIELD(scene_signals, 'i', 0, 1, SWITCHES, HFI_OPTION_ALL),
    FIELD(threads, 'i', 1, 1024, NULL, HFI_OPTION_SOLVED),
    FIELD(mujoco_softness, 'i', 0, 1, SWITCHES, HFI_OPTION_ALL),
    FIELD(rigid_limits, 'i', 0, 1, SWITCHES, HFI_OPTION_DISCRETE),
    FIELD(rigid_equalities, 'i', 0, 1, SWITCHES, HFI_OPTION_DISCRETE),
    FIELD(near_rigid, 'd', 1e-6, 10, NULL, HFI_OPTION_DISCRETE),
    FIELD(noise_seed, 'i', 0, INT32_MAX, NULL, HFI_OPTION_ALL),
    FIELD(sleep, 'i', -1, 1, SWITCHES, HFI_OPTION_ALL),
    FIELD(sleep_speed, 'd', 0, 1, NULL, HFI_OPTION_SOLVED),
    FIELD(sleep_time, 'd', 0, 1e6, NULL, HFI_OPTION_SOLVED),
    FIELD(static_speed, 'd', 0, 1e9, NULL, HFI_OPTION_STATIC_SPEED),
    FIELD(solver.coupling, 'i', 0, HF_COUPLING_FRICTIONLESS, COUPLINGS, HFI_OPTION_DISCRETE),
    FIELD(solver.first_rung, 'i', HF_RUNG_TAMSI, HF_RUNG_CONVEX, RUNGS, HFI_OPTION_DISCRETE),
    FIELD(solver.last_rung, 'i', HF_RUNG_TAMSI, HF_RUNG_CONVEX, RUNGS, HFI_OPTION_DISCRETE),
    FIELD(solver.max_iterations, 'i', 1, 100000, NULL, HFI_OPTION_DISCRETE),
    FIELD(solver.tolerance, 'd', 1e-15, 1, NULL, HFI_OPTION_ALL), // what solves nothing meets every tolerance
    FIELD(solver.theta_max, 'd', HFI_LEAST_TURN, HFI_LARGEST_TURN, NULL, HFI_OPTION_TURN),
    FIELD(mlcp.form, 'i', 0, HF_MLCP_DISSIPATION, FORMS, HFI_OPTION_MLCP),
    FIELD(mlcp.method, 'i', 0, HF_LCP_DANTZIG, LCP_METHODS, HFI_OPTION_MLCP),
    FIELD(mlcp.edges, 'i', 4, 32, NULL, HFI_OPTION_MLCP),
    FIELD(mlcp.fallback, 'i', 0, 1, SWITCHES, HFI_OPTION_MLCP),
    FIELD(mlcp.tikhonov, 'd', 0, 1e6, NULL, HFI_OPTION_MLCP),
    FIELD(mlcp.recovery, 'd', 0, 1, NULL, HFI_OPTION_MLCP),
    FIELD(mlcp.tolerance, 'd', 1e-15, 1, NULL, HFI_OPTION_MLCP),
    FIELD(continuous.newton, 'i', 0, 1, NEWTONS, HFI_OPTION_NEWTON),
    FIELD(continuous.jacobian, 'i', 0, 1, JACOBIANS, HFI_OPTION_NEWTON),
    FIELD(continuous.tals, 'i', 0, 1, SWITCHES, HFI_OPTION_NEWTON),
    FIELD(switching.contact_mode, 'i', 0, HF_CONTACT_MODEL_COMPLIANT, CONTACT_MODES, HFI_OPTION_SWITCHING),
    FIELD(switching.start, 'i', 0, HF_START_PAPER, STARTS, HFI_OPTION_SWITCHING),
    FIELD(switching.return_modes, 'i', 0, HF_RETURN_GROSS, RETURNS, HFI_OPTION_SWITCHING),
    FIELD(switching.integrator, 'i', HF_METHOD_RK3, HF_METHOD_SDIRK, hfi_method_names, HFI_OPTION_SWITCHING),
    FIELD(switching.accuracy, 'd', 1e-14, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.dwell, 'd', 0, 1e3, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.settle, 'd', 0, 1e6, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rank_margin, 'd', 0, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.restitution, 'd', 0, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rest_speed, 'd', 0, 1e3, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.reach, 'd', 1e-9, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.touch, 'd', 1e-12, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.stick_speed, 'd', 1e-12, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.stabilisation, 'd', 0, 1e3, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.eps, 'd', 0, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.mass, 'd', 0, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.time, 'd', 1e-9, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.stiffness, 'd', 1e-9, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.damping, 'd', 1e-9, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.tangential_stiffness, 'd', 0, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.tangential_damping, 'd', 0, 1e9, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.depth, 'd', 1e-12, 1, NULL, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.law, 'i', 0, HF_LAYER_STIFFENING, LAYER_LAWS, HFI_OPTION_SWITCHING),
    FIELD(switching.rigid.layer.tangential_law, 'i', 0, HF_LAYER_STIFFENING, LAYER_LAWS, HFI_OPTION_SWITCHING),
};
enum { FIELD_COUNT = sizeof FIELDS / sizeof *FIELDS };

const char* hf_sim_config_name(int i) { return i >= 0 && i < FIELD_COUNT ? FIELDS[i].name : NULL; }

// Returns the value of a field; whole numbers are converted.
static double read_field(const hfSimConfig* c, const Field* f) {
  const char* address = (const char*)c + f->offset;
  if (f->type == 'd') {
    double x;
    memcpy(&x, address, sizeof x);
    return x;
  }

  int32_t x;
  memcpy(&x, address, sizeof x);
  return x;
}

// The value of a field by its name, or NaN.
double hf_sim_config_get(const hfSimConfig* config, const char* name) {
  for (int i = 0; i < FIELD_COUNT; ++i)
    if (strcmp(FIELDS[i].name, name) == 0) return read_field(config, &FIELDS[i]);
  return NAN;
}

// Writes a value, which the field allows, into a field.
static void write_field(hfSimConfig* c, const Field* f, double value) {
  char* address = (char*)c + f->offset;
  if (f->type == 'd') {
    memcpy(address, &value, sizeof value);
  } else {
    int32_t x = (int32_t)value;
    memcpy(address, &x, sizeof x);
  }
}

// Refuses a value outside of the field's range, or a fraction where a whole number is needed.
static hfStatus check_field(const Field* f, double value, hfError* error) {
  if (value >= f->lo && value <= f->hi && (f->type == 'd' || value == floor(value))) return HF_OK;
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "option %s = %g: allowed is %s%g to %g", f->name,
                    value, f->type == 'i' ? "a whole number, " : "", f->lo, f->hi);
}

// Refuses a configuration in which a field is outside of its range.
hfStatus hfi_config_check(const hfSimConfig* c, hfError* error) {
  for (int i = 0; i < FIELD_COUNT; ++i) {
    hfStatus status = check_field(&FIELDS[i], read_field(c, &FIELDS[i]), error);
    if (status != HF_OK) return status;
  }

  if (c->accuracy > 0 && c->accuracy < LEAST_ACCURACY)
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "accuracy = %g cannot be met: it must be 0 (fixed steps) or at least %g", c->accuracy,
                      LEAST_ACCURACY);
  return HF_OK;
}

// ---- options that cannot act ---------------------------------------------------------------------

// Appends to text the names of the methods with which a group of options acts: "tamsi", "convex" and "mlcp". Returns
// their number.
static int list_methods(unsigned group, char* text, size_t size) {
  int last = -1;
  int count = 0;
  for (int i = 0; i < HFI_METHODS; ++i)
    if (hfi_method_options(i) & group) last = i;

  for (int i = 0; i <= last; ++i) {
    if (!(hfi_method_options(i) & group)) continue;
    size_t used = strlen(text);
    const char* before = i == last ? " and " : ", ";
    snprintf(text + used, size - used, "%s\"%s\"", count++ ? before : "", hfi_method_names[i]);
  }
  return count;
}

// Whether a field asks for something: it has neither its default nor what a sim fills in for it.
static int is_asked_for(const hfSimConfig* c, const hfWorld* w, const Field* f) {
  hfSimConfig plain = hf_sim_config_default();
  double value = read_field(c, f);
  int is_filled_in = f->offset == offsetof(hfSimConfig, sleep_speed) && value == w->sleep_speed;
  return value != read_field(&plain, f) && !is_filled_in;
}

// Refuses a field that asks for something which the steps of c->method do not have.
static hfStatus refuse_idle(const hfSimConfig* c, const Field* f, hfError* error) {
  double value = read_field(c, f);
  char number[32];
  snprintf(number, sizeof number, "%g", value);
  const char* text = f->values ? name_at(f->values, (int)value) : number;

  char methods[256] = "";
  int count = list_methods(f->group, methods, sizeof methods);
  const char* plural = count > 1 ? "s" : "";
  return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                    "option %s = %s cannot act: it belongs to the method%s %s, the method is \"%s\"", f->name, text,
                    plural, methods, hfi_method_names[c->method]);
}

// Refuses options that differ from their defaults although the steps of c->method do not read them, so that nobody
// waits for an effect. w: the scene, whose sleep speed is a default.
hfStatus hfi_config_check_idle(const hfSimConfig* c, const hfWorld* w, hfError* error) {
  const char* method = hfi_method_names[c->method];
  for (int i = 0; i < FIELD_COUNT; ++i)
    // the field belongs to no group of options that the method reads, and it was set
    if (!(FIELDS[i].group & hfi_method_options(c->method)) && is_asked_for(c, w, &FIELDS[i]))
      return refuse_idle(c, &FIELDS[i], error);

  int is_rigid = hfi_method_is(hfi_method_of(c), HFI_COULOMB_FRICTION);
  if (is_rigid && c->friction >= 0 && c->friction != HF_FRICTION_COULOMB)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "option friction = %s cannot act: method \"%s\" has Coulomb's friction",
                      FRICTIONS[c->friction], method);
  if (c->smallest_step != hf_sim_config_default().smallest_step && c->accuracy == 0)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "option smallest_step = %g cannot act: without the option accuracy all steps have one length",
                      c->smallest_step);
  if (hfi_method_rung(c->method) == HF_RUNG_CONVEX && c->solver.first_rung == HF_RUNG_MERIT)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                      "option solver.first_rung = merit cannot act: method \"%s\" has the rung convex alone", method);
  return HF_OK;
}

// Changes the method of a configuration. Options that cannot act with it get their defaults, also those that only the
// old method set.
void hfi_config_change_method(hfSimConfig* c, const hfWorld* w, int method) {
  hfSimConfig plain = hf_sim_config_default();
  int old = c->method < 0 ? w->method : c->method;

  // a sim of the old method set its rung, not the user
  if (hfi_method_rung(old) != HF_RUNG_NONE) c->solver.first_rung = plain.solver.first_rung;

  c->method = method;
  for (int i = 0; i < FIELD_COUNT; ++i)
    if (!(FIELDS[i].group & hfi_method_options(method))) write_field(c, &FIELDS[i], read_field(&plain, &FIELDS[i]));

  const hfiMethod* operations = hfi_method_of(c);
  if (hfi_method_is(operations, HFI_COULOMB_FRICTION) != (c->friction == HF_FRICTION_COULOMB)) c->friction = -1;
  if (c->accuracy == 0) c->smallest_step = plain.smallest_step;
  if (!hfi_method_is(operations, HFI_LETS_SLEEP)) c->sleep = imin2(c->sleep, 0);
}

// ---- setting by name -----------------------------------------------------------------------------

// Reads the value of a field from text: a name of its values, or a number. Returns 0 if it is neither.
static int parse_value(const Field* f, const char* text, double* value) {
  for (int k = 0; f->values && f->values[k]; ++k) {
    if (strcmp(f->values[k], text) != 0) continue;
    *value = k;
    return 1;
  }

  char* end;
  *value = hfi_read_double(text, &end);
  return end != text && *end == 0;
}

// Refuses a text that is not a value of the field, and lists the names of its values.
static hfStatus refuse_text(const Field* f, const char* text, hfError* error) {
  char known[256] = "";
  for (int k = 0; f->values && f->values[k]; ++k) {
    strncat(known, k ? ", " : "; known: ", sizeof known - strlen(known) - 1);
    strncat(known, f->values[k], sizeof known - strlen(known) - 1);
  }
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "option %s: \"%s\" is not a value%s", f->name, text, known);
}

// Sets the option `name` to the value that a text says: a number, or the name of a value. Refuses unknown names and
// values.
hfStatus hf_sim_config_set(hfSimConfig* config, const char* name, const char* text, hfError* error) {
  hfi_clear_error(error);
  for (int i = 0; i < FIELD_COUNT; ++i) {
    const Field* f = &FIELDS[i];
    double value;
    if (strcmp(f->name, name) != 0) continue;
    if (!parse_value(f, text, &value)) return refuse_text(f, text, error);

    hfStatus status = check_field(f, value, error);
    if (status == HF_OK) write_field(config, f, value);
    return status;
  }
  return hfi_refuse(error, HF_ERROR_ARGUMENT, "there is no option \"%s\"", name);
}
