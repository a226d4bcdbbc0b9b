// What all verbs of the command share: exit statuses, messages, progress.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <holdfast/holdfast.h>

enum { CLI_GOOD = 0, CLI_FAILED = 1, CLI_MISUSED = 2 };

// Each verb gets its own argc and argv: argv[0] is "holdfast VERB".
int verb_run(int argc, char** argv);
int verb_check(int argc, char** argv);
int verb_info(int argc, char** argv);
int verb_dynamics(int argc, char** argv);
int verb_experiment(int argc, char** argv);
int verb_bench(int argc, char** argv);

// "holdfast: ..." on standard error, after clearing the progress line.
void say_error(const char* format, ...) HF_PRINTF(1, 2);
void say_warning(const char* format, ...) HF_PRINTF(1, 2);

// A line that is rewritten in place, a few times a second, if standard error is a terminal.
void show_progress(double fraction, const char* format, ...) HF_PRINTF(2, 3);
void clear_progress(void);

double wall_clock(void); // monotonic [s]

// Exit status of a refusal: wrong arguments are the caller's, the rest is failed work.
int exit_status_of(hfStatus status);

// Name of an object, or "#ID" in `buffer` for one without a name.
enum { NAME_BUFFER = 24 };
const char* object_name(const hfModel* model, hfObjectKind kind, int id, char buffer[NAME_BUFFER]);

#endif
