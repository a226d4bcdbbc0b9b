// Numbers in files, options and messages have a decimal point, whatever locale the program has set. Code that prints or
// reads numbers runs between these two calls, which concern only the calling thread.
#ifndef HFI_BASE_LOCALE_H
#define HFI_BASE_LOCALE_H

#include <locale.h>
#include <stdlib.h>

// Returns the locale to which hfi_leave_c_locale goes back. In the page the only locale is "C", and there is no
// environment that names others.
static inline locale_t hfi_enter_c_locale(void) {
#ifdef __wasi__
  return (locale_t)0;
#else
  // The C library holds the locale "C" for good: this allocates nothing, and there is nothing to free.
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return c ? uselocale(c) : (locale_t)0;
#endif
}

static inline void hfi_leave_c_locale(locale_t outer) {
  if (outer) uselocale(outer);
}

// strtod of a text with a decimal point.
static inline double hfi_read_double(const char* text, char** end) {
  locale_t outer = hfi_enter_c_locale();
  double x = strtod(text, end);
  hfi_leave_c_locale(outer);
  return x;
}

#endif
