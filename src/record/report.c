// The report of a run as one HTML file: a table of the summary and plots over time.
//
//   energy           kinetic (armature included), potential (gravity, springs), their sum  [J]
//   contact forces   sum over contacts of |normal| and of |friction|                      [N]
//   contacts         how many there are, how many of them stick                           [-]
//   solver           Newton iterations of each step                                       [-]
#include "record/plot.h"

#include <holdfast/record.h>
#include <holdfast/version.h>
#include <math.h>

enum { KINETIC, POTENTIAL, TOTAL, NORMAL, FRICTION, CONTACTS, STICKING, ITERATIONS, SERIES };

struct hfReport {
  hfiOutput out;
  hfDynamics* dynamics; // energies of the states
  hfiSeries series[SERIES];
};

hfStatus hf_report_open(hfReport** report, const char* path, const hfModel* model, hfError* error) {
  hfStatus status;
  hfReport* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_WHOLE, &status, error);
  if (!made) return status;
  for (int i = 0; i < SERIES; ++i) hfi_series_init(&made->series[i]);
  status = hf_dynamics_create(&made->dynamics, model, error);
  if (status == HF_OK)
    *report = made;
  else
    hfi_output_abandon(made);
  return status;
}

static double length(hfVec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }

void hf_report_add(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input,
                   const hfStepReport* step) {
  hfDynamics* d = report->dynamics;
  hf_dynamics_position(d, hf_state_q(state), input);
  hf_dynamics_velocity(d, hf_state_v(state));
  double kinetic = hf_dynamics_kinetic_energy(d),
         potential = hf_dynamics_potential_energy(d, hf_state_q(state));
  double normal = 0, friction = 0;
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    normal += c.fn, friction += length(c.ft);
  }
  const double value[SERIES] = {
      kinetic,  potential,      kinetic + potential, normal,
      friction, step->ncontact, step->nstick,        step->solve.iterations};
  for (int i = 0; i < SERIES; ++i) hfi_series_add(&report->series[i], state->time, value[i]);
}

// Text inside an element.
static void put_text(hfiOutput* out, const char* text) {
  for (const char* c = text; *c; ++c) switch (*c) {
    case '<':
      hfi_output_print(out, "&lt;");
      break;
    case '>':
      hfi_output_print(out, "&gt;");
      break;
    case '&':
      hfi_output_print(out, "&amp;");
      break;
    default:
      hfi_output_bytes(out, c, 1);
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

static void put_plots(hfiOutput* out, const hfReport* r) {
  const hfiCurve energy[] = {{"kinetic", &r->series[KINETIC]},
                             {"potential", &r->series[POTENTIAL]},
                             {"sum", &r->series[TOTAL]}};
  const hfiCurve force[] = {{"normal", &r->series[NORMAL]}, {"friction", &r->series[FRICTION]}};
  const hfiCurve contact[] = {{"all", &r->series[CONTACTS]}, {"sticking", &r->series[STICKING]}};
  const hfiCurve solver[] = {{"iterations", &r->series[ITERATIONS]}};
  hfi_plot_svg(out, "Energy", "energy [J]", energy, 3);
  hfi_plot_svg(out, "Contact force, summed over contacts", "force [N]", force, 2);
  hfi_plot_svg(out, "Contacts", "number", contact, 2);
  hfi_plot_svg(out, "Newton iterations a step", "number", solver, 1);
}

static void put_table(hfiOutput* out, const hfReportLine* lines, int count) {
  hfi_output_print(out, "<table>\n");
  for (int i = 0; i < count; ++i) {
    hfi_output_print(out, "<tr><td>");
    put_text(out, lines[i].name);
    hfi_output_print(out, "</td><td>");
    put_text(out, lines[i].value);
    hfi_output_print(out, "</td></tr>\n");
  }
  hfi_output_print(out, "</table>\n");
}

hfStatus hf_report_close(hfReport* report, const char* title, const hfReportLine* lines, int count,
                         hfError* error) {
  hfiOutput* out = &report->out;
  hfi_output_bytes(out, head, sizeof head - 1);
  put_text(out, title);
  hfi_output_print(out, "</title></head>\n<body>\n<h1>");
  put_text(out, title);
  hfi_output_print(out, "</h1>\n");
  put_table(out, lines, count);
  put_plots(out, report);
  hfi_output_print(out,
                   "<footer>Holdfast %s. Where steps are denser than the plot, it shows their "
                   "extremes.</footer>\n</body>\n</html>\n",
                   hf_version());
  hf_dynamics_free(report->dynamics);
  return hfi_output_destroy(report, error);
}
