// Reads a recording (layout: io/record/chunk.h). Every size and offset of the file is checked before it is used.
//
// r: the recording; size, total: of the file [bytes].
#include "io/record/chunk.h"

#include "base/error.h"
#include "model/block.h"

#include <assert.h>
#include <errno.h>
#include <holdfast/record.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hfRecording {
  char* bytes;   // the file
  uint64_t size; // size up to the end of the last whole chunk
  char *scene, *run, *figures;
  const hfModel* model;    // inside bytes
  uint64_t *frame, *event; // offsets of their chunks in bytes
  int nframe, nevent;
};

// Reads a whole file into memory at a multiple of 64 bytes, so that the model in it is aligned.
static hfStatus read_file(const char* path, char** bytes, uint64_t* size, hfError* error) {
  FILE* file = fopen(path, "rb");
  long end = -1;
  int is_readable = file && (fgetc(file) != EOF || !ferror(file)); // A folder can be opened, but not read.
  if (is_readable && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
  if (end < 0) {
    int code = errno;
    if (file) fclose(file);
    return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot read: %s", path, strerror(code));
  }

  rewind(file);
  enum { ALIGNMENT = 64 };
  char* block = aligned_alloc(ALIGNMENT, ((size_t)end + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
  size_t got = block ? fread(block, 1, (size_t)end, file) : 0;
  fclose(file);
  if (!block) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  *bytes = block;
  *size = got;
  return HF_OK;
}

// Whether a part of a file that has `total` bytes is in it.
static int is_inside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

// Refuses what is no recording, a recording of another version, and parts that are not in the file.
static hfStatus check_header(const hfiRecordingHeader* header, uint64_t size, const char* path, hfError* error) {
  if (memcmp(header->magic, HFI_RECORDING_MAGIC, sizeof header->magic) != 0)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a recording", path);
  if (header->version != HFI_RECORDING_VERSION)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "%s: recording of version %u, this reads %d", path, header->version,
                      HFI_RECORDING_VERSION);

  int has_parts = is_inside(header->scene_offset, header->scene_size, size) &&
                  is_inside(header->model_offset, header->model_size, size) &&
                  is_inside(header->chunks_offset, 0, size);
  if (!has_parts || header->model_offset % 64 != 0 || header->chunks_offset % 8 != 0)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: the recording is cut off or damaged", path);
  return HF_OK;
}

// The bytes of a frame with so many contacts.
static uint64_t frame_size(const hfModel* m, uint64_t ncontact) {
  uint64_t floats = (uint64_t)m->nbody * 7 + (uint64_t)m->nq + (uint64_t)m->nv + 2 * (uint64_t)m->nu;
  floats += (uint64_t)m->nsensordata;
  uint64_t size = sizeof(hfiChunkHeader) + sizeof(hfFrameHead);
  size += floats * sizeof(float) + ncontact * sizeof(hfFrameContact);
  return (size + 7) / 8 * 8;
}

// Whether the chunk at `offset` has the length that its contents require.
static int has_right_length(const hfRecording* r, uint64_t offset, const hfiChunkHeader* header) {
  if (header->kind == HFI_CHUNK_EVENT) return header->size == sizeof(hfiChunkHeader) + sizeof(hfEvent);
  if (header->kind != HFI_CHUNK_FRAME) return 1;

  hfFrameHead head;
  if (header->size < sizeof *header + sizeof head) return 0;
  memcpy(&head, r->bytes + offset + sizeof *header, sizeof head);
  return head.ncontact >= 0 && header->size == frame_size(r->model, (uint64_t)head.ncontact);
}

// Reads the header of the chunk at `offset`. Returns 0 if the chunk is cut off or malformed; the recording ends there.
static int read_chunk_header(const hfRecording* r, uint64_t size, uint64_t offset, hfiChunkHeader* header) {
  if (!is_inside(offset, sizeof *header, size)) return 0;
  memcpy(header, r->bytes + offset, sizeof *header);
  if (header->size < sizeof *header || header->size % 8 != 0) return 0;
  return is_inside(offset, header->size, size) && has_right_length(r, offset, header);
}

// A copy of some bytes of the file as a text, or NULL if there is no memory.
static char* copy_text(const hfRecording* r, uint64_t offset, uint64_t size) {
  char* text = calloc(1, size + 1);
  if (text && size) memcpy(text, r->bytes + offset, size);
  return text;
}

// Adds a frame or event to the list of its kind, and copies the first text of a kind. Returns 0 if there is no memory.
static int note_chunk(hfRecording* r, uint64_t offset, const hfiChunkHeader* header) {
  char** text = NULL;

  switch (header->kind) {
  // the lists have room, because all chunks were counted before
  case HFI_CHUNK_FRAME:
    r->frame[r->nframe] = offset;
    ++r->nframe;
    return 1;
  case HFI_CHUNK_EVENT:
    r->event[r->nevent] = offset;
    ++r->nevent;
    return 1;
  case HFI_CHUNK_RUN: text = &r->run; break;
  case HFI_CHUNK_FIGURES: text = &r->figures; break;
  default: return 1;
  }

  if (*text) return 1;
  *text = copy_text(r, offset + sizeof *header, header->size - sizeof *header);
  return *text != NULL;
}

// Finds the chunks from `first` on: first how many there are of each kind, then where they are. The recording ends with
// the last whole chunk.
static hfStatus index_chunks(hfRecording* r, uint64_t size, uint64_t first, const char* path, hfError* error) {
  hfiChunkHeader header;
  uint64_t offset = first;
  size_t count[HFI_CHUNK_FIGURES + 1] = {0};
  for (; read_chunk_header(r, size, offset, &header); offset += header.size)
    if (header.kind <= HFI_CHUNK_FIGURES) ++count[header.kind];

  r->size = offset;
  r->frame = malloc((count[HFI_CHUNK_FRAME] + 1) * sizeof *r->frame);
  r->event = malloc((count[HFI_CHUNK_EVENT] + 1) * sizeof *r->event);
  int has_memory = r->frame && r->event;
  for (offset = first; has_memory && offset < r->size; offset += header.size) {
    memcpy(&header, r->bytes + offset, sizeof header);
    has_memory = note_chunk(r, offset, &header);
  }
  return has_memory ? HF_OK : hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
}

// Finds scene, model and chunks in the bytes of a file.
static hfStatus open_blocks(hfRecording* r, uint64_t size, const char* path, hfError* error) {
  hfiRecordingHeader header;
  if (size < sizeof header) return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a recording", path);
  memcpy(&header, r->bytes, sizeof header);
  hfStatus status = check_header(&header, size, path, error);
  if (status != HF_OK) return status;

  r->model = (const hfModel*)(const void*)(r->bytes + header.model_offset);
  status = hfi_validate_block(r->model, header.model_size, path, error);
  if (status != HF_OK) return status;
  if ((uint32_t)r->model->nbody != header.nbody)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: the recording does not fit its model", path);

  r->scene = copy_text(r, header.scene_offset, header.scene_size);
  if (!r->scene) return hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  return index_chunks(r, size, header.chunks_offset, path, error);
}

// Reads a recording from a file.
hfStatus hf_recording_read(hfRecording** recording, const char* path, hfError* error) {
  hfi_clear_error(error);
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

// Releases a recording, which may be NULL.
void hf_recording_free(hfRecording* r) {
  if (!r) return;
  free(r->bytes);
  free(r->scene);
  free(r->run);
  free(r->figures);
  free(r->frame);
  free(r->event);
  free(r);
}

const hfModel* hf_recording_model(const hfRecording* r) { return r->model; }
const char* hf_recording_scene(const hfRecording* r) { return r->scene; }
const char* hf_recording_run(const hfRecording* r) { return r->run ? r->run : ""; }
const char* hf_recording_figures(const hfRecording* r) { return r->figures ? r->figures : ""; }
int hf_recording_frame_count(const hfRecording* r) { return r->nframe; }
int hf_recording_event_count(const hfRecording* r) { return r->nevent; }

const void* hf_recording_bytes(const hfRecording* r, size_t* size) {
  *size = r->size;
  return r->bytes;
}

hfEvent hf_recording_event(const hfRecording* r, int i) {
  assert(i >= 0 && i < hf_recording_event_count(r));
  hfEvent event;
  memcpy(&event, r->bytes + r->event[i] + sizeof(hfiChunkHeader), sizeof event);
  return event;
}

// Frame i of a recording: pointers to its parts in the bytes of the file.
hfFrame hf_recording_frame(const hfRecording* r, int i) {
  assert(i >= 0 && i < hf_recording_frame_count(r));
  const hfModel* m = r->model;
  const hfFrameHead* head = (const void*)(r->bytes + r->frame[i] + sizeof(hfiChunkHeader));

  hfFrame f = {.time = head->time, .head = head, .ncontact = head->ncontact};
  f.pose = (const float*)(head + 1);
  f.q = f.pose + 7 * m->nbody;
  f.v = f.q + m->nq;
  f.ctrl = f.v + m->nv;
  f.force = f.ctrl + m->nu;
  f.sensor = f.force + m->nu;
  f.contact = (const hfFrameContact*)(const void*)(f.sensor + m->nsensordata);
  return f;
}
