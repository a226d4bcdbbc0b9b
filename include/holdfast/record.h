// Files of a run: state log, contact log, recording, report.
//
// Logs and recordings are written to their own name, one write a step: what stands in the file is
// whole rows, also when the program dies. A write that fails (disk full) is a refusal that names the
// file; a row that only went half into it is cut off again. A report is written under a temporary
// name and renamed, so that the file is either the old one or the whole new one.
#ifndef HOLDFAST_RECORD_H
#define HOLDFAST_RECORD_H

#include <holdfast/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// State log, CSV with 17 significant digits, one row a step:
//   time, q[i] for all nq, v[i] for all nv, u[i] for all nu.
typedef struct hfStateLog hfStateLog;
HF_API hfStatus hf_state_log_open(hfStateLog** log, const char* path, const hfModel* model, hfError* error);
// ctrl (nu): the controls that acted in the step that led to the state.
HF_API hfStatus hf_state_log_write(hfStateLog* log, const hfState* state, const double* ctrl, hfError* error);
// Frees the log whatever happens; NULL is allowed.
HF_API hfStatus hf_state_log_close(hfStateLog* log, hfError* error);

// Contact log, CSV, one row a contact and step:
//   time,geom_a,geom_b,x,y,z,nx,ny,nz,depth,fn,ftx,fty,ftz,vtx,vty,vtz,stick
// World frame; normal from B into A; force on A [N]. A geom without a name is #ID.
typedef struct hfContactLog hfContactLog;
HF_API hfStatus hf_contact_log_open(hfContactLog** log, const char* path, const hfModel* model, hfError* error);
// Contacts of the sim's last step, which ended at `time`.
HF_API hfStatus hf_contact_log_write(hfContactLog* log, const hfSim* sim, double time, hfError* error);
HF_API hfStatus hf_contact_log_close(hfContactLog* log, hfError* error);

// Recording: poses of all bodies and contact forces over time, with the model itself
// (docs/reference/recording.md). The model must be a block of its own, not an overlay.
typedef struct hfRecorder hfRecorder;
HF_API hfStatus hf_recorder_open(hfRecorder** recorder, const char* path, const hfModel* model,
                                 const char* scene, hfError* error);
// The state after the sim's last step, and the contacts of that step. input: mocap poses, may be NULL.
HF_API hfStatus hf_recorder_write(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                                  const hfInput* input, hfError* error);
HF_API hfStatus hf_recorder_close(hfRecorder* recorder, hfError* error);

typedef struct hfFrameContact {
  int32_t geom_a, geom_b;
  float p_W[3];   // [m]
  float force[3]; // on A, world axes [N]
  float fn;       // normal part [N]
  int32_t stick; // 1: below the friction bound
} hfFrameContact;

// A frame of an opened recording; the arrays belong to the recording.
typedef struct hfFrame {
  double time;                    // [s]
  const float* pose;              // (nbody x 7) p_WB, q_WB
  int32_t ncontact;
  const hfFrameContact* contact;  // (ncontact)
} hfFrame;

// A recording in memory. A last frame that is not whole is left out.
typedef struct hfRecording hfRecording;
HF_API hfStatus hf_recording_open(hfRecording** recording, const char* path, hfError* error);
HF_API void hf_recording_free(hfRecording* recording);
HF_API const hfModel* hf_recording_model(const hfRecording* recording);
HF_API const char* hf_recording_scene(const hfRecording* recording);
HF_API int hf_recording_frame_count(const hfRecording* recording);
HF_API hfFrame hf_recording_frame(const hfRecording* recording, int i);

// Report: energy, contact forces and solver effort over time as one HTML file that needs no other.
typedef struct hfReport hfReport;
typedef struct hfReportLine {
  const char *name, *value;
} hfReportLine;
// Refuses a path that cannot be written at once, not when the run is over.
HF_API hfStatus hf_report_open(hfReport** report, const char* path, const hfModel* model, hfError* error);
// After each step. Memory stays bounded: neighbouring steps are merged, extremes kept.
HF_API void hf_report_add(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input,
                          const hfStepReport* step);
// Writes the file: title, a table of lines, the plots. Frees the report whatever happens.
HF_API hfStatus hf_report_close(hfReport* report, const char* title, const hfReportLine* lines, int count,
                                hfError* error);

#ifdef __cplusplus
}
#endif
#endif
