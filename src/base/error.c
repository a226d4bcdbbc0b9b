// Names of statuses, and the writing of refusals.
#include "base/error.h"

#include "base/locale.h"

#include <stdarg.h>
#include <stdio.h>

// Writes the status and a printed message to *error, unless it is NULL. Returns the status.
hfStatus hfi_refuse(hfError* error, hfStatus status, const char* format, ...) {
  if (!error) return status;
  error->status = status;

  // numbers have a decimal point in every locale
  va_list args;
  va_start(args, format);
  locale_t outer = hfi_enter_c_locale();
  vsnprintf(error->message, sizeof error->message, format, args);
  hfi_leave_c_locale(outer);
  va_end(args);
  return status;
}

// Returns the name of a status for messages.
const char* hf_status_name(hfStatus status) {
  switch (status) {
  case HF_OK: return "ok";

  // trouble
  case HF_NOT_CONVERGED: return "not converged";
  case HF_SINGULAR: return "singular";
  case HF_NO_SOLUTION: return "no solution";
  case HF_OVERFLOW: return "capacity overflow";
  case HF_STEP_TOO_SMALL: return "step too small";
  case HF_GAINED_ENERGY: return "energy grew without work";
  case HF_LET_GO: return "an equality or limit lets go";
  case HF_FLAGGED: return "some worlds are flagged";

  // refusals
  case HF_ERROR_ARGUMENT: return "bad argument";
  case HF_ERROR_MEMORY: return "out of memory";
  case HF_ERROR_FILE: return "file error";
  case HF_ERROR_PARSE: return "parse error";
  case HF_ERROR_MODEL: return "bad model";
  case HF_ERROR_NONFINITE: return "non-finite input";
  case HF_ERROR_UNSUPPORTED: return "unsupported";
  case HF_ERROR_VERSION: return "other version";
  }
  return "unknown status";
}
