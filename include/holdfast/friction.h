// Frictional contact problems: rigid contact with Coulomb's law, given by matrices.
//
//   local form    u = W r + V lambda + q,    V' r + R lambda + s = 0
//   global form   M v = H r + G lambda + f,  u = H' v + w,  G' v + b = 0
//
// and for every contact with coefficient mu, normal component n and tangential components t:
//
//   r_n >= 0, u_n >= 0, r_n u_n = 0;   |r_t| <= mu r_n;   where u_t is not 0: r_t = -mu r_n u_t/|u_t|
//
//   r       reactions: impulses [N s] where u is a velocity [m/s], or any pair of consistent units
//   u       relative velocities at the contacts; a contact has `dim` rows: n, t1 and, in three dimensions, t2
//   lambda  multipliers of equalities, without bounds
//   v       generalised velocities
//
// These are the problems of the collection FCLIB, with its names. W and M may be unsymmetric; both must have
// a positive semi-definite symmetric part for an answer to be expected. docs/theory/friction-problems.md
#ifndef HOLDFAST_FRICTION_H
#define HOLDFAST_FRICTION_H

#include <holdfast/allocator.h>
#include <holdfast/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A sparse matrix by compressed rows. The entries of a row may have any order; entries of the same place add up.
typedef struct hfSparseMatrix {
  int32_t rows, cols;
  int32_t* start; // (rows + 1) first entry of each row; start[rows] is the number of entries
  int32_t* col;   // (start[rows]) column of each entry
  double* value;  // (start[rows])
} hfSparseMatrix;

typedef enum hfFrictionForm { HF_FORM_LOCAL = 0, HF_FORM_GLOBAL = 1 } hfFrictionForm;

// m = dim ncontact rows of contacts, p = nequality. The arrays of the other form are not read.
typedef struct hfFrictionProblem {
  int32_t form;      // hfFrictionForm
  int32_t dim;       // rows of a contact: 2 or 3
  int32_t ncontact;
  int32_t nequality; // number p of equalities; if it is 0, V, R, s, G and b are not read
  int32_t nv;        // global form: generalised velocities
  double* mu;        // (ncontact) coefficients of friction, >= 0 [-]

  hfSparseMatrix W, V, R; // local form: (m x m), (m x p), (p x p)
  double *q, *s;          // (m), (p)

  hfSparseMatrix M, H, G; // global form: (nv x nv), (nv x m), (nv x p)
  double *f, *w, *b;      // (nv), (m), (p)
} hfFrictionProblem;

typedef struct hfFrictionConfig {
  double tolerance;       // both residuals of the report must be below it [-] (default 1e-8)
  int32_t max_steps;      // largest number of proximal steps of an island (default 300)
  int32_t max_iterations; // largest number of Newton iterations of a proximal step (default 30)
  int32_t warm_start;     // 1: r and lambda hold a first guess (default 0)
  hfAllocator allocator;  // allocator of scratch memory; all zero: the C library's
} hfFrictionConfig;

HF_API hfFrictionConfig hf_friction_config_default(void);

typedef struct hfFrictionReport {
  hfStatus status;     // HF_OK, or HF_NOT_CONVERGED
  int32_t islands;     // groups of contacts that do not influence each other
  int32_t steps;       // proximal steps, sum over islands
  int32_t iterations;  // Newton iterations: factorisations, sum over islands
  double natural_map;  // |r - P(r - u^)|, FCLIB's natural map: u^ = u + mu |u_t| n, P the projection on the cones
  double residual;     // natural_map over max(|q|, |r|, |u|), as siconos reports it [-]
  double scaled_residual; // natural_map with each contact in units of its own W_ii, and with equalities; over |q| in these units [-]
} hfFrictionReport;

// The answer, in arrays of the caller. u, lambda and v may be NULL.
typedef struct hfFrictionSolution {
  double* r;      // (m)
  double* u;      // (m)
  double* lambda; // (p)
  double* v;      // (nv), global form
} hfFrictionSolution;

// Refuses a problem whose sizes, indices or numbers are not what the comments above say.
HF_API hfStatus hf_friction_problem_validate(const hfFrictionProblem* problem, hfError* error);

// Solves a problem. Allocates its scratch memory and frees it. HF_NOT_CONVERGED: the solution holds the best that was found. A refusal leaves the
// solution as it was: HF_ERROR_ARGUMENT, also if M is singular, or HF_ERROR_MEMORY.
HF_API hfStatus hf_friction_solve(const hfFrictionProblem* problem, const hfFrictionConfig* config, hfFrictionSolution* solution,
                                  hfFrictionReport* report, hfError* error);

// Computes u and, in the global form, v of given r and lambda, and the residuals of the report, by the same definitions.
HF_API hfStatus hf_friction_evaluate(const hfFrictionProblem* problem, hfFrictionSolution* solution, hfFrictionReport* report,
                                     hfError* error);

// A text file with 17 significant digits: docs/reference/friction-file.md. What is read is bitwise what was written.
HF_API hfStatus hf_friction_problem_write(const hfFrictionProblem* problem, const char* path, hfError* error);
// Allocates; free with hf_friction_problem_free. On refusal *problem is untouched.
HF_API hfStatus hf_friction_problem_read(hfFrictionProblem** problem, const char* path, hfError* error);
HF_API void hf_friction_problem_free(hfFrictionProblem* problem);

#ifdef __cplusplus
}
#endif
#endif
