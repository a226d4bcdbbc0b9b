// Results of experiments and benchmarks: prints numbers beside the paper's while the experiment runs, or JSON at the
// end.
#include "result.h"

#include "json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Begins a result without any figures, see result.h.
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

// Keeps a number and its unit for the page and the JSON.
static void keep_figure(result* r, const char* name, double value, const char* unit) {
  json_object_set_new(r->figures, name, json_number(value));
  json_object_set_new(r->units, name, json_string(unit));
}

// Reports a number of ours.
void result_figure(result* r, const char* name, double value, const char* unit) {
  keep_figure(r, name, value, unit);
  if (r->json) return;
  clear_progress();
  printf("  %-40s %12.6g %s\n", name, value, unit);
}

// Reports a number of ours and the published one, or the one of the other engine.
void result_compare(result* r, const char* name, double value, double reference, const char* unit) {
  keep_figure(r, name, value, unit);
  json_object_set_new(r->references, name, json_number(reference));
  if (r->json) return;
  clear_progress();
  printf("  %-40s %12.6g %-12s %s %.6g\n", name, value, unit, r->reference, reference);
}

// Reports a line that the experiment has to show, and whether it holds.
void result_must(result* r, const char* id, const char* what, double value, const char* want, int holds,
                 int full_only) {
  json_t* line = json_object();
  json_object_set_new(line, "id", json_string(id));
  json_object_set_new(line, "what", json_string(what));
  json_object_set_new(line, "value", json_number(value));
  json_object_set_new(line, "want", json_string(want));
  json_object_set_new(line, "holds", json_boolean(holds));
  json_object_set_new(line, "full_only", json_boolean(full_only));
  json_array_append_new(r->must, line);
}

// Prints a line, unless the result is JSON.
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

// Opens a file of the folder of --out. NULL: there is no folder, or a message has said why it fails.
FILE* result_open(result* r, const char* file) {
  if (!r->out) return NULL;

  char path[4096];
  hfError error = {HF_ERROR_FILE, ""};
  openFile* slot = find_open(r, NULL);
  snprintf(path, sizeof path, "%s/%s", r->out, file);
  if (slot && open_out_file(&slot->out, path, &error) == HF_OK) {
    json_array_append_new(r->files, json_string(file));
    return slot->out.file;
  }

  say_error("%s", slot ? error.message : "too many files are open");
  r->failed = 1;
  return NULL;
}

// Completes a file that result_open opened; NULL is allowed.
void result_close(result* r, FILE* file) {
  if (!file) return;

  openFile* slot = find_open(r, file);
  hfError error = {HF_OK, ""};
  if (close_out_file(&slot->out, &error) != HF_OK) {
    say_error("%s", error.message);
    r->failed = 1;
  }
  slot->out.file = NULL;
}

// Adds a recording, a file in the folder of --out, to those that the page replays.
void result_replay(result* r, const char* recording) {
  if (r->out) json_array_append_new(r->replays, json_string(recording));
}

// Does a line hold? quick: the experiment was reduced, and lines that only a full run shows need not hold.
lineVerdict result_verdict(const json_t* line, int quick) {
  if (json_is_true(json_object_get(line, "holds"))) return LINE_HOLDS;
  return quick && json_is_true(json_object_get(line, "full_only")) ? LINE_FULL_ONLY : LINE_FAILS;
}

// Opens a recording in the folder of --out; *recorder is NULL without one. Returns the exit status.
int result_record(result* r, const char* file, const hfModel* model, double interval, hfRecorder** recorder) {
  *recorder = NULL;
  if (!r->out) return CLI_GOOD;

  char path[4096];
  hfError error = {HF_OK, ""};
  snprintf(path, sizeof path, "%s/%s", r->out, file);
  if (hf_recorder_open(recorder, path, model, file, &error) < 0) {
    say_error("%s", error.message);
    return CLI_FAILED;
  }
  hf_recorder_set_interval(*recorder, interval);
  result_replay(r, file);
  return CLI_GOOD;
}

// Completes a recording with the last state; NULL is allowed. Returns the exit status.
int result_end_record(result* r, hfRecorder* recorder, const hfSim* sim, const hfState* state, const hfInput* input) {
  hfError error = {HF_OK, ""};
  if (recorder) hf_recorder_finish(recorder, sim, state, input, NULL); // closing it says why it failed
  if (hf_recorder_close(recorder, &error) >= 0) return CLI_GOOD;

  say_error("%s", error.message);
  r->failed = 1;
  return CLI_FAILED;
}

// Prints the lines that the experiment has to show, each with its verdict.
static void print_must(const result* r, int quick) {
  static const char* const words[] = {[LINE_HOLDS] = "holds", [LINE_FULL_ONLY] = "(full)", [LINE_FAILS] = "FAILS"};
  if (json_array_size(r->must) > 0) printf("\nHas to show:\n");

  size_t i;
  json_t* line;
  json_array_foreach(r->must, i, line) {
    const char* what = json_string_value(json_object_get(line, "what"));
    const char* want = json_string_value(json_object_get(line, "want"));
    double value = json_number_value(json_object_get(line, "value"));
    printf("  %-9s %s: %.6g, want %s\n", words[result_verdict(line, quick)], what, value, want);
  }
}

// Says on standard error which lines do not hold. Returns CLI_FAILED if there is one.
static int judge_lines(const result* r, const char* name, int quick) {
  char list[1024] = "";
  size_t failing = 0;
  size_t i;
  json_t* line;
  json_array_foreach(r->must, i, line) {
    if (result_verdict(line, quick) != LINE_FAILS) continue;
    size_t used = strlen(list);
    const char* separator = failing ? ", " : "";
    snprintf(list + used, sizeof list - used, "%s%s", separator, json_string_value(json_object_get(line, "id")));
    ++failing;
  }

  if (failing == 0) return CLI_GOOD;
  say_error("%s: %zu of the %zu lines that it has to show do not hold: %s", name, failing, json_array_size(r->must),
            list);
  return CLI_FAILED;
}

// Prints and judges the result, and frees it. Returns the exit status, see result.h.
int result_end(result* r, const char* name, int quick, int complete) {
  clear_progress();
  json_decref(r->files);
  json_decref(r->replays);

  json_t* o = json_object(); // takes what is left of the result
  json_object_set_new(o, "name", json_string(name));
  json_object_set_new(o, "quick", json_boolean(quick));
  json_object_set_new(o, "complete", json_boolean(complete));
  json_object_set_new(o, "figures", r->figures);
  // the numbers to compare with, under the key "paper" or "peer"
  json_object_set_new(o, r->reference, r->references);
  json_object_set_new(o, "units", r->units);
  json_object_set_new(o, "must", r->must);

  int status = r->failed ? CLI_FAILED : CLI_GOOD;
  if (!r->json) print_must(r, quick);
  if (r->judged && judge_lines(r, name, quick) != CLI_GOOD) status = CLI_FAILED;
  if (!r->json) {
    json_decref(o);
    return status;
  }
  int printed = print_json(o);
  return status == CLI_GOOD ? printed : status;
}
