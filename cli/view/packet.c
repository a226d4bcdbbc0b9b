// Shared bytes, see world.h.
#include "world.h"

#include <libwebsockets.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct packet {
  atomic_int holders;
  size_t size;
  unsigned char bytes[]; // LWS_PRE, then the data
};

// Copies bytes into a packet with one holder. NULL: no memory.
packet* packet_make(const void* data, size_t size) {
  packet* p = malloc(sizeof *p + LWS_PRE + size);
  if (!p) return NULL;

  atomic_init(&p->holders, 1);
  p->size = size;
  memcpy(p->bytes + LWS_PRE, data, size);
  return p;
}

packet* packet_hold(packet* p) {
  if (p) atomic_fetch_add(&p->holders, 1);
  return p;
}

void packet_release(packet* p) {
  if (p && atomic_fetch_sub(&p->holders, 1) == 1) free(p);
}

unsigned char* packet_data(packet* p) { return p->bytes + LWS_PRE; }
size_t packet_size(const packet* p) { return p->size; }
