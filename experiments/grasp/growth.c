// How an offset of the object grows (growth.h). A layer of stiffness k and damping c at the contacts obeys
//
//   delta'' = -A (k delta + c delta'),   for an eigenvalue a < 0 of A:  s = (-a c + sqrt(a^2 c^2 - 4 a k))/2 > 0
//
// This holds while the same contacts press and slide.
#include "grasp/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double gap_difference(const graspScene* s, const graspSample* a, const graspSample* b) {
  double sum = 0;
  for (int i = 0; i < s->nc; ++i) sum += (a->gap[i] - b->gap[i]) * (a->gap[i] - b->gap[i]);
  return sqrt(sum);
}

static int sample_at(const graspRun* run, double t) {
  int i = 0;
  while (i + 1 < run->count && run->sample[i].t < t - 1e-9) ++i;
  return i;
}

// integral[i] is the integral of the layer's growth rate from the first sample to sample i.
static int integrate_rate(const graspPlan* plan, double eps, const graspRun* run,
                          double* integral) {
  graspSetpoint at = {0};
  double last = 0;
  for (int i = 0; i < run->count; ++i) {
    graspSetpoint here;
    if (grasp_plan(plan, run->sample[i].t, i ? at.q : NULL, &here) != CLI_GOOD) return CLI_FAILED;
    at = here;
    double rate = fmax(0, grasp_layer_rate(plan->scene, &at, eps));
    integral[i] =
        i ? integral[i - 1] + 0.5 * (rate + last) * (run->sample[i].t - run->sample[i - 1].t) : 0;
    last = rate;
  }
  return CLI_GOOD;
}

static void draw_growth(const graspScene* s, const graspRun* run, const double* integral, result* r,
                        const char* file, graspGrowth* g) {
  int n = run[0].count < run[1].count ? run[0].count : run[1].count,
      from = sample_at(&run[0], g->from), to = sample_at(&run[0], g->to);
  double *t = malloc(3 * (size_t)n * sizeof *t), *seen = t + n, *theory = t + 2 * n;
  if (!t) return;
  for (int i = 0; i < n; ++i) {
    t[i] = run[0].sample[i].t;
    seen[i] = gap_difference(s, &run[0].sample[i], &run[1].sample[i]);
  }
  for (int i = 0; i < n; ++i) theory[i] = seen[from] * exp(integral[i] - integral[from]);
  g->measured = log(seen[to] / seen[from]) / (t[to] - t[from]);
  g->theory = (integral[to] - integral[from]) / (t[to] - t[from]);
  g->factor = seen[to] / seen[0];
  figure f = {.title = "Growth of a small lateral offset",
              .xlabel = "time [s]",
              .ylabel = "difference of the gaps [m]",
              .ylog = 1};
  figure_add(&f, "run", n, t, seen, FIGURE_LINE);
  figure_add(&f, "boundary layer", n, t, theory, FIGURE_DASHED);
  figure_write(&f, r, file);
  free(t);
}

int grasp_measure_growth(const graspPlan* plan, const graspOptions* options, result* r,
                         const char* file, graspGrowth* growth) {
  graspRun run[2] = {{0}};
  graspOptions o = *options;
  o.contacts = HF_CONTACT_MODEL_COMPLIANT;
  int status = grasp_run(plan, &o, &run[0]);
  memset(o.offset, 0, sizeof o.offset);
  if (status == CLI_GOOD) status = grasp_run(plan, &o, &run[1]);
  double* integral = malloc((size_t)(run[0].count + 1) * sizeof *integral);
  if (!integral) status = CLI_FAILED;
  if (status == CLI_GOOD) status = integrate_rate(plan, o.eps, &run[0], integral);
  if (status == CLI_GOOD) draw_growth(plan->scene, run, integral, r, file, growth);
  free(integral);
  for (int k = 0; k < 2; ++k) grasp_run_free(&run[k]);
  return status;
}
