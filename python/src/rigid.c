// The rigid problem at a state, with its certificate.
#include "core.h"

#include <string.h>

static const member config_members[] = {
    MEMBER(hfRigidConfig, reach),       MEMBER(hfRigidConfig, touch),         MEMBER(hfRigidConfig, stick_speed),
    MEMBER(hfRigidConfig, stabilisation), MEMBER(hfRigidConfig, max_contacts), MEMBER(hfRigidConfig, layer.eps),
    MEMBER(hfRigidConfig, layer.mass),  MEMBER(hfRigidConfig, layer.time),    MEMBER(hfRigidConfig, layer.stiffness),
    MEMBER(hfRigidConfig, layer.damping), MEMBER(hfRigidConfig, layer.tangential_stiffness),
    MEMBER(hfRigidConfig, layer.tangential_damping), MEMBER(hfRigidConfig, layer.depth), MEMBER(hfRigidConfig, layer.law),
    MEMBER(hfRigidConfig, layer.tangential_law)};
static const member contact_members[] = {
    MEMBER(hfRigidContact, geom_a), MEMBER(hfRigidContact, geom_b), MEMBER(hfRigidContact, body_a), MEMBER(hfRigidContact, body_b),
    MEMBER(hfRigidContact, mode),   MEMBER(hfRigidContact, row_n),  MEMBER(hfRigidContact, row_t),  MEMBER(hfRigidContact, nt),
    MEMBER(hfRigidContact, p_W),    MEMBER(hfRigidContact, n_W),    MEMBER(hfRigidContact, gap),    MEMBER(hfRigidContact, vn),
    MEMBER(hfRigidContact, vt_W),   MEMBER(hfRigidContact, mu),     MEMBER(hfRigidContact, k),      MEMBER(hfRigidContact, c),
    MEMBER(hfRigidContact, fn),     MEMBER(hfRigidContact, ft_W)};

static PyObject* dump_problem(const hfRigidProblem* p) {
  PyObject* rolling = PyByteArray_FromStringAndSize(NULL, p->n);
  if (!rolling) return NULL;
  for (int i = 0; i < p->n; ++i) PyByteArray_AsString(rolling)[i] = p->rolling[i];
  return Py_BuildValue(
      "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:i,s:d}", "A", array_matrix(p->A, p->n, p->n), "b", array_copy(p->b, p->n),
      "k", array_copy(p->k, p->n), "c", array_copy(p->c, p->n), "x", array_copy(p->x, p->n), "y", array_copy(p->y, p->n),
      "vdot", array_copy(p->vdot, p->nv), "rolling", rolling, "certificate", dump_certificate(&p->certificate), "contacts",
      PyByteArray_FromStringAndSize((const char*)p->contact, (Py_ssize_t)sizeof *p->contact * p->ncontact), "status",
      (int)p->lcp.status, "residual", p->lcp.residual);
}

// rigid_evaluate(model, time, q, v, act or None, input or None, options, [(geom_a, geom_b, mode, (x, y, z)), ...])
static PyObject* rigid_evaluate(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *model, *q, *v, *act, *input, *options, *choices, *result = NULL;
  double t;
  Py_buffer vq = {0}, vv = {0}, va = {0};
  hfRigidConfig config = hf_rigid_config_default();
  hfRigidChoice choice[64];
  hfRigid* rigid = NULL;
  const hfRigidProblem* problem;
  hfError error;
  if (!PyArg_ParseTuple(args, "OdOOOOOO!", &model, &t, &q, &v, &act, &input, &options, &PyList_Type, &choices)) return NULL;
  const hfModel* m = model_of(model);
  if (!m || fill_struct(&config, MEMBERS(config_members), options, "rigid") < 0) return NULL;
  if (config.max_contacts <= 0) config.max_contacts = 64 + 16 * m->ngeom;
  if (check_input(input, m) < 0) return NULL;
  int n = (int)PyList_Size(choices);
  if (n > 64) return PyErr_SetString(PyExc_ValueError, "at most 64 choices"), NULL;
  for (int i = 0; i < n; ++i) {
    choice[i] = (hfRigidChoice){0};
    if (!PyArg_ParseTuple(PyList_GetItem(choices, i), "iii(ddd)", &choice[i].geom_a, &choice[i].geom_b, &choice[i].mode,
                          &choice[i].slip_W.x, &choice[i].slip_W.y, &choice[i].slip_W.z))
      return NULL;
  }
  if (get_doubles(q, "q", m->nq, 0, &vq) == 0 && get_doubles(v, "v", m->nv, 0, &vv) == 0 &&
      get_optional_doubles(act, "act", m->na, &va) == 0) {
    const hfInput* in = input == Py_None ? NULL : ((InputObject*)input)->input;
    if (hf_rigid_create(&rigid, m, &config, &error) < 0 ||
        hf_rigid_evaluate(rigid, t, vq.buf, vv.buf, va.buf, in, n ? choice : NULL, n, &problem, &error) < 0)
      raise_error(&error);
    else
      result = dump_problem(problem);
  }
  hf_rigid_free(rigid);
  if (vq.obj) PyBuffer_Release(&vq);
  if (vv.obj) PyBuffer_Release(&vv);
  if (va.obj) PyBuffer_Release(&va);
  return result;
}

static PyObject* rigid_dtype(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return describe_struct(sizeof(hfRigidContact), MEMBERS(contact_members));
}

static PyMethodDef functions[] = {{"rigid_evaluate", rigid_evaluate, METH_VARARGS, NULL},
                                  {"rigid_dtype", rigid_dtype, METH_NOARGS, NULL},
                                  {0}};

int add_rigid(PyObject* module) { return PyModule_AddFunctions(module, functions); }
