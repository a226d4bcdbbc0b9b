// The page of an experiment, NAME.html in the folder of --out: what it has to show, its figures, its numbers beside
// the paper's, and replays of its runs. Figures are inside of the page; a replay is a report of its own beside it,
// shown in a frame.
#include "result.h"

#include <holdfast/record.h>
#include <string.h>

// Writes a text as HTML has it.
static void put_text(FILE* out, const char* text) {
  for (const char* c = text; *c; ++c) {
    switch (*c) {
    case '<': fputs("&lt;", out); break;
    case '>': fputs("&gt;", out); break;
    case '&': fputs("&amp;", out); break;
    default: fputc(*c, out);
    }
  }
}

// Writes a cell of a table with a text.
static void put_cell(FILE* out, const char* text) {
  fputs("<td>", out);
  put_text(out, text);
  fputs("</td>", out);
}

static const char STYLE[] =
    "body{font:15px/1.5 sans-serif;max-width:1500px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}"
    ".holds{color:#2e7d32}.fails{color:#c62828;font-weight:bold}"
    ".figures{display:flex;flex-wrap:wrap;gap:1em}.figures svg{max-width:100%;height:auto;border:1px solid #ddd}"
    "iframe{width:100%;height:640px;border:1px solid #ddd}";

// Writes the table of the lines that the experiment has to show, if there are any.
static void put_lines(FILE* out, const result* r, int quick) {
  static const char* const classes[] = {[LINE_HOLDS] = "holds", [LINE_FULL_ONLY] = "", [LINE_FAILS] = "fails"};
  static const char* const words[] = {[LINE_HOLDS] = "holds", [LINE_FULL_ONLY] = "(full)", [LINE_FAILS] = "fails"};
  if (json_array_size(r->must) == 0) return;
  fputs("<h2>What it has to show</h2>\n<table><tr><th></th><th>line</th><th>value</th><th>want</th></tr>\n", out);

  size_t i;
  json_t* line;
  json_array_foreach(r->must, i, line) {
    lineVerdict verdict = result_verdict(line, quick);
    fprintf(out, "<tr><td class=\"%s\">%s</td>", classes[verdict], words[verdict]);
    put_cell(out, json_string_value(json_object_get(line, "what")));
    fprintf(out, "<td class=\"n\">%.6g</td>", json_number_value(json_object_get(line, "value")));
    put_cell(out, json_string_value(json_object_get(line, "want")));
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
}

// Writes the table of the numbers, each beside the reference's, if there are any.
static void put_numbers(FILE* out, const result* r) {
  if (json_object_size(r->figures) == 0) return;
  fprintf(out, "<h2>Numbers</h2>\n<table><tr><th></th><th>here</th><th>%s</th><th>unit</th></tr>\n", r->reference);

  const char* name;
  json_t* value;
  json_object_foreach(r->figures, name, value) {
    // the same number of the paper or the peer; NULL: there is none
    const json_t* reference = json_object_get(r->references, name);
    fputs("<tr>", out);
    put_cell(out, name);
    fprintf(out, "<td class=\"n\">%.6g</td>", json_number_value(value));
    if (reference)
      fprintf(out, "<td class=\"n\">%.6g</td>", json_number_value(reference));
    else
      fputs("<td></td>", out);
    put_cell(out, json_string_value(json_object_get(r->units, name)));
    fputs("</tr>\n", out);
  }
  fputs("</table>\n", out);
}

// Copies a drawing that the experiment wrote into the page.
static void put_drawing(FILE* out, const result* r, const char* file) {
  char path[4096], block[4096];
  size_t count;
  snprintf(path, sizeof path, "%s/%s", r->out, file);

  FILE* in = fopen(path, "r");
  if (!in) return;

  while ((count = fread(block, 1, sizeof block, in)) > 0) fwrite(block, 1, count, out);
  fclose(in);
}

// Is a file a drawing, by its name?
static int is_drawing(const char* file) {
  size_t length = strlen(file);
  return length > 4 && strcmp(file + length - 4, ".svg") == 0;
}

// Writes all drawings of the experiment into the page.
static void put_drawings(FILE* out, const result* r) {
  size_t i;
  json_t* file;
  int count = 0;

  json_array_foreach(r->files, i, file) {
    if (!is_drawing(json_string_value(file))) continue;
    if (count == 0) fputs("<h2>Figures</h2>\n<div class=\"figures\">\n", out);
    put_drawing(out, r, json_string_value(file));
    ++count;
  }
  if (count) fputs("</div>\n", out);
}

// Makes a report of a recording and shows it. A recording that cannot be read is left out after a message.
static void put_replay(FILE* out, result* r, const char* file) {
  char path[4096], page[4096];
  hfRecording* recording = NULL;
  hfError error = {HF_OK, ""};

  snprintf(path, sizeof path, "%s/%s", r->out, file);
  snprintf(page, sizeof page, "%s/%s.html", r->out, file);
  hfStatus status = hf_recording_read(&recording, path, &error);
  if (status == HF_OK) status = hf_report_convert(page, recording, &error);
  hf_recording_free(recording);

  if (status < 0) {
    say_error("%s", error.message);
    r->failed = 1;
    return;
  }

  fputs("<h3>", out);
  put_text(out, file);
  fprintf(out, "</h3>\n<iframe loading=\"lazy\" src=\"%s.html\" title=\"replay\"></iframe>\n", file);
}

// Writes NAME.html into the folder of --out, if there is one.
void result_write_page(result* r, const char* name, const char* about, int quick) {
  if (!r->out) return;
  char file[256];
  snprintf(file, sizeof file, "%s.html", name);
  FILE* out = result_open(r, file);
  if (!out) return;

  fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>", name);
  fprintf(out, "<style>%s</style></head><body>\n<h1>%s%s</h1>\n<p>", STYLE, name, quick ? " (quick)" : "");
  put_text(out, about);
  fputs("</p>\n", out);

  put_lines(out, r, quick);
  put_drawings(out, r);
  if (json_array_size(r->replays) > 0 && hf_report_replays()) {
    size_t i;
    json_t* replay;
    fputs("<h2>Replay</h2>\n", out);
    json_array_foreach(r->replays, i, replay) put_replay(out, r, json_string_value(replay));
  }
  put_numbers(out, r);

  fputs("</body></html>\n", out);
  result_close(r, out);
}
