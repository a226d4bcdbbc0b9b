// Parameters that MJCF lacks, in <custom>: <numeric name="hf.stiffness" data="1e5"/> for the world,
// "hf.GEOM.stiffness" for one geom, <text name="hf.method" data="tamsi"/>, signals
// <text name="hf.signal.ACTUATOR" data="sine AMPLITUDE HZ PHASE OFFSET"/>, and drive laws
// <text name="hf.drive" data="constraint"/> for all servos, "hf.drive.ACTUATOR" for one.
//
// m: the document, c: a parameter, d and def: definitions of the builder. KEY is the name of a parameter without "hf.".
#include "io/mjcf/mjcf.h"

#include "model/actuator.h"

#include <holdfast/step_problem.h>
#include <stdlib.h>
#include <string.h>

// Lists a parameter of <custom> whose name begins with "hf.". Others are left to their programs.
void hfi_mjcf_read_custom(hfiMjcf* m, hfiElem* elem) {
  int is_numeric = hfi_is(elem, "numeric");
  if (!is_numeric && !hfi_is(elem, "text")) return;
  const char* name = hfi_attr(elem, "name");
  if (!name || strncmp(name, "hf.", 3) != 0) return;
  elem->used = 1;

  hfiCustom* c = HFI_NEW(m->r, hfiCustom, 1);
  if (!c) return;
  c->key = name + 3;
  c->elem = elem;
  c->text = hfi_require(m->r, elem, "data");

  if (is_numeric) {
    double size = 1;
    hfi_read_real(m->r, elem, "size", &size);
    hfi_read_reals(m->r, elem, "data", 1, 1, &c->value);
    c->text = NULL;
  }

  c->next = m->custom;
  m->custom = c;
}

// Finds the parameter "hf.KEY" and marks it as used. NULL if the file has none.
static hfiCustom* find_custom(hfiMjcf* m, const char* key) {
  for (hfiCustom* c = m->custom; c; c = c->next)
    if (strcmp(c->key, key) == 0) {
      c->used = 1;
      return c;
    }
  return NULL;
}

// Reads the number "hf.KEY", which must be positive, or for some keys may be zero. Returns 0 if the file does not give
// it; *x then stays.
static int find_positive(hfiMjcf* m, const char* key, double* x) {
  hfiCustom* c = find_custom(m, key);
  if (!c) return 0;

  int may_be_zero = strstr(key, "dissipation") || strstr(key, "damping") || strstr(key, "restitution");
  if (c->text)
    hfi_fail(m->r, c->elem, HF_ERROR_PARSE, "hf.%s is a number: use <numeric>", key);
  else if (!(c->value > 0) && !(c->value == 0 && may_be_zero))
    hfi_fail(m->r, c->elem, HF_ERROR_MODEL, "hf.%s must be positive, is %g", key, c->value);

  *x = c->value;
  return 1;
}

// The name that the parameters of this document use for an object: without the prefix that an outer file gives it.
static const char* strip_prefix(const hfiMjcf* m, const char* full) {
  return full ? full + strlen(m->prefix) : NULL;
}

// Sets the contact parameters of a geom that the file gives for it or, where hfWorld has none, for the world.
void hfi_mjcf_contact_parameters(hfiMjcf* m, const char* full_name, hfGeomDef* def) {
  const char* geom = strip_prefix(m, full_name);
  const struct {
    const char* key;
    double* x;
    int has_world_key; // 1: "hf.KEY" holds for every geom; 0: hfWorld has it (hfi_mjcf_set_world)
  } keys[] = {{"stiffness", &def->stiffness, 0},
              {"dissipation", &def->dissipation, 0},
              {"stiction_speed", &def->stiction_speed, 0},
              {"tangential_stiffness", &def->tangential_stiffness, 1},
              {"tangential_damping", &def->tangential_damping, 1},
              {"restitution", &def->restitution, 1},
              {"friction_dynamic", &def->friction_dynamic, 0}};

  for (size_t i = 0; m->custom && i < sizeof keys / sizeof *keys; ++i) {
    int is_given = geom && find_positive(m, hfi_format(m->r, "%s.%s", geom, keys[i].key), keys[i].x);
    if (!is_given && keys[i].has_world_key) find_positive(m, keys[i].key, keys[i].x);
  }
}

// The value of the word that the file gives for `key`, or `fallback` if it gives none. A word that the table lacks is
// refused.
static int read_word(hfiMjcf* m, const char* key, const hfiKeyword* table, int fallback) {
  hfiCustom* c = find_custom(m, key);
  if (!c) return fallback;

  for (const hfiKeyword* k = table; k->word && c->text; ++k)
    if (strcmp(k->word, c->text) == 0) return k->value;

  const char* known = table->word;
  for (const hfiKeyword* k = table + 1; k->word; ++k) known = hfi_format(m->r, "%s, %s", known, k->word);
  const char* given = c->text ? c->text : "a number";
  hfi_fail(m->r, c->elem, HF_ERROR_PARSE, "hf.%s: \"%.40s\" is none of: %s", key, given, known);
  return fallback;
}

const hfiKeyword hfi_mjcf_methods[] = {{"tamsi", HF_METHOD_TAMSI},
                                       {"convex", HF_METHOD_CONVEX},
                                       {"mlcp", HF_METHOD_MLCP},
                                       {"rk3", HF_METHOD_RK3},
                                       {"implicit-euler", HF_METHOD_IMPLICIT_EULER},
                                       {"sdirk", HF_METHOD_SDIRK},
                                       {"switching", HF_METHOD_SWITCHING},
                                       {NULL, 0}};
const hfiKeyword hfi_mjcf_friction_laws[] = {{"regularised", HF_FRICTION_REGULARISED},
                                             {"smooth", HF_FRICTION_SMOOTH},
                                             {"anchored", HF_FRICTION_ANCHORED},
                                             {"coulomb", HF_FRICTION_COULOMB},
                                             {NULL, 0}};
const hfiKeyword hfi_mjcf_friction_rules[] = {{"max", HF_COMBINE_MAX}, {"harmonic", HF_COMBINE_HARMONIC}, {NULL, 0}};
const hfiKeyword hfi_mjcf_drives[] = {{"servo", HF_DRIVE_SERVO},
                                      {"constraint", HF_DRIVE_CONSTRAINT},
                                      {"computed-torque", HF_DRIVE_COMPUTED_TORQUE},
                                      {NULL, 0}};
const hfiKeyword hfi_mjcf_signals[] = {{"constant", HF_SIGNAL_CONSTANT},
                                       {"sine", HF_SIGNAL_SINE},
                                       {"ramp", HF_SIGNAL_RAMP},
                                       {"chirp", HF_SIGNAL_CHIRP},
                                       {"table", HF_SIGNAL_TABLE},
                                       {"cycle", HF_SIGNAL_CYCLE},
                                       {"feedback", HF_SIGNAL_FEEDBACK},
                                       {NULL, 0}};

// Sets the parameters of the builder's world that the file gives: contact, method, friction.
void hfi_mjcf_set_world(hfiMjcf* m) {
  hfWorld* w = hf_builder_world(m->r->builder);
  find_positive(m, "stiffness", &w->stiffness);
  find_positive(m, "dissipation", &w->dissipation);
  find_positive(m, "stiction_speed", &w->stiction_speed);
  find_positive(m, "tangential_ratio", &w->tangential_ratio);
  find_positive(m, "release_speed", &w->release_speed);

  w->method = (hfMethod)read_word(m, "method", hfi_mjcf_methods, w->method);
  // If the file names a method for Holdfast, the integrator is meant for MuJoCo, and nothing is reported.
  if (find_custom(m, "method"))
    for (hfiElem* e = hfi_child(m->root, "option"); e; e = hfi_next(e, "option")) hfi_attr(e, "integrator");

  w->friction = (hfFrictionLaw)read_word(m, "friction", hfi_mjcf_friction_laws, w->friction);
  w->friction_rule = (hfFrictionRule)read_word(m, "friction_rule", hfi_mjcf_friction_rules, w->friction_rule);
}

void hfi_mjcf_report_custom(hfiMjcf* m) {
  for (const hfiCustom* c = m->custom; c; c = c->next)
    if (!c->used)
      hfi_note(m->r, c->elem, HF_WARNING, "hf.%.100s: no such parameter, geom or actuator; not used", c->key);
}

// ---- signals ------------------------------------------------------------------------------------

// Reads the file of "table FILE": rows of time and value, separated by blanks, commas, semicolons or line ends. Returns
// *count numbers, or NULL after a refusal.
static const double* read_table(hfiMjcf* m, const hfiElem* elem, const char* file, int* count) {
  enum { MOST_BYTES = 64 << 20 };
  size_t size = 0;
  const char* path = hfi_resolve(m->r, m->folder, file);
  char* text = hfi_slurp(path, MOST_BYTES, &size, &m->r->scratch);
  if (!text) {
    hfi_keep(m->r, elem, m->r->scratch.status);
    return NULL;
  }

  for (size_t i = 0; i < size; ++i)
    if (text[i] == ',' || text[i] == ';') text[i] = ' ';
  const double* x = hfi_parse_list(m->r, elem, path, text, count);
  free(text);
  if (!m->r->status && (*count < 2 || *count % 2))
    hfi_fail(m->r, elem, HF_ERROR_PARSE, "%s: %d numbers are not rows of time and value", path, *count);
  return x;
}

// Sets the drive law of an actuator that the file gives: for it, or else for all servos.
void hfi_mjcf_read_drive(hfiMjcf* m, const char* full_name, hfActuatorDef* def) {
  const char* actuator = strip_prefix(m, full_name);
  int law = def->drive;
  if (!m->custom) return;

  if (hfi_is_servo(def->gaintype, def->biastype, def->biasprm)) law = read_word(m, "drive", hfi_mjcf_drives, law);
  if (actuator) law = read_word(m, hfi_format(m->r, "drive.%s", actuator), hfi_mjcf_drives, law);
  def->drive = law;
}

// Reads what follows the word "table" or "cycle": t0 y0 t1 y1 …, or the name of a file. Returns *count numbers.
static const double* read_table_signal(hfiMjcf* m, const hfiElem* elem, const char* rest, int* count) {
  rest += strspn(rest, " ");
  char* end = NULL;
  strtod(rest, &end);
  if (end == rest || *end != ' ') return read_table(m, elem, rest, count);

  const double* x = hfi_parse_list(m->r, elem, "data", rest, count);
  if (!m->r->status && *count % 2)
    hfi_fail(m->r, elem, HF_ERROR_PARSE, "%d numbers are not pairs of time and value", *count);
  return x;
}

// Reads what follows the word "feedback": JOINT … T Y Q … V … KP … KD … T Y …: names up to the first number, then rows.
// T: a time; Y: the control without feedback; Q, V, KP, KD: wanted positions, velocities and gains, one for each joint.
// Returns *count numbers: how many joints, their ids, the rows. NULL after a refusal.
static const double* read_feedback(hfiMjcf* m, const hfiElem* elem, const char* rest, int* count) {
  enum { MOST_JOINTS = 256 };
  double joint[MOST_JOINTS];
  int n = 0;
  int numbers = 0;

  // the joints
  rest += strspn(rest, " ");
  while (*rest && !strchr("+-.0123456789", *rest) && n < MOST_JOINTS) {
    int length = (int)strcspn(rest, " ");
    int id = hf_builder_find(m->r->builder, HF_OBJECT_JOINT, hfi_format(m->r, "%s%.*s", m->prefix, length, rest));
    if (id < 0) {
      hfi_fail(m->r, elem, HF_ERROR_MODEL, "feedback: there is no joint \"%.*s\"", length, rest);
      return NULL;
    }
    joint[n] = id;
    ++n;
    rest += length + (int)strspn(rest + length, " ");
  }

  // the rows
  const double* x = hfi_parse_list(m->r, elem, "data", rest, &numbers);
  if (m->r->status) return NULL;
  int columns = 2 + 4 * n;
  if (n == 0 || numbers == 0 || numbers % columns) {
    hfi_fail(m->r, elem, HF_ERROR_PARSE,
             "feedback of %d joints: %d numbers are not rows of %d: t, y, and q, v, kp, kd of each joint", n, numbers,
             columns);
    return NULL;
  }

  double* data = HFI_NEW(m->r, double, 1 + n + numbers);
  if (!data) return NULL;
  data[0] = n;
  memcpy(data + 1, joint, sizeof *data * (size_t)n);
  memcpy(data + 1 + n, x, sizeof *data * (size_t)numbers);
  *count = 1 + n + numbers;
  return data;
}

// Reads the numbers of a constant, sine, ramp or chirp into def->signal_data; those that are not given are zero.
static void read_numbers(hfiMjcf* m, const hfiCustom* c, const hfiKeyword* kind, const char* text, hfActuatorDef* def) {
  static const struct {
    int least, most;
  } counts[] = {{0, 0}, {1, 1}, {2, 4}, {4, 4}, {4, 5}, {0, 0}, {0, 0}, {0, 0}}; // by hfSignalType
  enum { MOST_NUMBERS = 5 }; // the largest `most`
  int count = 0;
  int least = counts[kind->value].least;
  int most = counts[kind->value].most;
  double* x = HFI_NEW(m->r, double, MOST_NUMBERS);
  const double* given = hfi_parse_list(m->r, c->elem, "data", text, &count);

  if (!m->r->status && least == most && count != most)
    hfi_fail(m->r, c->elem, HF_ERROR_PARSE, "%s takes %d numbers, not %d", kind->word, most, count);
  if (!m->r->status && (count < least || count > most))
    hfi_fail(m->r, c->elem, HF_ERROR_PARSE, "%s takes %d to %d numbers, not %d", kind->word, least, most, count);

  if (m->r->status) return;
  memcpy(x, given, (size_t)count * sizeof *x);
  def->signal_data = x;
  def->signal_count = most;
}

// The kind of signal with which the text begins, or NULL.
static const hfiKeyword* find_signal(const char* text) {
  for (const hfiKeyword* k = hfi_mjcf_signals; k->word && text; ++k) {
    size_t length = strlen(k->word);
    if (strncmp(text, k->word, length) == 0 && text[length] == ' ') return k;
  }
  return NULL;
}

// Sets the signal of an actuator, if the file gives one: its type and its numbers.
void hfi_mjcf_read_signal(hfiMjcf* m, const char* full_name, hfActuatorDef* def) {
  const char* actuator = strip_prefix(m, full_name);
  if (!actuator || !m->custom) return;
  const hfiCustom* c = find_custom(m, hfi_format(m->r, "signal.%s", actuator));
  if (!c) return;

  const hfiKeyword* kind = find_signal(c->text);
  if (!kind) {
    hfi_fail(m->r, c->elem, HF_ERROR_PARSE,
             "\"%.40s\" is no signal: constant, sine, ramp, chirp, table, cycle or feedback",
             c->text ? c->text : "a number");
    return;
  }

  const char* rest = c->text + strlen(kind->word);
  def->signal = kind->value;
  if (kind->value == HF_SIGNAL_TABLE || kind->value == HF_SIGNAL_CYCLE)
    def->signal_data = read_table_signal(m, c->elem, rest, &def->signal_count);
  else if (kind->value == HF_SIGNAL_FEEDBACK)
    def->signal_data = read_feedback(m, c->elem, rest, &def->signal_count);
  else
    read_numbers(m, c, kind, rest, def);
}
