// Results of experiments and benchmarks: prints numbers beside the paper's while the experiment runs, or JSON at the end.
#include "result.h"

#include "json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void result_begin(result* r, const char* reference, int judged, const char* out, int json) {
  *r = (result){.reference = reference,
                .judged = judged,
                .out = out,
                .json = json,
                .figures = json_object(),
                .references = json_object(),
                .units = json_object(),
                .must = json_array(),
                .files = json_array(),
                .replays = json_array()};
}

static void keep_figure(result* r, const char* name, double value, const char* unit) {
  json_object_set_new(r->figures, name, json_number(value));
  json_object_set_new(r->units, name, json_string(unit));
}

void result_figure(result* r, const char* name, double value, const char* unit) {
  keep_figure(r, name, value, unit);
  if (!r->json) clear_progress(), printf("  %-40s %12.6g %s\n", name, value, unit);
}

void result_compare(result* r, const char* name, double value, double reference, const char* unit) {
  keep_figure(r, name, value, unit);
  json_object_set_new(r->references, name, json_number(reference));
  if (!r->json)
    clear_progress(),
        printf("  %-40s %12.6g %-12s %s %.6g\n", name, value, unit, r->reference, reference);
}

void result_must(result* r, const char* id, const char* what, double value, const char* want,
                 int holds, int full_only) {
  json_t* line = json_object();
  json_object_set_new(line, "id", json_string(id));
  json_object_set_new(line, "what", json_string(what));
  json_object_set_new(line, "value", json_number(value));
  json_object_set_new(line, "want", json_string(want));
  json_object_set_new(line, "holds", json_boolean(holds));
  json_object_set_new(line, "full_only", json_boolean(full_only));
  json_array_append_new(r->must, line);
}

void result_note(result* r, const char* format, ...) {
  if (r->json) return;
  clear_progress();
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
}

// The slot that holds this file; for NULL, a free slot.
static openFile* find_open(result* r, const FILE* file) {
  for (int i = 0; i < OPEN_FILES; ++i)
    if (r->open[i].out.file == file) return &r->open[i];
  return NULL;
}

FILE* result_open(result* r, const char* file) {
  if (!r->out) return NULL;
  char path[4096];
  openFile* slot = find_open(r, NULL);
  snprintf(path, sizeof path, "%s/%s", r->out, file);
  hfError error = {HF_ERROR_FILE, ""};
  if (slot && open_out_file(&slot->out, path, &error) == HF_OK) {
    json_array_append_new(r->files, json_string(file));
    return slot->out.file;
  }
  say_error("%s", slot ? error.message : "too many files are open");
  r->failed = 1;
  return NULL;
}

void result_close(result* r, FILE* file) {
  if (!file) return;
  openFile* slot = find_open(r, file);
  hfError error = {HF_OK, ""};
  if (close_out_file(&slot->out, &error) != HF_OK) say_error("%s", error.message), r->failed = 1;
  slot->out.file = NULL;
}

void result_replay(result* r, const char* recording) {
  if (r->out) json_array_append_new(r->replays, json_string(recording));
}

lineVerdict result_verdict(const json_t* line, int quick) {
  if (json_is_true(json_object_get(line, "holds"))) return LINE_HOLDS;
  return quick && json_is_true(json_object_get(line, "full_only")) ? LINE_FULL_ONLY : LINE_FAILS;
}

int result_record(result* r, const char* file, const hfModel* model, double interval, hfRecorder** recorder) {
  char path[4096];
  hfError error = {HF_OK, ""};
  *recorder = NULL;
  if (!r->out) return CLI_GOOD;
  snprintf(path, sizeof path, "%s/%s", r->out, file);
  if (hf_recorder_open(recorder, path, model, file, &error) < 0) return say_error("%s", error.message), CLI_FAILED;
  hf_recorder_set_interval(*recorder, interval);
  result_replay(r, file);
  return CLI_GOOD;
}

int result_end_record(result* r, hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input) {
  hfError error = {HF_OK, ""};
  if (recorder) hf_recorder_finish(recorder, sim, state, input, NULL); // closing it says why it failed
  if (hf_recorder_close(recorder, &error) >= 0) return CLI_GOOD;
  say_error("%s", error.message);
  r->failed = 1;
  return CLI_FAILED;
}

static void print_must(const result* r, int quick) {
  static const char* const words[] = {[LINE_HOLDS] = "holds", [LINE_FULL_ONLY] = "(full)", [LINE_FAILS] = "FAILS"};
  size_t i;
  json_t* line;
  if (json_array_size(r->must) > 0) printf("\nHas to show:\n");
  json_array_foreach(r->must, i, line) {
    printf("  %-9s %s: %.6g, want %s\n", words[result_verdict(line, quick)],
           json_string_value(json_object_get(line, "what")),
           json_number_value(json_object_get(line, "value")),
           json_string_value(json_object_get(line, "want")));
  }
}

// Says on standard error which lines do not hold. Returns CLI_FAILED where there is one.
static int judge_lines(const result* r, const char* name, int quick) {
  size_t i, failing = 0;
  json_t* line;
  char list[1024] = "";
  json_array_foreach(r->must, i, line) {
    if (result_verdict(line, quick) != LINE_FAILS) continue;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", failing++ ? ", " : "", json_string_value(json_object_get(line, "id")));
  }
  if (failing == 0) return CLI_GOOD;
  say_error("%s: %zu of the %zu lines that it has to show do not hold: %s", name, failing, json_array_size(r->must), list);
  return CLI_FAILED;
}

int result_end(result* r, const char* name, int quick, int complete) {
  clear_progress();
  int status = r->failed ? CLI_FAILED : CLI_GOOD;
  json_t* o = json_object();
  json_decref(r->files);
  json_decref(r->replays);
  json_object_set_new(o, "name", json_string(name));
  json_object_set_new(o, "quick", json_boolean(quick));
  json_object_set_new(o, "complete", json_boolean(complete));
  json_object_set_new(o, "figures", r->figures);
  json_object_set_new(o, r->reference, r->references);
  json_object_set_new(o, "units", r->units);
  json_object_set_new(o, "must", r->must);
  if (!r->json) print_must(r, quick);
  if (r->judged && judge_lines(r, name, quick) != CLI_GOOD) status = CLI_FAILED;
  if (!r->json) return json_decref(o), status;
  int printed = print_json(o);
  return status == CLI_GOOD ? printed : status;
}
