// Messages and progress of the command.
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int progress_shown;
static double progress_time;

double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clear_progress(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = 0;
}

void show_progress(double fraction, const char* format, ...) {
  double now = wall_clock();
  if (now - progress_time < 0.2 || !isatty(STDERR_FILENO)) return;
  progress_time = now;
  clear_progress();
  fprintf(stderr, "%3.0f %%  ", 100 * fraction);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fflush(stderr);
  progress_shown = 1;
}

static void say(const char* kind, const char* format, va_list arguments) {
  clear_progress();
  fflush(stdout);
  fprintf(stderr, "holdfast: %s", kind);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

void say_error(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("", format, arguments);
  va_end(arguments);
}

void say_warning(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("warning: ", format, arguments);
  va_end(arguments);
}

int exit_status_of(hfStatus status) {
  return status >= 0 ? CLI_GOOD : status == HF_ERROR_ARGUMENT ? CLI_MISUSED : CLI_FAILED;
}

const char* object_name(const hfModel* model, hfObjectKind kind, int id, char buffer[NAME_BUFFER]) {
  const char* name = hf_model_name(model, kind, id);
  if (*name) return name;
  if (kind == HF_OBJECT_BODY && id == 0) return "world";
  snprintf(buffer, NAME_BUFFER, "#%d", id);
  return buffer;
}
