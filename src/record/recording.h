// Layout of a recording on disk (docs/reference/recording.md), little-endian:
//   header, the scene's name, the model block, then frames of (frame header, poses, contacts).
#ifndef HFI_RECORD_RECORDING_H
#define HFI_RECORD_RECORDING_H

#include <stdint.h>

#define HFI_RECORDING_MAGIC "HFRECORD"
enum { HFI_RECORDING_VERSION = 1 };

typedef struct hfiRecordingHeader {
  char magic[8];
  uint32_t version;
  uint32_t nbody;
  uint64_t scene_offset, scene_size; // text, not terminated
  uint64_t model_offset, model_size; // a multiple of 64 into the file
  uint64_t frames_offset;
  uint64_t reserved;
} hfiRecordingHeader;

typedef struct hfiFrameHeader {
  uint32_t size; // of the frame, this header included
  uint32_t ncontact;
  double time; // [s]
} hfiFrameHeader;

#endif
