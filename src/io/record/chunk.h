// Layout of a recording (docs/reference/recording.md), little-endian:
//   header, the scene's name, the model block, then chunks: a chunk header and its payload, padded to
//   a multiple of 8 bytes. A reader skips kinds that it does not know.
#ifndef HFI_RECORD_CHUNK_H
#define HFI_RECORD_CHUNK_H

#include "base/bytes.h"

#include <stdint.h>

#define HFI_RECORDING_MAGIC "HFRECORD"
enum { HFI_RECORDING_VERSION = 3 };

typedef struct hfiRecordingHeader {
  char magic[8];
  uint32_t version;
  uint32_t nbody;
  uint64_t scene_offset, scene_size; // place of the scene's name in the file [bytes]; a text that is not terminated
  uint64_t model_offset, model_size; // place of the model in the file [bytes]; the offset is a multiple of 64
  uint64_t chunks_offset;
  uint64_t reserved;
} hfiRecordingHeader;

typedef enum hfiChunkKind {
  HFI_CHUNK_MODEL_INDEX = 1, // JSON: counts, and where each field of the model block lies
  HFI_CHUNK_RUN = 2,         // JSON: version, method, options
  HFI_CHUNK_FRAME = 3,
  HFI_CHUNK_EVENT = 4,
  HFI_CHUNK_STATE = 5,    // hfiStateHead, then the state
  HFI_CHUNK_CONTROLS = 6, // time, then the controls (nu) in force from then on
  HFI_CHUNK_FIGURES = 7,  // JSON: names and values of the summary
  HFI_CHUNK_LIVE = 8,     // JSON, live view only: what the session does
  HFI_CHUNK_CLIENT = 9,   // JSON, live view only: who controls
} hfiChunkKind;

typedef struct hfiChunkHeader {
  uint32_t size; // size of the chunk, with this header and the padding [bytes]
  uint32_t kind;
} hfiChunkHeader;

// A state from which a run can go on. Only the part of its contact memory that is in use is stored.
typedef struct hfiStateHead {
  uint32_t flags; // HFI_STATE_...
  uint32_t nmocap;
  // controls (nu; NaN: the scene's signal sets it), mocap_pos (nmocap x 3), mocap_quat (nmocap x 4), then the bytes of
  // the state
} hfiStateHead;
enum {
  HFI_STATE_PUSHED = 1, // forces or velocity targets acted that the recording does not hold
};

// Starts a chunk; returns where. hfi_chunk_end pads it and fills in its size.
size_t hfi_chunk_begin(hfiBytes* bytes, hfiChunkKind kind);
void hfi_chunk_end(hfiBytes* bytes, size_t start);

// Drops every second frame and every second state, and the controls between states. bytes: whole chunks
// and nothing else.
void hfi_chunks_thin(hfiBytes* bytes);

#endif
