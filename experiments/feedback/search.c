// The search for the largest stable step, and reporting one number of a method.
#include "feedback/feedback.h"

#include <math.h>

static const double FIRST = 0.001, LARGEST = 0.1, CLOSE = 1.02;

int feedback_search(feedbackTry run, const void* user, double* largest, feedbackRun* best, int* status) {
  double good = 0, bad = 0;
  feedbackRun out;
  for (double h = FIRST; bad == 0 && good < LARGEST; h = fmin(2 * h, LARGEST)) {
    if ((*status = run(user, h, &out)) != CLI_GOOD) return 0;
    if (out.stable) good = h, *best = out;
    else bad = h;
  }
  while (good > 0 && bad > CLOSE * good) {
    double h = 0.5 * (good + bad);
    if ((*status = run(user, h, &out)) != CLI_GOOD) return 0;
    if (out.stable) good = h, *best = out;
    else bad = h;
  }
  *largest = good;
  return good > 0;
}

void feedback_show(result* r, const char* method, const char* what, double value, double paper, const char* unit) {
  char name[96];
  snprintf(name, sizeof name, "%s_%s", method, what);
  if (paper > 0) result_compare(r, name, value, paper, unit);
  else result_figure(r, name, value, unit);
}
