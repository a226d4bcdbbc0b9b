// Status codes and messages.
//
// Three kinds of trouble, never mixed:
//   a broken contract (NULL where none is allowed, wrong size) asserts;
//   a refusal (file, definition, option, memory) is a status < 0 with a message, outputs untouched; of a report at most the status is
//   written, and everything else in it is zero then;
//   a numerical difficulty is a status > 0 with numbers in the report, and the call still returns.
#ifndef HOLDFAST_STATUS_H
#define HOLDFAST_STATUS_H

#if defined(__GNUC__) || defined(__clang__)
#define HF_API __attribute__((visibility("default")))
#define HF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HF_RESULT __attribute__((warn_unused_result)) // a function that only returns something
#else
#define HF_API
#define HF_PRINTF(fmt, args)
#define HF_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hfStatus {
  HF_OK = 0,

  // Numerical difficulties: the call returned its best answer and says what is wrong with it.
  HF_NOT_CONVERGED = 1, // an iteration stopped at its limit
  HF_SINGULAR = 2,      // a factorisation met a zero pivot
  HF_NO_SOLUTION = 3,   // the problem has none (ray termination, infeasible)
  HF_OVERFLOW = 4,      // a fixed capacity was full; the report says which
  HF_STEP_TOO_SMALL = 5,// a step controller reached its smallest step
  HF_FLAGGED = 6,       // a batch: some worlds have a status of their own, in their reports
  HF_GAINED_ENERGY = 7, // a step, or several that followed each other, gave energy that no work explains; the report says how much
  HF_LET_GO = 8,        // an equality opens though it pulls as hard as it may, or a limit is passed further and further; the report says which

  // Refusals: nothing was changed.
  HF_ERROR_ARGUMENT = -1,    // an option or argument is out of range
  HF_ERROR_MEMORY = -2,      // an allocation failed
  HF_ERROR_FILE = -3,        // a file cannot be opened, read or written
  HF_ERROR_PARSE = -4,       // a file is malformed
  HF_ERROR_MODEL = -5,       // a definition makes no valid model
  HF_ERROR_NONFINITE = -6,   // an input is NaN or infinite
  HF_ERROR_UNSUPPORTED = -7, // well-formed, but not something Holdfast simulates
  HF_ERROR_VERSION = -8,     // the program was compiled with headers of another version than the library's
} hfStatus;

enum { HF_MESSAGE_SIZE = 1024 };

// The message of a refusal: "file:line: <element name="x">: what is wrong". Every function that takes one clears it first and fills it only when it
// refuses (returns a status < 0); it may be NULL everywhere.
typedef struct hfError {
  hfStatus status;
  char message[HF_MESSAGE_SIZE]; // empty when status is HF_OK
} hfError;

// Short name of a status, e.g. "not converged".
HF_API const char* hf_status_name(hfStatus status);

// Returns HF_OK, or HF_ERROR_UNSUPPORTED if this build needs something that the processor does not have (AVX). Loading a model and creating a sim
// begin with this check.
HF_API hfStatus hf_check_processor(hfError* error);

#ifdef __cplusplus
}
#endif
#endif
