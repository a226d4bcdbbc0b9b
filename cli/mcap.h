// MCAP files: a log of messages on channels, as Foxglove, Rerun and PlotJuggler read them.
#ifndef CLI_MCAP_H
#define CLI_MCAP_H

#include "outfile.h"

#include <jansson.h>
#include <stdint.h>

typedef struct mcapFile {
  outFile out;
  int failed; // something could not be written
  uint16_t channels;
  uint32_t sequence;
} mcapFile;

hfStatus mcap_open(mcapFile* m, const char* path, hfError* error);
// A channel of JSON messages of one schema; returns its number.
uint16_t mcap_channel(mcapFile* m, const char* topic, const char* schema);
// Writes a message at a time [s] and lets go of the value.
void mcap_message(mcapFile* m, uint16_t channel, double time, json_t* value);
// Completes the file. Where something could not be written it refuses, and an older file stays.
hfStatus mcap_close(mcapFile* m, hfError* error);

#endif
