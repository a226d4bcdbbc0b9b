// See events.h. The pairs of two steps are sorted, so that one walk along both finds what changed.
#include "record/events.h"

#include "record/chunk.h"
#include <holdfast/rigid.h>

#include <stdlib.h>
#include <string.h>

static int compare_pairs(const void* x, const void* y) {
  const hfiTouch *a = x, *b = y;
  if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
  return a->body_b < b->body_b ? -1 : a->body_b > b->body_b;
}

static void put_event(hfiBytes* out, hfEvent event) {
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_EVENT);
  hfi_bytes_put(out, &event, sizeof event);
  hfi_chunk_end(out, start);
}

// Room for `want` pairs in both lists; 0 when there is no memory, then no pair is followed.
static int reserve(hfiEvents* e, int want) {
  if (want <= e->capacity) return 1;
  size_t bytes = 2 * (size_t)want * sizeof(hfiTouch);
  hfiTouch *touch = realloc(e->touch, bytes), *next = touch ? realloc(e->next, bytes) : NULL;
  if (touch) e->touch = touch;
  if (!next) return 0;
  e->next = next, e->capacity = 2 * want;
  return 1;
}

// The pairs that touch after this step, sorted, each once. Returns how many.
static int list_touches(const hfSim* sim, hfiTouch* list) {
  int n = 0;
  for (int i = 0; i < hf_sim_contact_count(sim); ++i) {
    hfContact c = hf_sim_contact(sim, i);
    if (c.fn <= 0) continue;
    int swap = c.body_a > c.body_b;
    hfiTouch t = {swap ? c.body_b : c.body_a, swap ? c.body_a : c.body_b, c.mu > 0 && !c.stick};
    if (n > 0 && compare_pairs(&list[n - 1], &t) == 0)
      list[n - 1].slides &= t.slides;
    else
      list[n++] = t;
  }
  qsort(list, (size_t)n, sizeof *list, compare_pairs);
  int kept = 0;
  for (int i = 0; i < n; ++i)
    if (kept > 0 && compare_pairs(&list[kept - 1], &list[i]) == 0)
      list[kept - 1].slides &= list[i].slides;
    else
      list[kept++] = list[i];
  return kept;
}

static void compare_touches(hfiEvents* e, int count, double time, hfiBytes* out) {
  int i = 0, k = 0;
  while (i < e->count || k < count) {
    const hfiTouch *old = e->touch + i, *new = e->next + k;
    int order = i == e->count ? 1 : k == count ? -1 : compare_pairs(old, new);
    if (order < 0) put_event(out, (hfEvent){time, HF_EVENT_LEAVE, old->body_a, old->body_b, 0});
    if (order > 0) put_event(out, (hfEvent){time, HF_EVENT_TOUCH, new->body_a, new->body_b, 0});
    if (order >= 0 && new->slides && (order > 0 || !old->slides))
      put_event(out, (hfEvent){time, HF_EVENT_SLIDE, new->body_a, new->body_b, 0});
    if (order == 0 && old->slides && !new->slides)
      put_event(out, (hfEvent){time, HF_EVENT_STICK, new->body_a, new->body_b, 0});
    i += order <= 0, k += order >= 0;
  }
}

// A rung beyond TAMSI is said once when it begins to serve, not at every step that it serves.
static void report_solver(hfiEvents* e, const hfSim* sim, double time, const hfStepReport* step,
                          hfiBytes* out) {
  int32_t rung = step->solve.rung;
  if (rung > HF_RUNG_TAMSI && rung != e->rung)
    put_event(out, (hfEvent){time, HF_EVENT_RUNG, -1, -1, rung});
  e->rung = rung;
  if (step->ndropped > 0) put_event(out, (hfEvent){time, HF_EVENT_DROPPED, -1, -1, step->ndropped});
  for (int i = 0; i < step->switching.nswitch; ++i) {
    hfSwitch s = hf_sim_switch(sim, i);
    put_event(out, (hfEvent){s.time, s.rigid ? HF_EVENT_RIGID : HF_EVENT_COMPLIANT, -1, -1, s.reason});
  }
}

void hfi_events_step(hfiEvents* e, const hfSim* sim, double time, const hfStepReport* step,
                     hfiBytes* out) {
  if (reserve(e, hf_sim_contact_count(sim))) {
    int count = list_touches(sim, e->next);
    compare_touches(e, count, time, out);
    hfiTouch* old = e->touch;
    e->touch = e->next, e->next = old, e->count = count;
  }
  if (step) report_solver(e, sim, time, step, out);
}

void hfi_events_release(hfiEvents* e) {
  free(e->touch), free(e->next);
  *e = (hfiEvents){0};
}
