// The server of the live view: one page and one WebSocket on 127.0.0.1, nothing else.
#ifndef CLI_VIEW_SERVER_H
#define CLI_VIEW_SERVER_H

#include "world.h"

typedef struct serverOptions {
  int port;
  int read_only; // nobody controls
  worldOptions world;
} serverOptions;

// Serves until interrupted. Returns the exit status.
int serve(const serverOptions* options);

#endif
