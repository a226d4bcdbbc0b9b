// A map from (kind, name) to id: open addressing, FNV-1a. Names are not copied.
#ifndef HFI_BASE_NAMES_H
#define HFI_BASE_NAMES_H

typedef struct hfiName { const char* name; int kind, id; } hfiName;
typedef struct hfiNames { hfiName* slot; int capacity, count; } hfiNames; // capacity a power of two

// Returns the id of the name, or -1.
int hfi_names_find(const hfiNames* names, int kind, const char* name);
// Adds a name that is not there yet. Returns 0, or -1 when out of memory (nothing changed).
int hfi_names_add(hfiNames* names, int kind, const char* name, int id);
// Makes *copy, which must be empty, equal to names. Returns 0, or -1 when out of memory.
int hfi_names_copy(hfiNames* copy, const hfiNames* names);
void hfi_names_release(hfiNames* names);

#endif
