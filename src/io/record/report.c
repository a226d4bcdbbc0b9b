// The report of a run as one HTML file: the page of viewer/ with the recording inside it. A library
// that was built without the page writes a table and plots instead (io/record/plain.h).
#include "base/clock.h"
#include "base/error.h"
#include "io/record/chunk.h"
#include "io/record/page.h"
#include "io/record/plain.h"
#include "io/record/stream.h"

#include <stdlib.h>
#include <string.h>

// A report keeps at most this many bytes of frames and events. If there are more, every second frame is dropped.
enum { MAX_BYTES = 48 << 20 };

struct hfReport {
  hfiOutput out;
  hfiStream stream;
  hfiBytes chunks;
  hfiPlain* plain; // the series of a plain report; NULL: there is a page
};

int hf_report_replays(void) {
  size_t size;
  hfi_page(&size);
  return size > 0;
}

// Opens a report: a page with a replay or, if the library has no page, a plain one.
hfStatus hf_report_open(hfReport** report, const char* path, const hfModel* model, hfError* error) {
  hfi_clear_error(error);
  hfStatus status;
  hfReport* made = hfi_output_create(sizeof *made, path, HFI_OUTPUT_WHOLE, &status, error);
  if (!made) return status;

  if (!hf_report_replays()) {
    made->plain = malloc(sizeof *made->plain);
    if (made->plain)
      hfi_plain_init(made->plain);
    else
      status = hfi_refuse(error, HF_ERROR_MEMORY, "%s: out of memory", path);
  }
  if (status == HF_OK) status = hfi_stream_open(&made->stream, model, error);

  if (status == HF_OK) {
    *report = made;
  } else {
    free(made->plain);
    hfi_output_abandon(made);
  }
  return status;
}

hfStatus hf_report_check(const hfReport* report, const hfState* state, hfError* error) {
  hfi_clear_error(error);
  return hfi_stream_check_step(&report->stream, state, "a report", error);
}

// Adds a step to a report. If it holds too much, every second frame is dropped, and frames become half as frequent.
hfStatus hf_report_add(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input,
                       const hfStepReport* step, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_report_check(report, state, error);
  if (status == HF_OK && !report->stream.started) status = hfi_stream_take_parameters(&report->stream, error);
  if (status != HF_OK) return status;

  if (report->plain) {
    report->stream.time = state->time;
    if (step) hfi_plain_add(report->plain, report->stream.dynamics, sim, state, input, step);
    return HF_OK;
  }

  hfi_stream_step(&report->stream, sim, state, input, step, hfi_clock(), &report->chunks);
  if (report->chunks.size <= MAX_BYTES) return HF_OK;
  hfi_chunks_thin(&report->chunks);
  report->stream.interval *= 2;
  return HF_OK;
}

// Adds the last steps of a run as a frame, if there are some since the last one.
hfStatus hf_report_finish(hfReport* report, const hfSim* sim, const hfState* state, const hfInput* input,
                          hfError* error) {
  hfi_clear_error(error);
  if (report->stream.sums.steps == 0) return HF_OK;
  hfStatus status = hfi_stream_check_time(&report->stream, state, "a report", error);
  if (status == HF_OK) hfi_stream_frame(&report->stream, sim, state, input, hfi_clock(), &report->chunks);
  return status;
}

// The content policy of a report: it may run its own script, and may load nothing.
static const char policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "media-src blob:\">\n";

// The place in the page where the data go; its end if it has none.
static const char* find_mark(const char* page, size_t size) {
  size_t length = strlen(HFI_PAGE_DATA_MARK);
  for (const char* c = page; c + length <= page + size; ++c)
    if (memcmp(c, HFI_PAGE_DATA_MARK, length) == 0) return c;
  return page + size;
}

// Writes the page with the recording's bytes inside it.
static void write_page(hfiOutput* out, const char* title, const void* recording, size_t size) {
  size_t page_size = 0;
  const char* page = hfi_page(&page_size);
  const char* mark = find_mark(page, page_size);
  hfiBytes packed = {0};
  if (!hfi_gzip(recording, size, &packed)) out->piece.failed = 1;

  hfi_output_bytes(out, page, (size_t)(mark - page));
  hfi_output_bytes(out, policy, sizeof policy - 1);
  hfi_output_print(out, "<title>");
  hfi_put_text(out, title);
  hfi_output_print(out, "</title>\n<script type=\"text/plain\" id=\"recording\">");
  hfi_base64(packed.data, packed.size, &out->piece);
  hfi_output_print(out, "</script>\n");
  hfi_output_bytes(out, mark, (size_t)(page + page_size - mark));
  hfi_bytes_release(&packed);
}

// Writes the page with a recording of what the report holds.
static void write_replay(hfReport* report, const char* title, const hfReportLine* lines, int count) {
  hfiBytes recording = {0};
  hfi_stream_head(&report->stream, title, &recording);
  hfi_bytes_put(&recording, report->chunks.data, report->chunks.size);
  hfi_stream_figures(lines, count, &recording);

  if (recording.failed || report->chunks.failed) report->out.piece.failed = 1;
  write_page(&report->out, title, recording.data, recording.size);
  hfi_bytes_release(&recording);
}

static void release_content(hfReport* report) {
  hfi_stream_close(&report->stream);
  hfi_bytes_release(&report->chunks);
  free(report->plain);
}

// Writes the report with the lines of the summary, and closes it.
hfStatus hf_report_close(hfReport* report, const char* title, const hfReportLine* lines, int count, hfError* error) {
  hfi_clear_error(error);
  if (report->plain)
    hfi_plain_write(report->plain, &report->out, title, lines, count);
  else
    write_replay(report, title, lines, count);
  release_content(report);
  return hfi_output_destroy(report, error);
}

void hf_report_discard(hfReport* report) {
  if (report) release_content(report);
  hfi_output_abandon(report);
}

hfStatus hf_report_convert(const char* path, const hfRecording* recording, hfError* error) {
  hfi_clear_error(error);
  size_t size;
  const void* bytes = hf_recording_bytes(recording, &size);
  return hfi_report_write(path, hf_recording_scene(recording), bytes, size, error);
}

// Writes a report of the bytes of a recording. Refuses if the library has no page.
hfStatus hfi_report_write(const char* path, const char* title, const void* recording, size_t size, hfError* error) {
  if (!hf_report_replays())
    return hfi_refuse(error, HF_ERROR_UNSUPPORTED, "%s: this build has no page (npm was missing)", path);

  hfiOutput out;
  hfStatus status = hfi_output_open(&out, path, HFI_OUTPUT_WHOLE, error);
  if (status != HF_OK) return status;
  write_page(&out, title, recording, size);
  return hfi_output_close(&out, error);
}
