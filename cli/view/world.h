// The world behind the live view, on a thread of its own: it steps, answers commands and publishes
// frames. Whoever reads them never makes it wait: a frame that nobody fetched is replaced by the next.
#ifndef CLI_VIEW_WORLD_H
#define CLI_VIEW_WORLD_H

#include "../run.h"
#include "io/live/command.h"

// Bytes that several threads read; freed when the last of them lets go. There is room before the data for
// the framing of a WebSocket message.
typedef struct packet packet;
packet* packet_make(const void* data, size_t size);
packet* packet_hold(packet* p);
void packet_release(packet* p); // NULL is allowed
unsigned char* packet_data(packet* p);
size_t packet_size(const packet* p);

typedef struct worldOptions {
  sceneOptions scene;
  startOptions start;
  hfSimConfig config;
  double history; // how far one can go back [s]
  int paused; // 1: it does not begin to play when the first page is there
  const char* out; // folder of saved files
  void (*published)(void* context); // called by the world's thread when there is something new to fetch
  void* context;
} worldOptions;

typedef struct liveWorld liveWorld;

// Loads the scene or recording and starts the thread. Returns the exit status, after saying what is wrong.
int world_start(liveWorld** made, const worldOptions* options);
// Time [s] that world_stop waits for the thread.
static const double WORLD_PATIENCE = 0.5;
// Ends the thread and frees the world. Returns 0, and frees nothing, if the thread is still in a step or reads a scene
// after WORLD_PATIENCE; the program can then only end without its help.
int world_stop(liveWorld* w);

// Somebody watches: a world that is not paused begins to play. It waits for that, so that nobody misses its beginning.
void world_watched(liveWorld* w);
// Queues a command; 0 when the queue is full.
int world_command(liveWorld* w, const hfiCommand* command);

// Returns what a client needs first: of a scene the start of a recording without frames, of a recording all of it.
// Returns NULL if *generation is already the number of the present scene or recording; otherwise sets it.
// The caller releases the packet.
packet* world_hello(liveWorld* w, unsigned* generation);
// Returns the newest frame and sets *sequence to its number. Returns NULL if *sequence is that number already.
// The caller releases the packet.
packet* world_frame(liveWorld* w, unsigned long* sequence);

#endif
