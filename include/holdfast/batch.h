// hfBatch: many worlds of one model, stepped side by side on the threads of one process.
//
//   hfBatchConfig config = hf_batch_config_default();
//   config.nworld = 256;
//   hf_batch_create(&batch, model, &config, &error);
//   hfTensor ctrl = hf_batch_tensor(batch, HF_BATCH_CTRL); // (nworld x nu): write controls here
//   hf_batch_step(batch, 10, NULL, &error);                // every world takes ten steps
//
// A world has the bits that an hfSim gives it alone: they depend on its state, its inputs and its parameters,
// never on the number of threads, the number of worlds or its place among them. A world that a step refuses is
// flagged in its report; the others go on. One thread may use a batch at a time. docs/guide/batch.md
#ifndef HOLDFAST_BATCH_H
#define HOLDFAST_BATCH_H

#include <holdfast/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// The device on which the worlds live and step. At present there is only the CPU.
typedef enum hfDevice { HF_DEVICE_CPU = 0 } hfDevice;

typedef struct hfBatchConfig {
  hfSimConfig sim;      // configuration of every world
  int32_t nworld;       // number of worlds, at least 1
  int32_t threads;      // number of threads; 0: one for each processor; never more than worlds
  int32_t device;       // hfDevice
  int32_t ordinal;      // which device of that kind; 0 for the CPU
  int32_t max_memory;   // capacity of a world's contact memory; 0: hf_state_memory_default
  int32_t max_contacts; // number of contacts of its last step that a world keeps for reading; may be 0
} hfBatchConfig;

HF_API hfBatchConfig hf_batch_config_default(void);

// An array of a batch, as DLPack describes one.
typedef struct hfTensor {
  void* data;
  int32_t device, ordinal; // device of the data
  char type;               // 'd' double
  int32_t ndim;
  int64_t shape[3];
  int64_t stride[3]; // [bytes]
} hfTensor;

// Arrays of numbers with one row for each world.
typedef enum hfBatchField {
  // the state: yours to read and write between calls
  HF_BATCH_TIME, // (nworld) [s]
  HF_BATCH_Q,    // (nworld x nq)
  HF_BATCH_V,    // (nworld x nv)
  HF_BATCH_ACT,  // (nworld x na)
  HF_BATCH_HISTORY, // (nworld x nhistory) controls and measurements that act later, see hfState
  HF_BATCH_REST,    // (nworld x nrest) where springs rest, if any of them yields, see hfState
  // inputs, as in hfInput; each acts from the first time that its tensor is asked for
  HF_BATCH_CTRL,            // (nworld x nu)
  HF_BATCH_FORCE,           // (nworld x nv)
  HF_BATCH_WRENCH,          // (nworld x nbody x 6) torque, then force
  HF_BATCH_MOCAP_POS,       // (nworld x nmocap x 3)
  HF_BATCH_MOCAP_QUAT,      // (nworld x nmocap x 4)
  HF_BATCH_VELOCITY_TARGET, // (nworld x nv)
  HF_BATCH_FORCE_LIMIT,     // (nworld x nv)
  // results of the last step of the last call; each is filled from the first time that it is asked for
  HF_BATCH_SENSORS,        // (nworld x nsensordata)
  HF_BATCH_ACTUATOR_FORCE, // (nworld x nu) [N or N m]
  HF_BATCH_ACCELERATION,   // (nworld x nv)
  HF_BATCH_POSE,           // (nworld x nbody x 7) p_WB, q_WB at the end of the step
  HF_BATCH_FIELDS
} hfBatchField;

// The report of a world about the last call.
typedef struct hfWorldReport {
  int32_t status;     // hfStatus: the refusal that stopped the world (< 0), else its first difficulty (> 0), or HF_OK
  int32_t steps;      // taken
  int32_t ncontact;   // contacts of the last step
  int32_t nstick;     // number of these that stick
  int32_t ndropped;   // largest number of contacts beyond the capacity in a step
  int32_t rung;       // highest hfRung that served
  int32_t iterations; // Newton iterations of all steps
  int32_t kept;       // contacts kept for reading: hf_batch_contacts
  double residual;    // worst of the steps [-]
  double max_depth;   // deepest overlap at the start of a step [m]
  hfViolations violation; // worst violations of equalities and limits at the end of a step
  int32_t steps_letting_go;     // steps in which an equality or limit let go
  int32_t let_go_kind, let_go;  // the first that did, as in hfStepReport
} hfWorldReport;

typedef struct hfBatch hfBatch;

// The model must outlive the batch. The model of an hfParams is refused: hf_model_copy makes one that a batch takes.
HF_API hfStatus hf_batch_create(hfBatch** batch, const hfModel* model, const hfBatchConfig* config, hfError* error);
HF_API void hf_batch_free(hfBatch* batch);
HF_API const hfModel* hf_batch_model(const hfBatch* batch);
HF_API int hf_batch_size(const hfBatch* batch);          // worlds
HF_API int hf_batch_threads(const hfBatch* batch);       // number of threads that step the worlds
HF_API double hf_batch_step_size(const hfBatch* batch);  // [s]
HF_API size_t hf_batch_bytes_per_world(const hfBatch* batch); // memory of one world beside the model

HF_API hfTensor hf_batch_tensor(hfBatch* batch, hfBatchField field);
HF_API const char* hf_batch_field_name(hfBatchField field); // "q", "ctrl", …

// Copies the state of a world out or in. Refuses a state of another model or capacity (hf_batch_max_memory).
HF_API hfStatus hf_batch_get_state(const hfBatch* batch, int world, hfState* state, hfError* error);
HF_API hfStatus hf_batch_set_state(hfBatch* batch, int world, const hfState* state, hfError* error);
HF_API int hf_batch_max_memory(const hfBatch* batch);

// Puts the worlds with a mask other than 0 (NULL: all) at keyframe `key`, or at qpos0 for key < 0, with the
// inputs of that keyframe or those of a new batch. Parameters stay.
HF_API hfStatus hf_batch_reset(hfBatch* batch, const uint8_t* mask, int key, hfError* error);

// ---- parameters of each world ----------------------------------------------------------------------

// The values (nworld x rows x columns) of a field marked overlay (model.h) in every world; data is NULL for any
// other field or without memory. They begin as the model's and count after the next hf_batch_update, which computes
// body_subtreemass, body_iquat, dof_M0 and geom_rbound from the others. A new geom_size leaves masses and inertias as they are.
HF_API hfTensor hf_batch_param(hfBatch* batch, hfModelField field);
// Gravity of every world (nworld x 3) [m/s^2]. It counts after the next hf_batch_update, too.
HF_API hfTensor hf_batch_gravity(hfBatch* batch);
// Lets the new parameters of the worlds in the mask act. A world whose values are refused is flagged in its report and keeps its old ones; then the
// status is HF_FLAGGED and error names the first.
HF_API hfStatus hf_batch_update(hfBatch* batch, const uint8_t* mask, hfError* error);

// ---- steps ------------------------------------------------------------------------------------------

// What a call of several steps reads and writes beside the tensors. Rows are worlds, then steps.
typedef struct hfBatchRun {
  const uint8_t* mask;            // (nworld) only worlds other than 0 step; NULL: all
  int32_t resume;                 // 1: this call goes on where the last one ended: reports add up, and a world
                                  // that was refused stays stopped
  const double* ctrl;             // controls (nu) of step i in world w: ctrl + w ctrl_world + i ctrl_step;
                                  // NULL: the tensor HF_BATCH_CTRL, held
  int64_t ctrl_world, ctrl_step;  // [numbers]
  int32_t every;                  // results are written after this many steps; 0: after each step
  int64_t rows;                   // number of rows of a world in the arrays below; 0: nstep/every
  double *time, *q, *v, *act, *sensors; // (nworld x rows x n); NULL: not wanted. Rows of worlds that the mask leaves out stay as they are
} hfBatchRun;

// Every world takes nstep steps. run may be NULL. Returns HF_OK if the reports of all worlds say so, HF_FLAGGED if some world's report has another
// status (*error then quotes the first refusal, or without one names the first difficulty). A world that is refused stays where it was and takes no further step in this call; its rows of
// results are filled with NaN from there on. Allocates nothing.
HF_API hfStatus hf_batch_step(hfBatch* batch, int nstep, const hfBatchRun* run, hfError* error);
// Results at the present states without a step (hf_sim_evaluate). mask as above.
HF_API hfStatus hf_batch_evaluate(hfBatch* batch, const uint8_t* mask, hfError* error);

HF_API const hfWorldReport* hf_batch_reports(const hfBatch* batch); // (nworld) of the last call in which the world took part
// Contacts of the last step of a world; count: reports[world].kept.
HF_API const hfContact* hf_batch_contacts(const hfBatch* batch, int world);

#ifdef __cplusplus
}
#endif
#endif
