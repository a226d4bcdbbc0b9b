// An interval of alpha in which a function g(alpha) changes its sign, and the choice of the next alpha to try.
//
// The secant method shrinks the interval, with a bisection every third time. If rows reach a bound or a limit, g
// consists of straight pieces: it is flat at first and steep after a bend. The line through both ends of the bracket
// then has its zero far from that of g, and the upper end of the bracket moves slowly. But two points after the bend,
// the latest point and the point that it replaced, are on the steep piece itself. The line through these two gives the
// zero.
#ifndef HFI_SOLVE_BRACKET_H
#define HFI_SOLVE_BRACKET_H

// A point of the function g.
typedef struct hfiTrial {
  double alpha, g;
} hfiTrial;

typedef struct hfiBracket {
  hfiTrial lo, hi;           // the ends: g < 0 at lo, g > 0 at hi
  hfiTrial latest, replaced; // the point that was added last, and the end of the bracket that it replaced
  int trials;                // number of points that were added
} hfiBracket;

static inline hfiBracket hfi_bracket(hfiTrial lo, hfiTrial hi) {
  return (hfiBracket){.lo = lo, .hi = hi, .latest = hi, .replaced = lo};
}

// The alpha at which the straight line through two points is zero.
static inline double hfi_line_zero(hfiTrial a, hfiTrial b) { return (a.alpha * b.g - b.alpha * a.g) / (b.g - a.g); }

// Is alpha inside the bracket?
static inline int hfi_bracket_holds(const hfiBracket* b, double alpha) {
  return alpha > b->lo.alpha && alpha < b->hi.alpha;
}

// Returns the next alpha to try. It is inside the bracket, unless there is no number between its ends.
static inline double hfi_bracket_choose(const hfiBracket* b) {
  // every third trial is the middle
  if (b->trials % 3 == 1) return 0.5 * (b->lo.alpha + b->hi.alpha);

  // the line through the last two points, or else the line through both ends
  double alpha = hfi_line_zero(b->replaced, b->latest);
  return hfi_bracket_holds(b, alpha) ? alpha : hfi_line_zero(b->lo, b->hi);
}

// Adds a point inside the bracket. It replaces the end of the bracket at which g has the same sign.
static inline void hfi_bracket_add(hfiBracket* b, hfiTrial point) {
  hfiTrial* end = point.g > 0 ? &b->hi : &b->lo;
  b->replaced = *end;
  b->latest = point;
  *end = point;
  b->trials += 1;
}

#endif
