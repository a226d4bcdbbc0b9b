// The rigid problem at a state, with its certificate.
#include "core.h"

#include <string.h>

enum { MAX_CHOICES = 64 }; // The most contacts whose mode a call may choose.

static const member config_members[] = {
    MEMBER(hfRigidConfig, reach),
    MEMBER(hfRigidConfig, touch),
    MEMBER(hfRigidConfig, stick_speed),
    MEMBER(hfRigidConfig, stabilisation),
    MEMBER(hfRigidConfig, max_contacts),
    MEMBER(hfRigidConfig, layer.eps),
    MEMBER(hfRigidConfig, layer.mass),
    MEMBER(hfRigidConfig, layer.time),
    MEMBER(hfRigidConfig, layer.stiffness),
    MEMBER(hfRigidConfig, layer.damping),
    MEMBER(hfRigidConfig, layer.tangential_stiffness),
    MEMBER(hfRigidConfig, layer.tangential_damping),
    MEMBER(hfRigidConfig, layer.depth),
    MEMBER(hfRigidConfig, layer.law),
    MEMBER(hfRigidConfig, layer.tangential_law)};

static const member contact_members[] = {
    MEMBER(hfRigidContact, geom_a), MEMBER(hfRigidContact, geom_b), MEMBER(hfRigidContact, body_a),
    MEMBER(hfRigidContact, body_b), MEMBER(hfRigidContact, mode), MEMBER(hfRigidContact, row_n),
    MEMBER(hfRigidContact, row_t), MEMBER(hfRigidContact, nt), MEMBER(hfRigidContact, p_W),
    MEMBER(hfRigidContact, n_W), MEMBER(hfRigidContact, gap), MEMBER(hfRigidContact, vn),
    MEMBER(hfRigidContact, vt_W), MEMBER(hfRigidContact, mu), MEMBER(hfRigidContact, k),
    MEMBER(hfRigidContact, c), MEMBER(hfRigidContact, fn), MEMBER(hfRigidContact, ft_W)};

// A dict of the problem, its solution, contacts and certificate. In y = A x + b, x are the forces of the n rows and y
// their accelerations. k, c: stiffness and damping of the layer along each row; vdot: accelerations of the dofs with
// these forces. `rolling` is one byte a row, 1 for a tangential row.
static PyObject* dump_problem(const hfRigidProblem* p) {
  PyObject* rolling = PyByteArray_FromStringAndSize(NULL, p->n);
  if (!rolling) return NULL;
  for (int i = 0; i < p->n; ++i) PyByteArray_AsString(rolling)[i] = p->rolling[i];

  const char* contacts = (const char*)p->contact;
  Py_ssize_t contact_bytes = (Py_ssize_t)sizeof *p->contact * p->ncontact;

  return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:i,s:d}",
                       "A", array_matrix(p->A, p->n, p->n),
                       "b", array_copy(p->b, p->n),
                       "k", array_copy(p->k, p->n),
                       "c", array_copy(p->c, p->n),
                       "x", array_copy(p->x, p->n),
                       "y", array_copy(p->y, p->n),
                       "vdot", array_copy(p->vdot, p->nv),
                       "rolling", rolling,
                       "certificate", dump_certificate(&p->certificate),
                       "contacts", PyByteArray_FromStringAndSize(contacts, contact_bytes),
                       "status", (int)p->lcp.status,
                       "residual", p->lcp.residual);
}

// Reads a list of (geom_a, geom_b, mode, (x, y, z)), the vector being the direction of slip. Returns how many, or -1.
static int parse_choices(PyObject* list, hfRigidChoice choices[MAX_CHOICES]) {
  int n = (int)PyList_Size(list);
  if (n > MAX_CHOICES) return refuse(PyExc_ValueError, "at most %d choices", MAX_CHOICES);

  for (int i = 0; i < n; ++i) {
    hfRigidChoice* c = &choices[i];
    *c = (hfRigidChoice){0};
    if (!PyArg_ParseTuple(PyList_GetItem(list, i), "iii(ddd)", &c->geom_a, &c->geom_b, &c->mode, &c->slip_W.x,
                          &c->slip_W.y, &c->slip_W.z))
      return -1;
  }
  return n;
}

// Makes and solves the rigid problem at a state and returns its dict.
static PyObject* evaluate(const hfModel* m, const hfRigidConfig* config, double time, const double* q, const double* v,
                          const double* act, const hfInput* input, const hfRigidChoice* choices, int nchoice) {
  hfRigid* rigid = NULL;
  const hfRigidProblem* problem;
  PyObject* result = NULL;
  hfError error;

  if (hf_rigid_create(&rigid, m, config, &error) < 0 ||
      hf_rigid_evaluate(rigid, time, q, v, act, input, choices, nchoice, &problem, &error) < 0)
    raise_error(&error);
  else
    result = dump_problem(problem);

  hf_rigid_free(rigid);
  return result;
}

// rigid_evaluate(model, time, q, v, act or None, input or None, options, choices): the rigid problem of these
// positions and velocities, solved, as the dict of dump_problem. choices: a list, see parse_choices.
static PyObject* rigid_evaluate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* model;
  PyObject* positions;
  PyObject* velocities;
  PyObject* activations;
  PyObject* input;
  PyObject* options;
  PyObject* list;
  double time;
  hfRigidConfig config = hf_rigid_config_default();
  hfRigidChoice choices[MAX_CHOICES];
  if (!PyArg_ParseTuple(args, "OdOOOOOO!", &model, &time, &positions, &velocities, &activations, &input, &options,
                        &PyList_Type, &list))
    return NULL;

  const hfModel* m = model_of(model);
  if (!m || fill_struct(&config, MEMBERS(config_members), options, "rigid") < 0) return NULL;

  if (config.max_contacts <= 0) config.max_contacts = 64 + 16 * m->ngeom;
  if (check_input(input, m) < 0) return NULL;
  int nchoice = parse_choices(list, choices);
  if (nchoice < 0) return NULL;

  Py_buffer q = {0};
  Py_buffer v = {0};
  Py_buffer act = {0};
  PyObject* result = NULL;

  if (get_doubles(positions, "q", m->nq, 0, &q) == 0 && get_doubles(velocities, "v", m->nv, 0, &v) == 0 &&
      get_optional_doubles(activations, "act", m->na, &act) == 0)
    result = evaluate(m, &config, time, q.buf, v.buf, act.buf, input_of(input), nchoice ? choices : NULL, nchoice);

  PyBuffer_Release(&q);
  PyBuffer_Release(&v);
  PyBuffer_Release(&act);
  return result;
}

// rigid_dtype(): the members of hfRigidContact.
static PyObject* rigid_dtype(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return describe_struct(sizeof(hfRigidContact), MEMBERS(contact_members));
}

static PyMethodDef functions[] = {{"rigid_evaluate", rigid_evaluate, METH_VARARGS, NULL},
                                  {"rigid_dtype", rigid_dtype, METH_NOARGS, NULL},
                                  {0}};

// Adds the functions of this file to the module.
int add_rigid(PyObject* module) { return PyModule_AddFunctions(module, functions); }
