// Runs of planned grasps (run.h). Control is sampled at the start of a step and held.
#include "grasp/run.h"

#include <holdfast/record.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

graspOptions grasp_options_default(void) {
  graspOptions o = {HF_CONTACT_MODEL_SWITCHING,
                    HF_START_EQUILIBRIUM,
                    HF_RETURN_GROSS,
                    0,
                    5e-4,
                    1e-3,
                    0.01,
                    0.99,
                    {0},
                    {0},
                    NULL,
                    NULL};
  return o;
}

typedef struct Runner {
  const graspPlan* plan;
  const graspOptions* options;
  graspRun* run;
  hfSim* sim;
  hfState* state;
  hfInput* input;
  hfRecorder* recorder; // NULL: no recording is written
} Runner;

static void close_runner(Runner* w) {
  hfError error = {HF_OK, ""};
  if (w->recorder) hf_recorder_finish(w->recorder, w->sim, w->state, w->input, NULL); // closing it says why it failed
  if (hf_recorder_close(w->recorder, &error) < 0) say_error("%s", error.message);
  hf_sim_free(w->sim);
  hf_state_free(w->state);
  hf_input_free(w->input);
}

hfSimConfig grasp_config(const graspScene* s, const graspOptions* o) {
  hfSimConfig c = hf_sim_config_default();
  c.method = HF_METHOD_SWITCHING;
  c.step = o->step;
  c.switching.contact_mode = o->contacts;
  c.switching.start = o->start;
  c.switching.return_modes = o->return_modes;
  c.switching.rank_margin = 1e-4; // the rigid model is left while its forces are still well determined
  c.switching.settle = o->settle;
  c.switching.rigid.layer.eps = o->eps;
  c.switching.rigid.layer.mass = hf_model_body_mass(s->model)[s->object_body];
  return c;
}

// The plan's state at the beginning. Compliant contacts start with the deformation of the planned forces.
static int begin(Runner* w, graspSetpoint* at) {
  graspScene* s = w->plan->scene;
  const graspOptions* o = w->options;
  double q[GRASP_COORDINATES], gap[GRASP_CONTACTS] = {0};
  if (grasp_plan(w->plan, o->begin, NULL, at) != CLI_GOOD) return CLI_FAILED;
  memcpy(q, at->q, sizeof q);
  if (o->contacts == HF_CONTACT_MODEL_COMPLIANT) {
    double k = hf_model_body_mass(s->model)[s->object_body] / o->eps;
    for (int i = 0; i < s->nc; ++i) gap[i] = -at->effort.force[i] / k;
    if (grasp_reach(s, q, gap) != CLI_GOOD) return CLI_FAILED;
  }
  grasp_configure(s, q);
  double v[GRASP_DOFS];
  for (int k = 0; k < s->no; ++k) v[k] = at->v[k] + o->velocity[k];
  if (!grasp_keep(s, v)) return CLI_FAILED;
  hf_model_integrate(s->model, q, o->offset, 1);
  w->state->time = o->begin;
  memcpy(hf_state_mutable_q(w->state), q, (size_t)s->nq * sizeof *q);
  memcpy(hf_state_mutable_v(w->state), v, (size_t)s->nv * sizeof *v);
  return CLI_GOOD;
}

static int open_runner(Runner* w) {
  hfError error = {HF_OK, ""};
  hfSimConfig config = grasp_config(w->plan->scene, w->options);
  const hfModel* model = grasp_model(w->plan->scene);
  if (hf_sim_create(&w->sim, model, &config, &error) == HF_OK &&
      (w->state = hf_state_create(model)) && (w->input = hf_input_create(model)))
    return CLI_GOOD;
  say_error("grasp: %s", error.message[0] ? error.message : "out of memory");
  return CLI_FAILED;
}

static int open_recording(Runner* w) {
  const graspOptions* o = w->options;
  char path[4096];
  hfError error = {HF_OK, ""};
  if (!o->folder || !o->recording) return CLI_GOOD;
  snprintf(path, sizeof path, "%s/%s", o->folder, o->recording);
  if (hf_recorder_open(&w->recorder, path, grasp_model(w->plan->scene), o->recording, &error) < 0) return say_error("%s", error.message), CLI_FAILED;
  hf_recorder_set_interval(w->recorder, fmin(0.01, (o->end - o->begin) / 50));
  return CLI_GOOD;
}

static double along(hfVec3 a, hfVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Reads the contacts of the last step; tangents are those of the scene's contacts at the new configuration.
static void read_contacts(const Runner* w, graspSample* out) {
  graspScene* s = w->plan->scene;
  grasp_configure(s, out->q);
  grasp_slip(s, out->v, out->slip);
  for (int i = 0; i < s->nc; ++i) out->gap[i] = s->contact[i].gap;
  for (int k = 0; k < hf_sim_contact_count(w->sim); ++k) {
    hfContact c = hf_sim_contact(w->sim, k);
    for (int i = 0; i < s->nc; ++i) {
      double sign = c.geom_a == s->object_geom ? 1 : -1; // forces are on A
      int link = sign > 0 ? c.geom_b : c.geom_a;
      if (link != s->link_geom[i]) continue;
      out->fn[i] += c.fn;
      for (int d = 0; d < 2; ++d) out->ft[i][d] += sign * along(c.ft, s->contact[i].t_W[d]);
    }
  }
}

static void record(Runner* w, const graspSetpoint* at, const hfStepReport* report) {
  const graspScene* s = w->plan->scene;
  graspSample* out = &w->run->sample[w->run->count++];
  memset(out, 0, sizeof *out);
  out->t = w->state->time;
  memcpy(out->q, hf_state_q(w->state), (size_t)s->nq * sizeof *out->q);
  memcpy(out->v, hf_state_v(w->state), (size_t)s->nv * sizeof *out->v);
  memcpy(out->torque, w->input->ctrl, (size_t)s->nf * sizeof *out->torque);
  memcpy(out->planned, at->effort.force, sizeof out->planned);
  hf_model_difference(s->model, at->q, out->q, 1, out->error);
  out->rigid = report->switching.rigid;
  read_contacts(w, out);
  w->run->rigid_time += report->switching.rigid_time;
  w->run->transitions += report->switching.nstick + report->switching.nslide +
                         report->switching.nseparate + report->switching.nimpact;
  w->run->evaluations += (double)report->continuous.evaluations;
  w->run->trouble += report->status > 0;
  const hfRigidProblem* problem = hf_sim_rigid(w->sim);
  w->run->uncertified += report->switching.rigid && problem && !problem->certificate.holds;
  for (int i = 0; i < report->switching.nswitch; ++i, ++w->run->nswitch)
    if (w->run->nswitch < GRASP_SWITCHES)
      w->run->switches[w->run->nswitch] = hf_sim_switch(w->sim, i);
}

static int step(Runner* w, graspSetpoint* at) {
  hfError error = {HF_OK, ""};
  hfStepReport report;
  if (grasp_control(w->plan, at, hf_state_q(w->state), hf_state_v(w->state), w->input->ctrl) !=
      CLI_GOOD)
    return say_error("at %g s: W_N is singular", w->state->time), CLI_FAILED;
  clock_t began = clock();
  hfStatus status = hf_sim_step(w->sim, w->state, w->input, &report, &error);
  w->run->cpu += (double)(clock() - began) / CLOCKS_PER_SEC;
  if (status < 0) {
    say_error("at %g s: %s", w->state->time, error.message);
    return CLI_FAILED;
  }
  if (w->recorder && hf_recorder_add(w->recorder, w->sim, w->state, w->input, &report, &error) < 0) return say_error("%s", error.message), CLI_FAILED;
  graspSetpoint next;
  if (grasp_plan(w->plan, w->state->time, at->q, &next) != CLI_GOOD) return CLI_FAILED;
  *at = next;
  record(w, at, &report);
  return CLI_GOOD;
}

int grasp_run(const graspPlan* plan, const graspOptions* options, graspRun* run) {
  Runner w = {.plan = plan, .options = options, .run = run};
  graspSetpoint at;
  int steps = (int)lround((options->end - options->begin) / options->step), status = CLI_FAILED;
  memset(run, 0, sizeof *run);
  run->sample = calloc((size_t)steps + 1, sizeof *run->sample);
  if (run->sample && open_runner(&w) == CLI_GOOD) status = begin(&w, &at);
  if (status == CLI_GOOD) status = open_recording(&w);
  for (int i = 0; i < steps && status == CLI_GOOD; ++i) {
    status = step(&w, &at);
    show_progress((double)i / steps, "%.3f s", w.state->time);
  }
  clear_progress();
  close_runner(&w);
  return status;
}

void grasp_run_free(graspRun* run) {
  free(run->sample);
  memset(run, 0, sizeof *run);
}

// ---- reading a run ----------------------------------------------------------------------------------

static double member_at(const graspRun* run, const double* member, int i) {
  ptrdiff_t offset = (const char*)member - (const char*)run->sample;
  return *(const double*)((const char*)&run->sample[i] + offset);
}

double* grasp_column(const graspRun* run, const double* member) {
  double* column = malloc((size_t)(run->count > 0 ? run->count : 1) * sizeof *column);
  for (int i = 0; column && i < run->count; ++i) column[i] = member_at(run, member, i);
  return column;
}

double grasp_value_at(const graspRun* run, const double* member, double t) {
  int i = 0;
  while (i + 2 < run->count && run->sample[i + 1].t < t) ++i;
  if (run->count < 2) return NAN;
  double u = (t - run->sample[i].t) / (run->sample[i + 1].t - run->sample[i].t);
  return (1 - u) * member_at(run, member, i) + u * member_at(run, member, i + 1);
}

double grasp_difference(const graspRun* a, const graspRun* b, const double* member, double from,
                        double to) {
  ptrdiff_t offset = (const char*)member - (const char*)a->sample;
  const double* other = (const double*)((const char*)b->sample + offset);
  double worst = 0;
  for (int i = 0; i < a->count; ++i) {
    double t = a->sample[i].t;
    if (t < from || t > to) continue;
    worst = fmax(worst, fabs(member_at(a, member, i) - grasp_value_at(b, other, t)));
  }
  return worst;
}

// Largest change of n numbers.
static double change_of(const double* before, const double* after, int n) {
  double change = 0;
  for (int k = 0; k < n; ++k) change = fmax(change, fabs(after[k] - before[k]));
  return change;
}

// Largest changes of coordinates and of velocities over a step, of all steps within NEAR of a switch.
typedef struct StepChange { double q, v; } StepChange;

static StepChange change_near_switches(const graspRun* run) {
  static const double NEAR = 3e-3; // [s]
  StepChange most = {0, 0};
  for (int i = 1; i < run->count; ++i) {
    const graspSample *a = &run->sample[i - 1], *b = &run->sample[i];
    int near = 0;
    for (int w = 0; w < run->nswitch && w < GRASP_SWITCHES; ++w) near |= fabs(b->t - run->switches[w].time) <= NEAR;
    if (!near) continue;
    most.q = fmax(most.q, change_of(a->q, b->q, GRASP_COORDINATES));
    most.v = fmax(most.v, change_of(a->v, b->v, GRASP_DOFS));
  }
  return most;
}

int grasp_measure_jump(const graspPlan* plan, const graspOptions* options, const graspRun* run, double* jump) {
  graspRun fine = {0};
  graspOptions o = *options;
  o.step *= 0.25, o.folder = NULL, o.recording = NULL;
  int status = grasp_run(plan, &o, &fine);
  StepChange coarse = change_near_switches(run), less = change_near_switches(&fine);
  *jump = fine.nswitch == run->nswitch ? fmax(less.q / coarse.q, less.v / coarse.v) : INFINITY;
  grasp_run_free(&fine);
  return status;
}

void grasp_note_switches(result* r, const char* name, const graspRun* run) {
  for (int i = 0; i < run->nswitch && i < GRASP_SWITCHES; ++i) {
    const hfSwitch* s = &run->switches[i];
    char starts[96] = "";
    if (!s->rigid)
      snprintf(starts, sizeof starts, " (equilibrium start %.1e, paper's start %.1e)",
               s->df_equilibrium, s->df_paper);
    result_note(r, "  %s: %.6f s to %s (%s), force jump %.1e N%s", name,
                s->time, s->rigid ? "rigid" : "compliant", hf_switch_reason_name(s->reason), s->df,
                starts);
  }
  if (run->nswitch > GRASP_SWITCHES) result_note(r, "  %s: %d switches in all", name, run->nswitch);
}

void grasp_write(const graspScene* s, const graspRun* run, result* r, const char* file) {
  FILE* out = result_open(r, file);
  if (!out) return;
  fprintf(out, "t,rigid");
  for (int k = 0; k < s->nq; ++k) fprintf(out, ",q%d", k + 1);
  for (int k = 0; k < s->nv; ++k) fprintf(out, ",v%d", k + 1);
  for (int k = 0; k < s->nf; ++k) fprintf(out, ",tau%d", k + 1);
  for (int i = 0; i < s->nc; ++i)
    fprintf(out, ",fn%d,ft%da,ft%db,slip%da,slip%db,gap%d,planned%d", i + 1, i + 1, i + 1, i + 1,
            i + 1, i + 1, i + 1);
  fprintf(out, "\n");
  for (int k = 0; k < run->count; ++k) {
    const graspSample* p = &run->sample[k];
    fprintf(out, "%.9g,%g", p->t, p->rigid);
    for (int i = 0; i < s->nq; ++i) fprintf(out, ",%.12g", p->q[i]);
    for (int i = 0; i < s->nv; ++i) fprintf(out, ",%.12g", p->v[i]);
    for (int i = 0; i < s->nf; ++i) fprintf(out, ",%.9g", p->torque[i]);
    for (int i = 0; i < s->nc; ++i)
      fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", p->fn[i], p->ft[i][0], p->ft[i][1],
              p->slip[i][0], p->slip[i][1], p->gap[i], p->planned[i]);
    fprintf(out, "\n");
  }
  result_close(r, out);
}
