// A table tilts by 0.05 degrees in a second (models/tilt_table.xml). A box and a tripod must start to slide at atan(mu).
// "To slide" means that all contacts of the body slide for ten steps.
#include "stiction/stiction.h"

#include <math.h>

static const double MU = 0.4, RATE = 0.05,
                    DEGREE = 3.14159265358979323846 / 180; // [-], [deg/s], [rad]
enum { STEPS_OF_SLIP = 10 };

// Whether all contacts of the body slide.
static int all_slip(const world* w, int body) {
  int contacts = 0;
  for (int i = 0; i < hf_sim_contact_count(w->sim); ++i) {
    hfContact c = hf_sim_contact(w->sim, i);
    if (c.body_a != body && c.body_b != body) continue;
    if (c.fn > 0 && c.stick) return 0;
    contacts++;
  }
  return contacts > 0;
}

// The angle of the table at time t. It rises smoothly to `below` less than the critical angle within 3 s, rests for one
// second, and then rises slowly.
static double target_angle(double t, double from) {
  double s = fmin(1, t / 3);
  return from * s * s * s * (10 - 15 * s + 6 * s * s) + RATE * fmax(0, t - 4);
}

// Angle of sliding for both bodies [deg], NAN where it does not slide.
static int tilt(double below, double above, double angle[2]) {
  hfSimConfig config = hf_sim_config_default();
  world w;
  if (world_open(&w, "tilt_table.xml", &config, NULL) != CLI_GOOD) return CLI_FAILED;
  const int body[2] = {hf_model_find(w.model, HF_OBJECT_BODY, "box"),
                       hf_model_find(w.model, HF_OBJECT_BODY, "tripod")};
  double critical = atan(MU) / DEGREE, end = 4 + (below + above) / RATE;
  int run_of_slip[2] = {0, 0}, status = CLI_GOOD;
  angle[0] = angle[1] = NAN;
  while (status == CLI_GOOD && w.state->time < end) {
    w.input->ctrl[0] = target_angle(w.state->time, critical - below) * DEGREE;
    status = world_step(&w, 1, NULL);
    for (int k = 0; k < 2; ++k) {
      run_of_slip[k] = all_slip(&w, body[k]) ? run_of_slip[k] + 1 : 0;
      if (run_of_slip[k] == STEPS_OF_SLIP && isnan(angle[k]))
        angle[k] = hf_state_q(w.state)[0] / DEGREE;
    }
    show_progress(w.state->time / end, "tilt %.3f deg", hf_state_q(w.state)[0] / DEGREE);
  }
  clear_progress();
  world_close(&w);
  return status;
}

int stiction_tilt(const experimentOptions* options, result* r) {
  static const char* const names[] = {"tilt_box", "tilt_tripod"};
  double angle[2], critical = atan(MU) / DEGREE;
  int status = tilt(options->quick ? 0.1 : 0.5, 0.1, angle);
  for (int k = 0; k < 2 && status == CLI_GOOD; ++k) {
    result_compare(r, names[k], angle[k], critical, "deg");
    result_must(r, names[k],
                k ? "the tripod starts to slide at atan(mu)"
                  : "the box starts to slide at atan(mu)",
                angle[k] - critical, "within 0.02 degrees", fabs(angle[k] - critical) <= 0.02, 0);
  }
  return status;
}
