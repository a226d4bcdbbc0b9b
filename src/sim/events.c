// See events.h. The pairs of two steps are sorted, so that one walk along both finds what changed.
#include <holdfast/events.h>

#include "base/error.h"
#include "base/sort.h"

#include <holdfast/rigid.h>
#include <stdlib.h>

// Two bodies that touch, body_a < body_b.
typedef struct Touch {
  int32_t body_a, body_b;
  int32_t slides; // 1: no loaded contact sticks
} Touch;

struct hfEvents {
  Touch* touch;  // sorted pairs that touched at the last step
  Touch* next;   // the same of the step that is being read
  int count;     // number of pairs in touch
  int capacity;  // size of both arrays
  hfEvent* list;
  int nevent, max_event;
  int32_t rung;  // rung that served at the last step
};

// Creates a list without events, for a run that begins with the next step.
hfStatus hf_events_create(hfEvents** events, hfError* error) {
  hfi_clear_error(error);
  hfEvents* made = calloc(1, sizeof *made);
  if (!made) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  *events = made;
  return HF_OK;
}

// Frees a list of events; e may be NULL.
void hf_events_free(hfEvents* e) {
  if (!e) return;
  free(e->touch);
  free(e->next);
  free(e->list);
  free(e);
}

// Forgets the pairs and the rung of the last step, because another run begins.
void hf_events_reset(hfEvents* e) {
  e->count = 0;
  e->nevent = 0;
  e->rung = 0;
}

const hfEvent* hf_events_list(const hfEvents* e, int* count) {
  *count = e->nevent;
  return e->list;
}

// ---- pairs that touch -------------------------------------------------------------------------------

// Makes room for `contacts` pairs and for all events: those of the pairs, and `solver` more. What grows gets twice the
// size that is needed. Returns 0 if there is no memory.
static int reserve(hfEvents* e, int contacts, int solver) {
  if (contacts > e->capacity) {
    size_t bytes = 2 * (size_t)contacts * sizeof(Touch);
    Touch* touch = realloc(e->touch, bytes);
    if (!touch) return 0;
    e->touch = touch;
    Touch* next = realloc(e->next, bytes);
    if (!next) return 0;
    e->next = next;
    e->capacity = 2 * contacts;
  }

  int events = e->count + 2 * contacts + solver; // Each old pair can leave; each new one can touch and slide.
  if (events > e->max_event) {
    hfEvent* list = realloc(e->list, 2 * (size_t)events * sizeof *list);
    if (!list) return 0;
    e->list = list;
    e->max_event = 2 * events;
  }
  return 1;
}

// Orders pairs by their first body and then by their second one: < 0, 0 or > 0, as hfi_sort asks for.
static int compare_pairs(const void* x, const void* y) {
  const Touch* a = x;
  const Touch* b = y;
  if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
  if (a->body_b != b->body_b) return a->body_b < b->body_b ? -1 : 1;
  return 0;
}

// Merges neighbours of the same two bodies; returns how many pairs remain.
static int merge_pairs(Touch* list, int n) {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (kept > 0 && compare_pairs(&list[kept - 1], &list[i]) == 0) list[kept - 1].slides &= list[i].slides;
    else list[kept++] = list[i];
  }
  return kept;
}

// Lists the pairs that touch after this step, sorted, each once. Returns their number.
static int list_touches(const hfSim* sim, Touch* list) {
  int n = 0;
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    if (c.fn <= 0) continue;
    int swap = c.body_a > c.body_b;
    list[n++] = (Touch){.body_a = swap ? c.body_b : c.body_a,
                        .body_b = swap ? c.body_a : c.body_b,
                        .slides = c.mu > 0 && !c.stick};
  }

  n = merge_pairs(list, n); // contacts of a pair are mostly neighbours already
  hfi_sort(list, (size_t)n, sizeof *list, compare_pairs);
  return merge_pairs(list, n);
}

// ---- events -------------------------------------------------------------------------------------------

// Appends an event to the list, which has room for it. pair: NULL if the event is not about two bodies.
static void add_event(hfEvents* e, double time, hfEventKind kind, const Touch* pair, int value) {
  hfEvent* event = &e->list[e->nevent++];
  *event = (hfEvent){.time = time, .kind = kind, .body_a = -1, .body_b = -1, .value = value};
  if (!pair) return;
  event->body_a = pair->body_a;
  event->body_b = pair->body_b;
}

// Adds the events of the pairs: one walk along the old list and the new one, which has `count` pairs.
static void add_pair_events(hfEvents* e, int count, double time) {
  int i = 0;
  int k = 0;
  while (i < e->count || k < count) {
    const Touch* old = e->touch + i;
    const Touch* new = e->next + k;
    int order; // < 0: the old pair comes first and is gone; > 0: the new one comes first
    if (i == e->count) order = 1;
    else if (k == count) order = -1;
    else order = compare_pairs(old, new);

    if (order < 0) add_event(e, time, HF_EVENT_LEAVE, old, 0);
    if (order > 0) add_event(e, time, HF_EVENT_TOUCH, new, 0);
    if (order >= 0 && new->slides && (order > 0 || !old->slides)) add_event(e, time, HF_EVENT_SLIDE, new, 0);
    if (order == 0 && old->slides && !new->slides) add_event(e, time, HF_EVENT_STICK, new, 0);
    i += order <= 0;
    k += order >= 0;
  }
}

// Adds the events of the solver and of the method. A rung other than TAMSI makes an event at the first step that it
// serves, not at the steps after it.
static void add_solver_events(hfEvents* e, const hfSim* sim, double time, const hfStepReport* step) {
  int32_t rung = step->solve.rung;
  if (rung > HF_RUNG_TAMSI && rung != e->rung) add_event(e, time, HF_EVENT_RUNG, NULL, rung);
  e->rung = rung;
  if (step->ndropped > 0) add_event(e, time, HF_EVENT_DROPPED, NULL, step->ndropped);

  for (int i = 0; i < step->switching.nswitch; ++i) {
    hfSwitch s = hf_sim_switch(sim, i);
    add_event(e, s.time, s.rigid ? HF_EVENT_RIGID : HF_EVENT_COMPLIANT, NULL, s.reason);
  }
}

// Lists what happened in the step that ended at `time`: pairs that began or ceased to touch, slide or stick, and, if
// `step` is given, what its report says.
hfStatus hf_events_update(hfEvents* e, const hfSim* sim, double time, const hfStepReport* step, hfError* error) {
  hfi_clear_error(error);
  e->nevent = 0;
  int solver = step ? 2 + step->switching.nswitch : 0;
  if (!reserve(e, hf_sim_contact_count(sim), solver)) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  int count = list_touches(sim, e->next);
  add_pair_events(e, count, time);

  Touch* old = e->touch;
  e->touch = e->next;
  e->next = old;
  e->count = count;

  if (step) add_solver_events(e, sim, time, step);
  return HF_OK;
}
