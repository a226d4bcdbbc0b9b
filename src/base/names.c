// Name look-up: hash h = FNV-1a(kind, name), linear probing at a load below 1/2.
#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The constants of FNV-1a for 32 bits.
static const uint32_t FNV_BASIS = 2166136261u;
static const uint32_t FNV_PRIME = 16777619u;

enum { FIRST_CAPACITY = 64 }; // Slots of the first table; the number of slots is a power of two.

// Returns the hash of a name of a kind.
static uint32_t hash_name(int kind, const char* name) {
  uint32_t h = FNV_BASIS ^ (uint32_t)kind;
  for (const char* c = name; *c; ++c) h = (h ^ (uint8_t)*c) * FNV_PRIME;
  return h;
}

// Returns the slot that holds the name, or the empty slot where it belongs.
static hfiName* find_slot(const hfiNames* names, int kind, const char* name) {
  uint32_t mask = (uint32_t)names->capacity - 1;
  for (uint32_t i = hash_name(kind, name) & mask;; i = (i + 1) & mask) {
    hfiName* s = &names->slot[i];
    if (!s->name || (s->kind == kind && strcmp(s->name, name) == 0)) return s;
  }
}

// Returns the id of a name, or -1 if there is no such name.
int hfi_names_find(const hfiNames* names, int kind, const char* name) {
  if (!names->capacity || !name) return -1;
  const hfiName* s = find_slot(names, kind, name);
  return s->name ? s->id : -1;
}

// Moves all names to a table of twice the size. Returns -1 if there is no memory.
static int grow(hfiNames* names) {
  hfiNames larger = {NULL, names->capacity ? 2 * names->capacity : FIRST_CAPACITY, names->count};
  larger.slot = calloc((size_t)larger.capacity, sizeof *larger.slot);
  if (!larger.slot) return -1;

  for (int i = 0; i < names->capacity; ++i)
    if (names->slot[i].name) *find_slot(&larger, names->slot[i].kind, names->slot[i].name) = names->slot[i];

  free(names->slot);
  *names = larger;
  return 0;
}

// Adds a name with its id. Returns -1 if there is no memory.
int hfi_names_add(hfiNames* names, int kind, const char* name, int id) {
  if (2 * (names->count + 1) > names->capacity && grow(names) != 0) return -1;
  hfiName entry = {name, kind, id};
  *find_slot(names, kind, name) = entry;
  names->count++;
  return 0;
}

// Makes a copy, which has its own table. Returns -1 if there is no memory.
int hfi_names_copy(hfiNames* copy, const hfiNames* names) {
  if (!names->capacity) return 0;
  hfiName* slot = malloc((size_t)names->capacity * sizeof *slot);
  if (!slot) return -1;
  memcpy(slot, names->slot, (size_t)names->capacity * sizeof *slot);
  *copy = (hfiNames){slot, names->capacity, names->count};
  return 0;
}

void hfi_names_release(hfiNames* names) {
  free(names->slot);
  names->slot = NULL;
  names->capacity = 0;
  names->count = 0;
}
