// experiment tamsi-one-way: what freezing the normal force costs (TAMSI paper, section V-A).
//
// The one-way scheme, semi-implicit Euler, takes normal forces from the start of the step. A box of
// mass m that rests on n points, K = n k, then moves about its resting depth by
//
//   v1 = v0 - h (K/m) x0 - h g d v0,   x1 = x0 + h v1
//
// (the dissipation d damps with c = m g d at rest), whose eigenvalues lie in the unit disc while
//
//   (h w)^2 + 2 h g d < 4,   w = sqrt(K/m)
//
// With implicit normal forces and no friction (Eq. 18 to 20) and d = 0 the same box moves by implicit Euler,
//
//   v1 = v0 - h w^2 x1,   x1 = x0 + h v1:   |x + i v/w| shrinks by 1/sqrt(1 + (h w)^2) a step, for every h w
//
//   box      K is swept at fixed h; the limit is found by bisection and compared with the first closed form, and
//            the decay without friction with the second
//   gripper  the gripper that shakes a mug, over h: deepest overlap of one-way and of TAMSI
#include "common/figure.h"
#include "common/world.h"

#include <math.h>
#include <string.h>

static const double MASS = 0.1, GRAVITY = 9.81, STEP = 1e-3; // [kg], [m/s^2], [s]
enum { STEPS = 2000, POINTS = 4, DECAY_STEPS = 10 };

// A box as tall as the mug: its rocking is slower than its bouncing, so that bouncing sets the
// limit.
static const char BOX[] =
    "<mujoco><option timestep='%.17g'/><custom><numeric name='hf.stiffness' data='%.17g'/>"
    "<numeric name='hf.dissipation' data='%.17g'/></custom><worldbody>"
    "<geom type='plane' size='1 1 1'/><body pos='0 0 %.17g'><freejoint/>"
    "<geom type='box' size='0.04 0.04 0.05' mass='%.17g' friction='0.5'/></body>"
    "</worldbody></mujoco>";

typedef struct boxRun {
  double deviation; // largest, of the height, in resting depths [-]
  double energy;    // largest kinetic energy [J]
  double decay;     // |x + i v/w| after DECAY_STEPS over that of the start [-]
} boxRun;

static int run_box(double hw, double dissipation, int coupling, boxRun* out) {
  hfSimConfig config = hf_sim_config_default();
  config.friction = HF_FRICTION_REGULARISED;
  config.solver.coupling = coupling;
  config.solver.tolerance = 1e-12;
  config.anticipate = 0; // as in the paper
  double K = MASS * hw * hw / (STEP * STEP), depth = MASS * GRAVITY / K, rest = 0.05 - depth;
  char xml[1024];
  world w;
  // a geom is twice as stiff as the pair; the box starts 0.1 % too deep
  snprintf(xml, sizeof xml, BOX, STEP, 2 * K / POINTS, dissipation, rest - 0.001 * depth, MASS);
  int status = world_parse(&w, xml, "box", &config);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < STEPS && status == CLI_GOOD; ++i) {
    status = world_step(&w, 1, NULL);
    double vz = hf_state_v(w.state)[2];
    out->deviation = fmax(out->deviation, fabs(hf_state_q(w.state)[2] - rest) / depth);
    out->energy = fmax(out->energy, MASS * vz * vz / 2);
    if (i == DECAY_STEPS - 1) out->decay = hypot(hf_state_q(w.state)[2] - rest, vz * STEP / hw) / (0.001 * depth);
  }
  world_close(&w);
  return status;
}

// h w above which a disturbance of 0.1 % of the depth grows to half of it, all within the linear
// range. (Short of the limit it may be amplified by 1/sqrt(1 - (h w/2)^2): 22 at 0.999 of it.)
static int find_limit(double dissipation, double* limit) {
  double lo = 0.5, hi = 4;
  for (int i = 0; i < 12; ++i) {
    double mid = 0.5 * (lo + hi);
    boxRun run;
    if (run_box(mid, dissipation, HF_COUPLING_ONE_WAY, &run) != CLI_GOOD) return CLI_FAILED;
    if (run.deviation > 0.5)
      hi = mid;
    else
      lo = mid;
  }
  *limit = 0.5 * (lo + hi);
  return CLI_GOOD;
}

static int measure_limits(result* r) {
  const double dissipation[] = {0, 20};
  const char *names[] = {"limit_undamped", "limit_damped"},
             *closed_names[] = {"limit_undamped_closed_form", "limit_damped_closed_form"};
  double worst = 0;
  for (int i = 0; i < 2; ++i) {
    double limit, closed = sqrt(4 - 2 * STEP * GRAVITY * dissipation[i]);
    if (find_limit(dissipation[i], &limit) != CLI_GOOD) return CLI_FAILED;
    result_figure(r, names[i], limit, "h w");
    result_figure(r, closed_names[i], closed, "h w");
    worst = fmax(worst, fabs(limit / closed - 1));
  }
  result_must(r, "one-way-limit", "limit of the one-way scheme against the closed form, relative",
              worst, "within 0.01", worst <= 0.01, 0);
  return CLI_GOOD;
}

// Eq. (18) to (20): implicit normal forces alone.
static int measure_frictionless(result* r) {
  static const double hw[] = {0.03, 0.1, 0.3, 1};
  double worst = 0, deviation = 0;
  for (int i = 0; i < (int)(sizeof hw / sizeof *hw); ++i) {
    boxRun run;
    if (run_box(hw[i], 0, HF_COUPLING_FRICTIONLESS, &run) != CLI_GOOD) return CLI_FAILED;
    result_note(r, "without friction, h w = %4g: shrinks to %.6f in %d steps, closed form %.6f", hw[i], run.decay, DECAY_STEPS, pow(1 + hw[i] * hw[i], -0.5 * DECAY_STEPS));
    worst = fmax(worst, fabs(run.decay / pow(1 + hw[i] * hw[i], -0.5 * DECAY_STEPS) - 1));
    deviation = fmax(deviation, run.deviation);
  }
  result_figure(r, "frictionless_decay_error", worst, "-");
  // 1e-6: after ten steps at h w = 1 the disturbance is 3e-10 m, and heights of 5 cm are known to 1e-17 m
  result_must(r, "frictionless-decay", "decay in ten steps without friction against the closed form, relative, h w from 0.03 to 1", worst, "within 1e-6", worst <= 1e-6, 0);
  result_must(r, "frictionless-stable", "largest deviation without friction, started with 0.001", deviation, "at most 0.0011", deviation <= 0.0011, 0);
  return CLI_GOOD;
}

static int measure_sweep(result* r) {
  enum { COUNT = 13 };
  double hw[COUNT], one_way[COUNT], two_way[COUNT], worst = 0, grown = 0;
  result_note(r, "Box of %g kg at rest, h = %g s, pushed 0.1 %% too deep; d = 20 s/m", MASS, STEP);
  result_note(r, "%10s %12s %34s %34s", "h w", "k [N/m]", "one-way: deviation/depth, energy",
              "TAMSI: deviation/depth, energy");
  for (int i = 0; i < COUNT; ++i) {
    boxRun a, b;
    hw[i] = pow(10, -1 + i / 3.0);
    if (run_box(hw[i], 20, HF_COUPLING_ONE_WAY, &a) != CLI_GOOD ||
        run_box(hw[i], 20, HF_COUPLING_TWO_WAY, &b) != CLI_GOOD)
      return CLI_FAILED;
    one_way[i] = a.deviation, two_way[i] = b.deviation;
    worst = fmax(worst, b.deviation);
    if (hw[i] > 2) grown = grown > 0 ? fmin(grown, a.deviation) : a.deviation;
    result_note(r, "%10.3g %12.3g %19.3g %10.2e J %21.3g %10.2e J", hw[i],
                MASS * pow(hw[i] / STEP, 2) / POINTS, a.deviation, a.energy, b.deviation, b.energy);
  }
  result_figure(r, "deviation_tamsi", worst, "depths");
  result_figure(r, "least_deviation_one_way_beyond_limit", grown, "depths");
  result_must(r, "tamsi-stable", "largest deviation of TAMSI over the sweep, started with 0.001",
              worst, "at most 0.0011", worst <= 0.0011, 0);
  result_must(r, "one-way-unstable",
              "least deviation of the one-way scheme where h w > 2, started with 0.001", grown,
              "above 1", grown > 1, 0);
  figure f = {.title = "Box at rest: stiffness and stability",
              .xlabel = "h sqrt(K/m) [-]",
              .ylabel = "largest deviation over resting depth [-]",
              .xlog = 1,
              .ylog = 1};
  figure_add(&f, "one-way", COUNT, hw, one_way, FIGURE_BOTH);
  figure_add(&f, "TAMSI", COUNT, hw, two_way, FIGURE_BOTH);
  figure_write(&f, r, "one_way");
  return CLI_GOOD;
}

// Deepest overlap from 0.25 s to 1.25 s [m]. file: the name of a recording; NULL: none.
static int deepest_grip(double h, int coupling, result* r, const char* file, double* depth) {
  hfSimConfig config = hf_sim_config_default();
  config.step = h;
  config.solver.coupling = coupling;
  config.anticipate = 0;
  world w;
  if (world_open(&w, "gripper_mug.xml", &config, "middle") != CLI_GOOD) return CLI_FAILED;
  int status = file ? world_record(&w, r, file, 0.01) : CLI_GOOD;
  *depth = 0;
  while (w.state->time < 1.25 && status == CLI_GOOD) {
    status = world_step(&w, 1, NULL);
    for (int i = 0; i < hf_sim_contact_count(w.sim) && w.state->time > 0.25; ++i)
      *depth = fmax(*depth, hf_sim_contact(w.sim, i).depth);
  }
  world_close(&w);
  return status;
}

static int measure_gripper(result* r) {
  static const double steps[] = {1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 8e-3, 10e-3, 15e-3, 20e-3};
  enum { COUNT = sizeof steps / sizeof *steps };
  double largest[2] = {0, 0}, reference = 0;
  int held[2] = {1, 1};
  result_note(r, "Gripper and mug, 970 N/m a point: deepest overlap");
  for (int i = 0; i < COUNT; ++i) {
    double depth[2];
    int shown = steps[i] == 2e-3; // at which the one throws the mug out of the jaws and the other holds it
    if (deepest_grip(steps[i], HF_COUPLING_ONE_WAY, r, shown ? "one_way_2ms.hfrec" : NULL, &depth[0]) != CLI_GOOD ||
        deepest_grip(steps[i], HF_COUPLING_TWO_WAY, r, shown ? "tamsi_2ms.hfrec" : NULL, &depth[1]) != CLI_GOOD)
      return CLI_FAILED;
    if (i == 0) reference = depth[1];
    result_note(r, "h = %4.0f ms   one-way %10.3g mm   TAMSI %10.3g mm", 1e3 * steps[i],
                1e3 * depth[0], 1e3 * depth[1]);
    for (int k = 0; k < 2; ++k) {
      held[k] = held[k] && depth[k] > 0 && depth[k] < 1.5 * reference;
      if (held[k]) largest[k] = steps[i];
    }
  }
  result_figure(r, "gripper_largest_step_one_way", 1e3 * largest[0], "ms");
  result_figure(r, "gripper_largest_step_tamsi", 1e3 * largest[1], "ms");
  result_must(r, "gripper-steps",
              "largest stable step of TAMSI on the gripper over that of the one-way scheme",
              largest[1] / largest[0], "at least 2", largest[1] >= 2 * largest[0], 0);
  return CLI_GOOD;
}

static int run(const experimentOptions* options, result* r) {
  (void)options; // takes a second as it is
  int status = measure_sweep(r);
  if (status == CLI_GOOD) status = measure_limits(r);
  if (status == CLI_GOOD) status = measure_frictionless(r);
  if (status == CLI_GOOD) status = measure_gripper(r);
  return status;
}

const experiment experiment_tamsi_one_way = {
    "tamsi-one-way",
    "freezing the normal force is unstable where TAMSI is not (TAMSI, section V-A)", run};
