// States and inputs: plain blocks.
#include <holdfast/state.h>

#include "base/error.h"
#include "base/output.h"
#include "model/history.h"
#include "model/state_parts.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every array of a state begins at a multiple of this [bytes].
enum { ALIGNMENT = 64 };

// ---- parts -----------------------------------------------------------------------------------------

#define PART(type, name, number, how)                                                                        \
  {                                                                                                           \
    .motion = HFI_PART_##how, .address = offsetof(hfState, off_##name), .count = offsetof(hfState, number),   \
    .width = sizeof(type),                                                                                    \
  }

const hfiStatePart hfi_state_parts[HFI_STATE_PARTS] = {
    PART(double, q, nq, CONFIGURATION),
    PART(double, v, nv, VELOCITY),
    PART(double, act, na, VECTOR),
    PART(int64_t, discrete, ndiscrete, HELD),
    PART(double, friction, nfriction, HELD),
    PART(double, history, nhistory, HELD),
    PART(double, rest, nrest, HELD),
    // the last one, because a state has room for more contacts than it remembers
    PART(hfContactMemory, memory, nmemory, MEMORY),
};

static int64_t* address_of(hfState* s, const hfiStatePart* part) { return (int64_t*)((char*)s + part->address); }

void* hfi_state_part(const hfState* s, const hfiStatePart* part) {
  return (char*)(uintptr_t)s + *(const int64_t*)((const char*)s + part->address);
}

size_t hfi_state_part_bytes(const hfState* s, const hfiStatePart* part) {
  return part->width * (size_t)*(const int32_t*)((const char*)s + part->count);
}

// Returns the header of a state of this model: counts, and where the parts lie.
static hfState layout_state(const hfModel* m, int max_memory) {
  hfState s = {.nq = m->nq,
               .nv = m->nv,
               .na = m->na,
               .ndiscrete = HFI_WORD_TREES + m->ntree,
               .max_memory = max_memory,
               .nmemory = max_memory,
               .nfriction = m->nv + m->ntendon,
               .nhistory = m->nhistory,
               .nrest = m->nrest};
  // the parts one after the other, each at a multiple of ALIGNMENT
  // nmemory stands for the capacity, so that the part of the memory gets all its room
  size_t end = (sizeof s + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

  for (int k = 0; k < HFI_STATE_PARTS; ++k) {
    *address_of(&s, &hfi_state_parts[k]) = (int64_t)end;
    end = (end + hfi_state_part_bytes(&s, &hfi_state_parts[k]) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  s.size = (uint64_t)end;
  s.nmemory = 0; // there is room for max_memory contacts
  return s;
}

size_t hf_state_size(const hfModel* model, int max_memory) {
  assert(max_memory >= 0);
  return (size_t)layout_state(model, max_memory).size;
}

// ---- the state at the start ------------------------------------------------------------------------

// Clears histories, as if nothing had been given or measured before the time of the state.
static void clear_histories(hfState* s, const hfModel* m) {
  double* history = hf_state_mutable_history(s);
  for (int i = 0; i < m->nu; ++i) {
    int n = hf_model_actuator_nsample(m)[i];
    if (n > 0) hfi_delay_init(history + hf_model_actuator_historyadr(m)[i], n, 1, s->time, m->world.timestep);
  }

  for (int i = 0; i < m->nsensor; ++i)
    if (hf_model_sensor_nsample(m)[i] > 0)
      hfi_samples_init(m, i, s->time, history + hf_model_sensor_historyadr(m)[i]);
}

// Makes a state at qpos0 and at rest in this memory, with room for max_memory contacts, and returns it. Histories and
// rests of springs are those of the model; trees that begin asleep are marked. All other numbers are zero.
hfState* hf_state_init(void* memory, const hfModel* model, int max_memory) {
  assert(memory && max_memory >= 0);
  hfState header = layout_state(model, max_memory);
  memset(memory, 0, (size_t)header.size);
  hfState* s = memory;
  *s = header;

  memcpy(hf_state_mutable_q(s), hf_model_qpos0(model), sizeof(double) * (size_t)s->nq);
  if (s->nhistory) clear_histories(s, model);
  if (s->nrest) {
    double* rest = hf_state_mutable_rest(s);
    // the rests of joints (nq), then two lengths for each tendon
    memcpy(rest, hf_model_qpos_spring(model), sizeof *rest * (size_t)s->nq);
    memcpy(rest + s->nq, hf_model_tendon_springlength(model), sizeof *rest * 2 * (size_t)model->ntendon);
  }

  for (int t = 0; t < model->ntree; ++t)
    if (hf_model_tree_sleep(model)[t] == HF_SLEEP_INIT)
      hf_state_mutable_discrete(s)[HFI_WORD_TREES + t] = HFI_ASLEEP_FROM_START;

  return s;
}

void hf_state_reset(hfState* state, const hfModel* model) { hf_state_init(state, model, state->max_memory); }

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
  int first = hf_model_tree_dofadr(m)[tree];
  int last = first + hf_model_tree_dofnum(m)[tree] - 1;
  return hf_model_dof_body(m)[first] == hf_model_dof_body(m)[last];
}

// Returns the number of contacts that are planned for a geom. In a heap it is the number of corners of the faces on
// which it lies and which lie on it; on a robot it is that of one face for every second geom. A mesh may touch
// everywhere, and terrain in many places.
static int count_planned_contacts(const hfModel* m, int g) {
  int tree = hf_model_body_tree(m)[hf_model_geom_body(m)[g]];
  int type = hf_model_geom_type(m)[g];
  int collides = hf_model_geom_contype(m)[g] || hf_model_geom_conaffinity(m)[g] || is_in_pair(m, g);
  if (tree < 0 || !collides) return 0;

  int is_in_heap = is_single_body(m, tree) || m->nhfield > 0;
  if (is_in_heap) return type == HF_GEOM_BOX ? 12 : 8;
  if (type == HF_GEOM_SPHERE || type == HF_GEOM_ELLIPSOID) return 1;
  return type == HF_GEOM_MESH ? 8 : 2;
}

int hf_state_memory_default(const hfModel* model) {
  int sum = COMMON_CONTACTS;
  for (int g = 0; g < model->ngeom; ++g) sum += count_planned_contacts(model, g);
  return sum;
}

// ---- creation and copies -----------------------------------------------------------------------------

hfState* hf_state_create(const hfModel* model) {
  int capacity = hf_state_memory_default(model);
  void* memory = aligned_alloc(ALIGNMENT, hf_state_size(model, capacity));
  return memory ? hf_state_init(memory, model, capacity) : NULL;
}

void hf_state_free(hfState* state) { free(state); }

hfState* hf_state_clone(const hfState* state) {
  hfState* copy = aligned_alloc(ALIGNMENT, (size_t)state->size);
  return copy ? memcpy(copy, state, (size_t)state->size) : NULL;
}

// Copies a state to another one of the same model. The room for contacts may differ, so that the parts are copied one
// by one.
hfStatus hf_state_copy(hfState* to, const hfState* from, hfError* error) {
  hfi_clear_error(error);
  if (!hfi_state_same_sizes(to, from))
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the states are of different models (nq %d nv %d, the copy has %d %d)",
                      from->nq, from->nv, to->nq, to->nv);
  if (from->nmemory > to->max_memory)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "the state remembers %d contacts, the copy has room for %d",
                      from->nmemory, to->max_memory);

  to->time = from->time;
  to->nmemory = from->nmemory;

  for (int k = 0; k < HFI_STATE_PARTS; ++k) {
    const hfiStatePart* part = &hfi_state_parts[k];
    memcpy(hfi_state_part(to, part), hfi_state_part(from, part), hfi_state_part_bytes(from, part));
  }

  return HF_OK;
}

// Does this header fit the state, so that the bytes after it can be the state's?
static int fits(const hfState* s, const hfState* header) {
  if (!hfi_state_same_sizes(header, s) || header->size != s->size || header->max_memory != s->max_memory) return 0;
  for (int k = 0; k < HFI_STATE_PARTS; ++k) {
    size_t address = hfi_state_parts[k].address;
    if (memcmp((const char*)s + address, (const char*)header + address, sizeof(int64_t)) != 0) return 0;
  }
  return header->nmemory >= 0 && header->nmemory <= header->max_memory;
}

// Bytes of a file or another process need not be aligned.
hfStatus hf_state_assign(hfState* s, const void* bytes, size_t size, hfError* error) {
  hfi_clear_error(error);
  hfState header;
  if (size >= sizeof header) memcpy(&header, bytes, sizeof header);

  if (size < sizeof header || size != s->size || !fits(s, &header))
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "these %zu bytes are no state of this model and capacity; such a state has %llu bytes", size,
                      (unsigned long long)s->size);

  memcpy(s, bytes, size);
  return HF_OK;
}

// ---- keyframes -----------------------------------------------------------------------------------

// Sets controls and mocap poses of an input from a keyframe. Controls that the scene's signals drive become NaN.
static void set_key_input(hfInput* input, const hfModel* m, size_t key) {
  size_t nu = (size_t)m->nu;
  size_t nmocap = (size_t)m->nmocap;
  const double* ctrl = hf_model_key_ctrl(m) + key * nu;

  for (size_t i = 0; input->ctrl && i < nu; ++i)
    input->ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : ctrl[i];
  if (input->mocap_pos)
    memcpy(input->mocap_pos, hf_model_key_mpos(m) + 3 * key * nmocap, sizeof(double) * 3 * nmocap);
  if (input->mocap_quat)
    memcpy(input->mocap_quat, hf_model_key_mquat(m) + 4 * key * nmocap, sizeof(double) * 4 * nmocap);
}

// Sets a state, and the controls and mocap poses of an input or NULL, to a keyframe. The time of the keyframe counts
// for the histories, too.
hfStatus hf_state_set_key(hfState* s, hfInput* input, const hfModel* m, int key, hfError* error) {
  hfi_clear_error(error);
  if (key < 0 || key >= m->nkey)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "keyframe %d does not exist: the model has %d", key, m->nkey);

  size_t k = (size_t)key;
  size_t nq = (size_t)m->nq;
  size_t nv = (size_t)m->nv;
  size_t na = (size_t)m->na;
  hf_state_reset(s, m);
  s->time = hf_model_key_time(m)[key];
  if (s->nhistory) clear_histories(s, m);
  memcpy(hf_state_mutable_q(s), hf_model_key_qpos(m) + k * nq, sizeof(double) * nq);
  memcpy(hf_state_mutable_v(s), hf_model_key_qvel(m) + k * nv, sizeof(double) * nv);
  memcpy(hf_state_mutable_act(s), hf_model_key_act(m) + k * na, sizeof(double) * na);
  if (input) set_key_input(input, m, k);

  return HF_OK;
}

// ---- files ---------------------------------------------------------------------------------------

static const char MAGIC[8] = "HFSTATE";

// Writes a state to a file: its block behind eight bytes that say what it is.
hfStatus hf_state_write(const hfState* s, const char* path, hfError* error) {
  hfi_clear_error(error);
  hfiOutput out;
  hfStatus status = hfi_output_open(&out, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) return status;
  hfi_output_bytes(&out, MAGIC, sizeof MAGIC);
  hfi_output_bytes(&out, s, (size_t)s->size);
  return hfi_output_close(&out, error);
}

// Reads a whole state from a file into *whole, which the caller frees, also after a refusal. s: a state that it must
// fit.
static hfStatus read_whole(FILE* file, const char* path, const hfState* s, hfState** whole, hfError* error) {
  char magic[sizeof MAGIC];
  hfState header;
  int is_state = fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, MAGIC, sizeof magic) == 0;
  if (!is_state || fread(&header, sizeof header, 1, file) != 1)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: not a saved state", path);

  if (!fits(s, &header))
    return hfi_refuse(error, HF_ERROR_MODEL,
                      "%s: saved for another model or capacity (nq %d, nv %d, max_memory %d; here %d, %d, %d)", path,
                      header.nq, header.nv, header.max_memory, s->nq, s->nv, s->max_memory);

  *whole = malloc((size_t)header.size);
  if (!*whole) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  **whole = header;
  if (fread((char*)*whole + sizeof header, (size_t)header.size - sizeof header, 1, file) != 1)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: cut short", path);
  if (fgetc(file) != EOF)
    return hfi_refuse(error, HF_ERROR_PARSE, "%s: longer than the state that it begins with", path);

  return HF_OK;
}

// Reads a state from a file. It changes only after the whole file is read and fits.
hfStatus hf_state_read(hfState* s, const char* path, hfError* error) {
  hfi_clear_error(error);
  FILE* file = fopen(path, "rb");
  if (!file) return hfi_refuse(error, HF_ERROR_FILE, "%s: cannot be opened", path);

  hfState* whole = NULL;
  hfStatus status = read_whole(file, path, s, &whole, error);
  if (status == HF_OK) memcpy(s, whole, (size_t)whole->size);
  free(whole);
  fclose(file);

  return status;
}

// ---- inputs --------------------------------------------------------------------------------------

// Creates an input that does nothing: controls 0, or NAN where the scene gives a signal; no forces, targets (NAN) and
// limits of force (infinite); mocap bodies where the model has them. One block of memory holds it with its arrays.
hfInput* hf_input_create(const hfModel* m) {
  size_t n = (size_t)(m->nu + 3 * m->nv + 6 * m->nbody + 7 * m->nmocap);
  hfInput* input = calloc(1, sizeof *input + sizeof(double) * n);
  if (!input) return NULL;

  // arrays behind the input
  double* room = (double*)(input + 1);
  input->ctrl = room;
  input->force = input->ctrl + m->nu;
  input->wrench = (hfForce*)(input->force + m->nv);
  input->mocap_pos = (double*)(input->wrench + m->nbody);
  input->mocap_quat = input->mocap_pos + 3 * m->nmocap;
  input->velocity_target = input->mocap_quat + 4 * m->nmocap;
  input->force_limit = input->velocity_target + m->nv;

  for (int i = 0; i < m->nu; ++i) input->ctrl[i] = hf_model_actuator_signal(m)[i] >= 0 ? NAN : 0;
  for (int i = 0; i < m->nv; ++i) {
    input->velocity_target[i] = NAN;
    input->force_limit[i] = INFINITY;
  }

  for (int i = 0; i < m->nmocap; ++i) {
    int b = hf_model_mocap_body(m)[i];
    memcpy(input->mocap_pos + 3 * i, hf_model_body_pos(m) + 3 * b, 3 * sizeof(double));
    memcpy(input->mocap_quat + 4 * i, hf_model_body_quat(m) + 4 * b, 4 * sizeof(double));
  }

  return input;
}

void hf_input_free(hfInput* input) { free(input); }
