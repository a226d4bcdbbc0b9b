// Writes a recording, one frame a call (layout: record/recording.h).
#include "record/output.h"
#include "record/recording.h"

#include <holdfast/record.h>
#include <string.h>

struct hfRecorder {
  hfiOutput out;
  hfDynamics* dynamics; // kinematics of the recorded states
  int nbody;
};

static uint64_t round_up(uint64_t x) { return (x + 63) / 64 * 64; }

static void put_header(hfiOutput* out, const hfModel* model, const char* scene) {
  static const char zeros[64];
  hfiRecordingHeader header = {.version = HFI_RECORDING_VERSION, .nbody = (uint32_t)model->nbody};
  memcpy(header.magic, HFI_RECORDING_MAGIC, sizeof header.magic);
  header.scene_offset = sizeof header;
  header.scene_size = strlen(scene);
  header.model_offset = round_up(header.scene_offset + header.scene_size);
  header.model_size = model->size;
  header.frames_offset = round_up(header.model_offset + header.model_size);
  hfi_output_bytes(out, &header, sizeof header);
  hfi_output_bytes(out, scene, header.scene_size);
  hfi_output_bytes(out, zeros, header.model_offset - header.scene_offset - header.scene_size);
  hfi_output_bytes(out, model, model->size);
  hfi_output_bytes(out, zeros, header.frames_offset - header.model_offset - header.model_size);
}

hfStatus hf_recorder_open(hfRecorder** recorder, const char* path, const hfModel* model,
                          const char* scene, hfError* error) {
  hfStatus status;
  hfRecorder* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_ROWS, &status, error);
  if (!made) return status;
  made->nbody = model->nbody;
  put_header(&made->out, model, scene);
  status = hfi_output_flush(&made->out, error);
  if (status == HF_OK) status = hf_dynamics_create(&made->dynamics, model, error);
  if (status == HF_OK)
    *recorder = made;
  else
    hfi_output_abandon(made);
  return status;
}

static hfFrameContact frame_contact(hfContact c) {
  hfVec3 f = {c.fn * c.n_W.x + c.ft.x, c.fn * c.n_W.y + c.ft.y, c.fn * c.n_W.z + c.ft.z};
  return (hfFrameContact){.geom_a = c.geom_a,
                          .geom_b = c.geom_b,
                          .p_W = {(float)c.p_W.x, (float)c.p_W.y, (float)c.p_W.z},
                          .force = {(float)f.x, (float)f.y, (float)f.z},
                          .fn = (float)c.fn,
                          .stick = c.stick != 0};
}

hfStatus hf_recorder_write(hfRecorder* recorder, const hfSim* sim, const hfState* state,
                           const hfInput* input, hfError* error) {
  hfDynamics* d = recorder->dynamics;
  hf_dynamics_position(d, hf_state_q(state), input);
  int ncontact = hf_sim_contact_count(sim);
  size_t size = sizeof(hfiFrameHeader) + (size_t)recorder->nbody * 7 * sizeof(float) +
                (size_t)ncontact * sizeof(hfFrameContact);
  hfiFrameHeader header = {(uint32_t)size, (uint32_t)ncontact, state->time};
  hfi_output_bytes(&recorder->out, &header, sizeof header);
  for (int b = 0; b < recorder->nbody; ++b) {
    hfVec3 p = hf_dynamics_body_pose(d, b).p;
    hfQuat q = hf_dynamics_body_quat(d, b);
    float pose[7] = {(float)p.x, (float)p.y, (float)p.z, (float)q.w,
                     (float)q.x, (float)q.y, (float)q.z};
    hfi_output_bytes(&recorder->out, pose, sizeof pose);
  }
  for (int i = 0; i < ncontact; ++i) {
    hfFrameContact contact = frame_contact(hf_sim_contact(sim, i));
    hfi_output_bytes(&recorder->out, &contact, sizeof contact);
  }
  return hfi_output_flush(&recorder->out, error);
}

hfStatus hf_recorder_close(hfRecorder* recorder, hfError* error) {
  if (recorder) hf_dynamics_free(recorder->dynamics);
  return hfi_output_destroy(recorder, error);
}
