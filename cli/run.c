// holdfast run: simulates a scene, writes the files that the options name, and prints a summary.
#include "run.h"

#include "near.h"
#include "object.h"
#include "outfile.h"
#include <holdfast/actuation.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>

// ---- interruption ----------------------------------------------------------------------------

static volatile sig_atomic_t stop_requested;

// The handler of signals: the run ends after the step that it is in.
static void request_stop(int signal_number) {
  (void)signal_number;
  stop_requested = 1;
}

// Has the signals that ask a program to end set stop_requested.
static void catch_interrupts(void) {
  struct sigaction action = {.sa_handler = request_stop};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  sigaction(SIGXCPU, &action, NULL); // the processor time that a batch system allows is used up
}

// ---- controls --------------------------------------------------------------------------------

// Finds where the controls of the run come from. Returns the exit status.
// Several sources can set a control. The first of these that has a value counts: the file of --controls (table),
// --ctrl, the scene's signals, the keyframe.
static int find_controls(const runArguments* a, const hfModel* model, hfInput* input, hfControlTable** table) {
  if (!a->run.controls) {
    if (!a->start.ctrl && !a->start.keyframe) input->ctrl = NULL; // then the sim takes the scene's signals
    return CLI_GOOD;
  }

  hfError error = {HF_OK, ""};
  if (hf_control_table_read(table, model, a->run.controls, &error) == HF_OK) return CLI_GOOD;

  say_error("%s", error.message);
  return CLI_FAILED;
}

// Part of a step [-] by which a time may miss the end of a step because adding up times rounds.
#define ROUNDING_SLACK 0.01

// Sets the controls of the next step, if they come from a table.
static void set_controls(const hfControlTable* table, const run* r) {
  if (!table) return;
  double time = r->state->time + ROUNDING_SLACK * hf_sim_step_size(r->sim);
  hf_control_table_controls(table, time, r->input->ctrl);
}

// ---- the run ---------------------------------------------------------------------------------

// Adds the work of the integrator in a step; a method of discrete time has none.
static void count_integration(integratorStatistics* s, const hfIntegratorReport* report) {
  if (report->evaluations == 0) return;

  s->smallest_step = s->evaluations ? fmin(s->smallest_step, report->smallest) : report->smallest;
  s->evaluations += report->evaluations;
  s->steps += report->steps;
  s->rejected += report->rejected;
  s->failed += report->failed;
  s->held += report->held;
  s->missed += report->status > 0;
}

// Makes room for one switch more. Returns 0 if there is no memory; the list of switches then ends there.
static int make_room(switchStatistics* s) {
  if (s->count < s->capacity) return 1;

  int capacity = s->capacity ? 2 * s->capacity : 64;
  hfSwitch* more = realloc(s->list, (size_t)capacity * sizeof *more);
  if (!more) return 0;

  s->list = more;
  s->capacity = capacity;
  return 1;
}

// Adds the switches, transitions and impacts of a step, and lists the switches.
static void count_switches(switchStatistics* s, const hfSim* sim, const hfSwitchReport* report) {
  s->transitions += report->nstick + report->nslide + report->nseparate;
  s->impacts += report->nimpact;
  s->rigid_time += report->rigid_time;
  for (int i = 0; i < report->nswitch && make_room(s); ++i) s->list[s->count++] = hf_sim_switch(sim, i);
}

// worst <- the larger of the two. A number that is not finite stays: fmax would hide it.
static void keep_worst(double* worst, double x) {
  if (isfinite(*worst) && !(x <= *worst)) *worst = x;
}

// Counts a step, up to this time [s], in which energy grew without work.
static void count_gain(gainStatistics* s, double time, const hfStepReport* report) {
  if (report->status != HF_GAINED_ENERGY) return;

  if (s->steps == 0) s->time = time;
  ++s->steps;
  s->energy += report->energy_gain;
}

// Keeps the largest violations (worst) at the end of a step, which is at this time [s].
static void keep_violations(worstViolation worst[VIOLATIONS], double time, const hfViolations* v) {
  const hfViolation* const found[VIOLATIONS] = {&v->equality_distance, &v->equality_angle, &v->limit_distance,
                                                &v->limit_angle};

  for (int i = 0; i < VIOLATIONS; ++i) {
    if (found[i]->amount > worst[i].violation.amount) {
      worst[i].violation = *found[i];
      worst[i].time = time;
    }
    worst[i].last = found[i]->amount;
  }
}

// Counts a step, up to this time [s], in which an equality or a limit let go, and keeps the first of them.
static void count_let_go(letGoStatistics* s, double time, const hfStepReport* report) {
  if (!report->nlet_go) return;

  if (s->steps == 0) {
    s->kind = report->let_go_kind;
    s->id = report->let_go;
    s->time = time;
  }
  ++s->steps;
}

// Adds the contacts of a step.
static void count_contacts(contactStatistics* s, const hfStepReport* report) {
  s->sum += report->ncontact;
  if (report->ncontact > s->most) s->most = report->ncontact;
  s->dropped += report->ndropped;
  s->forgetful += report->status == HF_OVERFLOW && report->ndropped == 0;
  keep_worst(&s->max_depth, report->max_depth);
}

// Adds the work of the solver in a step, and keeps how bad its worst solutions are.
static void count_solve(solverStatistics* s, const hfSolveReport* report) {
  ++s->rung[report->rung];
  s->iterations += report->iterations;
  if (report->iterations > s->max_iterations) s->max_iterations = report->iterations;
  s->not_converged += report->status != HF_OK;
  keep_worst(&s->worst_residual, report->residual);
  keep_worst(&s->worst_coupled_residual, report->coupled_residual);
}

// Adds the report of a step, which ends at this time [s], to the statistics.
static void count_step(runStatistics* s, const hfSim* sim, double time, const hfStepReport* report) {
  ++s->steps;
  s->asleep = report->nsleep;
  s->stopped += report->nstopped;

  count_solve(&s->solver, &report->solve);
  count_contacts(&s->contacts, report);
  count_gain(&s->gain, time, report);
  count_let_go(&s->let_go, time, report);
  count_integration(&s->integrator, &report->continuous);
  count_switches(&s->switching, sim, &report->switching);
  keep_violations(s->worst, time, &report->violation);
}

// Overlap [m] from which on contact points jump and stiff forces contradict each other.
static const double DEEP_OVERLAP = 5e-3;

// Advice for a user whose integrator cannot finish a step.
static const char* integration_hint(const run* r, const hfStepReport* report) {
  int method = r->config->method >= 0 ? r->config->method : r->model->world.method;

  if (report->max_depth > DEEP_OVERLAP) return ": bodies overlap deeply, take tamsi or convex";
  if (method == HF_METHOD_RK3) return ": too stiff for rk3, take sdirk, implicit-euler or tamsi";
  return "";
}

// Says why a run ends whose step left the state where it was. Returns CLI_FAILED.
// The same state gives the same answer, so that trying again would never end.
static int stop_standing_still(const run* r, const hfStepReport* report) {
  const char* hint = "; --set mlcp.tikhonov=1e-6 softens rows that depend on each other or contradict, "
                     "--set mlcp.fallback=1 lets the convex problem answer instead";

  say_error("stopped at %g s: the step was not taken (%s), and the same state would give the same answer again%s",
            r->state->time, hf_status_name(report->status), r->config->mlcp.fallback ? "" : hint);
  return CLI_FAILED;
}

// Warns, after the first step, of bodies that overlap where nobody chose how the run begins.
// A scene whose makers meant it to start from a keyframe often overlaps where no keyframe is chosen.
// Links of robots whose files were made for planning often overlap, too, and jam.
static void warn_about_start(const run* r, const hfStepReport* report) {
  const hfModel* m = r->model;
  static const double KEYFRAME_OVERLAP = 1e-3; // [m]; a smaller one is no sign that a keyframe should be chosen
  double worth_saying = m->nkey ? KEYFRAME_OVERLAP : DEEP_OVERLAP; // [m]
  int count = hf_sim_contact_count(r->sim);
  if (!r->started_by_default || !(report->max_depth > worth_saying) || count == 0) return;

  // the two bodies that overlap most
  int deepest = 0;
  for (int i = 0; i < count; ++i)
    if (hf_sim_contact(r->sim, i).depth > hf_sim_contact(r->sim, deepest).depth) deepest = i;
  hfContact c = hf_sim_contact(r->sim, deepest);
  char a[HF_LABEL_SIZE], b[HF_LABEL_SIZE], key[HF_LABEL_SIZE];
  const char* first = hf_model_label(m, HF_OBJECT_BODY, hf_model_geom_body(m)[c.geom_a], a);
  const char* second = hf_model_label(m, HF_OBJECT_BODY, hf_model_geom_body(m)[c.geom_b], b);

  if (m->nkey) {
    int home = hf_model_find(m, HF_OBJECT_KEY, "home");
    say_warning("bodies overlap at the start, %s and %s by %.2g m; try a keyframe of the model: --keyframe %s", first,
                second, c.depth, hf_model_label(m, HF_OBJECT_KEY, home >= 0 ? home : 0, key));
  } else {
    say_warning("bodies overlap at the start, %s and %s by %.2g m; if they are meant to, exclude their contact "
                "(MJCF: exclude, URDF: drake:collision_filter_group)",
                first, second, c.depth);
  }
}

// Steps until the time is up, the user interrupts, a step does not advance, or something is refused.
// Fills the statistics, refused, refused_at_once and interrupted of the run. Returns the exit status.
static int step_through(const runOptions* o, run* r, const hfControlTable* table, outputs* out) {
  runStatistics* s = &r->statistics;
  double end = r->start_time + o->time - ROUNDING_SLACK * hf_sim_step_size(r->sim);
  // a time that rounding loses: one step is made, whose message says so
  int stands = o->time > 0 && r->start_time + o->time == r->start_time;
  hfError error = {HF_OK, ""};

  while ((r->state->time < end || stands) && !stop_requested) {
    hfStepReport report;
    set_controls(table, r);
    double time = r->state->time;
    double before = wall_clock();
    hfStatus status = hf_sim_step(r->sim, r->state, r->input, &report, &error);
    double taken = wall_clock() - before;

    r->refused = status < 0;
    s->stepping += taken;
    step_times_add(&s->times, taken, time);

    if (status >= 0 && report.continuous.status == HF_OK && r->state->time == time)
      return stop_standing_still(r, &report);

    if (status >= 0) {
      if (s->steps == 0)
        warn_about_start(r, &report);
      else
        keep_sunk(r, time, &report);
      count_step(s, r->sim, r->state->time, &report);
      status = write_outputs(r, &report, out, &error);
    }

    if (status < 0) {
      r->refused_at_once = s->steps == 0;
      say_error("stopped at %g s: %s", r->state->time, error.message);
      return CLI_FAILED;
    }

    // an integrator may stop on the way; steps of discrete time always reach their end
    double missing = time + hf_sim_step_size(r->sim) - r->state->time;
    if (report.continuous.status > 0 && missing > ROUNDING_SLACK * hf_sim_step_size(r->sim)) {
      say_error("stopped at %g s: %s; the last step tried was %g s%s", r->state->time,
                hf_status_name(report.continuous.status), report.continuous.last, integration_hint(r, &report));
      return CLI_FAILED;
    }

    show_progress((r->state->time - r->start_time) / o->time, "%.3f of %g s", r->state->time - r->start_time, o->time);
  }

  r->interrupted = stop_requested != 0;
  return CLI_GOOD;
}

// Judges the contacts: a run that dropped some is not the motion of the scene.
// It ends as a failure, with all its files. Returns the exit status.
static int judge_capacity(const run* r) {
  if (r->statistics.contacts.dropped == 0) return CLI_GOOD;

  say_error("%ld contacts found no room and carried no force; make room for more with --set max_contacts=NUMBER",
            r->statistics.contacts.dropped);
  return CLI_FAILED;
}

// Judges the energy: a run in which it came from nowhere is not the motion of the scene. Returns the exit status.
static int judge_energy(const run* r) {
  const runStatistics* s = &r->statistics;
  if (s->gain.steps == 0) return CLI_GOOD;

  say_error("energy grew without work in %ld of %ld steps, first at %g s, by %.3g J in all: "
            "take a shorter step, or look there for parts of the scene that contradict each other",
            s->gain.steps, s->steps, s->gain.time, s->gain.energy);
  return CLI_FAILED;
}

// Judges whether the scene held together: a run in which something came apart is not its motion.
// Returns the exit status.
// Bodies that overlap deeply push apart with the force of their depth, which neither a short step nor mass can carry:
// such robots often have hulls of meshes that are meant to overlap.
static int judge_let_go(const run* r) {
  const runStatistics* s = &r->statistics;
  if (s->let_go.steps == 0) return CLI_GOOD;

  char name[OBJECT_TEXT], advice[160];
  int equality = s->let_go.kind == HF_OBJECT_EQUALITY;
  if (s->contacts.max_depth > DEEP_OVERLAP)
    snprintf(advice, sizeof advice,
             "bodies overlap by up to %.2g m and may force it: those that are meant to overlap must not collide",
             s->contacts.max_depth);
  else
    snprintf(advice, sizeof advice, "take a shorter step, or give the bodies that it %s more mass or armature",
             equality ? "joins" : "holds");

  const char* how = equality ? "it opens though it pulls as hard as it may"
                             : "it is passed further and further though it pushes back";
  say_error("%s %s lets go at %g s: %s, in %ld of %ld steps with any others; %s", what_lets_go(s->let_go.kind),
            describe_object(r->model, s->let_go.kind, s->let_go.id, name), s->let_go.time, how, s->let_go.steps,
            s->steps, advice);
  return CLI_FAILED;
}

// Makes the run with its files, judges it and prints its summary. Returns the exit status of the first trouble; an
// interrupted run has CLI_FAILED.
static int simulate(const runOptions* o, run* r, const hfControlTable* table) {
  outputs out = {0};
  hfError error = {HF_OK, ""};
  hfStatus opened = open_outputs(o, r, &out, &error);
  int status = CLI_GOOD;
  if (opened != HF_OK) {
    say_error("%s", error.message);
    status = exit_status_of(opened);
  } else {
    catch_interrupts();
    double before = wall_clock();
    status = step_through(o, r, table, &out);
    r->statistics.wall = wall_clock() - before;
  }

  // the files
  int closed = CLI_GOOD;
  if (opened != HF_OK || r->refused_at_once)
    discard_outputs(&out);
  else
    closed = close_outputs(r, &out);
  clear_progress();
  if (status == CLI_GOOD) status = closed;
  if (r->interrupted) say_error("interrupted at %g s; the files are complete up to there", r->state->time);

  // is it the motion of the scene?
  if (status == CLI_GOOD) status = judge_capacity(r);
  warn_about_sunk(r);
  if (status == CLI_GOOD) status = judge_energy(r);
  if (status == CLI_GOOD) status = judge_let_go(r);

  // the summary, also of a run that failed
  int printed = CLI_GOOD;
  if (opened == HF_OK) printed = o->json ? print_run_json(r) : print_summary(r);

  if (status != CLI_GOOD) return status;
  return r->interrupted ? CLI_FAILED : printed;
}

// Refuses a step that leaves the last time of the run where it is, and so would never get there.
// Returns the exit status.
static int refuse_step_too_short(const runOptions* o, const hfSim* sim, double start_time) {
  double step = hf_sim_step_size(sim);
  double last = start_time + o->time;
  if (o->time == 0 || last == start_time || last + step != last) return CLI_GOOD;

  say_error("a step of %g s is too short for a run of %g s: it cannot change a time of %g s", step, o->time, last);
  return CLI_MISUSED;
}

// Simulates a model that was read. arguments: the runArguments. Returns the exit status.
static int run_scene(const void* arguments, const hfModel* model) {
  const runArguments* a = arguments;
  start begin;
  hfControlTable* table = NULL;
  hfSim* sim = NULL;
  hfError error = {HF_OK, ""};

  int status = make_start(&a->start, model, &begin);
  if (status == CLI_GOOD) status = find_controls(a, model, begin.input, &table);
  if (status == CLI_GOOD) {
    hfSimConfig config = a->run.config;
    hfStatus created = hf_sim_create(&sim, model, &config, &error);
    if (created < 0) say_error("%s", error.message);
    status = exit_status_of_sim(created);
  }
  if (status == CLI_GOOD) status = refuse_step_too_short(&a->run, sim, begin.state->time);

  if (status == CLI_GOOD) {
    run r = {.scene = a->scene.path,
             .model = model,
             .started_by_default = !a->start.keyframe && !a->start.qpos,
             .sim = sim,
             .state = begin.state,
             .input = begin.input,
             .config = &a->run.config,
             .start_time = begin.state->time};
    status = simulate(&a->run, &r, table);
    free(r.statistics.switching.list);
  }

  hf_sim_free(sim);
  hf_control_table_free(table);
  free_start(&begin);
  return status;
}

// The verb: refuses files that clash or have the ending of another format, and runs the scene. Returns the exit status.
int verb_run(int argc, char** argv) {
  runArguments a;
  parse_arguments(&run_argp, argc, argv, &a);

  const runOptions* o = &a.run;
  const usedFile files[] = {{"the scene", a.scene.path, 0},
                            {"--srdf", a.scene.import.srdf, 0},
                            {"--controls", o->controls, 0},
                            {"--log", o->log, 1},
                            {"--contacts", o->contacts, 1},
                            {"--steps", o->steps, 1},
                            {"--record", o->record, 1},
                            {"--report", o->report, 1}};
  if (refuse_same_file(files, sizeof files / sizeof *files)) return CLI_MISUSED;
  if (refuse_ending("--log", o->log, "csv txt", 0)) return CLI_MISUSED;
  if (refuse_ending("--contacts", o->contacts, "csv txt", 0)) return CLI_MISUSED;
  if (refuse_ending("--steps", o->steps, "csv txt", 0)) return CLI_MISUSED;
  if (refuse_ending("--record", o->record, "rec hfr", 0)) return CLI_MISUSED;
  if (refuse_ending("--report", o->report, "html htm", 1)) return CLI_MISUSED;

  int status = with_scene(&a.scene, run_scene, &a);
  free(a.run.log_bodies);
  return status;
}
