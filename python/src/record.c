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

static PyObject* recording_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  const char* path;
  hfError error;
  static char* names[] = {"path", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s", names, &path)) return NULL;
  RecordingObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_recording_open(&self->recording, path, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  return (PyObject*)self;
}

static void recording_dealloc(PyObject* self) {
  hf_recording_free(((RecordingObject*)self)->recording);
  object_free(self);
}

static PyObject* recording_model_bytes(PyObject* self, PyObject* none) {
  (void)none;
  const hfModel* m = hf_recording_model(((RecordingObject*)self)->recording);
  return PyBytes_FromStringAndSize((const char*)m, (Py_ssize_t)m->size);
}

static PyObject* recording_scene(PyObject* self, void* none) {
  (void)none;
  return PyUnicode_FromString(hf_recording_scene(((RecordingObject*)self)->recording));
}

static Py_ssize_t recording_length(PyObject* self) { return hf_recording_frame_count(((RecordingObject*)self)->recording); }

static PyObject* recording_frame(PyObject* self, PyObject* args) {
  const hfRecording* r = ((RecordingObject*)self)->recording;
  int i;
  if (!PyArg_ParseTuple(args, "i", &i)) return NULL;
  if (i < 0 || i >= hf_recording_frame_count(r)) return PyErr_Format(PyExc_IndexError, "no frame %d", i);
  hfFrame f = hf_recording_frame(r, i);
  const int64_t shape[2] = {hf_recording_model(r)->nbody, 7};
  union { const float* from; float* to; } pose = {.from = f.pose};
  return Py_BuildValue("(dNN)", f.time, view_new(self, pose.to, 'f', 2, shape, NULL, 1),
                       PyByteArray_FromStringAndSize((const char*)f.contact, (Py_ssize_t)sizeof *f.contact * f.ncontact));
}

static PyMethodDef recording_methods[] = {{"_model_bytes", recording_model_bytes, METH_NOARGS, NULL},
                                          {"_frame", recording_frame, METH_VARARGS, NULL},
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

static PyObject* frame_dtype(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return describe_struct(sizeof(hfFrameContact), MEMBERS(contact_members));
}
static PyMethodDef functions[] = {{"frame_contact_dtype", frame_dtype, METH_NOARGS, NULL}, {0}};

int add_record(PyObject* module) {
  return add_type(module, &recording_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
