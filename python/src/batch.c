// Batch: many worlds; one call steps all of them without the lock.
#include "core.h"

#include <string.h>

typedef struct BatchObject {
  PyObject_HEAD
  PyObject* model;
  hfBatch* batch;
  PyObject* owner;
  int busy;
} BatchObject;

static const member config_members[] = {MEMBER(hfBatchConfig, nworld),     MEMBER(hfBatchConfig, threads),
                                        MEMBER(hfBatchConfig, device),     MEMBER(hfBatchConfig, ordinal),
                                        MEMBER(hfBatchConfig, max_memory), MEMBER(hfBatchConfig, max_contacts)};
static const member report_members[] = {
    MEMBER(hfWorldReport, status), MEMBER(hfWorldReport, steps),      MEMBER(hfWorldReport, ncontact),
    MEMBER(hfWorldReport, nstick), MEMBER(hfWorldReport, ndropped),   MEMBER(hfWorldReport, rung),
    MEMBER(hfWorldReport, iterations), MEMBER(hfWorldReport, kept),   MEMBER(hfWorldReport, residual),
    MEMBER(hfWorldReport, max_depth), VIOLATIONS(hfWorldReport), MEMBER(hfWorldReport, steps_letting_go),
    MEMBER(hfWorldReport, let_go_kind), MEMBER(hfWorldReport, let_go)};

static void release_batch(void* batch) { hf_batch_free(batch); }

static PyObject* batch_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject *model, *settings, *options;
  hfBatchConfig config = hf_batch_config_default();
  hfError error;
  static char* names[] = {"model", "settings", "options", NULL};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OO", names, ModelType, &model, &settings, &options) ||
      fill_struct(&config, MEMBERS(config_members), settings, "a batch") < 0 ||
      fill_sim_config(&config.sim, options) < 0)
    return NULL;
  BatchObject* self = object_alloc(type);
  if (!self) return NULL;
  if (hf_batch_create(&self->batch, ((ModelObject*)model)->model, &config, &error) < 0) {
    Py_DECREF(self);
    return raise_error(&error);
  }
  self->model = Py_NewRef(model);
  self->owner = own(self->batch, release_batch, ((ModelObject*)model)->owner);
  if (!self->owner) Py_CLEAR(self);
  return (PyObject*)self;
}

static void batch_dealloc(PyObject* self) {
  Py_CLEAR(((BatchObject*)self)->owner);
  Py_CLEAR(((BatchObject*)self)->model);
  object_free(self);
}

static int check_idle(const BatchObject* b) { return b->busy ? claim(&(int){1}, "batch") : 0; }

// ---- arrays ------------------------------------------------------------------------------------------------

static PyObject* tensor_view(PyObject* self, hfTensor t, int readonly) {
  if (!t.data) return PyErr_NoMemory();
  return view_new(((BatchObject*)self)->owner, t.data, t.type, t.ndim, t.shape, t.stride, readonly);
}

static PyObject* batch_tensor(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name) || check_idle(b) < 0) return NULL;
  for (int f = 0; f < HF_BATCH_FIELDS; ++f)
    if (strcmp(name, hf_batch_field_name((hfBatchField)f)) == 0)
      return tensor_view(self, hf_batch_tensor(b->batch, (hfBatchField)f), f >= HF_BATCH_SENSORS);
  return PyErr_Format(PyExc_AttributeError, "a batch has no array \"%s\"", name);
}

static PyObject* batch_param(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name) || check_idle(b) < 0) return NULL;
  if (strcmp(name, "gravity") == 0) return tensor_view(self, hf_batch_gravity(b->batch), 0);
  int f = hf_model_field_find(name);
  if (f < 0 || !hf_model_field_info(hf_batch_model(b->batch), (hfModelField)f).overlay)
    return PyErr_Format(PyExc_AttributeError, "\"%s\" is no parameter that a world may have of its own", name);
  return tensor_view(self, hf_batch_param(b->batch, (hfModelField)f), 0);
}

// ---- calls -------------------------------------------------------------------------------------------------

static PyObject* batch_update(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  hfError error;
  if (!PyArg_ParseTuple(args, "O", &object) || check_idle(b) < 0 ||
      get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0)
    return NULL;
  hfStatus status = hf_batch_update(b->batch, mask.buf, &error);
  for (int w = 0; status == HF_FLAGGED && w < hf_batch_size(b->batch); ++w) {
    if (mask.buf && !((const uint8_t*)mask.buf)[w]) continue;
    hfStatus refusal = hf_batch_reports(b->batch)[w].status; // the exception is the one of the first world that was refused
    if (refusal < 0) error.status = refusal, status = refusal;
  }
  if (mask.obj) PyBuffer_Release(&mask);
  if (status != HF_OK) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* batch_reset(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  int key;
  hfError error;
  if (!PyArg_ParseTuple(args, "Oi", &object, &key) || check_idle(b) < 0 ||
      get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0)
    return NULL;
  hfStatus status = hf_batch_reset(b->batch, mask.buf, key, &error);
  if (mask.obj) PyBuffer_Release(&mask);
  if (status < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* batch_evaluate(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  hfError error;
  hfStatus status;
  if (!PyArg_ParseTuple(args, "O", &object) || get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0) return NULL;
  if (claim(&b->busy, "batch") < 0) {
    if (mask.obj) PyBuffer_Release(&mask);
    return NULL;
  }
  Py_BEGIN_ALLOW_THREADS
  status = hf_batch_evaluate(b->batch, mask.buf, &error);
  Py_END_ALLOW_THREADS
  b->busy = 0;
  if (mask.obj) PyBuffer_Release(&mask);
  if (status < 0) return raise_error(&error);
  return PyUnicode_FromString(status == HF_OK ? "" : error.message);
}

// What a run reads and writes, as buffers.
typedef struct buffers {
  Py_buffer mask, ctrl, time, q, v, act, sensors;
} buffers;

static void release_buffers(buffers* x) {
  Py_buffer* all[] = {&x->mask, &x->ctrl, &x->time, &x->q, &x->v, &x->act, &x->sensors};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (all[i]->obj) PyBuffer_Release(all[i]);
}

static int take_result(PyObject* results, const char* name, int64_t n, Py_buffer* view, double** data) {
  PyObject* array = results && results != Py_None ? PyDict_GetItemString(results, name) : NULL;
  if (!array) return 0;
  if (get_doubles(array, name, n, 1, view) < 0) return -1;
  *data = view->buf;
  return 0;
}

// The next part of a run: whole rows of results, or a piece of one row. Results are written where it ends a row.
static int choose_part(const hfBatchRun* run, int done, int left, int part, hfBatchRun* now, int64_t* rows) {
  int to_row = run->every - done % run->every, whole = part / run->every * run->every;
  int n = to_row == run->every && whole > 0 ? whole : part < to_row ? part : to_row;
  if (n > left) n = left < to_row || n == to_row ? left : left / run->every * run->every;
  *now = *run;
  *rows = n < to_row ? 0 : n < run->every ? 1 : n / run->every;
  if (n < run->every) now->every = n;
  if (*rows == 0) now->time = now->q = now->v = now->act = now->sensors = NULL;
  return n;
}

static void advance_run(const hfModel* m, hfBatchRun* run, int n, int64_t rows) {
  run->resume = 1;
  if (run->ctrl) run->ctrl += n * run->ctrl_step;
  if (run->time) run->time += rows;
  if (run->q) run->q += rows * m->nq;
  if (run->v) run->v += rows * m->nv;
  if (run->act) run->act += rows * m->na;
  if (run->sensors) run->sensors += rows * m->nsensordata;
}

// Runs in calls of growing length, so that the interrupt key is heeded within about PATIENCE seconds.
static int run_patiently(BatchObject* b, int nstep, hfBatchRun* run, hfStatus* status, hfError* error) {
  int part = 1;
  *status = HF_OK;
  for (int done = 0; done < nstep;) {
    hfBatchRun now;
    hfError what;
    hfStatus s;
    int64_t rows;
    int n = choose_part(run, done, nstep - done, part, &now, &rows);
    double begin = seconds_now();
    Py_BEGIN_ALLOW_THREADS
    s = hf_batch_step(b->batch, n, &now, &what);
    Py_END_ALLOW_THREADS
    if (s < 0 || (s != HF_OK && *status == HF_OK)) *error = what;
    if (s != HF_OK) *status = s;
    if (s < 0) return 0;
    done += n;
    advance_run(hf_batch_model(b->batch), run, n, rows);
    double took = seconds_now() - begin;
    if (took < PATIENCE / 2 && part < (1 << 24)) part *= 2;
    if (took > 2 * PATIENCE && part > 1) part /= 2;
    if (done < nstep && PyErr_CheckSignals() < 0) return -1;
  }
  return 0;
}

// _step(nstep, mask, ctrl, ctrl_world, ctrl_step, every, results) -> message, "" where all worlds are well
static PyObject* batch_step(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject *steps, *mask, *ctrl, *results;
  int nstep, every;
  long long world_stride, step_stride;
  buffers x = {0};
  hfBatchRun run = {0};
  hfError error = {HF_OK, ""};
  if (!PyArg_ParseTuple(args, "OOOLLiO", &steps, &mask, &ctrl, &world_stride, &step_stride, &every, &results)) return NULL;
  if ((nstep = count_of_steps(steps)) < 0) return NULL;
  if (every < 1) return PyErr_SetString(PyExc_ValueError, "every must be at least 1"), NULL;
  const hfModel* m = hf_batch_model(b->batch);
  int64_t worlds = hf_batch_size(b->batch), rows = nstep / every, n = worlds * rows;
  run.every = every, run.rows = rows;
  run.ctrl_world = world_stride, run.ctrl_step = step_stride;
  int64_t wanted = (worlds - 1) * world_stride + (nstep - 1) * step_stride + m->nu;
  if (claim(&b->busy, "batch") < 0) return NULL;
  PyObject* result = NULL;
  hfStatus status;
  if (get_bytes(mask, "mask", worlds, &x.mask) == 0 && get_optional_doubles(ctrl, "ctrl", wanted, &x.ctrl) == 0 &&
      take_result(results, "time", n, &x.time, &run.time) == 0 && take_result(results, "q", n * m->nq, &x.q, &run.q) == 0 &&
      take_result(results, "v", n * m->nv, &x.v, &run.v) == 0 && take_result(results, "act", n * m->na, &x.act, &run.act) == 0 &&
      take_result(results, "sensors", n * m->nsensordata, &x.sensors, &run.sensors) == 0) {
    run.mask = x.mask.buf;
    run.ctrl = x.ctrl.buf;
    if (run_patiently(b, nstep, &run, &status, &error) == 0)
      result = status < 0 ? raise_error(&error) : PyUnicode_FromString(status == HF_OK ? "" : error.message);
  }
  release_buffers(&x);
  b->busy = 0;
  return result;
}

// Copies the state of a world of the batch to a State, or with `set` back.
static PyObject* copy_state(PyObject* self, PyObject* args, int set) {
  BatchObject* b = (BatchObject*)self;
  int world;
  PyObject* object;
  hfError error;
  if (!PyArg_ParseTuple(args, "iO!", &world, StateType, &object) || check_idle(b) < 0) return NULL;
  if (((StateObject*)object)->busy) return claim(&(int){1}, "state"), NULL;
  hfState* state = ((StateObject*)object)->state;
  hfStatus status = set ? hf_batch_set_state(b->batch, world, state, &error) : hf_batch_get_state(b->batch, world, state, &error);
  if (status < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

static PyObject* batch_get_state(PyObject* self, PyObject* args) { return copy_state(self, args, 0); }
static PyObject* batch_set_state(PyObject* self, PyObject* args) { return copy_state(self, args, 1); }

static PyObject* batch_reports(PyObject* self, PyObject* none) {
  (void)none;
  BatchObject* b = (BatchObject*)self;
  if (check_idle(b) < 0) return NULL;
  return PyByteArray_FromStringAndSize((const char*)hf_batch_reports(b->batch),
                                       (Py_ssize_t)sizeof(hfWorldReport) * hf_batch_size(b->batch));
}

static PyObject* batch_contacts(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  int world;
  if (!PyArg_ParseTuple(args, "i", &world) || check_idle(b) < 0) return NULL;
  if (world < 0 || world >= hf_batch_size(b->batch)) return PyErr_Format(PyExc_IndexError, "no world %d", world);
  return PyByteArray_FromStringAndSize((const char*)hf_batch_contacts(b->batch, world),
                                       (Py_ssize_t)sizeof(hfContact) * hf_batch_reports(b->batch)[world].kept);
}

static PyObject* batch_info(PyObject* self, PyObject* none) {
  (void)none;
  const hfBatch* b = ((BatchObject*)self)->batch;
  return Py_BuildValue("{s:i,s:i,s:d,s:i,s:n}", "worlds", hf_batch_size(b), "threads", hf_batch_threads(b), "step_size",
                       hf_batch_step_size(b), "max_memory", hf_batch_max_memory(b), "bytes_per_world",
                       (Py_ssize_t)hf_batch_bytes_per_world(b));
}

static PyObject* batch_model(PyObject* self, void* none) {
  (void)none;
  return Py_NewRef(((BatchObject*)self)->model);
}

static PyMethodDef batch_methods[] = {{"_tensor", batch_tensor, METH_VARARGS, NULL},
                                      {"_param", batch_param, METH_VARARGS, NULL},
                                      {"_update", batch_update, METH_VARARGS, NULL},
                                      {"_reset", batch_reset, METH_VARARGS, NULL},
                                      {"_evaluate", batch_evaluate, METH_VARARGS, NULL},
                                      {"_step", batch_step, METH_VARARGS, NULL},
                                      {"_get_state", batch_get_state, METH_VARARGS, NULL},
                                      {"_set_state", batch_set_state, METH_VARARGS, NULL},
                                      {"_reports", batch_reports, METH_NOARGS, NULL},
                                      {"_contacts", batch_contacts, METH_VARARGS, NULL},
                                      {"_info", batch_info, METH_NOARGS, NULL},
                                      {0}};
static PyGetSetDef batch_getset[] = {{"model", batch_model, NULL, "The model of all worlds.", NULL}, {0}};
static PyType_Slot batch_slots[] = {{Py_tp_new, batch_new},
                                    {Py_tp_dealloc, batch_dealloc},
                                    {Py_tp_methods, batch_methods},
                                    {Py_tp_getset, batch_getset},
                                    {0}};
static PyType_Spec batch_spec = {.name = "holdfast._core.Batch",
                                 .basicsize = sizeof(BatchObject),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                 .slots = batch_slots};

static PyObject* report_dtype(PyObject* self, PyObject* none) {
  (void)self, (void)none;
  return describe_struct(sizeof(hfWorldReport), MEMBERS(report_members));
}
static PyMethodDef functions[] = {{"world_report_dtype", report_dtype, METH_NOARGS, NULL}, {0}};

int add_batch(PyObject* module) {
  return add_type(module, &batch_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
