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

PyObject* dump_certificate(const hfRigidCertificate* c) { return dump_struct(c, MEMBERS(certificate_members)); }

enum { LARGEST = 20000 }; // rows: a workspace of n^2 numbers must be addressable

typedef struct problem {
  Py_buffer A, b, lo, hi;
  hfLcp lcp;
} problem;

static void release(problem* p) {
  Py_buffer* all[] = {&p->A, &p->b, &p->lo, &p->hi};
  for (int i = 0; i < 4; ++i)
    if (all[i]->obj) PyBuffer_Release(all[i]);
}

static int take(problem* p, PyObject* A, PyObject* b, PyObject* lo, PyObject* hi) {
  memset(p, 0, sizeof *p);
  if (get_doubles(b, "b", -1, 0, &p->b) < 0) return -1;
  int64_t n = p->b.len / 8;
  if (n < 1 || n > LARGEST) PyErr_SetString(PyExc_ValueError, "b must have 1 to 20000 numbers");
  if (n < 1 || n > LARGEST || get_doubles(A, "A", n * n, 0, &p->A) < 0 || get_optional_doubles(lo, "lo", n, &p->lo) < 0 ||
      get_optional_doubles(hi, "hi", n, &p->hi) < 0) {
    release(p);
    return -1;
  }
  p->lcp = (hfLcp){.n = (int32_t)n, .A = p->A.buf, .b = p->b.buf, .lo = p->lo.buf, .hi = p->hi.buf};
  return 0;
}

static PyObject* lcp_solve(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *b, *lo, *hi, *start, *options, *az = NULL, *aw = NULL, *result = NULL;
  problem p;
  Py_buffer first = {0};
  hfLcpConfig config = hf_lcp_config_default();
  hfLcpReport report;
  hfError error;
  double *z, *w;
  if (!PyArg_ParseTuple(args, "OOOOOO", &A, &b, &lo, &hi, &start, &options) ||
      fill_struct(&config, MEMBERS(config_members), options, "lcp.solve") < 0 || take(&p, A, b, lo, hi) < 0)
    return NULL;
  int64_t n = p.lcp.n;
  size_t bytes = config.method >= HF_LCP_LEMKE && config.method <= HF_LCP_GAUSS_SEIDEL
                     ? hf_lcp_work_size((hfLcpMethod)config.method, (int32_t)n)
                     : 1;
  void* work = malloc(bytes);
  if (!work)
    PyErr_NoMemory();
  else if (get_optional_doubles(start, "start", n, &first) == 0 && (az = array_new(1, &n, &z)) && (aw = array_new(1, &n, &w))) {
    config.warm_start = first.obj != NULL;
    if (first.obj) memcpy(z, first.buf, (size_t)first.len);
    hfStatus status;
    Py_BEGIN_ALLOW_THREADS
    status = hf_lcp_solve(&p.lcp, &config, z, w, work, bytes, &report, &error);
    Py_END_ALLOW_THREADS
    result = status < 0 ? raise_error(&error) : Py_BuildValue("(OON)", az, aw, dump_struct(&report, MEMBERS(report_members)));
  }
  Py_XDECREF(az);
  Py_XDECREF(aw);
  free(work);
  if (first.obj) PyBuffer_Release(&first);
  release(&p);
  return result;
}

static PyObject* lcp_residual(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *b, *lo, *hi, *z, *result = NULL;
  problem p;
  Py_buffer vz;
  if (!PyArg_ParseTuple(args, "OOOOO", &A, &b, &lo, &hi, &z) || take(&p, A, b, lo, hi) < 0) return NULL;
  if (get_doubles(z, "z", p.lcp.n, 0, &vz) == 0) {
    size_t bytes = hf_lcp_work_size(HF_LCP_LEMKE, p.lcp.n);
    void* work = malloc(bytes);
    result = work ? PyFloat_FromDouble(hf_lcp_residual(&p.lcp, vz.buf, work, bytes)) : PyErr_NoMemory();
    free(work);
    PyBuffer_Release(&vz);
  }
  release(&p);
  return result;
}

static PyObject* lcp_enumerate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *b, *lo, *hi, *result = NULL;
  problem p;
  hfError error;
  int capacity;
  if (!PyArg_ParseTuple(args, "OOOOi", &A, &b, &lo, &hi, &capacity) || take(&p, A, b, lo, hi) < 0) return NULL;
  int64_t n = p.lcp.n;
  if (n > HF_LCP_ENUMERATION_MAX || capacity < 1 || capacity > 100000) {
    release(&p);
    return PyErr_Format(PyExc_ValueError, "at most %d rows and 100000 solutions", HF_LCP_ENUMERATION_MAX);
  }
  size_t bytes = hf_lcp_enumerate_work_size((int32_t)n);
  void* work = malloc(bytes);
  double* z = calloc((size_t)(capacity * n), sizeof *z);
  hfLcpSolutions s = {.capacity = capacity, .z = z};
  if (!work || !z)
    PyErr_NoMemory();
  else if (hf_lcp_enumerate(&p.lcp, &s, work, bytes, &error) < 0)
    raise_error(&error);
  else
    result = Py_BuildValue("(NO)", array_matrix(z, s.count, n), s.continuum ? Py_True : Py_False);
  free(work);
  free(z);
  release(&p);
  return result;
}

// ---- matrices ------------------------------------------------------------------------------------------------

// A square matrix and a workspace for it.
typedef struct square {
  Py_buffer A;
  int32_t n;
  void* work;
  size_t bytes;
} square;

static int take_square(square* s, PyObject* A, int n, int most) {
  if (n < 1 || n > most) return PyErr_Format(PyExc_ValueError, "the matrix must have 1 to %d rows", most), -1;
  if (get_doubles(A, "A", (int64_t)n * n, 0, &s->A) < 0) return -1;
  s->n = n;
  s->bytes = hf_certificate_work_size(n);
  s->work = malloc(s->bytes);
  if (s->work) return 0;
  PyBuffer_Release(&s->A);
  PyErr_NoMemory();
  return -1;
}
static void drop_square(square* s) {
  free(s->work);
  PyBuffer_Release(&s->A);
}

static PyObject* matrix_rank(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int m, n;
  Py_buffer view;
  double margin;
  if (!PyArg_ParseTuple(args, "Oii", &A, &m, &n)) return NULL;
  if (m < 1 || n < 1 || m > LARGEST || n > LARGEST) return PyErr_SetString(PyExc_ValueError, "A must not be empty"), NULL;
  if (get_doubles(A, "A", (int64_t)m * n, 0, &view) < 0) return NULL;
  size_t bytes = hf_certificate_work_size(m > n ? m : n);
  void* work = malloc(bytes);
  PyObject* result = NULL;
  if (work) {
    int rank = hf_matrix_rank(m, n, view.buf, &margin, work, bytes);
    result = Py_BuildValue("(id)", rank, margin);
  } else
    PyErr_NoMemory();
  free(work);
  PyBuffer_Release(&view);
  return result;
}

static PyObject* matrix_eigenvalues(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *re, *im, *result = NULL;
  int n;
  square s;
  double *x, *y;
  if (!PyArg_ParseTuple(args, "Oi", &A, &n) || take_square(&s, A, n, LARGEST) < 0) return NULL;
  int64_t shape = n;
  re = array_new(1, &shape, &x);
  im = re ? array_new(1, &shape, &y) : NULL;
  if (im) {
    hfStatus status = hf_matrix_eigenvalues(n, s.A.buf, x, y, s.work, s.bytes);
    result = Py_BuildValue("(OOi)", re, im, status);
  }
  Py_XDECREF(re);
  Py_XDECREF(im);
  drop_square(&s);
  return result;
}

static PyObject* matrix_minors(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int n;
  square s;
  double* x;
  if (!PyArg_ParseTuple(args, "Oi", &A, &n) || take_square(&s, A, n, HF_MINORS_MAX) < 0) return NULL;
  int64_t count = (int64_t)1 << n;
  PyObject* result = array_new(1, &count, &x);
  if (result) hf_matrix_minors(n, s.A.buf, x, s.work, s.bytes);
  drop_square(&s);
  return result;
}

static PyObject* matrix_test_p(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* A;
  int n, exact;
  square s;
  if (!PyArg_ParseTuple(args, "Oip", &A, &n, &exact) || take_square(&s, A, n, exact ? HF_P_EXACT_MAX : LARGEST) < 0) return NULL;
  hfPReport report;
  Py_BEGIN_ALLOW_THREADS
  report = hf_matrix_test_p(n, s.A.buf, exact, s.work, s.bytes);
  Py_END_ALLOW_THREADS
  drop_square(&s);
  return dump_struct(&report, MEMBERS(p_members));
}

// k and c of the layer behind each row
static int take_layer(PyObject* k, PyObject* c, int n, Py_buffer* vk, Py_buffer* vc) {
  if (get_doubles(k, "k", n, 0, vk) < 0) return -1;
  if (get_doubles(c, "c", n, 0, vc) == 0) return 0;
  PyBuffer_Release(vk);
  return -1;
}

static PyObject* boundary_layer(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *k, *c, *result = NULL;
  int n;
  square s;
  Py_buffer vk, vc;
  if (!PyArg_ParseTuple(args, "OiOO", &A, &n, &k, &c) || take_square(&s, A, n, 2000) < 0) return NULL;
  if (take_layer(k, c, n, &vk, &vc) == 0) {
    hfStabilityReport report = hf_boundary_layer_test(n, s.A.buf, vk.buf, vc.buf, s.work, s.bytes);
    result = dump_struct(&report, MEMBERS(stability_members));
    PyBuffer_Release(&vk);
    PyBuffer_Release(&vc);
  }
  drop_square(&s);
  return result;
}

static PyObject* certify(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *A, *rolling, *k, *c, *result = NULL;
  int n;
  square s;
  Py_buffer vk, vc, vr;
  if (!PyArg_ParseTuple(args, "OiOOO", &A, &n, &rolling, &k, &c) || take_square(&s, A, n, 2000) < 0) return NULL;
  if (take_layer(k, c, n, &vk, &vc) == 0) {
    if (get_bytes(rolling, "rolling", n, &vr) == 0) {
      int32_t* flags = calloc((size_t)n, sizeof *flags);
      for (int i = 0; flags && vr.obj && i < n; ++i) flags[i] = ((const char*)vr.buf)[i] != 0;
      if (flags) {
        hfRigidCertificate report = hf_rigid_certify(n, s.A.buf, flags, vk.buf, vc.buf, s.work, s.bytes);
        result = dump_certificate(&report);
      } else
        PyErr_NoMemory();
      free(flags);
      if (vr.obj) PyBuffer_Release(&vr);
    }
    PyBuffer_Release(&vk);
    PyBuffer_Release(&vc);
  }
  drop_square(&s);
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

int add_lcp(PyObject* module) { return PyModule_AddFunctions(module, functions); }
