// MCAP files: a log of messages on channels, as Foxglove, Rerun and PlotJuggler read them.
#ifndef CLI_MCAP_H
#define CLI_MCAP_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

typedef struct mcapFile {
  FILE* file;
  int failed; // something could not be written
  uint16_t channels;
  uint32_t sequence;
} mcapFile;

// Opens a file; 0 when it cannot be written.
int mcap_open(mcapFile* m, const char* path);
// A channel of JSON messages of one schema; returns its number.
uint16_t mcap_channel(mcapFile* m, const char* topic, const char* schema);
// Writes a message at a time [s] and lets go of the value.
void mcap_message(mcapFile* m, uint16_t channel, double time, json_t* value);
// Returns 1 if everything was written.
int mcap_close(mcapFile* m);

#endif
