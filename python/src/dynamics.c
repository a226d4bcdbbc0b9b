// Dynamics: exact multibody dynamics of a model without a sim; rays and distances.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject* DynamicsType;

typedef struct DynamicsObject {
  PyObject_HEAD
  PyObject* model;
  hfDynamics* d;
  double *q, *v; // (nq), (nv) of the last set
  int given;     // what that was: 0 nothing, 1 positions, 2 velocities too
  int stage;     // which of them d is at now: others may have come in between
} DynamicsObject;

static PyObject* dynamics_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* model;
  hfError error;
  static char* names[] = {"model", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O", names, &model)) return NULL;
  const hfModel* m = model_of(model);
  if (!m) return NULL;
  DynamicsObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_dynamics_create(&self->d, m, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->model = Py_NewRef(model);
  self->q = calloc((size_t)m->nq + (size_t)m->nv + 1, sizeof *self->q);
  if (!self->q) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  self->v = self->q + m->nq;
  return (PyObject*)self;
}

static void dynamics_dealloc(PyObject* self) {
  hf_dynamics_free(((DynamicsObject*)self)->d);
  free(((DynamicsObject*)self)->q);
  Py_CLEAR(((DynamicsObject*)self)->model);
  object_free(self);
}

static const hfModel* model_in(PyObject* self) { return model_of(((DynamicsObject*)self)->model); }

// Goes to what set gave, as far as d is elsewhere.
static void go_back(DynamicsObject* o) {
  if (o->stage < 1 && o->given >= 1) {
    hf_dynamics_set_position(o->d, o->q, NULL);
    hf_dynamics_update_mass_matrix(o->d);
    hf_dynamics_factor(o->d);
    o->stage = 1;
  }
  if (o->stage < 2 && o->given == 2) {
    hf_dynamics_set_velocity(o->d, o->v);
    hf_dynamics_update_bias(o->d);
    o->stage = 2;
  }
}

static int need(PyObject* self, int stage) {
  DynamicsObject* o = (DynamicsObject*)self;
  if (o->given >= stage) {
    if (o->stage < stage) go_back(o);
    return 0;
  }
  PyErr_SetString(PyExc_RuntimeError, stage == 1 ? "call set(q) first" : "call set(q, v) first");
  return -1;
}

static int check_body(PyObject* self, int body) {
  if (body >= 0 && body < model_in(self)->nbody) return 0;
  PyErr_Format(PyExc_IndexError, "no body %d", body);
  return -1;
}

// _set(q, v or None): poses, velocities, M and its factors, bias
static PyObject* dynamics_set(PyObject* self, PyObject* args) {
  DynamicsObject* o = (DynamicsObject*)self;
  const hfModel* m = model_in(self);
  PyObject *q, *v;
  Py_buffer vq, vv;
  if (!PyArg_ParseTuple(args, "OO", &q, &v) || get_doubles(q, "q", m->nq, 0, &vq) < 0) return NULL;
  if (get_optional_doubles(v, "v", m->nv, &vv) < 0) {
    PyBuffer_Release(&vq);
    return NULL;
  }
  memcpy(o->q, vq.buf, (size_t)vq.len);
  if (vv.obj) memcpy(o->v, vv.buf, (size_t)vv.len);
  o->given = vv.obj ? 2 : 1;
  o->stage = 0;
  hf_dynamics_refresh(o->d);
  go_back(o);
  PyBuffer_Release(&vq);
  if (vv.obj) PyBuffer_Release(&vv);
  Py_RETURN_NONE;
}

static PyObject* dynamics_mass_matrix(PyObject* self, PyObject* none) {
  (void)none;
  int64_t nv = model_in(self)->nv;
  double* M;
  if (need(self, 1) < 0) return NULL;
  PyObject* array = array_new(2, (const int64_t[2]){nv, nv}, &M);
  if (array && nv) hf_dynamics_dense_mass_matrix(((DynamicsObject*)self)->d, M);
  return array;
}

static PyObject* dynamics_bias(PyObject* self, PyObject* none) {
  (void)none;
  return need(self, 2) < 0 ? NULL : array_copy(hf_dynamics_bias(((DynamicsObject*)self)->d), model_in(self)->nv);
}

static PyObject* dynamics_solve(PyObject* self, PyObject* args) {
  PyObject* x;
  Py_buffer view;
  if (!PyArg_ParseTuple(args, "O", &x) || need(self, 1) < 0 || get_doubles(x, "x", model_in(self)->nv, 0, &view) < 0) return NULL;
  double* y;
  PyObject* result = array_new(1, (const int64_t[1]){model_in(self)->nv}, &y);
  if (result) {
    memcpy(y, view.buf, (size_t)view.len);
    hf_dynamics_solve(((DynamicsObject*)self)->d, y);
  }
  PyBuffer_Release(&view);
  return result;
}

// _inverse(v, vdot, wrench) and _forward(v, tau, wrench)
static PyObject* run_dynamics(PyObject* self, PyObject* args,
                              void (*run)(hfDynamics*, const double*, const double*, const hfForce*, double*)) {
  PyObject *v, *x, *w, *result = NULL;
  Py_buffer vv = {0}, vx = {0}, vw = {0};
  const hfModel* m = model_in(self);
  double* y;
  if (!PyArg_ParseTuple(args, "OOO", &v, &x, &w) || need(self, 1) < 0 || get_doubles(v, "v", m->nv, 0, &vv) < 0) return NULL;
  if (get_doubles(x, "vdot or tau", m->nv, 0, &vx) == 0) {
    if (get_optional_doubles(w, "wrench", 6 * m->nbody, &vw) == 0) {
      result = array_new(1, (const int64_t[1]){m->nv}, &y);
      if (result) run(((DynamicsObject*)self)->d, vv.buf, vx.buf, vw.buf, y);
      if (vw.obj) PyBuffer_Release(&vw);
    }
    PyBuffer_Release(&vx);
  }
  PyBuffer_Release(&vv);
  ((DynamicsObject*)self)->stage = 1; // velocities are those of this call until they are needed
  return result;
}
static PyObject* dynamics_inverse(PyObject* self, PyObject* args) { return run_dynamics(self, args, hf_dynamics_inverse); }
static PyObject* dynamics_forward(PyObject* self, PyObject* args) { return run_dynamics(self, args, hf_dynamics_forward); }

static PyObject* dynamics_derivatives(PyObject* self, PyObject* args) {
  PyObject *q, *v, *a, *result = NULL;
  Py_buffer vq, vv, va;
  const hfModel* m = model_in(self);
  int64_t shape[2] = {m->nv, m->nv};
  double *dq, *dv;
  if (!PyArg_ParseTuple(args, "OOO", &q, &v, &a) || get_doubles(q, "q", m->nq, 0, &vq) < 0) return NULL;
  if (get_doubles(v, "v", m->nv, 0, &vv) == 0) {
    if (get_doubles(a, "vdot", m->nv, 0, &va) == 0) {
      PyObject* x = array_new(2, shape, &dq);
      PyObject* y = x ? array_new(2, shape, &dv) : NULL;
      if (y) hf_dynamics_inverse_derivatives(((DynamicsObject*)self)->d, vq.buf, vv.buf, va.buf, NULL, dq, dv);
      result = y ? Py_BuildValue("(NN)", x, y) : NULL;
      if (!y) Py_XDECREF(x);
      PyBuffer_Release(&va);
    }
    PyBuffer_Release(&vv);
  }
  PyBuffer_Release(&vq);
  ((DynamicsObject*)self)->stage = 0; // positions are those of the differences until they are needed
  return result;
}

static PyObject* pose_tuple(hfPose X) {
  const double* R = X.R.m;
  return Py_BuildValue("((ddd)(ddddddddd))", X.p.x, X.p.y, X.p.z, R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]);
}

// _pose(kind, id): kind "body", "geom", "site" or "camera"
static PyObject* dynamics_pose(PyObject* self, PyObject* args) {
  const char* kind;
  int id;
  const hfModel* m = model_in(self);
  const hfDynamics* d = ((DynamicsObject*)self)->d;
  if (!PyArg_ParseTuple(args, "si", &kind, &id) || need(self, 1) < 0) return NULL;
  int count = kind[0] == 'b' ? m->nbody : kind[0] == 'g' ? m->ngeom : kind[0] == 's' ? m->nsite : m->ncam;
  if (id < 0 || id >= count) return PyErr_Format(PyExc_IndexError, "no %s %d", kind, id);
  return pose_tuple(kind[0] == 'b'   ? hf_dynamics_body_pose(d, id)
                    : kind[0] == 'g' ? hf_dynamics_geom_pose(d, id)
                    : kind[0] == 's' ? hf_dynamics_site_pose(d, id)
                                     : hf_dynamics_camera_pose(d, id));
}

static PyObject* dynamics_jacobian(PyObject* self, PyObject* args) {
  int body;
  PyObject *point, *result;
  Py_buffer p;
  double* J;
  if (!PyArg_ParseTuple(args, "iO", &body, &point) || need(self, 1) < 0 || check_body(self, body) < 0 ||
      get_doubles(point, "point", 3, 0, &p) < 0)
    return NULL;
  result = array_new(2, (const int64_t[2]){6, model_in(self)->nv}, &J);
  if (result) hf_dynamics_jacobian(((DynamicsObject*)self)->d, body, vec3_of(&p), J);
  PyBuffer_Release(&p);
  return result;
}

static PyObject* dynamics_velocity_at(PyObject* self, PyObject* args) {
  int body;
  PyObject* point;
  Py_buffer p;
  if (!PyArg_ParseTuple(args, "iO", &body, &point) || need(self, 2) < 0 || check_body(self, body) < 0 ||
      get_doubles(point, "point", 3, 0, &p) < 0)
    return NULL;
  hfMotion V = hf_dynamics_point_velocity(((DynamicsObject*)self)->d, body, vec3_of(&p));
  PyBuffer_Release(&p);
  return Py_BuildValue("(dddddd)", V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z);
}

static PyObject* dynamics_com(PyObject* self, PyObject* args) {
  int body;
  if (!PyArg_ParseTuple(args, "i", &body) || need(self, 1) < 0 || check_body(self, body) < 0) return NULL;
  hfVec3 p = hf_dynamics_com(((DynamicsObject*)self)->d, body);
  return Py_BuildValue("(ddd)", p.x, p.y, p.z);
}

static PyObject* dynamics_energy(PyObject* self, PyObject* args) {
  PyObject* q;
  Py_buffer vq;
  if (!PyArg_ParseTuple(args, "O", &q) || need(self, 2) < 0 || get_doubles(q, "q", model_in(self)->nq, 0, &vq) < 0) return NULL;
  const hfDynamics* d = ((DynamicsObject*)self)->d;
  double kinetic = hf_dynamics_kinetic_energy(d), potential = hf_dynamics_potential_energy(d, vq.buf);
  PyBuffer_Release(&vq);
  return Py_BuildValue("(dd)", kinetic, potential);
}

static PyObject* dynamics_momentum(PyObject* self, PyObject* args) {
  PyObject* about;
  Py_buffer p;
  if (!PyArg_ParseTuple(args, "O", &about) || need(self, 2) < 0 || get_doubles(about, "about", 3, 0, &p) < 0) return NULL;
  hfVec3 l, a;
  hf_dynamics_momentum(((DynamicsObject*)self)->d, vec3_of(&p), &l, &a);
  PyBuffer_Release(&p);
  return Py_BuildValue("((ddd)(ddd))", l.x, l.y, l.z, a.x, a.y, a.z);
}

static PyObject* dynamics_ray(PyObject* self, PyObject* args) {
  PyObject *origin, *direction;
  Py_buffer o, r;
  double reach;
  int exclude;
  hfRayHit hit;
  if (!PyArg_ParseTuple(args, "OOdi", &origin, &direction, &reach, &exclude) || need(self, 1) < 0 ||
      get_doubles(origin, "origin", 3, 0, &o) < 0)
    return NULL;
  if (get_doubles(direction, "direction", 3, 0, &r) < 0) {
    PyBuffer_Release(&o);
    return NULL;
  }
  hfVec3 from = vec3_of(&o), along = vec3_of(&r);
  PyBuffer_Release(&o);
  PyBuffer_Release(&r);
  if (!(along.x || along.y || along.z) || !isfinite(from.x) || !isfinite(from.y) || !isfinite(from.z) || !isfinite(along.x) || !isfinite(along.y) || !isfinite(along.z))
    return PyErr_SetString(PyExc_ValueError, "origin and direction must be finite, and direction not zero"), NULL;
  if (!hf_ray_cast(((DynamicsObject*)self)->d, from, along, reach, exclude, NULL, &hit)) Py_RETURN_NONE;
  return Py_BuildValue("(id(ddd)(ddd))", hit.geom, hit.distance, hit.p_W.x, hit.p_W.y, hit.p_W.z,
                       hit.n_W.x, hit.n_W.y, hit.n_W.z);
}

// _lens(camera, width, height): (width, height, orthographic, f, c); width 0: those of the camera
static PyObject* dynamics_lens(PyObject* self, PyObject* args) {
  int camera, width, height;
  if (!PyArg_ParseTuple(args, "iii", &camera, &width, &height)) return NULL;
  if (camera < 0 || camera >= model_in(self)->ncam) return PyErr_Format(PyExc_IndexError, "no camera %d", camera);
  hfLens x = hf_camera_lens(model_in(self), camera, width, height);
  return Py_BuildValue("iii(dd)(dd)", x.width, x.height, x.orthographic, x.f[0], x.f[1], x.c[0], x.c[1]);
}

// _picture(position (3), rotation (9), lens, exclude): bytes of the colours, depths, and bytes of the geoms (int32)
static PyObject* dynamics_picture(PyObject* self, PyObject* args) {
  enum { WIDEST = 1 << 15 };
  PyObject *p, *R;
  hfLens lens;
  int exclude;
  Py_buffer vp, vR;
  if (!PyArg_ParseTuple(args, "OO(iii(dd)(dd))i", &p, &R, &lens.width, &lens.height, &lens.orthographic, &lens.f[0], &lens.f[1], &lens.c[0], &lens.c[1], &exclude) ||
      need(self, 1) < 0)
    return NULL;
  if (lens.width < 1 || lens.height < 1 || lens.width > WIDEST || lens.height > WIDEST)
    return PyErr_Format(PyExc_ValueError, "a picture has 1 to %d pixels each way, not %d x %d", WIDEST, lens.width, lens.height);
  if (get_doubles(p, "position", 3, 0, &vp) < 0) return NULL;
  if (get_doubles(R, "rotation", 9, 0, &vR) < 0) return PyBuffer_Release(&vp), NULL;
  hfPose X;
  X.p = vec3_of(&vp);
  memcpy(X.R.m, vR.buf, sizeof X.R.m);
  PyBuffer_Release(&vp), PyBuffer_Release(&vR);
  int64_t shape[2] = {lens.height, lens.width};
  Py_ssize_t pixels = (Py_ssize_t)lens.width * lens.height;
  double* depths = NULL;
  PyObject *rgb = PyByteArray_FromStringAndSize(NULL, 3 * pixels), *geom = PyByteArray_FromStringAndSize(NULL, 4 * pixels),
           *depth = array_new(2, shape, &depths), *result = NULL;
  if (rgb && geom && depth) {
    const hfDynamics* d = ((DynamicsObject*)self)->d;
    uint8_t* colours = (uint8_t*)PyByteArray_AsString(rgb);
    int32_t* ids = (int32_t*)(void*)PyByteArray_AsString(geom);
    Py_BEGIN_ALLOW_THREADS
    hf_picture(d, X, &lens, exclude, colours, depths, ids);
    Py_END_ALLOW_THREADS
    result = Py_BuildValue("OOO", rgb, depth, geom);
  }
  Py_XDECREF(rgb), Py_XDECREF(geom), Py_XDECREF(depth);
  return result;
}

static PyObject* dynamics_distance(PyObject* self, PyObject* args) {
  int a, b, n = model_in(self)->ngeom;
  double most;
  hfGeomDistance g;
  if (!PyArg_ParseTuple(args, "iid", &a, &b, &most) || need(self, 1) < 0) return NULL;
  if (a < 0 || b < 0 || a >= n || b >= n || a == b) return PyErr_SetString(PyExc_IndexError, "two different geoms are needed"), NULL;
  if (!hf_geom_distance(((DynamicsObject*)self)->d, a, b, most, &g)) Py_RETURN_NONE;
  return Py_BuildValue("(d(ddd)(ddd)(ddd))", g.distance, g.p_Wa.x, g.p_Wa.y, g.p_Wa.z, g.p_Wb.x, g.p_Wb.y, g.p_Wb.z,
                       g.n_W.x, g.n_W.y, g.n_W.z);
}

static PyMethodDef dynamics_methods[] = {{"_set", dynamics_set, METH_VARARGS, NULL},
                                         {"_mass_matrix", dynamics_mass_matrix, METH_NOARGS, NULL},
                                         {"_bias", dynamics_bias, METH_NOARGS, NULL},
                                         {"_solve", dynamics_solve, METH_VARARGS, NULL},
                                         {"_inverse", dynamics_inverse, METH_VARARGS, NULL},
                                         {"_forward", dynamics_forward, METH_VARARGS, NULL},
                                         {"_derivatives", dynamics_derivatives, METH_VARARGS, NULL},
                                         {"_pose", dynamics_pose, METH_VARARGS, NULL},
                                         {"_jacobian", dynamics_jacobian, METH_VARARGS, NULL},
                                         {"_velocity_at", dynamics_velocity_at, METH_VARARGS, NULL},
                                         {"_com", dynamics_com, METH_VARARGS, NULL},
                                         {"_energy", dynamics_energy, METH_VARARGS, NULL},
                                         {"_momentum", dynamics_momentum, METH_VARARGS, NULL},
                                         {"_ray", dynamics_ray, METH_VARARGS, NULL},
                                         {"_distance", dynamics_distance, METH_VARARGS, NULL},
                                         {"_lens", dynamics_lens, METH_VARARGS, NULL},
                                         {"_picture", dynamics_picture, METH_VARARGS, NULL},
                                         {0}};
static PyType_Slot dynamics_slots[] = {
    {Py_tp_new, dynamics_new}, {Py_tp_dealloc, dynamics_dealloc}, {Py_tp_methods, dynamics_methods}, {0}};
static PyType_Spec dynamics_spec = {.name = "holdfast._core.Dynamics",
                                    .basicsize = sizeof(DynamicsObject),
                                    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                    .slots = dynamics_slots};

int add_dynamics(PyObject* module) { return (DynamicsType = add_type(module, &dynamics_spec)) ? 0 : -1; }
