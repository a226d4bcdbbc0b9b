// Files of a run: state log, contact log, recording, report.
//
// A log or a recording replaces an older file of that name with the first step that is written to it: until then the
// older file stays as it was. From then on there is one write for each step, so that the file always consists of whole
// rows, also when the program is killed. A write that fails (disk full) is a refusal that names the file; a row that only
// went half into it is cut off again. A report replaces an older file when it is complete. Numbers have a decimal point
// whatever the locale.
#ifndef HOLDFAST_RECORD_H
#define HOLDFAST_RECORD_H

#include <holdfast/events.h>

#ifdef __cplusplus
extern "C" {
#endif

// State log: CSV with 17 significant digits, one row for each step:
//   time, q of all joints, v of all joints, u of all actuators.
// A column is called by its object: q[elbow]; of a free joint q[cup.x] … q[cup.qz] and v[cup.vx] … v[cup.wz]; u[motor]. What has no name
// is called as hf_model_label says.
// The functions that open a file refuse a path that cannot be written, and leave their output untouched.
typedef struct hfStateLog hfStateLog;
HF_API hfStatus hf_state_log_open(hfStateLog** log, const char* path, const hfModel* model, hfError* error);
// What a log has beside the state.
typedef struct hfStateLogConfig {
  int32_t actuator_forces;       // 1: f[ACTUATOR] [N or N m]
  int32_t sensors;               // 1: s[SENSOR], s[SENSOR.0] …
  const char* const* body;       // names of bodies, or "#ID": p[BODY.x] … p[BODY.qz], position [m] and quaternion in the world
  int32_t body_count;
} hfStateLogConfig;
HF_API hfStateLogConfig hf_state_log_config_default(void);
// Like hf_state_log_open, with these columns; config may be NULL. Refuses bodies that the model has not.
HF_API hfStatus hf_state_log_open_columns(hfStateLog** log, const char* path, const hfModel* model, const hfStateLogConfig* config,
                                    hfError* error);
// Writes the row of the sim's last step, which led to the state, with all columns.
HF_API hfStatus hf_state_log_add_step(hfStateLog* log, hfSim* sim, const hfState* state, hfError* error);
// ctrl (nu): the controls that acted in the step that led to the state.
HF_API hfStatus hf_state_log_add(hfStateLog* log, const hfState* state, const double* ctrl, hfError* error);
// Frees the log whatever happens; NULL is allowed.
HF_API hfStatus hf_state_log_close(hfStateLog* log, hfError* error);
// Closes a log without finishing it. If no step was written, the older file stays as it was. NULL is allowed.
HF_API void hf_state_log_discard(hfStateLog* log);

// Contact log: CSV, one row for each contact of each step:
//   time,geom_a,geom_b,body_a,body_b,x,y,z,nx,ny,nz,depth,fn,ftx,fty,ftz,vtx,vty,vtz,stick
// World frame; normal from B into A; force on A [N]. A geom or body without a name is #ID.
typedef struct hfContactLog hfContactLog;
HF_API hfStatus hf_contact_log_open(hfContactLog** log, const char* path, const hfModel* model, hfError* error);
// Contacts of the sim's last step, which ended at `time`.
HF_API hfStatus hf_contact_log_add(hfContactLog* log, const hfSim* sim, double time, hfError* error);
HF_API hfStatus hf_contact_log_close(hfContactLog* log, hfError* error); // as hf_state_log_close
HF_API void hf_contact_log_discard(hfContactLog* log);                   // as hf_state_log_discard

// One row of CSV for each step: time, status, iterations, residual; and with an accuracy or in continuous time the steps inside,
// those rejected, evaluations, smallest and last step [s] and the largest error (docs/reference/command.md).
typedef struct hfStepLog hfStepLog;
HF_API hfStatus hf_step_log_open(hfStepLog** log, const char* path, hfError* error);
HF_API hfStatus hf_step_log_add(hfStepLog* log, double time, const hfStepReport* report, hfError* error);
HF_API hfStatus hf_step_log_close(hfStepLog* log, hfError* error); // as hf_state_log_close
HF_API void hf_step_log_discard(hfStepLog* log);                   // as hf_state_log_discard

// A line of the summary of a run.
typedef struct hfReportLine {
  const char *name, *value;
} hfReportLine;

// Recording: the model itself, then over time poses, joints, controls, contacts with normal and friction
// force, energies and what the solver did, and events (docs/reference/recording.md). Of an overlay
// the values at the first call of hf_recorder_add are recorded, and later ones refuse a step after hf_params_update.
typedef struct hfRecorder hfRecorder;
HF_API hfStatus hf_recorder_open(hfRecorder** recorder, const char* path, const hfModel* model,
                                 const char* scene, hfError* error);
// Time between frames [s]; 1/60 unless set. 0: every step.
HF_API void hf_recorder_set_interval(hfRecorder* recorder, double interval);
// After every step, and once before the first with step = NULL. Writes events and changes of the controls
// as they come and a frame when one is due. input: controls and mocap poses, may be NULL. Refuses a state from before the last one, and a step with
// other parameters than the first: a recording holds one run.
HF_API hfStatus hf_recorder_add(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                                const hfInput* input, const hfStepReport* step, hfError* error);
// Refuses what hf_recorder_add refuses. For callers that want to know before they step: a step that hf_recorder_add refuses has
// moved the state already.
HF_API hfStatus hf_recorder_check(const hfRecorder* recorder, const hfState* state, hfError* error);
// At the end of a run, before hf_recorder_figures and hf_recorder_close: writes a frame of the sim's last step, which led to the state, unless
// the last frame shows it already. Without it a recording ends with the last frame that was due.
HF_API hfStatus hf_recorder_finish(hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input, hfError* error);
// Writes a frame at once: the state after the sim's last step, and the contacts of that step.
HF_API hfStatus hf_recorder_add_frame(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                                  const hfInput* input, hfError* error);
// The summary, once, at the end.
HF_API hfStatus hf_recorder_figures(hfRecorder* recorder, const hfReportLine* lines, int count, hfError* error);
HF_API hfStatus hf_recorder_close(hfRecorder* recorder, hfError* error); // frees it whatever happens; NULL is allowed
HF_API void hf_recorder_discard(hfRecorder* recorder);                   // as hf_state_log_discard

// Numbers of a frame for the whole world. Solver statistics are over the steps since the frame before.
typedef struct hfFrameHead {
  double time;               // [s]
  double kinetic, potential; // energies [J]
  double wall;               // wall time since the frame before [s]
  double residual, coupled_residual, max_depth; // worst values since the frame before (hfStepReport)
  int32_t steps, iterations; // sums
  int32_t rung;              // highest rung that served (hfRung)
  int32_t nstick;            // contacts that stick, after the last step
  int32_t status;            // largest status of a step
  int32_t ncontact;
} hfFrameHead;

// A contact in a frame. Vectors are in world axes.
typedef struct hfFrameContact {
  int32_t geom_a, geom_b; // geoms A and B
  uint32_t feature, stick;
  float p_W[3];       // contact point [m]
  float n_W[3];       // normal, from B into A
  float fn, ft[3];    // normal and friction force on A [N]
  float vt[3];        // slip of A relative to B [m/s]
  float mu;           // coefficient of friction: |ft| <= mu fn [-]
  float depth, vn;    // overlap [m]; speed at which A and B separate [m/s]
} hfFrameContact;

// A frame of an opened recording; the arrays belong to the recording.
typedef struct hfFrame {
  double time;                    // [s]
  const hfFrameHead* head;
  const float* pose;              // (nbody x 7) p_WB, q_WB
  const float *q, *v;             // (nq), (nv)
  const float *ctrl, *force;      // (nu) controls, actuator forces
  const float* sensor;            // (nsensordata)
  int32_t ncontact;
  const hfFrameContact* contact;  // (ncontact)
} hfFrame;

// A recording in memory. A last chunk that is not whole is left out.
typedef struct hfRecording hfRecording;
HF_API hfStatus hf_recording_read(hfRecording** recording, const char* path, hfError* error);
HF_API void hf_recording_free(hfRecording* recording);
HF_API const hfModel* hf_recording_model(const hfRecording* recording);
HF_API const char* hf_recording_scene(const hfRecording* recording);
HF_API int hf_recording_frame_count(const hfRecording* recording);
HF_API hfFrame hf_recording_frame(const hfRecording* recording, int i);
HF_API int hf_recording_event_count(const hfRecording* recording);
HF_API hfEvent hf_recording_event(const hfRecording* recording, int i);
// JSON texts of the recording, "" where there is none: how the run was made, and its summary.
HF_API const char* hf_recording_run(const hfRecording* recording);
HF_API const char* hf_recording_figures(const hfRecording* recording);
// All bytes of the file up to the last whole chunk.
HF_API const void* hf_recording_bytes(const hfRecording* recording, size_t* size);

// Report: a recording inside a page that replays it, as one HTML file that needs no other and no network.
// A library that was built without npm has no such page: its reports are plots of energy, contact forces
// and solver effort (hf_report_replays says which).
HF_API int hf_report_replays(void);
// A report of a finished recording; refused without the page.
HF_API hfStatus hf_report_convert(const char* path, const hfRecording* recording, hfError* error);
typedef struct hfReport hfReport;
// Refuses a path that cannot be written at once, not when the run is over.
HF_API hfStatus hf_report_open(hfReport** report, const char* path, const hfModel* model, hfError* error);
// After each step, and once before the first with step = NULL. Memory stays bounded: in a long run every second frame is dropped, repeatedly. A
// report holds one run: refuses what hf_recorder_add refuses.
HF_API hfStatus hf_report_add(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input,
                              const hfStepReport* step, hfError* error);
HF_API hfStatus hf_report_check(const hfReport* report, const hfState* state, hfError* error); // as hf_recorder_check
// As hf_recorder_finish, before hf_report_close.
HF_API hfStatus hf_report_finish(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input, hfError* error);
// Writes the file: title, lines of the summary, the replay or the plots. Frees the report whatever happens.
HF_API hfStatus hf_report_close(hfReport* report, const char* title, const hfReportLine* lines, int count,
                                hfError* error);
// Closes a report without writing it; the older file stays as it was. NULL is allowed.
HF_API void hf_report_discard(hfReport* report);

#ifdef __cplusplus
}
#endif
#endif
