// A bracket about a point where a function g(alpha) changes its sign, and the next alpha to try.
//
// The secant method shrinks the bracket, with a bisection every third time. Rows that reach a bound or a limit make g a chain of straight pieces, flat at
// first and steep behind a bend. The line through both ends of the bracket then has its zero far from that of g: the end behind the bend moves by little. But
// two points behind the bend, the latest one and the one that it replaced, lie on the steep piece itself, and the line through them gives the zero.
#ifndef HFI_SOLVE_BRACKET_H
#define HFI_SOLVE_BRACKET_H

// A point of the function.
typedef struct hfiTrial {
  double alpha, g;
} hfiTrial;

typedef struct hfiBracket {
  hfiTrial lo, hi;           // the ends: g < 0 at lo, g > 0 at hi
  hfiTrial latest, replaced; // the point that was added last, and the end of the bracket that it replaced
  int trials;                // points that were added
} hfiBracket;

static inline hfiBracket hfi_bracket(hfiTrial lo, hfiTrial hi) { return (hfiBracket){lo, hi, hi, lo, 0}; }

// Where the straight line through two points is zero.
static inline double hfi_line_zero(hfiTrial a, hfiTrial b) { return (a.alpha * b.g - b.alpha * a.g) / (b.g - a.g); }

static inline int hfi_bracket_holds(const hfiBracket* b, double alpha) { return alpha > b->lo.alpha && alpha < b->hi.alpha; }

// The next alpha to try. It is inside of the bracket unless rounding leaves no number there.
static inline double hfi_bracket_choose(const hfiBracket* b) {
  if (b->trials % 3 == 1) return 0.5 * (b->lo.alpha + b->hi.alpha);
  double alpha = hfi_line_zero(b->replaced, b->latest);
  return hfi_bracket_holds(b, alpha) ? alpha : hfi_line_zero(b->lo, b->hi);
}

// Adds a point inside of the bracket, which becomes an end of it.
static inline void hfi_bracket_add(hfiBracket* b, hfiTrial point) {
  hfiTrial* end = point.g > 0 ? &b->hi : &b->lo;
  b->replaced = *end, b->latest = *end = point;
  b->trials += 1;
}

#endif
