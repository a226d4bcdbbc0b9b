// The numbers of a signal of feedback (HF_SIGNAL_FEEDBACK): how many joints it watches, their ids, and rows over time.
//
//   n | id_1 ... id_n | t y q_d (n) v_d (n) kp (n) kd (n) | t y ...
#ifndef HFI_MODEL_FEEDBACK_H
#define HFI_MODEL_FEEDBACK_H

typedef struct hfiFeedback {
  int njoint, nrow;
  int width;           // length of a row, 2 + 4 njoint
  const double* joint; // (njoint) ids
  const double* rows;  // (nrow x width)
} hfiFeedback;

// Divides the numbers of a signal into their parts. Returns 0 if their count does not fit.
static inline int hfi_feedback_parts(const double* data, int count, hfiFeedback* f) {
  int n = count > 0 && data[0] >= 1 && data[0] < count ? (int)data[0] : 0, left = count - 1 - n;
  *f = (hfiFeedback){.njoint = n, .nrow = left / (2 + 4 * n), .width = 2 + 4 * n, .joint = data + 1, .rows = data + 1 + n};
  return n > 0 && n == data[0] && f->nrow > 0 && left % f->width == 0;
}

#endif
