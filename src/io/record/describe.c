// What a recording says about itself in JSON: the fields of its model, the run, the figures.
//
// s: the stream, m: its model, out: the bytes to which chunks are added.
#include "io/record/stream.h"

#include <holdfast/version.h>
#include <string.h>

// The next multiple of 64, at which a model has to lie in memory.
static uint64_t round_up(uint64_t x) { return (x + 63) / 64 * 64; }

// Adds the counts of the model: bodies, joints, ...
static void put_counts(const hfModel* m, hfiBytes* out) {
  const char* comma = "";
  hfi_bytes_print(out, "\"counts\":{");
#define X(name)                                               \
  hfi_bytes_print(out, "%s\"" #name "\":%d", comma, m->name); \
  comma = ",";
  HF_MODEL_COUNTS(X)
#undef X
  hfi_bytes_print(out, "}");
}

// Adds {"counts": {"nq": 7, ...}, "fields": {"body_mass": ["d", rows, columns, offset, overlay], ...}, ...}.
static void put_model_index(const hfModel* m, hfiBytes* out) {
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_MODEL_INDEX);
  hfi_bytes_print(out, "{");
  put_counts(m, out);

  hfi_bytes_print(out, ",\"fields\":{");
  for (int f = 0; f < HF_MODEL_FIELD_COUNT; ++f) {
    hfFieldInfo info = hf_model_field_info(m, (hfModelField)f);
    hfi_bytes_print(out, "%s\"%s\":[\"%c\",%d,%d,%lld,%d]", f ? "," : "", info.name, info.type, info.rows, info.columns,
                    (long long)m->offset[f], info.overlay);
  }

  const double* g = m->world.gravity;
  hfi_bytes_print(out, "},\"gravity\":[%.17g,%.17g,%.17g]}", g[0], g[1], g[2]);
  hfi_chunk_end(out, start);
}

// Adds the head of a recording: its header, the scene's name, the model, each at its offset, and the model's index.
void hfi_stream_head(const hfiStream* s, const char* scene, hfiBytes* out) {
  const hfModel* m = s->model;
  size_t start = out->size;
  hfiRecordingHeader header = {.version = HFI_RECORDING_VERSION, .nbody = (uint32_t)m->nbody};
  memcpy(header.magic, HFI_RECORDING_MAGIC, sizeof header.magic);

  header.scene_offset = sizeof header;
  header.scene_size = strlen(scene);
  header.model_offset = round_up(header.scene_offset + header.scene_size);
  header.model_size = m->size;
  header.chunks_offset = round_up(header.model_offset + header.model_size);

  hfi_bytes_put(out, &header, sizeof header);
  hfi_bytes_put(out, scene, header.scene_size);
  while (!out->failed && out->size - start < header.model_offset) hfi_bytes_put(out, "", 1);
  hfi_bytes_put(out, m, m->size);
  while (!out->failed && out->size - start < header.chunks_offset) hfi_bytes_put(out, "", 1);
  put_model_index(m, out);
}

// Adds the description of a run: version, method, friction law, step and options.
void hfi_stream_run(const hfSim* sim, hfiBytes* out) {
  const hfSimConfig* config = hf_sim_config(sim);
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_RUN);
  hfi_bytes_print(out, "{\"version\":\"%s\",\"method\":\"%s\",\"friction\":\"%s\",\"step\":%.17g,", hf_version(),
                  hf_method_name(config->method), hf_friction_name(config->friction), hf_sim_step_size(sim));

  hfi_bytes_print(out, "\"options\":{");
  for (int i = 0; hf_sim_config_name(i); ++i) {
    const char* name = hf_sim_config_name(i);
    hfi_bytes_print(out, "%s\"%s\":%.17g", i ? "," : "", name, hf_sim_config_get(config, name));
  }
  hfi_bytes_print(out, "}}");
  hfi_chunk_end(out, start);
}

// Adds the lines of a summary: [["name", "value"], ...].
void hfi_stream_figures(const hfReportLine* lines, int count, hfiBytes* out) {
  size_t start = hfi_chunk_begin(out, HFI_CHUNK_FIGURES);
  hfi_bytes_print(out, "[");

  for (int i = 0; i < count; ++i) {
    hfi_bytes_print(out, i ? ",[" : "[");
    hfi_bytes_json_string(out, lines[i].name);
    hfi_bytes_print(out, ",");
    hfi_bytes_json_string(out, lines[i].value);
    hfi_bytes_print(out, "]");
  }

  hfi_bytes_print(out, "]");
  hfi_chunk_end(out, start);
}
