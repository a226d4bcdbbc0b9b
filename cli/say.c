// Messages and progress of the command.
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// The line of progress.
static int progress_shown; // 1: it stands there
static double progress_time; // wall time at which it was written [s]

// The work whose progress is shown.
static struct {
  double began; // wall time of its beginning [s]
  double first; // part that was done then [-]
  double last; // part that is done now [-]
} work = {.last = 2}; // beyond every fraction: the first call begins a work

double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void clear_progress(void) {
  if (progress_shown) fputs("\r\033[K", stderr);
  progress_shown = 0;
}

// Do messages go to a terminal? That does not change while the command runs, and asking takes a call of the system, as
// long as some steps of a small world.
static int is_watched(void) {
  static int known = -1;
  if (known < 0) known = isatty(STDERR_FILENO);
  return known;
}

// How long the rest of the work takes at its mean speed so far [s]; 0: that is not known.
// A fraction below the last one begins another work.
static double remaining_time(double fraction, double now) {
  if (fraction < work.last) {
    work.began = now;
    work.first = fraction;
  }
  work.last = fraction;

  double done = fraction - work.first;
  return done > 0 ? (now - work.began) * (1 - fraction) / done : 0;
}

// Prints a time [s] in hours, minutes and seconds.
static void print_remaining(double seconds) {
  long s = (long)(seconds + 0.5);

  if (s >= 3600)
    fprintf(stderr, ", %ld h %02ld min left", s / 3600, s / 60 % 60);
  else if (s >= 60)
    fprintf(stderr, ", %ld min %02ld s left", s / 60, s % 60);
  else
    fprintf(stderr, ", %ld s left", s);
}

// Writes the line of progress anew on a terminal, at most every PERIOD: the fraction (0 to 1) of the work that is done,
// a text and, once the work's speed is known, the time that remains.
void show_progress(double fraction, const char* format, ...) {
  static const double STEADY_TIME = 1; // [s] of work before its speed says something
  static const double PERIOD = 0.2; // [s] between two lines
  if (!is_watched()) return;

  double now = wall_clock();
  double remaining = remaining_time(fraction, now);
  if (now - progress_time < PERIOD) return;
  progress_time = now;

  clear_progress();
  fprintf(stderr, "%3.0f %%  ", 100 * fraction);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);

  if (now - work.began > STEADY_TIME && remaining > 0) print_remaining(remaining);
  fflush(stderr);
  progress_shown = 1;
}

// Prints a message of a kind ("", "warning: ") to standard error, behind all that was printed before.
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

// The exit status after a refusal: CLI_MISUSED for wrong arguments, else CLI_FAILED.
int exit_status_of(hfStatus status) {
  if (status >= 0) return CLI_GOOD;
  return status == HF_ERROR_ARGUMENT ? CLI_MISUSED : CLI_FAILED;
}

// The same for the sim of a model that was read: options that do not fit the model are a wrong call, too.
int exit_status_of_sim(hfStatus created) {
  return created == HF_ERROR_UNSUPPORTED ? CLI_MISUSED : exit_status_of(created);
}
