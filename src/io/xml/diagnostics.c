// The notes and warnings about accepted files: a growing list. A message that is in the list already is only counted.
//
// d: the list.
#include <holdfast/import.h>

#include "io/xml/reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Entry {
  hfSeverity severity;
  char *file, *message; // one allocation, owned by `file`
  size_t subject_length; // Messages that begin with the same subject share one entry.
  int line, count;
} Entry;

struct hfDiagnostics {
  Entry* entry;
  int count, capacity;
};

hfDiagnostics* hf_diagnostics_create(void) { return calloc(1, sizeof(hfDiagnostics)); }

void hf_diagnostics_free(hfDiagnostics* d) {
  if (!d) return;
  for (int i = 0; i < d->count; ++i) free(d->entry[i].file);
  free(d->entry);
  free(d);
}

int hf_diagnostics_count(const hfDiagnostics* d) { return d->count; }

hfDiagnostic hf_diagnostics_get(const hfDiagnostics* d, int index) {
  assert(index >= 0 && index < hf_diagnostics_count(d));
  const Entry* e = &d->entry[index];
  hfDiagnostic out = {e->severity, e->file, e->line, e->message, e->count};
  return out;
}

// Counts a message with this subject if it is in the list. Returns whether it is.
static int count_known(hfDiagnostics* d, const char* subject) {
  size_t length = strlen(subject);
  for (int i = 0; i < d->count; ++i)
    if (d->entry[i].subject_length == length && memcmp(d->entry[i].message, subject, length) == 0) {
      ++d->entry[i].count;
      return 1;
    }
  return 0;
}

// Makes room for one more message. Returns 0 if there is no memory.
static int make_room(hfDiagnostics* d) {
  if (d->count < d->capacity) return 1;
  int capacity = d->capacity ? 2 * d->capacity : 16;
  Entry* entry = realloc(d->entry, (size_t)capacity * sizeof *entry);
  if (!entry) return 0;
  d->entry = entry;
  d->capacity = capacity;
  return 1;
}

// Adds a message, or counts it if one with this subject is in the list. `first` names what it is about the first time.
// If there is no memory, the message is lost, but the import goes on: the model does not depend on it.
void hfi_diagnostics_add(hfDiagnostics* d, hfSeverity severity, const char* file, int line, const char* subject,
                         const char* first) {
  enum { MAX_ENTRIES = 10000 };
  static const char between[] = "; the first: ";
  if (!d || count_known(d, subject) || d->count >= MAX_ENTRIES || !make_room(d)) return;

  size_t file_bytes = strlen(file) + 1;
  size_t message_bytes = strlen(subject) + sizeof between + strlen(first);
  char* text = malloc(file_bytes + message_bytes);
  if (!text) return;
  memcpy(text, file, file_bytes);
  snprintf(text + file_bytes, message_bytes, "%s%s%s", subject, *first ? between : "", first);

  d->entry[d->count] = (Entry){severity, text, text + file_bytes, strlen(subject), line, 1};
  ++d->count;
}
