// Runs of method "switching" over scenes in MJCF.
#ifndef HF_TESTS_RIGID_RUNS_H
#define HF_TESTS_RIGID_RUNS_H

#include "support/sim_world.h"
#include <holdfast/rigid.h>

#include <math.h>
#include <stdio.h>

static inline hfSimConfig switching_config(int contact_mode, double h) {
  hfSimConfig c = hf_sim_config_default();
  c.method = HF_METHOD_SWITCHING;
  c.step = h;
  c.switching.contact_mode = contact_mode;
  return c;
}

static inline simWorld switching_world(const char* xml, const hfSimConfig* config) {
  simWorld w = sim_world_with(parse_model(xml), config);
  w.input->ctrl = NULL; // the scene's signals
  return w;
}

// What a run amounts to.
typedef struct runSum {
  hfStatus status; // of the last step, or the first with trouble
  int nstick, nslide, nseparate, nimpact, nswitch;
  double rigid_time, max_df;
  hfSwitch first, last;
} runSum;

static inline runSum switching_run(simWorld* w, double until) {
  runSum sum = {.status = HF_OK};
  hfError error = {HF_OK, ""};
  double h = hf_sim_step_size(w->sim);
  while (w->state->time < until - 0.5 * h && sum.status == HF_OK) {
    hfStepReport r;
    sum.status = hf_sim_step(w->sim, w->state, w->input, &r, &error);
    if (sum.status < 0) fail_msg("%s", error.message);
    sum.nstick += r.switching.nstick, sum.nslide += r.switching.nslide;
    sum.nseparate += r.switching.nseparate, sum.nimpact += r.switching.nimpact;
    sum.rigid_time += r.switching.rigid_time;
    for (int i = 0; i < r.switching.nswitch; ++i) {
      hfSwitch s = hf_sim_switch(w->sim, i);
      if (!sum.nswitch++) sum.first = s;
      sum.last = s;
      sum.max_df = fmax(sum.max_df, s.df);
    }
  }
  return sum;
}

#endif
