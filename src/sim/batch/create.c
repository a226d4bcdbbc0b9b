// Creating a batch: checks, one block of states, one block of arrays, a sim for every thread.
#include "sim/batch/batch.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

// Alignment of states and fields [bytes]: a cache line.
enum { CACHE_LINE = 64 };

// Largest number of threads that a configuration may ask for [-].
enum { LARGEST_THREAD_COUNT = 4096 };

// How long a thread waits for the next call before it sleeps [ns].
static const long BATCH_THREAD_WAIT = 30000;

hfBatchConfig hf_batch_config_default(void) {
  return (hfBatchConfig){.sim = hf_sim_config_default(), .nworld = 1, .max_contacts = 32};
}

// Refuses numbers out of range and devices that do not exist.
static hfStatus check_config(const hfBatchConfig* c, hfError* error) {
  if (c->device != HF_DEVICE_CPU)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "device %d does not exist: batches step on the CPU, %d", c->device,
                      HF_DEVICE_CPU);
  if (c->ordinal != 0)
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "ordinal %d does not exist: the CPU is one device, 0", c->ordinal);

  if (c->nworld < 1) return hfi_refuse(error, HF_ERROR_ARGUMENT, "nworld must be at least 1, is %d", c->nworld);
  if (c->threads < 0 || c->threads > LARGEST_THREAD_COUNT)
    return hfi_refuse(error, HF_ERROR_ARGUMENT, "threads must be from 0 to %d, is %d", LARGEST_THREAD_COUNT,
                      c->threads);

  if (c->max_memory < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "max_memory must not be negative");
  if (c->max_contacts < 0) return hfi_refuse(error, HF_ERROR_ARGUMENT, "max_contacts must not be negative");
  return HF_OK;
}

// Replaces zeros of the configuration by their defaults, and sets the numbers of worlds and lanes.
static void complete_config(hfBatch* b) {
  hfBatchConfig* c = &b->config;
  if (c->threads == 0) c->threads = hfi_processor_count();
  if (c->threads > c->nworld) c->threads = c->nworld;
  if (c->max_memory == 0) c->max_memory = hf_state_memory_default(b->model);
  b->nworld = c->nworld;
  b->nlane = c->threads;
}

static size_t round_up(size_t bytes) { return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE; }

// Bytes of a field of all worlds.
static size_t field_bytes(const hfBatch* b, int field) {
  return (size_t)b->nworld * (size_t)hfi_batch_width(b->model, (hfBatchField)field) * sizeof(double);
}

// Allocates everything but the sims. Fields from HF_BATCH_CTRL on lie one after the other in zeroed memory. An unused
// field touches none of its pages. Returns 0 if there is no memory.
static int allocate_arrays(hfBatch* b) {
  size_t n = (size_t)b->nworld;

  size_t bytes = CACHE_LINE; // to align the first
  for (int f = HF_BATCH_CTRL; f < HF_BATCH_FIELDS; ++f) bytes += round_up(field_bytes(b, f));
  b->arrays = calloc(1, bytes);

  b->states = aligned_alloc(CACHE_LINE, n * b->state_bytes);
  b->report = calloc(n, sizeof *b->report);
  // one more, so that none has the size zero
  b->contact = calloc(n * (size_t)b->config.max_contacts + 1, sizeof *b->contact);
  b->lane = calloc((size_t)b->nlane, sizeof *b->lane);
  if (!b->arrays || !b->states || !b->report || !b->contact || !b->lane) return 0;

  // the fields, each at the begin of a cache line
  size_t offset = round_up((uintptr_t)b->arrays) - (uintptr_t)b->arrays;
  for (int f = HF_BATCH_CTRL; f < HF_BATCH_FIELDS; ++f) {
    b->field[f] = (double*)(void*)((char*)b->arrays + offset);
    offset += round_up(field_bytes(b, f));
  }
  return 1;
}

// Creates a sim and a range of worlds for each lane, and the threads. The range of a lane is an equal share of the
// worlds, next to each other in memory.
static hfStatus create_lanes(hfBatch* b, hfError* error) {
  for (int i = 0; i < b->nlane; ++i) {
    hfiLane* lane = &b->lane[i];
    lane->first = (int32_t)((int64_t)b->nworld * i / b->nlane);
    lane->last = (int32_t)((int64_t)b->nworld * (i + 1) / b->nlane);

    hfStatus status = hf_sim_create(&lane->sim, b->model, &b->config.sim, error);
    if (status != HF_OK) return status;
  }

  return hfi_threads_create(&b->threads, b->nlane, BATCH_THREAD_WAIT, error);
}

// Creates everything of a batch whose model and configuration are set.
static hfStatus create_contents(hfBatch* b, hfError* error) {
  complete_config(b);
  b->state_bytes = round_up(hf_state_size(b->model, b->config.max_memory));
  if (!allocate_arrays(b)) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory for %d worlds", b->nworld);

  for (int w = 0; w < b->nworld; ++w)
    hf_state_init(b->states + (size_t)w * b->state_bytes, b->model, b->config.max_memory);
  return create_lanes(b, error);
}

// Creates a batch of worlds of a model, all in its initial state. Without a configuration it has the default: one
// world.
hfStatus hf_batch_create(hfBatch** batch, const hfModel* model, const hfBatchConfig* config, hfError* error) {
  hfi_clear_error(error);
  hfBatchConfig defaults = hf_batch_config_default();
  hfStatus status = check_config(config ? config : &defaults, error);
  if (status != HF_OK) return status;
  if (hf_model_is_overlay(model))
    return hfi_refuse(error, HF_ERROR_ARGUMENT,
                      "a batch needs a model of its own: hf_model_copy makes one from the model of an hfParams");

  hfBatch* b = calloc(1, sizeof *b);
  if (!b) return hfi_refuse(error, HF_ERROR_MEMORY, "out of memory");

  b->model = model;
  b->config = config ? *config : defaults;
  status = create_contents(b, error);
  if (status == HF_OK) *batch = b;
  else hf_batch_free(b);
  return status;
}

// Frees a batch, also one whose creation was given up. b may be NULL.
void hf_batch_free(hfBatch* b) {
  if (!b) return;

  hfi_threads_free(b->threads);
  for (int i = 0; b->lane && i < b->nlane; ++i) hf_sim_free(b->lane[i].sim);
  hfi_params_free(b);

  free(b->lane);
  free(b->arrays);
  free(b->states);
  free(b->report);
  free(b->contact);
  free(b);
}

const hfModel* hf_batch_model(const hfBatch* b) { return b->model; }
int hf_batch_size(const hfBatch* b) { return b->nworld; }
int hf_batch_threads(const hfBatch* b) { return b->nlane; }
double hf_batch_step_size(const hfBatch* b) { return hf_sim_step_size(b->lane[0].sim); }
int hf_batch_max_memory(const hfBatch* b) { return b->config.max_memory; }

// Returns how much memory a world takes: state, report, contacts, fields and parameters of its own [bytes].
size_t hf_batch_bytes_per_world(const hfBatch* b) {
  size_t bytes = b->state_bytes + sizeof *b->report + (size_t)b->config.max_contacts * sizeof *b->contact;
  for (int f = HF_BATCH_CTRL; f < HF_BATCH_FIELDS; ++f)
    bytes += sizeof(double) * (size_t)hfi_batch_width(b->model, (hfBatchField)f);
  for (int f = 0; f <= HFI_GRAVITY; ++f)
    if (b->param[f]) bytes += 2 * sizeof(double) * (size_t)hfi_param_width(b->model, f);
  return bytes;
}
