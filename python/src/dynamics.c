// Dynamics: exact multibody dynamics of a model without a sim; rays and distances.
//
// hfDynamics computes in stages, of which each needs the one before. An object remembers what `set` gave and recomputes
// the stage that a method needs, because other methods leave the dynamics at an earlier one.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What has been computed from the configuration that `set` gave.
typedef enum dynamicsStage {
  STAGE_NOTHING,
  STAGE_POSITION, // poses, the mass matrix and its factors
  STAGE_VELOCITY // velocities and bias too
} dynamicsStage;

PyTypeObject* DynamicsType;

typedef struct DynamicsObject {
  PyObject_HEAD
  PyObject* model;
  hfDynamics* d;
  double* q; // (nq) of the last set
  double* v; // (nv) of the last set, behind q in one block of memory
  dynamicsStage given; // the stage that the last set allows
  dynamicsStage stage; // the stage at which d is now
} DynamicsObject;

// Dynamics(model): the dynamics of a Model or Params.
static PyObject* dynamics_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", NULL};
  PyObject* model;
  hfError error;
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

// Frees the dynamics and the configuration of the last set.
static void dynamics_dealloc(PyObject* self) {
  DynamicsObject* o = (DynamicsObject*)self;
  hf_dynamics_free(o->d);
  free(o->q);
  Py_CLEAR(o->model);
  object_free(self);
}

static hfDynamics* dynamics_of(PyObject* self) { return ((DynamicsObject*)self)->d; }
static const hfModel* dynamics_model(PyObject* self) { return model_of(((DynamicsObject*)self)->model); }

// ---- stages ------------------------------------------------------------------------------------------------

// Brings d to the stage that the last set allows. Changes `stage`.
static void compute_stages(DynamicsObject* o) {
  if (o->stage < STAGE_POSITION && o->given >= STAGE_POSITION) {
    hf_dynamics_set_position(o->d, o->q, NULL);
    hf_dynamics_update_mass_matrix(o->d);
    hf_dynamics_factor(o->d);
    o->stage = STAGE_POSITION;
  }

  if (o->stage < STAGE_VELOCITY && o->given == STAGE_VELOCITY) {
    hf_dynamics_set_velocity(o->d, o->v);
    hf_dynamics_update_bias(o->d);
    o->stage = STAGE_VELOCITY;
  }
}

// Brings d at least to a stage; refuses if the last set did not give what it needs.
static int need_stage(PyObject* self, dynamicsStage stage) {
  DynamicsObject* o = (DynamicsObject*)self;
  if (o->given < stage)
    return refuse(PyExc_RuntimeError, stage == STAGE_POSITION ? "call set(q) first" : "call set(q, v) first");
  if (o->stage < stage) compute_stages(o);
  return 0;
}

// _set(q, v or None): keeps q and v, and computes poses, the mass matrix and its factors, and with v the velocities and
// the bias. Returns None.
static PyObject* dynamics_set(PyObject* self, PyObject* args) {
  DynamicsObject* o = (DynamicsObject*)self;
  const hfModel* m = dynamics_model(self);
  PyObject* positions;
  PyObject* velocities;
  if (!PyArg_ParseTuple(args, "OO", &positions, &velocities)) return NULL;

  Py_buffer q;
  Py_buffer v;
  if (get_doubles(positions, "q", m->nq, 0, &q) < 0) return NULL;
  if (get_optional_doubles(velocities, "v", m->nv, &v) < 0) {
    PyBuffer_Release(&q);
    return NULL;
  }

  // given: the stage up to which the positions, and perhaps velocities, allow to compute
  memcpy(o->q, q.buf, (size_t)q.len);
  o->given = STAGE_POSITION;
  if (v.obj) {
    memcpy(o->v, v.buf, (size_t)v.len);
    o->given = STAGE_VELOCITY;
  }
  PyBuffer_Release(&q);
  PyBuffer_Release(&v);

  // nothing that was computed before is valid
  o->stage = STAGE_NOTHING;
  hf_dynamics_refresh(o->d);
  compute_stages(o);
  Py_RETURN_NONE;
}

// ---- mass matrix, forces and accelerations -----------------------------------------------------------------

// _mass_matrix(): M (nv x nv)
static PyObject* dynamics_mass_matrix(PyObject* self, PyObject* none) {
  (void)none;
  if (need_stage(self, STAGE_POSITION) < 0) return NULL;

  int64_t nv = dynamics_model(self)->nv;
  double* M;
  PyObject* array = array_new(2, (const int64_t[2]){nv, nv}, &M);

  if (array && nv) hf_dynamics_dense_mass_matrix(dynamics_of(self), M);
  return array;
}

// _bias(): a copy of the bias (nv)
static PyObject* dynamics_bias(PyObject* self, PyObject* none) {
  (void)none;
  if (need_stage(self, STAGE_VELOCITY) < 0) return NULL;
  return array_copy(hf_dynamics_bias(dynamics_of(self)), dynamics_model(self)->nv);
}

// _solve(x (nv)): M^-1 x
static PyObject* dynamics_solve(PyObject* self, PyObject* args) {
  PyObject* right_side;
  if (!PyArg_ParseTuple(args, "O", &right_side) || need_stage(self, STAGE_POSITION) < 0) return NULL;

  int nv = dynamics_model(self)->nv;
  Py_buffer x;
  if (get_doubles(right_side, "x", nv, 0, &x) < 0) return NULL;

  double* y;
  PyObject* result = array_vector(nv, &y);
  if (result) {
    memcpy(y, x.buf, (size_t)x.len);
    hf_dynamics_solve(dynamics_of(self), y);
  }

  PyBuffer_Release(&x);
  return result;
}

// hf_dynamics_inverse or hf_dynamics_forward: (dynamics, v, vdot or tau, wrench or NULL, result)
typedef void (*dynamicsFunction)(hfDynamics*, const double*, const double*, const hfForce*, double*);

// Parses (v, vdot or tau, wrench or None) and runs inverse or forward dynamics. Returns the result (nv).
static PyObject* run_dynamics(PyObject* self, PyObject* args, dynamicsFunction run) {
  const hfModel* m = dynamics_model(self);
  PyObject* velocities;
  PyObject* known;
  PyObject* wrenches;
  if (!PyArg_ParseTuple(args, "OOO", &velocities, &known, &wrenches) || need_stage(self, STAGE_POSITION) < 0)
    return NULL;

  Py_buffer v = {0};
  Py_buffer x = {0};
  Py_buffer wrench = {0};
  double* y;
  PyObject* result = NULL;

  if (get_doubles(velocities, "v", m->nv, 0, &v) == 0 && get_doubles(known, "vdot or tau", m->nv, 0, &x) == 0 &&
      get_optional_doubles(wrenches, "wrench", 6 * m->nbody, &wrench) == 0)
    result = array_vector(m->nv, &y);
  if (result) {
    run(dynamics_of(self), v.buf, x.buf, wrench.buf, y);
    ((DynamicsObject*)self)->stage = STAGE_POSITION; // the velocities are now those of this call
  }

  PyBuffer_Release(&v);
  PyBuffer_Release(&x);
  PyBuffer_Release(&wrench);
  return result;
}

// _inverse(v, vdot, wrench): tau (nv)
static PyObject* dynamics_inverse(PyObject* self, PyObject* args) {
  return run_dynamics(self, args, hf_dynamics_inverse);
}

// _forward(v, tau, wrench): vdot (nv)
static PyObject* dynamics_forward(PyObject* self, PyObject* args) {
  return run_dynamics(self, args, hf_dynamics_forward);
}

// _derivatives(q, v, vdot): (d tau/d q, d tau/d v), each (nv x nv), of inverse dynamics
static PyObject* dynamics_derivatives(PyObject* self, PyObject* args) {
  const hfModel* m = dynamics_model(self);
  PyObject* positions;
  PyObject* velocities;
  PyObject* accelerations;
  if (!PyArg_ParseTuple(args, "OOO", &positions, &velocities, &accelerations)) return NULL;

  Py_buffer q = {0};
  Py_buffer v = {0};
  Py_buffer vdot = {0};
  PyObject* by_q = NULL;
  PyObject* by_v = NULL;
  PyObject* result = NULL;

  if (get_doubles(positions, "q", m->nq, 0, &q) == 0 && get_doubles(velocities, "v", m->nv, 0, &v) == 0 &&
      get_doubles(accelerations, "vdot", m->nv, 0, &vdot) == 0) {
    const int64_t shape[2] = {m->nv, m->nv};
    double* dq;
    double* dv;
    by_q = array_new(2, shape, &dq);
    by_v = array_new(2, shape, &dv);
    if (by_q && by_v) {
      hf_dynamics_inverse_derivatives(dynamics_of(self), q.buf, v.buf, vdot.buf, NULL, dq, dv);
      ((DynamicsObject*)self)->stage = STAGE_NOTHING; // the positions are now those of the differences
      result = Py_BuildValue("(OO)", by_q, by_v);
    }
  }

  Py_XDECREF(by_q);
  Py_XDECREF(by_v);
  PyBuffer_Release(&q);
  PyBuffer_Release(&v);
  PyBuffer_Release(&vdot);
  return result;
}

// ---- bodies and points -------------------------------------------------------------------------------------

// Refuses what is not the id of a body.
static int check_body(PyObject* self, int body) {
  if (body >= 0 && body < dynamics_model(self)->nbody) return 0;
  return refuse(PyExc_IndexError, "no body %d", body);
}

// Parses (body, point (3)) at a stage.
static int parse_body_and_point(PyObject* self, PyObject* args, dynamicsStage stage, int* body, hfVec3* point) {
  PyObject* numbers;
  Py_buffer p;
  if (!PyArg_ParseTuple(args, "iO", body, &numbers) || need_stage(self, stage) < 0) return -1;
  if (check_body(self, *body) < 0 || get_doubles(numbers, "point", 3, 0, &p) < 0) return -1;

  *point = vec3_of(&p);
  PyBuffer_Release(&p);
  return 0;
}

// _pose(kind, id): the pose of an object; kind "body", "geom", "site" or "camera".
static PyObject* dynamics_pose(PyObject* self, PyObject* args) {
  const struct {
    const char* kind;
    int count;
    hfPose (*pose)(const hfDynamics*, int);
  } tables[] = {{"body", dynamics_model(self)->nbody, hf_dynamics_body_pose},
                {"geom", dynamics_model(self)->ngeom, hf_dynamics_geom_pose},
                {"site", dynamics_model(self)->nsite, hf_dynamics_site_pose},
                {"camera", dynamics_model(self)->ncam, hf_dynamics_camera_pose}};
  const char* kind;
  int id;
  if (!PyArg_ParseTuple(args, "si", &kind, &id) || need_stage(self, STAGE_POSITION) < 0) return NULL;

  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i)
    if (strcmp(kind, tables[i].kind) == 0 && id >= 0 && id < tables[i].count)
      return pose_tuple(tables[i].pose(dynamics_of(self), id));
  return PyErr_Format(PyExc_IndexError, "no %s %d", kind, id);
}

// _jacobian(body, point): the Jacobian (6 x nv) of a point of a body.
static PyObject* dynamics_jacobian(PyObject* self, PyObject* args) {
  int body;
  hfVec3 point;
  if (parse_body_and_point(self, args, STAGE_POSITION, &body, &point) < 0) return NULL;

  double* J;
  PyObject* result = array_new(2, (const int64_t[2]){6, dynamics_model(self)->nv}, &J);
  if (result) hf_dynamics_jacobian(dynamics_of(self), body, point, J);
  return result;
}

// _velocity_at(body, point): the angular and the linear velocity of a point of a body, six numbers.
static PyObject* dynamics_velocity_at(PyObject* self, PyObject* args) {
  int body;
  hfVec3 point;
  if (parse_body_and_point(self, args, STAGE_VELOCITY, &body, &point) < 0) return NULL;

  hfMotion V = hf_dynamics_point_velocity(dynamics_of(self), body, point);
  return Py_BuildValue("(dddddd)", V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z);
}

// _com(body): the centre of mass of a body.
static PyObject* dynamics_com(PyObject* self, PyObject* args) {
  int body;
  if (!PyArg_ParseTuple(args, "i", &body) || need_stage(self, STAGE_POSITION) < 0 || check_body(self, body) < 0)
    return NULL;

  hfVec3 p = hf_dynamics_com(dynamics_of(self), body);
  return Py_BuildValue("(ddd)", p.x, p.y, p.z);
}

// _energy(q): (kinetic energy, potential energy) [J]
static PyObject* dynamics_energy(PyObject* self, PyObject* args) {
  PyObject* positions;
  if (!PyArg_ParseTuple(args, "O", &positions) || need_stage(self, STAGE_VELOCITY) < 0) return NULL;
  Py_buffer q;
  if (get_doubles(positions, "q", dynamics_model(self)->nq, 0, &q) < 0) return NULL;

  const hfDynamics* d = dynamics_of(self);
  double kinetic = hf_dynamics_kinetic_energy(d);
  double potential = hf_dynamics_potential_energy(d, q.buf);

  PyBuffer_Release(&q);
  return Py_BuildValue("(dd)", kinetic, potential);
}

// _momentum(point (3)): (linear momentum, angular momentum about the point)
static PyObject* dynamics_momentum(PyObject* self, PyObject* args) {
  PyObject* point;
  if (!PyArg_ParseTuple(args, "O", &point) || need_stage(self, STAGE_VELOCITY) < 0) return NULL;

  Py_buffer about;
  if (get_doubles(point, "about", 3, 0, &about) < 0) return NULL;

  hfVec3 linear;
  hfVec3 angular;
  hf_dynamics_momentum(dynamics_of(self), vec3_of(&about), &linear, &angular);
  PyBuffer_Release(&about);
  return Py_BuildValue("((ddd)(ddd))", linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
}

// ---- rays, distances and pictures --------------------------------------------------------------------------

static int is_finite(hfVec3 x) { return isfinite(x.x) && isfinite(x.y) && isfinite(x.z); }

// Reads a vector of three numbers from an array.
static int get_vector(PyObject* object, const char* name, hfVec3* vector) {
  Py_buffer view;
  if (get_doubles(object, name, 3, 0, &view) < 0) return -1;

  *vector = vec3_of(&view);
  PyBuffer_Release(&view);
  return 0;
}

// _ray(origin, direction, reach [m], excluded body): (geom, distance [m], point, normal) of the first hit, or None.
static PyObject* dynamics_ray(PyObject* self, PyObject* args) {
  PyObject* from;
  PyObject* along;
  double reach;
  int exclude;
  if (!PyArg_ParseTuple(args, "OOdi", &from, &along, &reach, &exclude) || need_stage(self, STAGE_POSITION) < 0)
    return NULL;

  hfVec3 origin;
  hfVec3 direction;
  if (get_vector(from, "origin", &origin) < 0 || get_vector(along, "direction", &direction) < 0) return NULL;

  int is_zero = !direction.x && !direction.y && !direction.z;
  if (is_zero || !is_finite(origin) || !is_finite(direction))
    return PyErr_Format(PyExc_ValueError, "origin and direction must be finite, and direction not zero");

  hfRayHit hit;
  if (!hf_ray_cast(dynamics_of(self), origin, direction, reach, exclude, NULL, &hit)) Py_RETURN_NONE;
  return Py_BuildValue("(id(ddd)(ddd))", hit.geom, hit.distance, hit.p_W.x, hit.p_W.y, hit.p_W.z, hit.n_W.x, hit.n_W.y,
                       hit.n_W.z);
}

// _distance(geom a, geom b, largest distance [m]): (distance [m], point of a, point of b, normal), or None beyond it.
static PyObject* dynamics_distance(PyObject* self, PyObject* args) {
  int a;
  int b;
  double largest;
  if (!PyArg_ParseTuple(args, "iid", &a, &b, &largest) || need_stage(self, STAGE_POSITION) < 0) return NULL;

  int ngeom = dynamics_model(self)->ngeom;
  if (a < 0 || b < 0 || a >= ngeom || b >= ngeom || a == b)
    return PyErr_Format(PyExc_IndexError, "two different geoms are needed");

  hfGeomDistance g;
  if (!hf_geom_distance(dynamics_of(self), a, b, largest, &g)) Py_RETURN_NONE;
  return Py_BuildValue("(d(ddd)(ddd)(ddd))", g.distance, g.p_Wa.x, g.p_Wa.y, g.p_Wa.z, g.p_Wb.x, g.p_Wb.y, g.p_Wb.z,
                       g.n_W.x, g.n_W.y, g.n_W.z);
}

// _lens(camera, width, height): (width, height, orthographic, f, c); width 0: the camera's own size.
static PyObject* dynamics_lens(PyObject* self, PyObject* args) {
  int camera;
  int width;
  int height;
  if (!PyArg_ParseTuple(args, "iii", &camera, &width, &height)) return NULL;
  const hfModel* m = dynamics_model(self);
  if (camera < 0 || camera >= m->ncam) return PyErr_Format(PyExc_IndexError, "no camera %d", camera);

  hfLens x = hf_camera_lens(m, camera, width, height);
  return Py_BuildValue("iii(dd)(dd)", x.width, x.height, x.orthographic, x.f[0], x.f[1], x.c[0], x.c[1]);
}

// Renders a picture without the interpreter's lock. Returns (colours: 3 bytes a pixel, depths (height x width) [m],
// geoms: the bytes of an int32 a pixel). exclude: a body that is not drawn.
static PyObject* render_picture(const hfDynamics* d, hfPose camera, const hfLens* lens, int exclude) {
  const int64_t shape[2] = {lens->height, lens->width};
  Py_ssize_t pixels = (Py_ssize_t)lens->width * lens->height;

  double* depths = NULL;
  PyObject* rgb = PyByteArray_FromStringAndSize(NULL, 3 * pixels);
  PyObject* geom = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizeof(int32_t) * pixels);
  PyObject* depth = array_new(2, shape, &depths);
  PyObject* result = NULL;

  if (rgb && geom && depth) {
    uint8_t* colours = (uint8_t*)PyByteArray_AsString(rgb);
    int32_t* ids = (int32_t*)(void*)PyByteArray_AsString(geom);
    Py_BEGIN_ALLOW_THREADS
    hf_picture(d, camera, lens, exclude, colours, depths, ids);
    Py_END_ALLOW_THREADS
    result = Py_BuildValue("OOO", rgb, depth, geom);
  }

  Py_XDECREF(rgb);
  Py_XDECREF(geom);
  Py_XDECREF(depth);
  return result;
}

// _picture(position (3), rotation (9), lens as _lens returns it, excluded body): see render_picture.
static PyObject* dynamics_picture(PyObject* self, PyObject* args) {
  enum { MAX_PIXELS = 1 << 15 }; // in one direction
  PyObject* position;
  PyObject* rotation;
  hfLens lens;
  int exclude;
  if (!PyArg_ParseTuple(args, "OO(iii(dd)(dd))i", &position, &rotation, &lens.width, &lens.height, &lens.orthographic,
                        &lens.f[0], &lens.f[1], &lens.c[0], &lens.c[1], &exclude))
    return NULL;

  if (need_stage(self, STAGE_POSITION) < 0) return NULL;
  if (lens.width < 1 || lens.height < 1 || lens.width > MAX_PIXELS || lens.height > MAX_PIXELS)
    return PyErr_Format(PyExc_ValueError, "a picture has 1 to %d pixels each way, not %d x %d", MAX_PIXELS, lens.width,
                        lens.height);

  hfPose camera;
  if (get_pose(position, rotation, &camera) < 0) return NULL;
  return render_picture(dynamics_of(self), camera, &lens, exclude);
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

// Adds the type Dynamics to the module.
int add_dynamics(PyObject* module) {
  DynamicsType = add_type(module, &dynamics_spec);
  return DynamicsType ? 0 : -1;
}
