// Recording: frames of an earlier run.
#include "core.h"

#include <string.h>

typedef struct RecordingObject {
  PyObject_HEAD
  hfRecording* recording;
} RecordingObject;

static const member contact_members[] = {MEMBER(hfFrameContact, geom_a), MEMBER(hfFrameContact, geom_b),
                                         MEMBER(hfFrameContact, p_W),    MEMBER(hfFrameContact, n_W),
                                         MEMBER(hfFrameContact, ft),     MEMBER(hfFrameContact, vt),
                                         MEMBER(hfFrameContact, stick),  MEMBER(hfFrameContact, feature),
                                         MEMBER(hfFrameContact, fn),     MEMBER(hfFrameContact, mu),
                                         MEMBER(hfFrameContact, depth),  MEMBER(hfFrameContact, vn)};

// Recording(path): reads a recording.
static PyObject* recording_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"path", NULL};
  const char* path;
  hfError error;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s", names, &path)) return NULL;

  RecordingObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_recording_read(&self->recording, path, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  return (PyObject*)self;
}

static void recording_dealloc(PyObject* self) {
  hf_recording_free(((RecordingObject*)self)->recording);
  object_free(self);
}

static const hfRecording* recording_of(PyObject* self) { return ((RecordingObject*)self)->recording; }

// _model_bytes(): the model as bytes.
static PyObject* recording_model_bytes(PyObject* self, PyObject* none) {
  (void)none;
  const hfModel* m = hf_recording_model(recording_of(self));
  return PyBytes_FromStringAndSize((const char*)m, (Py_ssize_t)m->size);
}

static PyObject* recording_scene(PyObject* self, void* none) {
  (void)none;
  return PyUnicode_FromString(hf_recording_scene(recording_of(self)));
}

static Py_ssize_t recording_length(PyObject* self) { return hf_recording_frame_count(recording_of(self)); }

// A read-only view of floats of a frame, which the recording keeps alive.
static PyObject* view_floats(PyObject* self, const float* data, int ndim, const int64_t* shape) {
  union {
    const float* from;
    float* to;
  } address = {.from = data};
  return view_new(self, address.to, 'f', ndim, shape, NULL, 1);
}

// As view_floats for a vector of n floats.
static PyObject* view_float_vector(PyObject* self, const float* data, int64_t n) {
  return view_floats(self, data, 1, &n);
}

// _frame(i): (time, poses, contacts, q, v, ctrl, actuator forces, sensors, kinetic energy, potential energy)
static PyObject* recording_frame(PyObject* self, PyObject* args) {
  const hfRecording* r = recording_of(self);
  const hfModel* m = hf_recording_model(r);
  int i;
  if (!PyArg_ParseTuple(args, "i", &i)) return NULL;
  if (i < 0 || i >= hf_recording_frame_count(r)) return PyErr_Format(PyExc_IndexError, "no frame %d", i);

  hfFrame f = hf_recording_frame(r, i);
  const int64_t pose_shape[2] = {m->nbody, 7};
  Py_ssize_t contact_bytes = (Py_ssize_t)sizeof *f.contact * f.ncontact;
  return Py_BuildValue("(dNNNNNNNdd)", f.time,
                       view_floats(self, f.pose, 2, pose_shape),
                       PyByteArray_FromStringAndSize((const char*)f.contact, contact_bytes),
                       view_float_vector(self, f.q, m->nq),
                       view_float_vector(self, f.v, m->nv),
                       view_float_vector(self, f.ctrl, m->nu),
                       view_float_vector(self, f.force, m->nu),
                       view_float_vector(self, f.sensor, m->nsensordata),
                       f.head->kinetic, f.head->potential);
}

// Finds a named array of one frame. Returns its address and sets its size [bytes]; NULL: there is no such array.
static const void* find_array(const hfFrame* f, const hfModel* m, const char* name, size_t* size) {
  const struct {
    const char* name;
    const void* data;
    size_t size;
  } arrays[] = {{"times", &f->head->time, sizeof(double)},
                {"kinetic", &f->head->kinetic, sizeof(double)},
                {"potential", &f->head->potential, sizeof(double)},
                {"poses", f->pose, sizeof(float) * 7 * (size_t)m->nbody},
                {"q", f->q, sizeof(float) * (size_t)m->nq},
                {"v", f->v, sizeof(float) * (size_t)m->nv},
                {"ctrl", f->ctrl, sizeof(float) * (size_t)m->nu},
                {"actuator_force", f->force, sizeof(float) * (size_t)m->nu},
                {"sensors", f->sensor, sizeof(float) * (size_t)m->nsensordata}};

  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
    if (strcmp(arrays[i].name, name) == 0) {
      *size = arrays[i].size;
      return arrays[i].data;
    }
  }
  return NULL;
}

// _column(name): the bytes of an array of all frames, one frame after the other; empty if there is no such array.
static PyObject* recording_column(PyObject* self, PyObject* args) {
  const hfRecording* r = recording_of(self);
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name)) return NULL;

  int n = hf_recording_frame_count(r);
  PyObject* bytes = PyByteArray_FromStringAndSize(NULL, 0);
  for (int i = 0; bytes && i < n; ++i) {
    hfFrame f = hf_recording_frame(r, i);
    size_t size = 0; // the same for all frames
    const void* data = find_array(&f, hf_recording_model(r), name, &size);

    if (i == 0 && PyByteArray_Resize(bytes, (Py_ssize_t)size * n) < 0) Py_CLEAR(bytes);
    if (bytes && data && size) memcpy(PyByteArray_AsString(bytes) + (size_t)i * size, data, size);
  }

  return bytes;
}

// _events(): a list of (time, kind, body A, body B, value)
static PyObject* recording_events(PyObject* self, PyObject* none) {
  (void)none;
  const hfRecording* r = recording_of(self);
  PyObject* list = PyList_New(0);

  for (int i = 0; list && i < hf_recording_event_count(r); ++i) {
    hfEvent e = hf_recording_event(r, i);
    PyObject* event = Py_BuildValue("(diiii)", e.time, e.kind, e.body_a, e.body_b, e.value);
    if (!event || PyList_Append(list, event) < 0) Py_CLEAR(list);
    Py_XDECREF(event);
  }

  return list;
}

// _texts(): (JSON of how the run was made, JSON of its summary)
static PyObject* recording_texts(PyObject* self, PyObject* none) {
  (void)none;
  const hfRecording* r = recording_of(self);
  return Py_BuildValue("(ss)", hf_recording_run(r), hf_recording_figures(r));
}

static PyMethodDef recording_methods[] = {{"_model_bytes", recording_model_bytes, METH_NOARGS, NULL},
                                          {"_frame", recording_frame, METH_VARARGS, NULL},
                                          {"_column", recording_column, METH_VARARGS, NULL},
                                          {"_events", recording_events, METH_NOARGS, NULL},
                                          {"_texts", recording_texts, METH_NOARGS, NULL},
                                          {0}};
static PyGetSetDef recording_getset[] = {{"scene", recording_scene, NULL, "Name of the scene's file.", NULL}, {0}};
static PyType_Slot recording_slots[] = {{Py_tp_new, recording_new},
                                        {Py_tp_dealloc, recording_dealloc},
                                        {Py_tp_methods, recording_methods},
                                        {Py_tp_getset, recording_getset},
                                        {Py_sq_length, recording_length},
                                        {0}};
static PyType_Spec recording_spec = {.name = "holdfast._core.Recording",
                                     .basicsize = sizeof(RecordingObject),
                                     .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                     .slots = recording_slots};

// frame_contact_dtype(): the members of hfFrameContact.
static PyObject* frame_dtype(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return describe_struct(sizeof(hfFrameContact), MEMBERS(contact_members));
}

static PyMethodDef functions[] = {{"frame_contact_dtype", frame_dtype, METH_NOARGS, NULL}, {0}};

// Adds the type Recording and the functions of this file to the module.
int add_record(PyObject* module) {
  return add_type(module, &recording_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
