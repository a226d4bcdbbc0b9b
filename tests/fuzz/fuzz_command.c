// Commands of the live view, one behind the other, to a session that steps after each.
#include "io/live/session.h"

#include <holdfast/holdfast.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char scene_text[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"
    "<geom size='0.1' mass='2'/></body><body pos='0 1 0.5'><joint name='rail' type='slide' axis='1 "
    "0 0'/>"
    "<geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody>"
    "<actuator><motor joint='rail'/></actuator><keyframe><key qpos='0 0 0.1 1 0 0 0 "
    "0'/></keyframe></mujoco>";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hfModel* model = NULL;
  hfiSession session;
  hfError error;
  hfSimConfig config = hf_sim_config_default();
  hfiBytes out = {0};
  if (hf_model_parse(&model, scene_text, sizeof scene_text - 1, "fuzz", ".", NULL, NULL, &error) <
      0)
    return 0;
  hfState* start = hf_state_create(model);
  if (start && hfi_session_open(&session, model, &config, start, NULL, 1, &error) == HF_OK) {
    for (size_t at = 0; at < size;) { // a byte says how long the next command is
      size_t length = data[at++] % (HFI_COMMAND_BYTES + 9);
      if (length > size - at) length = size - at;
      hfiCommand command;
      if (hfi_command_read(&command, data + at, length, &error) == HF_OK)
        hfi_session_command(&session, &command, &error);
      at += length;
      out.size = 0;
      hfi_session_step(&session, &out);
      hfi_session_frame(&session, 0, &out);
    }
    hfi_session_close(&session);
  }
  hf_state_free(start);
  hf_model_free(model);
  hfi_bytes_release(&out);
  return 0;
}
