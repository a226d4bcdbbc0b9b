// Two logs as CSV (docs/reference/command.md): one row for each contact of each step, and one row for each step of a
// sim, with what was solved and how long the steps inside were.
//
// made: the log that is opened.
#include "base/error.h"
#include "io/record/csv.h"

#include <holdfast/record.h>

// ---- contacts -----------------------------------------------------------------------------------

struct hfContactLog {
  hfiOutput out;
  const hfModel* model;
};

// Opens a log of contacts and writes its first line.
hfStatus hf_contact_log_open(hfContactLog** log, const char* path, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfContactLog* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;

  made->model = model;
  hfi_output_print(&made->out,
                   "time,geom_a,geom_b,body_a,body_b,x,y,z,nx,ny,nz,depth,fn,ftx,fty,ftz,vtx,vty,vtz,stick\n");
  *log = made;
  return HF_OK;
}

// Writes the name of a geom or body.
static void print_object(hfContactLog* log, hfObjectKind kind, int id) {
  char buffer[HF_LABEL_SIZE];
  hfi_csv_text(&log->out, hf_model_label(log->model, kind, id, buffer));
}

static void print_vector(hfiOutput* out, hfVec3 a) {
  hfi_output_print(out, ",%.17g,%.17g,%.17g", a.x, a.y, a.z);
}

// Writes a row for each contact of the step that the sim has just made.
hfStatus hf_contact_log_add(hfContactLog* log, const hfSim* sim, double time, hfError* error) {
  hfi_clear_error(error);
  int count = hf_sim_contact_count(sim);

  for (int i = 0; i < count; ++i) {
    hfContact c = hf_sim_contact(sim, i);
    hfi_output_print(&log->out, "%.17g", time);
    print_object(log, HF_OBJECT_GEOM, c.geom_a);
    print_object(log, HF_OBJECT_GEOM, c.geom_b);
    print_object(log, HF_OBJECT_BODY, hf_model_geom_body(log->model)[c.geom_a]);
    print_object(log, HF_OBJECT_BODY, hf_model_geom_body(log->model)[c.geom_b]);

    print_vector(&log->out, c.p_W);
    print_vector(&log->out, c.n_W);
    hfi_output_print(&log->out, ",%.17g,%.17g", c.depth, c.fn);
    print_vector(&log->out, c.ft);
    print_vector(&log->out, c.vt);
    hfi_output_print(&log->out, ",%d\n", c.stick);
  }

  return hfi_output_flush(&log->out, error);
}

hfStatus hf_contact_log_close(hfContactLog* log, hfError* error) {
  hfi_clear_error(error);
  return hfi_output_destroy(log, error);
}

void hf_contact_log_discard(hfContactLog* log) { hfi_output_abandon(log); }

// ---- steps --------------------------------------------------------------------------------------

struct hfStepLog {
  hfiOutput out;
};

// Opens a log of steps and writes its first line.
hfStatus hf_step_log_open(hfStepLog** log, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfStepLog* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;
  hfi_output_print(&made->out, "time,status,iterations,residual,steps,rejected,evaluations,smallest,last,error,"
                               "equality_distance,equality_angle,limit_distance,limit_angle\n");
  *log = made;
  return HF_OK;
}

// Writes a row for a step: what was solved, the steps inside of it, and the worst violations.
hfStatus hf_step_log_add(hfStepLog* log, double time, const hfStepReport* report, hfError* error) {
  hfi_clear_error(error);
  const hfIntegratorReport* c = &report->continuous;
  const hfViolations* v = &report->violation;

  hfi_output_print(&log->out, "%.17g,%d,%d,%.6g,", time, report->status, report->solve.iterations,
                   report->solve.residual);
  hfi_output_print(&log->out, "%lld,%lld,%lld,%.17g,%.17g,%.6g,", (long long)c->steps, (long long)c->rejected,
                   (long long)c->evaluations, c->smallest, c->last, c->error);
  hfi_output_print(&log->out, "%.6g,%.6g,%.6g,%.6g\n", v->equality_distance.amount, v->equality_angle.amount,
                   v->limit_distance.amount, v->limit_angle.amount);

  return hfi_output_flush(&log->out, error);
}

hfStatus hf_step_log_close(hfStepLog* log, hfError* error) {
  hfi_clear_error(error);
  return hfi_output_destroy(log, error);
}

void hf_step_log_discard(hfStepLog* log) { hfi_output_abandon(log); }
