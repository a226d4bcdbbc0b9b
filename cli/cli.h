// What all verbs of the command share: exit statuses, messages, progress.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <holdfast/holdfast.h>

enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_MISUSED = 2 };

// Each verb gets its own argc and argv, in which argv[0] is "holdfast VERB".
int verb_run(int argc, char** argv);
int verb_check(int argc, char** argv);
int verb_info(int argc, char** argv);
int verb_dynamics(int argc, char** argv);
int verb_view(int argc, char** argv);
int verb_render(int argc, char** argv);
int verb_convert(int argc, char** argv);
int verb_problem(int argc, char** argv);
int verb_experiment(int argc, char** argv);
int verb_study(int argc, char** argv);
int verb_bench(int argc, char** argv);

// Prints "holdfast: ..." to standard error, after clearing the line of progress.
void say_error(const char* format, ...) HF_PRINTF(1, 2);
void say_warning(const char* format, ...) HF_PRINTF(1, 2);

// Shows progress in one line of standard error, with the time that the rest will take, and rewrites it a few times in a
// second. Does nothing unless standard error is a terminal.
void show_progress(double fraction, const char* format, ...) HF_PRINTF(2, 3);
void clear_progress(void);

double wall_clock(void); // monotonic [s]

// The exit status after a refusal: CLI_MISUSED for wrong arguments, else CLI_FAILED.
int exit_status_of(hfStatus status);
// The same for the sim of a model that was read: options that do not go together, or not with this model, are a wrong
// call, too.
int exit_status_of_sim(hfStatus created);

#endif
