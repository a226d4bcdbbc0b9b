// A world of the scene that a script of a peer wrote, and the file of its numbers.
#ifndef HF_TESTS_PEER_WORLD_H
#define HF_TESTS_PEER_WORLD_H

#include "support/peer.h"
#include "support/sim_world.h"

// Loads FOLDER/scene.xml and opens FOLDER/states.txt, which the caller closes.
static inline simWorld peer_world_load(const char* folder, FILE** states) {
  char path[256];
  snprintf(path, sizeof path, "%s/scene.xml", folder);
  simWorld w = sim_world_load(path);
  snprintf(path, sizeof path, "%s/states.txt", folder);
  *states = fopen(path, "r");
  assert_non_null(*states);
  return w;
}

#endif
