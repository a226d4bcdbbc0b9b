// The result of a run as text, as JSON, and as the table of the HTML report.
#include "body_pairs.h"
#include "json.h"
#include "object.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char* const rung_names[] = {"none", "tamsi", "merit", "convex"};

// The hfMethod of the run.
static int method_number(const run* r) {
  return r->config->method >= 0 ? r->config->method : r->model->world.method;
}

// The name of the method of the run.
static const char* method_of(const run* r) {
  return hf_method_name(method_number(r));
}

// The law of friction that acts; methods whose contacts are rigid have Coulomb's.
static const char* friction_of(const run* r) {
  int rigid = method_number(r) == HF_METHOD_MLCP || method_number(r) == HF_METHOD_SWITCHING;
  if (rigid) return hf_friction_name(HF_FRICTION_COULOMB);

  return hf_friction_name(r->config->friction >= 0 ? r->config->friction : r->model->world.friction);
}

// The time [s] that the motion took.
static double simulated_time(const run* r) {
  return r->state->time - r->start_time;
}

// Simulated time over the time of the steps [-].
static double real_time_factor(const run* r) {
  return simulated_time(r) / r->statistics.stepping;
}

// The mean of numbers with this sum; 0: there are none.
static double mean(long sum, long count) {
  return count > 0 ? (double)sum / (double)count : 0;
}

// ---- lines of text ---------------------------------------------------------------------------

enum { LINES = 24, LINE_SIZE = 256 };

typedef struct summary {
  const char* name[LINES];
  char value[LINES][LINE_SIZE];
  int count;
} summary;

// Adds a line to the summary *s: its label, and a text formatted as by printf.
#define ADD(s, label, ...)                                                                         \
  ((s)->name[(s)->count] = (label), snprintf((s)->value[(s)->count++], LINE_SIZE, __VA_ARGS__))

// Names the rungs of the solver that answered, each with its number of steps.
static void describe_rungs(const runStatistics* s, char* text, size_t size) {
  size_t used = 0;
  text[0] = '\0';

  for (int i = 0; i <= HF_RUNG_CONVEX && used < size; ++i) {
    if (s->solver.rung[i] == 0) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s %ld", used ? ", " : "", rung_names[i], s->solver.rung[i]);
  }
}

// Adds the lines of the solver of discrete time.
static void add_solver(summary* m, const runStatistics* s) {
  char rungs[LINE_SIZE];
  describe_rungs(s, rungs, sizeof rungs);

  ADD(m, "rungs (steps)", "%s", rungs);
  ADD(m, "worst residual", "%.2g, of the coupled problem %.2g (relative)", s->solver.worst_residual,
      s->solver.worst_coupled_residual);
}

// Adds the lines of the integrator of continuous time. steps: of the sim.
static void add_integrator(summary* m, const integratorStatistics* s, long steps) {
  ADD(m, "integrator", "%ld steps inside, the smallest %.3g s; %ld rejected for their error, %ld failed", s->steps,
      s->smallest_step, s->rejected, s->failed);

  if (s->held > 0)
    ADD(m, "held",
        "%ld of the steps inside, with the contacts of their start: contact points jumped, "
        "and no shorter step had a solution",
        s->held);
  if (s->missed > 0)
    ADD(m, "accuracy",
        "missed in %ld steps: the shortest step was not short enough, as where a joint meets its limit", s->missed);

  ADD(m, "evaluations", "%ld, %.3g a step", s->evaluations, mean(s->evaluations, steps));
}

// Adds the line of the method switching.
static void add_switching(summary* m, const run* r) {
  const switchStatistics* s = &r->statistics.switching;
  double time = simulated_time(r);
  double percent = time > 0 ? 100 * s->rigid_time / time : 0;
  ADD(m, "rigid", "%.4g s of %.4g s (%.1f %%); %d switches, %ld transitions, %ld impacts", s->rigid_time, time, percent,
      s->count, s->transitions, s->impacts);
}

// Describes the largest violations of two kinds, lengths and angles. Returns 0 where there are none.
static int describe_violations(const run* r, const worstViolation two[2], char* text, size_t size) {
  static const char* const units[2] = {"m", "rad"};
  size_t used = 0;
  for (int i = 0; i < 2; ++i) {
    const worstViolation* worst = &two[i];
    const hfViolation* v = &worst->violation;
    if (!(v->amount > 0) || used >= size) continue;

    char name[OBJECT_TEXT];
    used += (size_t)snprintf(text + used, size - used, "%s%.3g %s (%s %s, at %g s; %.3g in the last step)",
                             used ? ", " : "", v->amount, units[i], hf_object_kind_name(v->kind),
                             describe_object(r->model, v->kind, v->id, name), worst->time, worst->last);
  }

  return used > 0;
}

// What an object of a kind is called where it lets go.
const char* what_lets_go(hfObjectKind kind) {
  if (kind == HF_OBJECT_EQUALITY) return "equality";
  return kind == HF_OBJECT_JOINT ? "limit of joint" : "limit of tendon";
}

// Adds how far equalities and limits gave way, where they did.
static void add_violations(summary* m, const run* r) {
  const worstViolation* worst = r->statistics.worst; // those of equalities, then those of limits
  char text[LINE_SIZE - 20];                         // so that the words before it fit in the line

  if (describe_violations(r, worst, text, sizeof text)) ADD(m, "equalities", "off by up to %s", text);
  if (describe_violations(r, worst + 2, text, sizeof text)) ADD(m, "limits", "passed by up to %s", text);
}

// Adds a line for each trouble that the run had.
static void add_troubles(summary* m, const run* r) {
  const runStatistics* s = &r->statistics;
  if (s->solver.not_converged > 0) ADD(m, "not converged", "%ld steps missed the tolerance", s->solver.not_converged);

  if (s->gain.steps > 0)
    ADD(m, "gained energy", "%.3g J that no work explains in %ld steps, first at %g s", s->gain.energy, s->gain.steps,
        s->gain.time);

  if (s->let_go.steps > 0) {
    char name[OBJECT_TEXT];
    ADD(m, "let go", "%s %s first, at %g s; in %ld steps in all", what_lets_go(s->let_go.kind),
        describe_object(r->model, s->let_go.kind, s->let_go.id, name), s->let_go.time, s->let_go.steps);
  }

  if (s->contacts.dropped > 0)
    ADD(m, "dropped", "%ld contacts beyond the capacity; see max_contacts", s->contacts.dropped);
  if (s->contacts.forgetful > 0)
    ADD(m, "forgotten",
        "friction of contacts that a state has no room to remember, in %ld steps: it begins anew in the next one",
        s->contacts.forgetful);
}

// The lines of the summary, each a name and a text. The names are constants, which live as long as the program.
static summary summarise(const run* r) {
  const runStatistics* s = &r->statistics;
  summary m = {.count = 0};
  ADD(&m, "scene", "%s", r->scene);
  ADD(&m, "method", "%s, %s friction, step %g s", method_of(r), friction_of(r), hf_sim_step_size(r->sim));
  ADD(&m, "simulated", "%g s in %ld steps%s", simulated_time(r), s->steps, r->interrupted ? " (interrupted)" : "");
  if (s->steps == 0) return m;

  // times
  double middle = step_times_median(&s->times);
  ADD(&m, "wall time", "%.4g s, of it %.4g s stepping: %.3g us a step, %.3g times real time", s->wall, s->stepping,
      1e6 * s->stepping / (double)s->steps, real_time_factor(r));
  ADD(&m, "longest step", "%.3g ms, %.3g times the median of %.3g us, at %g s", 1e3 * s->times.longest,
      s->times.longest / middle, 1e6 * middle, s->times.at);

  // what the steps did
  ADD(&m, "iterations", "%ld, %.3g a step, at most %d", s->solver.iterations, mean(s->solver.iterations, s->steps),
      s->solver.max_iterations);
  ADD(&m, "contacts", "%.3g a step, at most %d; deepest overlap %.3g m", mean(s->contacts.sum, s->steps),
      s->contacts.most, s->contacts.max_depth);
  if (s->asleep) ADD(&m, "asleep", "%d trees at the end; their contacts are not listed", s->asleep);
  if (s->stopped)
    ADD(&m, "stopped", "%ld times a body within a step, which would have passed through another", s->stopped);
  add_violations(&m, r);

  if (s->integrator.evaluations > 0)
    add_integrator(&m, &s->integrator, s->steps);
  else
    add_solver(&m, s);
  if (method_number(r) == HF_METHOD_SWITCHING) add_switching(&m, r);
  add_troubles(&m, r);
  return m;
}

// ---- text --------------------------------------------------------------------------------------

// Prints position and velocity of a joint, with their units.
static void print_joint(const run* r, int j) {
  const hfModel* m = r->model;
  hfJointInfo joint = hf_joint_info(hf_model_jnt_type(m)[j]);
  const double* q = hf_state_q(r->state) + hf_model_jnt_qposadr(m)[j];
  const double* v = hf_state_v(r->state) + hf_model_jnt_dofadr(m)[j];
  char buffer[HF_LABEL_SIZE];

  printf("  %-20s %-5s ", hf_model_label(m, HF_OBJECT_JOINT, j, buffer), joint.name);
  for (int i = 0; i < joint.nq; ++i) printf(" %.6g", q[i]);
  printf(" ;");
  for (int i = 0; i < joint.nv; ++i) printf(" %.6g", v[i]);
  printf("  [%s]\n", joint.units);
}

// Prints the final state of the first joints.
static void print_state(const run* r) {
  enum { SHOWN = 24 }; // joints at most
  int count = r->model->njnt;
  printf("\nFinal state at %g s (position; velocity):\n", r->state->time);

  for (int j = 0; j < count && j < SHOWN; ++j) print_joint(r, j);

  if (count > SHOWN) printf("  … and %d joints more (--json or --log has them)\n", count - SHOWN);
}

// |a|
static double length(hfVec3 a) {
  return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// Prints the forces between pairs of bodies in the last step.
static void print_pairs(const run* r) {
  int count;
  bodyPair* pairs = r->statistics.steps ? find_body_pairs(r->sim, &count) : NULL;
  if (!pairs) return;

  printf("\nContact forces of the last step:\n");
  for (int i = 0; i < count; ++i) {
    const bodyPair* p = &pairs[i];
    char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE];
    printf("  %s on %s: normal %.6g N, friction %.6g N, %d contacts, %d stick\n",
           hf_model_label(r->model, HF_OBJECT_BODY, p->body_b, b),
           hf_model_label(r->model, HF_OBJECT_BODY, p->body_a, a), length(p->normal), length(p->friction), p->contacts,
           p->stick);
  }
  free(pairs);
}

// Prints the first switches between the models of contact.
static void print_switches(const run* r) {
  enum { SHOWN = 20 }; // switches at most
  const runStatistics* s = &r->statistics;
  if (s->switching.count) printf("\nSwitches:\n");

  for (int i = 0; i < s->switching.count && i < SHOWN; ++i) {
    const hfSwitch* w = &s->switching.list[i];
    printf("  %.6f s to %s: %s; force jump %.3g N", w->time, w->rigid ? "rigid" : "compliant",
           hf_switch_reason_name(w->reason), w->df);
    if (!w->rigid) printf(" (start in equilibrium %.3g, the paper's %.3g)", w->df_equilibrium, w->df_paper);
    printf("\n");
  }

  if (s->switching.count > SHOWN) printf("  … and %d more (--json has them)\n", s->switching.count - SHOWN);
}

// Prints the result as text.
int print_summary(const run* r) {
  summary m = summarise(r);
  for (int i = 0; i < m.count; ++i) printf("%-15s %s\n", m.name[i], m.value[i]);

  print_switches(r);
  print_pairs(r);
  print_state(r);
  return CLI_GOOD;
}

// ---- the HTML report -------------------------------------------------------------------------

// Sets the lines of a report to those of the summary, to whose text they point. Returns how many.
static int report_lines(const summary* m, hfReportLine* lines) {
  for (int i = 0; i < m->count; ++i) lines[i] = (hfReportLine){m->name[i], m->value[i]};
  return m->count;
}

// Completes the HTML report with the summary. Returns the exit status.
int close_report(const run* r, hfReport* report) {
  summary m = summarise(r);
  hfReportLine lines[LINES];
  hfError error = {HF_OK, ""};
  int count = report_lines(&m, lines);

  if (hf_report_close(report, r->scene, lines, count, &error) == HF_OK) return CLI_GOOD;
  say_error("%s", error.message);
  return CLI_FAILED;
}

// Writes the summary into the recording.
hfStatus record_figures(const run* r, hfRecorder* recorder, hfError* error) {
  summary m = summarise(r);
  hfReportLine lines[LINES];
  int count = report_lines(&m, lines);
  return hf_recorder_figures(recorder, lines, count, error);
}

// ---- JSON --------------------------------------------------------------------------------------

// The contact forces of a pair of bodies.
static json_t* pair_json(const run* r, const bodyPair* p) {
  char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE];
  json_t* o = json_object();
  json_object_set_new(o, "body_a", json_string(hf_model_label(r->model, HF_OBJECT_BODY, p->body_a, a)));
  json_object_set_new(o, "body_b", json_string(hf_model_label(r->model, HF_OBJECT_BODY, p->body_b, b)));

  json_object_set_new(o, "contacts", json_integer(p->contacts));
  json_object_set_new(o, "stick", json_integer(p->stick));
  json_object_set_new(o, "normal", json_vec3(p->normal));
  json_object_set_new(o, "friction", json_vec3(p->friction));
  return o;
}

// The pairs of bodies that touch in the last step.
static json_t* pairs_json(const run* r) {
  json_t* array = json_array();
  int count;
  bodyPair* pairs = find_body_pairs(r->sim, &count);

  for (int i = 0; i < count; ++i) json_array_append_new(array, pair_json(r, &pairs[i]));

  free(pairs);
  return array;
}

// The final state and, if there was a step, the forces of the last one.
static json_t* final_json(const run* r) {
  const hfModel* m = r->model;
  json_t* o = json_object();

  json_object_set_new(o, "time", json_number(r->state->time));
  json_object_set_new(o, "qpos", json_numbers(hf_state_q(r->state), m->nq));
  json_object_set_new(o, "qvel", json_numbers(hf_state_v(r->state), m->nv));
  json_object_set_new(o, "act", json_numbers(hf_state_act(r->state), m->na));
  if (r->statistics.steps == 0) return o;

  json_object_set_new(o, "ctrl", json_numbers(hf_sim_ctrl(r->sim), m->nu));
  json_object_set_new(o, "actuator_force", json_numbers(hf_sim_actuator_force(r->sim), m->nu));
  json_object_set_new(o, "sensors", json_sensors(r->sim, m));
  json_object_set_new(o, "contacts", json_contacts(r->sim, m));
  json_object_set_new(o, "pairs", pairs_json(r));
  return o;
}

// A JSON object of the largest violations of equalities and limits [m or rad]: `amount` of the whole run, `last` of its
// last step, and where there was one the object that violated most, and when.
static json_t* violations_json(const run* r) {
  static const char* const kinds[VIOLATIONS] = {"equality_distance", "equality_angle", "limit_distance", "limit_angle"};
  json_t* o = json_object();

  for (int i = 0; i < VIOLATIONS; ++i) {
    const worstViolation* w = &r->statistics.worst[i];
    const hfViolation* v = &w->violation;
    json_t* kind = json_object();
    json_object_set_new(kind, "amount", json_number(v->amount));
    json_object_set_new(kind, "last", json_number(w->last));

    if (v->amount > 0) {
      char name[HF_LABEL_SIZE];
      json_object_set_new(kind, "kind", json_string(hf_object_kind_name(v->kind)));
      json_object_set_new(kind, "name", json_string(hf_model_label(r->model, v->kind, v->id, name)));
      json_object_set_new(kind, "time", json_number(w->time));
    }

    json_object_set_new(o, kinds[i], kind);
  }
  return o;
}

// The first equality or limit that let go, and when.
static json_t* let_go_json(const run* r) {
  const runStatistics* s = &r->statistics;
  char name[HF_LABEL_SIZE];
  json_t* o = json_object();

  if (s->let_go.steps == 0) return o;

  json_object_set_new(o, "kind", json_string(hf_object_kind_name(s->let_go.kind)));
  json_object_set_new(o, "name", json_string(hf_model_label(r->model, s->let_go.kind, s->let_go.id, name)));
  json_object_set_new(o, "time", json_number(s->let_go.time));
  return o;
}

// The work of the integrator of continuous time.
static json_t* integrator_json(const integratorStatistics* s) {
  json_t* o = json_object();
  json_object_set_new(o, "evaluations", json_integer(s->evaluations));
  json_object_set_new(o, "steps", json_integer(s->steps));
  json_object_set_new(o, "rejected", json_integer(s->rejected));
  json_object_set_new(o, "failed", json_integer(s->failed));

  json_object_set_new(o, "held", json_integer(s->held));
  json_object_set_new(o, "smallest_step", json_number(s->smallest_step));
  json_object_set_new(o, "missed", json_integer(s->missed));
  return o;
}

// Sets members of a JSON object from the statistics of the run, in SI units.
static void set_statistics(json_t* o, const run* r) {
  const runStatistics* s = &r->statistics;
  json_object_set_new(o, "wall_time", json_number(s->wall));
  json_object_set_new(o, "stepping_time", json_number(s->stepping));
  json_object_set_new(o, "longest_step", json_number(s->times.longest));
  json_object_set_new(o, "median_step", json_number(step_times_median(&s->times)));
  json_object_set_new(o, "gained_energy", json_number(s->gain.energy));
  json_object_set_new(o, "steps_gaining_energy", json_integer(s->gain.steps));
  json_object_set_new(o, "real_time_factor", json_number(real_time_factor(r)));

  // the solver
  json_t* rungs = json_object();
  for (int i = 0; i <= HF_RUNG_CONVEX; ++i) json_object_set_new(rungs, rung_names[i], json_integer(s->solver.rung[i]));
  json_object_set_new(o, "rungs", rungs);
  json_object_set_new(o, "iterations", json_integer(s->solver.iterations));
  json_object_set_new(o, "max_iterations", json_integer(s->solver.max_iterations));

  // contacts
  json_object_set_new(o, "mean_contacts", json_number(mean(s->contacts.sum, s->steps)));
  json_object_set_new(o, "max_contacts", json_integer(s->contacts.most));
  json_object_set_new(o, "asleep", json_integer(s->asleep));
  json_object_set_new(o, "stopped", json_integer(s->stopped));
  json_object_set_new(o, "dropped_contacts", json_integer(s->contacts.dropped));
  json_object_set_new(o, "steps_forgetting_friction", json_integer(s->contacts.forgetful));

  // how good the solutions are
  json_object_set_new(o, "not_converged", json_integer(s->solver.not_converged));
  json_object_set_new(o, "worst_residual", json_number(s->solver.worst_residual));
  json_object_set_new(o, "worst_coupled_residual", json_number(s->solver.worst_coupled_residual));
  json_object_set_new(o, "max_depth", json_number(s->contacts.max_depth));
  json_object_set_new(o, "violation", violations_json(r));
  json_object_set_new(o, "steps_letting_go", json_integer(s->let_go.steps));
  json_object_set_new(o, "let_go", let_go_json(r));
  if (s->integrator.evaluations > 0) json_object_set_new(o, "integrator", integrator_json(&s->integrator));
}

// A switch between the models of contact, with the margins of its certificate.
static json_t* switch_json(const hfSwitch* w) {
  json_t* o = json_object();
  json_object_set_new(o, "time", json_number(w->time));
  json_object_set_new(o, "to", json_string(w->rigid ? "rigid" : "compliant"));
  json_object_set_new(o, "reason", json_string(hf_switch_reason_name(w->reason)));

  json_object_set_new(o, "df", json_number(w->df));
  json_object_set_new(o, "df_equilibrium", json_number(w->df_equilibrium));
  json_object_set_new(o, "df_paper", json_number(w->df_paper));

  json_object_set_new(o, "p_margin", json_number(w->certificate.p_margin));
  json_object_set_new(o, "rank_margin", json_number(w->certificate.rank_margin));
  json_object_set_new(o, "abscissa", json_number(w->certificate.abscissa));
  return o;
}

// What the method switching did.
static json_t* switching_json(const run* r) {
  const runStatistics* s = &r->statistics;
  json_t* list = json_array();
  for (int i = 0; i < s->switching.count; ++i) json_array_append_new(list, switch_json(&s->switching.list[i]));

  double time = simulated_time(r);

  json_t* o = json_object();
  json_object_set_new(o, "rigid_time", json_number(s->switching.rigid_time));
  json_object_set_new(o, "rigid_fraction", json_number(time > 0 ? s->switching.rigid_time / time : 0));
  json_object_set_new(o, "transitions", json_integer(s->switching.transitions));
  json_object_set_new(o, "impacts", json_integer(s->switching.impacts));
  json_object_set_new(o, "switches", list);
  return o;
}

// Prints the result as JSON. Returns the exit status.
int print_run_json(const run* r) {
  json_t* o = json_object();

  json_object_set_new(o, "scene", json_text(r->scene));
  json_object_set_new(o, "method", json_string(method_of(r)));
  json_object_set_new(o, "friction", json_string(friction_of(r)));
  json_object_set_new(o, "step", json_number(hf_sim_step_size(r->sim)));
  json_object_set_new(o, "steps", json_integer(r->statistics.steps));
  json_object_set_new(o, "time", json_number(simulated_time(r)));
  json_object_set_new(o, "interrupted", json_boolean(r->interrupted));

  set_statistics(o, r);
  if (method_number(r) == HF_METHOD_SWITCHING) json_object_set_new(o, "switching", switching_json(r));
  json_object_set_new(o, "final", final_json(r));
  return print_json(o);
}
