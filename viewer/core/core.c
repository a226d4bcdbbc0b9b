// The core inside the page, compiled for wasm32: one session and the bytes that go in and out.
//
// The page writes into memory that hf_web_room gives and calls a function; what comes back lies at
// hf_web_out, hf_web_out_size bytes long: chunks of a recording, or the text of a refusal.
#include "io/live/session.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static void* room;
static hfModel* model;
static hfSimConfig config;
static hfiSession session;
static int is_open;
static hfiBytes out;

// Memory for `size` bytes from the page, aligned for a model.
EXPORT(hf_web_room) void* hf_web_room(size_t size) {
  free(room);
  room = aligned_alloc(64, (size + 127) / 64 * 64);
  return room;
}
EXPORT(hf_web_out) const void* hf_web_out(void) { return out.data; }
EXPORT(hf_web_out_size) size_t hf_web_out_size(void) { return out.size; }

static int refuse(const hfError* error) {
  out.size = 0;
  hfi_bytes_print(&out, "%s", error->message);
  return -1;
}

// The model block is in the room. Options are set between this and hf_web_open.
EXPORT(hf_web_model) int hf_web_model(size_t size) {
  hfError error = {HF_OK, ""};
  if (hf_model_validate(room, size, &error) != HF_OK) return refuse(&error);
  model = room, room = NULL;
  config = hf_sim_config_default();
  return 0;
}

// "name=value" is in the room.
EXPORT(hf_web_option) int hf_web_option(void) {
  hfError error = {HF_OK, ""};
  char* equals = strchr(room, '=');
  if (!equals) return -1;
  *equals = '\0';
  return hf_sim_config_set(&config, room, equals + 1, &error) == HF_OK ? 0 : refuse(&error);
}

EXPORT(hf_web_open) int hf_web_open(void) {
  hfError error = {HF_OK, ""};
  hfState* start = hf_state_create(model);
  hfStatus status = start ? hfi_session_open(&session, model, &config, start, NULL, 0, &error)
                          : HF_ERROR_MEMORY;
  hf_state_free(start);
  is_open = status == HF_OK;
  return is_open ? 0 : refuse(&error);
}

EXPORT(hf_web_close) void hf_web_close(void) {
  if (is_open) hfi_session_close(&session);
  free(model), free(room), hfi_bytes_release(&out);
  model = NULL, room = NULL, is_open = 0;
}

// The payload of a state chunk is in the room. with_controls: see hfi_session_restore.
EXPORT(hf_web_restore) int hf_web_restore(size_t size, int with_controls) {
  hfError error = {HF_OK, ""};
  return hfi_session_restore(&session, room, size, with_controls, &error) == HF_OK ? 0
                                                                                   : refuse(&error);
}

// The controls (nu) that a recording holds are in the room; they act where the user set nothing. NaN leaves one to the scene's signal.
EXPORT(hf_web_controls) void hf_web_controls(void) { memcpy(session.base_controls, room, (size_t)model->nu * sizeof(double)); }

// A command of the page is in the room.
EXPORT(hf_web_command) int hf_web_command(size_t size) {
  hfiCommand command;
  hfError error = {HF_OK, ""};
  if (hfi_command_read(&command, room, size, &error) != HF_OK) return refuse(&error);
  return hfi_session_command(&session, &command, &error) == HF_OK ? 0 : refuse(&error);
}

EXPORT(hf_web_time) double hf_web_time(void) { return session.state->time; }
EXPORT(hf_web_step_size) double hf_web_step_size(void) { return hf_sim_step_size(session.sim); }

// Takes `count` steps; what happened in them goes to the output behind what is there.
EXPORT(hf_web_step) int hf_web_step(int count) {
  for (int i = 0; i < count; ++i)
    if (hfi_session_step(&session, &out) < 0) return refuse(&session.error);
  return 0;
}
EXPORT(hf_web_clear) void hf_web_clear(void) { out.size = 0; }
// A frame of the present and the state behind it.
EXPORT(hf_web_frame) void hf_web_frame(void) {
  hfi_session_frame(&session, 0, &out);
  hfi_session_state(&session, &out);
}

// The state, bit by bit as the library stores it.
EXPORT(hf_web_state) const void* hf_web_state(void) { return session.state; }
EXPORT(hf_web_state_size) size_t hf_web_state_size(void) { return (size_t)session.state->size; }
