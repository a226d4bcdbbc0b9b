// States and inputs: plain blocks.
#include <holdfast/state.h>

#include "base/error.h"
#include "base/output.h"
#include "model/history.h"
#include "model/state_parts.h"

#include <assert.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static int64_t take(int64_t* at, size_t bytes) {
  int64_t start = *at;
  *at = (start + (int64_t)bytes + ALIGN - 1) / ALIGN * ALIGN;
  return start;
}

// ---- layout --------------------------------------------------------------------------------------

static hfState layout_state(const hfModel* m, int max_memory) {
  hfState s = {0};
  s.nq = m->nq, s.nv = m->nv, s.na = m->na;
  s.ndiscrete = HFI_WORD_TREES + m->ntree;
  s.max_memory = max_memory;
  s.nfriction = m->nv + m->ntendon;
  s.nhistory = m->nhistory, s.nrest = m->nrest;
  int64_t at = (int64_t)((sizeof s + ALIGN - 1) / ALIGN * ALIGN);
  s.off_q = take(&at, sizeof(double) * (size_t)s.nq);
  s.off_v = take(&at, sizeof(double) * (size_t)s.nv);
  s.off_act = take(&at, sizeof(double) * (size_t)s.na);
  s.off_discrete = take(&at, sizeof(int64_t) * (size_t)s.ndiscrete);
  s.off_friction = take(&at, sizeof(double) * (size_t)s.nfriction);
  s.off_history = take(&at, sizeof(double) * (size_t)s.nhistory);
  s.off_rest = take(&at, sizeof(double) * (size_t)s.nrest);
  s.off_memory = take(&at, sizeof(hfContactMemory) * (size_t)max_memory);
  s.size = (uint64_t)at;
  return s;
}

size_t hf_state_size(const hfModel* model, int max_memory) {
  assert(max_memory >= 0);
  return (size_t)layout_state(model, max_memory).size;
}

// Clears histories, as if nothing had been given or measured before the time of the state.
static void clear_histories(hfState* s, const hfModel* m) {
  for (int i = 0; i < m->nu; ++i)
    if (hf_model_actuator_nsample(m)[i] > 0)
      hfi_delay_init(hf_state_mutable_history(s) + hf_model_actuator_historyadr(m)[i], hf_model_actuator_nsample(m)[i], 1, s->time, m->world.timestep);
  for (int i = 0; i < m->nsensor; ++i)
    if (hf_model_sensor_nsample(m)[i] > 0) hfi_samples_init(m, i, s->time, hf_state_mutable_history(s) + hf_model_sensor_historyadr(m)[i]);
}

hfState* hf_state_init(void* memory, const hfModel* model, int max_memory) {
  assert(memory && max_memory >= 0);
  hfState header = layout_state(model, max_memory);
  memset(memory, 0, (size_t)header.size);
  hfState* s = memory;
  *s = header;
  memcpy(hf_state_mutable_q(s), hf_model_qpos0(model), sizeof(double) * (size_t)s->nq);
  if (s->nhistory) clear_histories(s, model);
  if (s->nrest) {
    memcpy(hf_state_mutable_rest(s), hf_model_qpos_spring(model), sizeof(double) * (size_t)s->nq);
    memcpy(hf_state_mutable_rest(s) + s->nq, hf_model_tendon_springlength(model), sizeof(double) * 2 * (size_t)model->ntendon);
  }
  for (int t = 0; t < model->ntree; ++t)
    if (hf_model_tree_sleep(model)[t] == HF_SLEEP_INIT) hf_state_mutable_discrete(s)[HFI_WORD_TREES + t] = HFI_ASLEEP_FROM_START;
  return s;
}

// ---- capacity of the contact memory --------------------------------------------------------------

// Number of contacts that are planned in addition to those of each geom.
enum { COMMON_CONTACTS = 16 };

static int is_in_pair(const hfModel* m, int g) {
  for (int i = 0; i < m->npair; ++i)
    if (hf_model_pair_geom(m)[2 * i] == g || hf_model_pair_geom(m)[2 * i + 1] == g) return 1;
  return 0;
}

// Does only one body of the tree have joints? Such bodies lie on each other in heaps.
static int is_single_body(const hfModel* m, int tree) {
  int first = hf_model_tree_dofadr(m)[tree], last = first + hf_model_tree_dofnum(m)[tree] - 1;
  return hf_model_dof_body(m)[first] == hf_model_dof_body(m)[last];
}

// The number of contacts that are planned for a geom. In a heap it is the number of corners of the faces on which it lies and which lie on it; on a
// robot it is that of one face for every second geom. A mesh may touch everywhere, and terrain in many places.
static int planned_contacts(const hfModel* m, int g) {
  int tree = hf_model_body_tree(m)[hf_model_geom_body(m)[g]], type = hf_model_geom_type(m)[g];
  int round = type == HF_GEOM_SPHERE || type == HF_GEOM_ELLIPSOID;
  int collides = hf_model_geom_contype(m)[g] || hf_model_geom_conaffinity(m)[g] || is_in_pair(m, g);
  if (tree < 0 || !collides) return 0;
  if (is_single_body(m, tree) || m->nhfield > 0) return type == HF_GEOM_BOX ? 12 : 8;
  return round ? 1 : type == HF_GEOM_MESH ? 8 : 2;
}

int hf_state_memory_default(const hfModel* model) {
  int sum = COMMON_CONTACTS;
  for (int g = 0; g < model->ngeom; ++g) sum += planned_contacts(model, g);
  return sum;
}

hfState* hf_state_create(const hfModel* model) {
  int capacity = hf_state_memory_default(model);
  void* memory = aligned_alloc(ALIGN, hf_state_size(model, capacity));
  return memory ? hf_state_init(memory, model, capacity) : NULL;
}

void hf_state_free(hfState* state) { free(state); }

hfState* hf_state_clone(const hfState* state) {
  hfState* copy = aligned_alloc(ALIGN, (size_t)state->size);
  return copy ? memcpy(copy, state, (size_t)state->size) : NULL;
}

// An array of two states of the same sizes: where it begins in each, and how much of it counts in the first.
typedef struct sharedArray { int64_t here, there; size_t bytes; } sharedArray;
enum { NARRAYS = 8 };

static void list_arrays(const hfState* s, const hfState* other, sharedArray list[NARRAYS]) {
  const sharedArray all[NARRAYS] = {{s->off_q, other->off_q, sizeof(double) * (size_t)s->nq},
                                    {s->off_v, other->off_v, sizeof(double) * (size_t)s->nv},
                                    {s->off_act, other->off_act, sizeof(double) * (size_t)s->na},
                                    {s->off_discrete, other->off_discrete, sizeof(int64_t) * (size_t)s->ndiscrete},
                                    {s->off_friction, other->off_friction, sizeof(double) * (size_t)s->nfriction},
                                    {s->off_history, other->off_history, sizeof(double) * (size_t)s->nhistory},
                                    {s->off_rest, other->off_rest, sizeof(double) * (size_t)s->nrest},
                                    {s->off_memory, other->off_memory, sizeof(hfContactMemory) * (size_t)s->nmemory}};
  memcpy(list, all, sizeof all);
}

hfStatus hf_state_copy(hfState* to, const hfState* from, hfError* error) {
  hfi_clear_error(error);
  if (!hfi_state_same_sizes(to, from))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the states are of different models (nq %d nv %d, the copy has %d %d)",
                      from->nq, from->nv, to->nq, to->nv);
  if (from->nmemory > to->max_memory)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the state remembers %d contacts, the copy has room for %d", from->nmemory,
                      to->max_memory);
  to->time = from->time;
  to->nmemory = from->nmemory;
  sharedArray list[NARRAYS];
  list_arrays(from, to, list);
  for (int i = 0; i < NARRAYS; ++i) memcpy((char*)to + list[i].there, (const char*)from + list[i].here, list[i].bytes);
  return HF_OK;
}

// Does this header fit the state, so that the bytes after it can be the state's?
static int fits(const hfState* s, const hfState* header) {
  return hfi_state_same_sizes(header, s) && header->size == s->size && header->max_memory == s->max_memory && header->off_q == s->off_q &&
         header->off_v == s->off_v && header->off_act == s->off_act && header->off_discrete == s->off_discrete && header->off_friction == s->off_friction &&
         header->off_history == s->off_history && header->off_rest == s->off_rest && header->off_memory == s->off_memory && header->nmemory >= 0 &&
         header->nmemory <= header->max_memory;
}

hfStatus hf_state_assign(hfState* s, const void* bytes, size_t size, hfError* error) {
  hfi_clear_error(error);
  hfState header;
  if (size >= sizeof header) memcpy(&header, bytes, sizeof header);
  if (size < sizeof header || size != s->size || !fits(s, &header))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "these %zu bytes are no state of this model and capacity; such a state has %llu bytes", size, (unsigned long long)s->size);
  memcpy(s, bytes, size);
  return HF_OK;
}

void hf_state_reset(hfState* state, const hfModel* model) {
  hf_state_init(state, model, state->max_memory);
}

// ---- keyframes -----------------------------------------------------------------------------------

hfStatus hf_state_set_key(hfState* s, hfInput* input, const hfModel* m, int key, hfError* error) {
  hfi_clear_error(error);
  if (key < 0 || key >= m->nkey)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "keyframe %d does not exist: the model has %d", key,
                      m->nkey);
  size_t k = (size_t)key;
  hf_state_reset(s, m);
  s->time = hf_model_key_time(m)[key];
  if (s->nhistory) clear_histories(s, m);
  memcpy(hf_state_mutable_q(s), hf_model_key_qpos(m) + k * (size_t)m->nq, sizeof(double) * (size_t)m->nq);
  memcpy(hf_state_mutable_v(s), hf_model_key_qvel(m) + k * (size_t)m->nv, sizeof(double) * (size_t)m->nv);
  memcpy(hf_state_mutable_act(s), hf_model_key_act(m) + k * (size_t)m->na, sizeof(double) * (size_t)m->na);
  if (!input) return HF_OK;
  for (int i = 0; input->ctrl && i < m->nu; ++i)
    input->ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : hf_model_key_ctrl(m)[k * (size_t)m->nu + (size_t)i];
  if (input->mocap_pos)
    memcpy(input->mocap_pos, hf_model_key_mpos(m) + 3 * k * (size_t)m->nmocap,
           3 * sizeof(double) * (size_t)m->nmocap);
  if (input->mocap_quat)
    memcpy(input->mocap_quat, hf_model_key_mquat(m) + 4 * k * (size_t)m->nmocap,
           4 * sizeof(double) * (size_t)m->nmocap);
  return HF_OK;
}

// ---- files ---------------------------------------------------------------------------------------

static const char MAGIC[8] = "HFSTATE";

hfStatus hf_state_write(const hfState* s, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfiOutput out;
  hfStatus status = hfi_output_open(&out, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) return status;
  hfi_output_bytes(&out, MAGIC, sizeof MAGIC);
  hfi_output_bytes(&out, s, (size_t)s->size);
  return hfi_output_close(&out, error);
}

hfStatus hf_state_read(hfState* s, const char* path, hfError* error) {
  hfi_clear_error(error);
  FILE* file = fopen(path, "rb");
  if (!file) return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be opened", path);
  char magic[sizeof MAGIC];
  hfState header, *whole = NULL;
  hfStatus status = HF_OK;
  if (fread(magic, sizeof magic, 1, file) != 1 || memcmp(magic, MAGIC, sizeof magic) != 0 ||
      fread(&header, sizeof header, 1, file) != 1)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: not a saved state", path);
  else if (!fits(s, &header))
    status =
        hfi_refuse(error, HF_ERROR_MODEL, "%s: saved for another model or capacity (nq %d, nv %d, max_memory %d; here %d, %d, %d)", path,
                   header.nq, header.nv, header.max_memory, s->nq, s->nv, s->max_memory);
  else if (!(whole = malloc((size_t)header.size)))
    status = hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");
  else if (fread((char*)whole + sizeof header, (size_t)header.size - sizeof header, 1, file) != 1)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);
  else if (fgetc(file) != EOF)
    status = hfi_refuse(error, HF_ERROR_PARSE, "%s: longer than the state that it begins with", path);
  else {
    *whole = header;
    memcpy(s, whole, (size_t)header.size);
  }
  free(whole);
  fclose(file);
  return status;
}

// ---- inputs --------------------------------------------------------------------------------------

hfInput* hf_input_create(const hfModel* m) {
  size_t n = (size_t)(m->nu + 3 * m->nv + 6 * m->nbody + 7 * m->nmocap);
  hfInput* input = calloc(1, sizeof *input + sizeof(double) * n);
  if (!input) return NULL;
  double* at = (double*)(input + 1);
  input->ctrl = at, at += m->nu;
  input->force = at, at += m->nv;
  input->wrench = (hfForce*)at, at += 6 * m->nbody;
  input->mocap_pos = at, at += 3 * m->nmocap;
  input->mocap_quat = at, at += 4 * m->nmocap;
  input->velocity_target = at, at += m->nv;
  input->force_limit = at;
  for (int i = 0; i < m->nu; ++i) input->ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : 0;
  for (int i = 0; i < m->nv; ++i) input->velocity_target[i] = NAN, input->force_limit[i] = INFINITY;
  for (int i = 0; i < m->nmocap; ++i) {
    int b = hf_model_mocap_body(m)[i];
    memcpy(input->mocap_pos + 3 * i, hf_model_body_pos(m) + 3 * b, 3 * sizeof(double));
    memcpy(input->mocap_quat + 4 * i, hf_model_body_quat(m) + 4 * b, 4 * sizeof(double));
  }
  return input;
}

void hf_input_free(hfInput* input) { free(input); }
