// The report of a library that was built without the page: a table of the summary and plots.
//
//   energy           kinetic (armature included), potential (gravity, springs), their sum  [J]
//   contact forces   sum over contacts of |normal| and of |friction|                      [N]
//   contacts         how many there are, how many of them stick                           [-]
//   solver           Newton iterations of each step                                       [-]
//
// p: the series, d: kinematics of the model, out: the file.
#include "io/record/plain.h"

#include "step/dynamics/dynamics.h"
#include "math/vec3.h"
#include "io/record/plot.h"

#include <holdfast/version.h>
#include <math.h>

void hfi_plain_init(hfiPlain* p) {
  for (int i = 0; i < HFI_PLAIN_SERIES; ++i) hfi_series_init(&p->series[i]);
}

// Adds the numbers of a step to the series.
void hfi_plain_add(hfiPlain* p, hfDynamics* d, const hfSim* sim, const hfState* state, const hfInput* input,
                   const hfStepReport* step) {
  hf_dynamics_set_position(d, hf_state_q(state), input);
  hf_dynamics_set_velocity(d, hf_state_v(state));
  hfi_dynamics_rest_as(d, state);
  double kinetic = hf_dynamics_kinetic_energy(d);
  double potential = hf_dynamics_potential_energy(d, hf_state_q(state));

  double normal = 0;
  double friction = 0;
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    normal += c.fn;
    friction += v3_norm(c.ft);
  }

  const double value[HFI_PLAIN_SERIES] = {kinetic,  potential,      kinetic + potential, normal,
                                          friction, step->ncontact, step->nstick,        step->solve.iterations};
  for (int i = 0; i < HFI_PLAIN_SERIES; ++i) hfi_series_add(&p->series[i], state->time, value[i]);
}

// Writes text inside an HTML element, with special characters escaped.
void hfi_put_text(hfiOutput* out, const char* text) {
  for (const char* c = text; *c; ++c) {
    switch (*c) {
    case '<': hfi_output_print(out, "&lt;"); break;
    case '>': hfi_output_print(out, "&gt;"); break;
    case '&': hfi_output_print(out, "&amp;"); break;
    default: hfi_output_bytes(out, c, 1);
    }
  }
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    "body{font:15px/1.5 sans-serif;max-width:880px;margin:2em auto;padding:0 "
    "1em;color:#222;background:#fff}\n"
    "table{border-collapse:collapse;margin:1em 0}td{padding:.15em 1em .15em 0;vertical-align:top}\n"
    "td:first-child{color:#666}svg{width:100%;margin:.6em 0}svg text{font:12px "
    "sans-serif;fill:#444}\n"
    "svg "
    ".title{font-weight:bold;fill:#222}.grid{stroke:#ddd;fill:none}.frame{stroke:#888;fill:none}\n"
    ".curve{fill:none;stroke-width:1.5;stroke-linejoin:round}footer{color:#888;font-size:12px}\n"
    "</style>\n<title>";

// Writes the four plots.
static void put_plots(hfiOutput* out, const hfiPlain* p) {
  const hfiCurve energy[] = {{"kinetic", &p->series[KINETIC]},
                             {"potential", &p->series[POTENTIAL]},
                             {"sum", &p->series[TOTAL]}};
  const hfiCurve force[] = {{"normal", &p->series[NORMAL]}, {"friction", &p->series[FRICTION]}};
  const hfiCurve contact[] = {{"all", &p->series[CONTACTS]}, {"sticking", &p->series[STICKING]}};
  const hfiCurve solver[] = {{"iterations", &p->series[ITERATIONS]}};

  hfi_plot_svg(out, "Energy", "energy [J]", energy, 3);
  hfi_plot_svg(out, "Contact force, summed over contacts", "force [N]", force, 2);
  hfi_plot_svg(out, "Contacts", "number", contact, 2);
  hfi_plot_svg(out, "Newton iterations a step", "number", solver, 1);
}

// Writes the lines of the summary.
static void put_table(hfiOutput* out, const hfReportLine* lines, int count) {
  hfi_output_print(out, "<table>\n");

  for (int i = 0; i < count; ++i) {
    hfi_output_print(out, "<tr><td>");
    hfi_put_text(out, lines[i].name);
    hfi_output_print(out, "</td><td>");
    hfi_put_text(out, lines[i].value);
    hfi_output_print(out, "</td></tr>\n");
  }

  hfi_output_print(out, "</table>\n");
}

// Writes the whole report.
void hfi_plain_write(const hfiPlain* p, hfiOutput* out, const char* title, const hfReportLine* lines, int count) {
  hfi_output_bytes(out, head, sizeof head - 1);
  hfi_put_text(out, title);
  hfi_output_print(out, "</title></head>\n<body>\n<h1>");
  hfi_put_text(out, title);
  hfi_output_print(out, "</h1>\n");

  put_table(out, lines, count);
  put_plots(out, p);
  hfi_output_print(out,
                   "<footer>Holdfast %s, built without npm: a build with npm writes a report with "
                   "a replay in 3-D. Where steps are denser than the plot, it shows their "
                   "extremes.</footer>\n</body>\n</html>\n",
                   hf_version());
}
