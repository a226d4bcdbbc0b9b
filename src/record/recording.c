// Reads a recording (layout: record/recording.h) and trusts nothing in it.
#include "record/recording.h"

#include "base/error.h"

#include <errno.h>
#include <holdfast/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hfRecording {
  char* bytes; // the file
  char* scene;
  const hfModel* model; // inside bytes
  uint64_t* frame;      // offsets of the frames in bytes
  int nframe;
};

// Reads a whole file. The block is aligned for a model at a multiple of 64.
static hfStatus read_file(const char* path, char** bytes, uint64_t* size, hfError* error) {
  FILE* file = fopen(path, "rb");
  long end = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end < 0) {
    int code = errno;
    if (file) fclose(file);
    return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot read: %s", path, strerror(code));
  }
  rewind(file);
  char* block = aligned_alloc(64, ((size_t)end + 64) / 64 * 64);
  size_t got = block ? fread(block, 1, (size_t)end, file) : 0;
  fclose(file);
  if (!block) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  *bytes = block, *size = got;
  return HF_OK;
}

static int inside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

static hfStatus check_header(const hfiRecordingHeader* header, uint64_t size, const char* path,
                             hfError* error) {
  if (memcmp(header->magic, HFI_RECORDING_MAGIC, sizeof header->magic) != 0)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a recording", path);
  if (header->version != HFI_RECORDING_VERSION)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "%s: recording of version %u, this reads %d",
                      path, header->version, HFI_RECORDING_VERSION);
  if (!inside(header->scene_offset, header->scene_size, size) ||
      !inside(header->model_offset, header->model_size, size) || header->model_offset % 64 != 0 ||
      !inside(header->frames_offset, 0, size))
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: the recording is cut off or damaged", path);
  return HF_OK;
}

// Offset of the frame after the one at `at`, or 0 when that one is not whole.
static uint64_t next_frame(const char* bytes, uint64_t size, uint64_t at, int nbody) {
  hfiFrameHeader header;
  if (!inside(at, sizeof header, size)) return 0;
  memcpy(&header, bytes + at, sizeof header);
  uint64_t want = sizeof header + (uint64_t)nbody * 7 * sizeof(float) +
                  (uint64_t)header.ncontact * sizeof(hfFrameContact);
  return header.size == want && inside(at, want, size) ? at + want : 0;
}

static hfStatus index_frames(hfRecording* r, uint64_t size, uint64_t first, const char* path,
                             hfError* error) {
  uint64_t at = first, next;
  for (; (next = next_frame(r->bytes, size, at, r->model->nbody)) != 0; at = next) ++r->nframe;
  r->frame = malloc(((size_t)r->nframe + 1) * sizeof *r->frame);
  if (!r->frame) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  at = first;
  for (int i = 0; i < r->nframe; ++i) {
    r->frame[i] = at;
    at = next_frame(r->bytes, size, at, r->model->nbody);
  }
  return HF_OK;
}

static hfStatus open_blocks(hfRecording* r, uint64_t size, const char* path, hfError* error) {
  hfiRecordingHeader header;
  if (size < sizeof header) return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a recording", path);
  memcpy(&header, r->bytes, sizeof header);
  hfStatus status = check_header(&header, size, path, error);
  if (status != HF_OK) return status;
  r->model = (const hfModel*)(const void*)(r->bytes + header.model_offset);
  status = hf_model_validate(r->model, header.model_size, error);
  if (status != HF_OK) return status;
  if ((uint32_t)r->model->nbody != header.nbody)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: the recording does not fit its model", path);
  r->scene = calloc(1, header.scene_size + 1);
  if (!r->scene) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  memcpy(r->scene, r->bytes + header.scene_offset, header.scene_size);
  return index_frames(r, size, header.frames_offset, path, error);
}

hfStatus hf_recording_open(hfRecording** recording, const char* path, hfError* error) {
  hfRecording* made = calloc(1, sizeof *made);
  if (!made) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  uint64_t size = 0;
  hfStatus status = read_file(path, &made->bytes, &size, error);
  if (status == HF_OK) status = open_blocks(made, size, path, error);
  if (status != HF_OK) {
    hf_recording_free(made);
    return status;
  }
  *recording = made;
  return HF_OK;
}

void hf_recording_free(hfRecording* recording) {
  if (!recording) return;
  free(recording->bytes), free(recording->scene), free(recording->frame);
  free(recording);
}

const hfModel* hf_recording_model(const hfRecording* recording) { return recording->model; }
const char* hf_recording_scene(const hfRecording* recording) { return recording->scene; }
int hf_recording_frame_count(const hfRecording* recording) { return recording->nframe; }

hfFrame hf_recording_frame(const hfRecording* recording, int i) {
  const char* at = recording->bytes + recording->frame[i];
  hfiFrameHeader header;
  memcpy(&header, at, sizeof header);
  const float* pose = (const float*)(const void*)(at + sizeof header);
  return (hfFrame){.time = header.time,
                   .pose = pose,
                   .ncontact = (int32_t)header.ncontact,
                   .contact =
                       (const hfFrameContact*)(const void*)(pose + 7 * recording->model->nbody)};
}
