// Linear complementarity problems and certificates of matrices.
#include "core.h"

#include <stdlib.h>
#include <string.h>

static const member config_members[] = {MEMBER(hfLcpConfig, method),    MEMBER(hfLcpConfig, max_pivots),
                                        MEMBER(hfLcpConfig, tolerance), MEMBER(hfLcpConfig, tikhonov),
                                        MEMBER(hfLcpConfig, relaxation)};
static const member report_members[] = {MEMBER(hfLcpReport, status), MEMBER(hfLcpReport, pivots),
                                        MEMBER(hfLcpReport, residual), MEMBER(hfLcpReport, caller_residual)};
static const member p_members[] = {MEMBER(hfPReport, is_p), MEMBER(hfPReport, decided), MEMBER(hfPReport, by),
                                   MEMBER(hfPReport, margin), MEMBER(hfPReport, witness)};
static const member stability_members[] = {MEMBER(hfStabilityReport, stable), MEMBER(hfStabilityReport, status),
                                           MEMBER(hfStabilityReport, abscissa)};
static const member certificate_members[] = {
    MEMBER(hfRigidCertificate, full_rank),      MEMBER(hfRigidCertificate, rolling),
    MEMBER(hfRigidCertificate, p_matrix),       MEMBER(hfRigidCertificate, stable),
    MEMBER(hfRigidCertificate, holds),          MEMBER(hfRigidCertificate, rank_margin),
    MEMBER(hfRigidCertificate, rolling_margin), MEMBER(hfRigidCertificate, p_margin),
    MEMBER(hfRigidCertificate, abscissa)};

// A dict of the members of a certificate.
PyObject* dump_certificate(const hfRigidCertificate* c) { return dump_struct(c, MEMBERS(certificate_members)); }

enum {
  MAX_ROWS = 20000, // The most rows of a problem: a workspace of n^2 numbers must be addressable.
  MAX_LAYER_ROWS = 2000, // The most rows of a matrix whose boundary layer is tested.
  MAX_SOLUTIONS = 100000 // The most solutions that an enumeration may store.
};

// ---- problems ------------------------------------------------------------------------------------------------

// A linear complementarity problem over buffers of Python.
typedef struct borrowedLcp {
  Py_buffer A;
  Py_buffer b;
  Py_buffer lo;
  Py_buffer hi;
  hfLcp lcp;
} borrowedLcp;

static void release_lcp(borrowedLcp* p) {
  PyBuffer_Release(&p->A);
  PyBuffer_Release(&p->b);
  PyBuffer_Release(&p->lo);
  PyBuffer_Release(&p->hi);
}

// Makes a problem over A (n x n), b (n), lo and hi (n, or None). Release with release_lcp after success.
static int borrow_lcp(borrowedLcp* p, PyObject* A, PyObject* b, PyObject* lo, PyObject* hi) {
  *p = (borrowedLcp){0};
  if (get_doubles(b, "b", -1, 0, &p->b) < 0) return -1;
  int64_t n = count_doubles(&p->b);

  int status = 0;
  if (n < 1 || n > MAX_ROWS) status = refuse(PyExc_ValueError, "b must have 1 to %d numbers", MAX_ROWS);
  if (status == 0) status = get_doubles(A, "A", n * n, 0, &p->A);
  if (status == 0) status = get_optional_doubles(lo, "lo", n, &p->lo);
  if (status == 0) status = get_optional_doubles(hi, "hi", n, &p->hi);

  if (status < 0) {
    release_lcp(p);
    return -1;
  }

  p->lcp = (hfLcp){.n = (int32_t)n, .A = p->A.buf, .b = p->b.buf, .lo = p->lo.buf, .hi = p->hi.buf};
  return 0;
}

// Solves a problem without the interpreter's lock. z, the numbers of z_array, is where a warm start begins, and gets
// the solution. Returns (z, w, report), w = A z + b.
static PyObject* solve(const hfLcp* lcp, const hfLcpConfig* config, PyObject* z_array, double* z) {
  double* w;
  PyObject* w_array = array_vector(lcp->n, &w);
  if (!w_array) return NULL;

  // a method that does not exist is refused by the library, which needs no workspace for it
  hfLcpMethod method = (hfLcpMethod)config->method;
  int exists = config->method >= HF_LCP_LEMKE && config->method <= HF_LCP_GAUSS_SEIDEL;
  size_t bytes = exists ? hf_lcp_work_size(method, lcp->n) : 1;
  void* work = malloc(bytes);
  PyObject* result = NULL;
  if (work) {
    hfLcpReport report;
    hfError error;
    hfStatus status;
    Py_BEGIN_ALLOW_THREADS
    status = hf_lcp_solve(lcp, config, z, w, work, bytes, &report, &error);
    Py_END_ALLOW_THREADS
    if (status < 0)
      raise_error(&error);
    else
      result = Py_BuildValue("(OON)", z_array, w_array, dump_struct(&report, MEMBERS(report_members)));
  } else {
    PyErr_NoMemory();
  }

  free(work);
  Py_DECREF(w_array);
  return result;
}

// lcp_solve(A, b, lo, hi, start or None, options): (z, w, report), the solution with w = A z + b and lo <= z <= hi.
static PyObject* lcp_solve(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  PyObject* b;
  PyObject* lo;
  PyObject* hi;
  PyObject* start;
  PyObject* options;
  hfLcpConfig config = hf_lcp_config_default();

  borrowedLcp p;
  if (!PyArg_ParseTuple(args, "OOOOOO", &A, &b, &lo, &hi, &start, &options)) return NULL;
  if (fill_struct(&config, MEMBERS(config_members), options, "lcp.solve") < 0) return NULL;
  if (borrow_lcp(&p, A, b, lo, hi) < 0) return NULL;

  Py_buffer first;
  double* z;
  PyObject* z_array = NULL;
  PyObject* result = NULL;

  if (get_optional_doubles(start, "start", p.lcp.n, &first) == 0) z_array = array_vector(p.lcp.n, &z);
  if (z_array) {
    config.warm_start = first.obj != NULL;
    if (first.obj) memcpy(z, first.buf, (size_t)first.len);
    result = solve(&p.lcp, &config, z_array, z);
  }

  Py_XDECREF(z_array);
  PyBuffer_Release(&first);
  release_lcp(&p);
  return result;
}

// lcp_residual(A, b, lo, hi, z): how far z is from a solution, the residual of its natural map, relative [-].
static PyObject* lcp_residual(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  PyObject* b;
  PyObject* lo;
  PyObject* hi;
  PyObject* point;
  borrowedLcp p;
  if (!PyArg_ParseTuple(args, "OOOOO", &A, &b, &lo, &hi, &point) || borrow_lcp(&p, A, b, lo, hi) < 0) return NULL;

  Py_buffer z;
  PyObject* result = NULL;

  if (get_doubles(point, "z", p.lcp.n, 0, &z) == 0) {
    size_t bytes = hf_lcp_work_size(HF_LCP_LEMKE, p.lcp.n); // the workspace of any method is enough
    void* work = malloc(bytes);
    result = work ? PyFloat_FromDouble(hf_lcp_residual(&p.lcp, z.buf, work, bytes)) : PyErr_NoMemory();
    free(work);
  }

  PyBuffer_Release(&z);
  release_lcp(&p);
  return result;
}

// Enumerates the solutions of a problem, at most `capacity`. Returns (solutions, is there a continuum of them).
static PyObject* enumerate(const hfLcp* lcp, int capacity) {
  size_t bytes = hf_lcp_enumerate_work_size(lcp->n);
  void* work = malloc(bytes);
  double* z = calloc((size_t)capacity * (size_t)lcp->n, sizeof *z);
  hfLcpSolutions s = {.capacity = capacity, .z = z};
  hfError error;
  PyObject* result = NULL;

  if (!work || !z)
    PyErr_NoMemory();
  else if (hf_lcp_enumerate(lcp, &s, work, bytes, &error) < 0)
    raise_error(&error);
  else
    result = Py_BuildValue("(NO)", array_matrix(z, s.count, lcp->n), s.continuum ? Py_True : Py_False);

  free(work);
  free(z);
  return result;
}

// lcp_enumerate(A, b, lo, hi, capacity): see enumerate.
static PyObject* lcp_enumerate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  PyObject* b;
  PyObject* lo;
  PyObject* hi;
  int capacity;
  borrowedLcp p;
  if (!PyArg_ParseTuple(args, "OOOOi", &A, &b, &lo, &hi, &capacity) || borrow_lcp(&p, A, b, lo, hi) < 0) return NULL;

  PyObject* result;
  if (p.lcp.n > HF_LCP_ENUMERATION_MAX || capacity < 1 || capacity > MAX_SOLUTIONS)
    result = PyErr_Format(PyExc_ValueError, "at most %d rows and %d solutions", HF_LCP_ENUMERATION_MAX, MAX_SOLUTIONS);
  else
    result = enumerate(&p.lcp, capacity);

  release_lcp(&p);
  return result;
}

// ---- matrices ------------------------------------------------------------------------------------------------

// A square matrix and a workspace for it.
typedef struct squareMatrix {
  Py_buffer A;
  int32_t n;
  void* work;
  size_t bytes;
} squareMatrix;

// Makes a matrix over A (n x n), n being 1 to max_rows. Release with release_square after success.
static int borrow_square(squareMatrix* s, PyObject* A, int n, int max_rows) {
  if (n < 1 || n > max_rows) return refuse(PyExc_ValueError, "the matrix must have 1 to %d rows", max_rows);
  if (get_doubles(A, "A", (int64_t)n * n, 0, &s->A) < 0) return -1;

  s->n = n;
  s->bytes = hf_certificate_work_size(n);
  s->work = malloc(s->bytes);

  if (s->work) return 0;
  PyBuffer_Release(&s->A);
  PyErr_NoMemory();
  return -1;
}

static void release_square(squareMatrix* s) {
  free(s->work);
  PyBuffer_Release(&s->A);
}

// matrix_rank(A (m x n), m, n): (rank, margin), the margin being |R_kk|/|R_11| of a QR factorisation, k = min(m, n):
// zero to rounding where the rank is not full.
static PyObject* matrix_rank(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* matrix;
  int m;
  int n;
  if (!PyArg_ParseTuple(args, "Oii", &matrix, &m, &n)) return NULL;
  if (m < 1 || n < 1 || m > MAX_ROWS || n > MAX_ROWS) return PyErr_Format(PyExc_ValueError, "A must not be empty");

  Py_buffer A;
  if (get_doubles(matrix, "A", (int64_t)m * n, 0, &A) < 0) return NULL;

  size_t bytes = hf_certificate_work_size(m > n ? m : n);
  void* work = malloc(bytes);
  PyObject* result = NULL;
  if (work) {
    double margin;
    int rank = hf_matrix_rank(m, n, A.buf, &margin, work, bytes);
    result = Py_BuildValue("(id)", rank, margin);
  } else {
    PyErr_NoMemory();
  }

  free(work);
  PyBuffer_Release(&A);
  return result;
}

// matrix_eigenvalues(A, n): (real parts, imaginary parts, status)
static PyObject* matrix_eigenvalues(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int n;
  squareMatrix s;
  if (!PyArg_ParseTuple(args, "Oi", &A, &n) || borrow_square(&s, A, n, MAX_ROWS) < 0) return NULL;

  double* re;
  double* im;
  PyObject* re_array = array_vector(n, &re);
  PyObject* im_array = array_vector(n, &im);
  PyObject* result = NULL;

  if (re_array && im_array) {
    hfStatus status = hf_matrix_eigenvalues(n, s.A.buf, re, im, s.work, s.bytes);
    result = Py_BuildValue("(OOi)", re_array, im_array, status);
  }

  Py_XDECREF(re_array);
  Py_XDECREF(im_array);
  release_square(&s);
  return result;
}

// matrix_minors(A, n): the 2^n principal minors
static PyObject* matrix_minors(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int n;
  squareMatrix s;
  if (!PyArg_ParseTuple(args, "Oi", &A, &n) || borrow_square(&s, A, n, HF_MINORS_MAX) < 0) return NULL;

  double* minors;
  PyObject* result = array_vector((int64_t)1 << n, &minors);
  if (result) hf_matrix_minors(n, s.A.buf, minors, s.work, s.bytes);

  release_square(&s);
  return result;
}

// matrix_test_p(A, n, exact): the report whether A is a P-matrix
static PyObject* matrix_test_p(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int n;
  int exact;
  squareMatrix s;
  if (!PyArg_ParseTuple(args, "Oip", &A, &n, &exact)) return NULL;
  if (borrow_square(&s, A, n, exact ? HF_P_EXACT_MAX : MAX_ROWS) < 0) return NULL;

  hfPReport report;
  Py_BEGIN_ALLOW_THREADS
  report = hf_matrix_test_p(n, s.A.buf, exact, s.work, s.bytes);
  Py_END_ALLOW_THREADS

  release_square(&s);
  return dump_struct(&report, MEMBERS(p_members));
}

// ---- boundary layers -----------------------------------------------------------------------------------------

// boundary_layer(A, n, k (n), c (n)): the report whether the layer with stiffnesses k and dampings c is stable
static PyObject* boundary_layer(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  PyObject* stiffness;
  PyObject* damping;
  int n;
  squareMatrix s;
  if (!PyArg_ParseTuple(args, "OiOO", &A, &n, &stiffness, &damping)) return NULL;
  if (borrow_square(&s, A, n, MAX_LAYER_ROWS) < 0) return NULL;

  Py_buffer k = {0};
  Py_buffer c = {0};
  PyObject* result = NULL;

  if (get_doubles(stiffness, "k", n, 0, &k) == 0 && get_doubles(damping, "c", n, 0, &c) == 0) {
    hfStabilityReport report = hf_boundary_layer_test(n, s.A.buf, k.buf, c.buf, s.work, s.bytes);
    result = dump_struct(&report, MEMBERS(stability_members));
  }

  PyBuffer_Release(&k);
  PyBuffer_Release(&c);
  release_square(&s);
  return result;
}

// New int32 flags (n) from bytes (n, or an empty view: all 0); NULL with a MemoryError. Free with free().
static int32_t* new_flags(const Py_buffer* bytes, int n) {
  int32_t* flags = calloc((size_t)n, sizeof *flags);
  if (!flags) {
    PyErr_NoMemory();
    return NULL;
  }

  const char* byte = bytes->buf;
  for (int i = 0; byte && i < n; ++i) flags[i] = byte[i] != 0;
  return flags;
}

// certify(A, n, rolling (n bytes) or None, k (n), c (n)): the certificate of a rigid problem with this matrix
static PyObject* certify(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  PyObject* rolling;
  PyObject* stiffness;
  PyObject* damping;
  int n;
  squareMatrix s;
  if (!PyArg_ParseTuple(args, "OiOOO", &A, &n, &rolling, &stiffness, &damping)) return NULL;
  if (borrow_square(&s, A, n, MAX_LAYER_ROWS) < 0) return NULL;

  Py_buffer k = {0};
  Py_buffer c = {0};
  Py_buffer is_rolling = {0};
  int32_t* flags = NULL;
  PyObject* result = NULL;

  if (get_doubles(stiffness, "k", n, 0, &k) == 0 && get_doubles(damping, "c", n, 0, &c) == 0 &&
      get_bytes(rolling, "rolling", n, &is_rolling) == 0)
    flags = new_flags(&is_rolling, n);
  if (flags) {
    hfRigidCertificate report = hf_rigid_certify(n, s.A.buf, flags, k.buf, c.buf, s.work, s.bytes);
    result = dump_certificate(&report);
  }

  free(flags);
  PyBuffer_Release(&k);
  PyBuffer_Release(&c);
  PyBuffer_Release(&is_rolling);
  release_square(&s);
  return result;
}

static PyMethodDef functions[] = {{"lcp_solve", lcp_solve, METH_VARARGS, NULL},
                                  {"lcp_residual", lcp_residual, METH_VARARGS, NULL},
                                  {"lcp_enumerate", lcp_enumerate, METH_VARARGS, NULL},
                                  {"matrix_rank", matrix_rank, METH_VARARGS, NULL},
                                  {"matrix_eigenvalues", matrix_eigenvalues, METH_VARARGS, NULL},
                                  {"matrix_minors", matrix_minors, METH_VARARGS, NULL},
                                  {"matrix_test_p", matrix_test_p, METH_VARARGS, NULL},
                                  {"boundary_layer", boundary_layer, METH_VARARGS, NULL},
                                  {"certify", certify, METH_VARARGS, NULL},
                                  {0}};

// Adds the functions of this file to the module.
int add_lcp(PyObject* module) { return PyModule_AddFunctions(module, functions); }
