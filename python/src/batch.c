// Batch: many worlds; one call steps all of them without the lock.
#include "core.h"

#include <string.h>

typedef struct BatchObject {
  PyObject_HEAD
  PyObject* model;
  hfBatch* batch;
  PyObject* owner; // capsule of the batch
  int busy; // 1: a thread steps it without the interpreter's lock
} BatchObject;

static const member config_members[] = {MEMBER(hfBatchConfig, nworld),     MEMBER(hfBatchConfig, threads),
                                        MEMBER(hfBatchConfig, device),     MEMBER(hfBatchConfig, ordinal),
                                        MEMBER(hfBatchConfig, max_memory), MEMBER(hfBatchConfig, max_contacts)};
static const member report_members[] = {
    MEMBER(hfWorldReport, status), MEMBER(hfWorldReport, steps), MEMBER(hfWorldReport, ncontact),
    MEMBER(hfWorldReport, nstick), MEMBER(hfWorldReport, ndropped), MEMBER(hfWorldReport, rung),
    MEMBER(hfWorldReport, iterations), MEMBER(hfWorldReport, kept), MEMBER(hfWorldReport, residual),
    MEMBER(hfWorldReport, max_depth), VIOLATIONS(hfWorldReport), MEMBER(hfWorldReport, steps_letting_go),
    MEMBER(hfWorldReport, let_go_kind), MEMBER(hfWorldReport, let_go)};

static void release_batch(void* batch) { hf_batch_free(batch); }

// Batch(model, settings, options): settings are fields of hfBatchConfig, options those of its sims.
static PyObject* batch_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"model", "settings", "options", NULL};
  PyObject* model;
  PyObject* settings;
  PyObject* options;
  hfBatchConfig config = hf_batch_config_default();
  hfError error;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!OO", names, ModelType, &model, &settings, &options)) return NULL;

  if (fill_struct(&config, MEMBERS(config_members), settings, "a batch") < 0) return NULL;
  if (fill_sim_config(&config.sim, options) < 0) return NULL;

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

// Refuses a batch that another thread steps.
static int check_idle(const BatchObject* b) {
  if (!b->busy) return 0;
  raise_busy("batch");
  return -1;
}

// ---- arrays ------------------------------------------------------------------------------------------------

// A view of a tensor of the batch; one without data is a MemoryError.
static PyObject* view_tensor(const BatchObject* b, hfTensor t, int readonly) {
  if (!t.data) return PyErr_NoMemory();
  return view_new(b->owner, t.data, t.type, t.ndim, t.shape, t.stride, readonly);
}

// _tensor(name): a view of an array of all worlds; results are read-only.
static PyObject* batch_tensor(PyObject* self, PyObject* args) {
  const BatchObject* b = (BatchObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name) || check_idle(b) < 0) return NULL;

  for (int f = 0; f < HF_BATCH_FIELDS; ++f) {
    hfBatchField field = (hfBatchField)f;
    if (strcmp(name, hf_batch_field_name(field)) == 0)
      return view_tensor(b, hf_batch_tensor(b->batch, field), field >= HF_BATCH_SENSORS);
  }
  return PyErr_Format(PyExc_AttributeError, "a batch has no array \"%s\"", name);
}

// _param(name): a view of a model's field of which each world has its own values.
static PyObject* batch_param(PyObject* self, PyObject* args) {
  const BatchObject* b = (BatchObject*)self;
  const char* name;
  if (!PyArg_ParseTuple(args, "s", &name) || check_idle(b) < 0) return NULL;
  if (strcmp(name, "gravity") == 0) return view_tensor(b, hf_batch_gravity(b->batch), 0);

  int f = hf_model_field_find(name);
  if (f < 0 || !hf_model_field_info(hf_batch_model(b->batch), (hfModelField)f).overlay)
    return PyErr_Format(PyExc_AttributeError, "\"%s\" is no parameter that a world may have of its own", name);
  return view_tensor(b, hf_batch_param(b->batch, (hfModelField)f), 0);
}

// ---- calls without a step ----------------------------------------------------------------------------------

// The status of the first world of a mask that has refused; HF_OK: none has. mask NULL: all worlds.
static hfStatus find_refusal(const hfBatch* batch, const uint8_t* mask) {
  for (int w = 0; w < hf_batch_size(batch); ++w) {
    hfStatus status = hf_batch_reports(batch)[w].status;
    if ((!mask || mask[w]) && status < 0) return status;
  }
  return HF_OK;
}

// _update(mask or None): applies changed parameters. The exception is that of the first world that was refused.
static PyObject* batch_update(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  if (!PyArg_ParseTuple(args, "O", &object) || check_idle(b) < 0) return NULL;
  if (get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0) return NULL;

  hfError error;
  hfStatus status = hf_batch_update(b->batch, mask.buf, &error);
  if (status == HF_FLAGGED) {
    hfStatus refusal = find_refusal(b->batch, mask.buf);
    if (refusal < 0) error.status = refusal;
  }

  PyBuffer_Release(&mask);
  if (status != HF_OK) return raise_error(&error);
  Py_RETURN_NONE;
}

// _reset(mask or None, keyframe): sets worlds back to a keyframe.
static PyObject* batch_reset(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  int key;
  if (!PyArg_ParseTuple(args, "Oi", &object, &key) || check_idle(b) < 0) return NULL;
  if (get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0) return NULL;

  hfError error;
  hfStatus status = hf_batch_reset(b->batch, mask.buf, key, &error);

  PyBuffer_Release(&mask);
  if (status < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// The trouble of a call that ended with a status >= 0, for Python: a message, "" if all worlds are well.
static PyObject* trouble_text(hfStatus status, const hfError* error) {
  return PyUnicode_FromString(status == HF_OK ? "" : error->message);
}

// _evaluate(mask or None): computes the results at the present states. Returns a message, "" if all worlds are well.
static PyObject* batch_evaluate(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* object;
  Py_buffer mask;
  if (!PyArg_ParseTuple(args, "O", &object)) return NULL;
  if (get_bytes(object, "mask", hf_batch_size(b->batch), &mask) < 0) return NULL;

  if (claim(&b->busy, "batch") < 0) {
    PyBuffer_Release(&mask);
    return NULL;
  }

  hfError error;
  hfStatus status;
  Py_BEGIN_ALLOW_THREADS
  status = hf_batch_evaluate(b->batch, mask.buf, &error);
  Py_END_ALLOW_THREADS

  b->busy = 0;
  PyBuffer_Release(&mask);
  if (status < 0) return raise_error(&error);
  return trouble_text(status, &error);
}

// ---- runs --------------------------------------------------------------------------------------------------
//
// A run writes a row of results after every `every` steps. It is cut into calls of the library of at most
// INTERRUPT_CHECK_PERIOD or so, between which the interrupt key is looked for. A call is whole rows, or a piece of one.

// What a run reads and writes, as buffers.
typedef struct runBuffers {
  Py_buffer mask;
  Py_buffer ctrl;
  Py_buffer time;
  Py_buffer q;
  Py_buffer v;
  Py_buffer act;
  Py_buffer sensors;
} runBuffers;

// Releases all buffers that are held.
static void release_buffers(runBuffers* x) {
  PyBuffer_Release(&x->mask);
  PyBuffer_Release(&x->ctrl);
  PyBuffer_Release(&x->time);
  PyBuffer_Release(&x->q);
  PyBuffer_Release(&x->v);
  PyBuffer_Release(&x->act);
  PyBuffer_Release(&x->sensors);
}

// Views an array of n numbers of the dict of results, if the dict and the array are there, and sets *data to them.
// Returns 0, or -1 with Python's exception.
static int get_result(PyObject* results, const char* name, int64_t n, Py_buffer* view, double** data) {
  PyObject* array = results != Py_None ? PyDict_GetItemString(results, name) : NULL;
  if (!array) return 0;
  if (get_doubles(array, name, n, 1, view) < 0) return -1;
  *data = view->buf;
  return 0;
}

// Counts the numbers that a run of nstep steps reads from its controls: the end of the last step's in the last world.
// Returns -1 with Python's exception if a stride is negative or the count is no int64_t.
static int64_t count_controls(const hfBatch* batch, int nstep, const hfBatchRun* run) {
  if (run->ctrl_world < 0 || run->ctrl_step < 0)
    return refuse(PyExc_ValueError, "the strides of ctrl must be at least 0");

  int64_t last_world;
  int64_t last_step;
  int64_t last;
  int64_t count;
  if (__builtin_mul_overflow((int64_t)hf_batch_size(batch) - 1, run->ctrl_world, &last_world) ||
      __builtin_mul_overflow((int64_t)nstep - 1, run->ctrl_step, &last_step) ||
      __builtin_add_overflow(last_world, last_step, &last) ||
      __builtin_add_overflow(last, (int64_t)hf_batch_model(batch)->nu, &count))
    return refuse(PyExc_OverflowError, "the strides of ctrl are too large");
  return count;
}

// Views all buffers of a run of nstep steps and sets the pointers of the run, whose sizes and strides are set.
// Returns 0, or -1 with Python's exception. Release with release_buffers, also after a failure.
static int get_run_buffers(const hfBatch* batch, int nstep, PyObject* mask, PyObject* ctrl, PyObject* results,
                           runBuffers* x, hfBatchRun* run) {
  const hfModel* m = hf_batch_model(batch);
  int64_t worlds = hf_batch_size(batch);
  int64_t nctrl = ctrl == Py_None ? 0 : count_controls(batch, nstep, run);
  if (nctrl < 0) return -1;

  if (get_bytes(mask, "mask", worlds, &x->mask) < 0) return -1;
  if (get_optional_doubles(ctrl, "ctrl", nctrl, &x->ctrl) < 0) return -1;
  run->mask = x->mask.buf;
  run->ctrl = x->ctrl.buf;

  int64_t n = worlds * run->rows;
  if (get_result(results, "time", n, &x->time, &run->time) < 0) return -1;
  if (get_result(results, "q", n * m->nq, &x->q, &run->q) < 0) return -1;
  if (get_result(results, "v", n * m->nv, &x->v, &run->v) < 0) return -1;
  if (get_result(results, "act", n * m->na, &x->act, &run->act) < 0) return -1;
  return get_result(results, "sensors", n * m->nsensordata, &x->sensors, &run->sensors);
}

// The number of steps of the next call: at most `wanted`, but for whole rows at least the rest of the present row.
// done, left: steps of the run before and after now.
static int choose_length(int every, int done, int left, int wanted) {
  int to_row_end = every - done % every;
  int whole_rows = wanted / every * every;
  int n;
  if (to_row_end == every && whole_rows > 0)
    n = whole_rows;
  else
    n = wanted < to_row_end ? wanted : to_row_end;
  if (n <= left) return n;

  // the end of the run: its last whole rows, or what is left of a row
  if (left < to_row_end) return left;
  return left / every * every;
}

// The part of a run that makes the next n steps. *rows: how many rows of results it writes.
static hfBatchRun cut_part(const hfBatchRun* run, int done, int n, int64_t* rows) {
  hfBatchRun part = *run;
  int to_row_end = run->every - done % run->every;
  if (n < to_row_end)
    *rows = 0;
  else
    *rows = n < run->every ? 1 : n / run->every;

  // within a row of results: hf_batch_step writes it after these n steps, or not at all if the row goes on
  if (n < run->every) part.every = n;
  if (*rows == 0) {
    part.time = NULL;
    part.q = NULL;
    part.v = NULL;
    part.act = NULL;
    part.sensors = NULL;
  }
  return part;
}

// Moves the pointers of a run behind n steps that wrote `rows` rows.
static void advance_run(const hfModel* m, hfBatchRun* run, int n, int64_t rows) {
  run->resume = 1;

  if (run->ctrl) run->ctrl += n * run->ctrl_step;
  if (run->time) run->time += rows;
  if (run->q) run->q += rows * m->nq;
  if (run->v) run->v += rows * m->nv;
  if (run->act) run->act += rows * m->na;
  if (run->sensors) run->sensors += rows * m->nsensordata;
}

// Runs nstep steps in calls whose length adapts to the time that they take. A refusal ends the run, and *status (< 0)
// and *error are of it. Otherwise *status is the last one that is not HF_OK, and *error the first message of trouble.
// Returns 0, or -1 with Python's exception if there was an interrupt.
static int run_in_parts(BatchObject* b, int nstep, hfBatchRun* run, hfStatus* status, hfError* error) {
  enum { MAX_CALL_STEPS = 1 << 24 };
  // wanted: about how many steps the next call makes; done: steps made so far
  int wanted = 1;
  int done = 0;
  *status = HF_OK;

  while (done < nstep) {
    int n = choose_length(run->every, done, nstep - done, wanted);
    // part: the next n steps of the run, which write so many rows of results
    int64_t rows;
    hfBatchRun part = cut_part(run, done, n, &rows);
    hfError call_error;
    hfStatus call_status;
    double begin = seconds_now();
    Py_BEGIN_ALLOW_THREADS
    call_status = hf_batch_step(b->batch, n, &part, &call_error);
    Py_END_ALLOW_THREADS
    double duration = seconds_now() - begin;

    // keep a refusal, or the first message and the last status of trouble
    if (call_status < 0 || (call_status != HF_OK && *status == HF_OK)) *error = call_error;
    if (call_status != HF_OK) *status = call_status;
    if (call_status < 0) return 0;

    done += n;
    advance_run(hf_batch_model(b->batch), run, n, rows);

    // double or halve the length where the call was much shorter or longer than the period of checks
    if (duration < INTERRUPT_CHECK_PERIOD / 2 && wanted < MAX_CALL_STEPS) wanted *= 2;
    if (duration > 2 * INTERRUPT_CHECK_PERIOD && wanted > 1) wanted /= 2;
    if (done < nstep && PyErr_CheckSignals() < 0) return -1;
  }
  return 0;
}

// _step(nstep, mask, ctrl, ctrl_world, ctrl_step, every, results): makes nstep steps and writes a row of results after
// every `every` of them. Returns a message, "" if all worlds are well. ctrl_world, ctrl_step: how many numbers of ctrl
// lie between the controls of a world and those of the next, and between the controls of a step and those of the next.
static PyObject* batch_step(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  PyObject* steps;
  PyObject* mask;
  PyObject* ctrl;
  PyObject* results;
  int every;
  long long ctrl_world;
  long long ctrl_step;
  if (!PyArg_ParseTuple(args, "OOOLLiO", &steps, &mask, &ctrl, &ctrl_world, &ctrl_step, &every, &results)) return NULL;
  int nstep = count_of_steps(steps);
  if (nstep < 0) return NULL;
  if (every < 1) return PyErr_Format(PyExc_ValueError, "every must be at least 1");
  if (claim(&b->busy, "batch") < 0) return NULL;

  hfBatchRun run = {.every = every, .rows = nstep / every, .ctrl_world = ctrl_world, .ctrl_step = ctrl_step};
  runBuffers x = {0};
  hfError error = {HF_OK, ""};
  hfStatus status;
  PyObject* result = NULL;
  if (get_run_buffers(b->batch, nstep, mask, ctrl, results, &x, &run) == 0 &&
      run_in_parts(b, nstep, &run, &status, &error) == 0)
    result = status < 0 ? raise_error(&error) : trouble_text(status, &error);

  release_buffers(&x);
  b->busy = 0;
  return result;
}

// ---- single worlds -----------------------------------------------------------------------------------------

// Parses (world, State) for a copy between the two.
static int parse_world_and_state(const BatchObject* b, PyObject* args, int* world, hfState** state) {
  PyObject* object;
  if (!PyArg_ParseTuple(args, "iO!", world, StateType, &object) || check_idle(b) < 0) return -1;
  if (((StateObject*)object)->busy) {
    raise_busy("state");
    return -1;
  }

  *state = ((StateObject*)object)->state;
  return 0;
}

// _get_state(world, State): copies the state of a world to a State.
static PyObject* batch_get_state(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  int world;
  hfState* state;
  hfError error;

  if (parse_world_and_state(b, args, &world, &state) < 0) return NULL;
  if (hf_batch_get_state(b->batch, world, state, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _set_state(world, State): copies a State to a world.
static PyObject* batch_set_state(PyObject* self, PyObject* args) {
  BatchObject* b = (BatchObject*)self;
  int world;
  hfState* state;
  hfError error;

  if (parse_world_and_state(b, args, &world, &state) < 0) return NULL;
  if (hf_batch_set_state(b->batch, world, state, &error) < 0) return raise_error(&error);
  Py_RETURN_NONE;
}

// _reports(): the bytes of the report of each world.
static PyObject* batch_reports(PyObject* self, PyObject* none) {
  (void)none;
  const BatchObject* b = (BatchObject*)self;
  if (check_idle(b) < 0) return NULL;

  const char* reports = (const char*)hf_batch_reports(b->batch);
  return PyByteArray_FromStringAndSize(reports, (Py_ssize_t)sizeof(hfWorldReport) * hf_batch_size(b->batch));
}

// _contacts(world): the bytes of the contacts of a world.
static PyObject* batch_contacts(PyObject* self, PyObject* args) {
  const BatchObject* b = (BatchObject*)self;
  int world;
  if (!PyArg_ParseTuple(args, "i", &world) || check_idle(b) < 0) return NULL;
  if (world < 0 || world >= hf_batch_size(b->batch)) return PyErr_Format(PyExc_IndexError, "no world %d", world);

  const char* contacts = (const char*)hf_batch_contacts(b->batch, world);
  int n = hf_batch_reports(b->batch)[world].kept;
  return PyByteArray_FromStringAndSize(contacts, (Py_ssize_t)sizeof(hfContact) * n);
}

// _info(): a dict of the batch's sizes and step [s].
static PyObject* batch_info(PyObject* self, PyObject* none) {
  (void)none;
  const hfBatch* b = ((BatchObject*)self)->batch;
  return Py_BuildValue("{s:i,s:i,s:d,s:i,s:n}",
                       "worlds", hf_batch_size(b),
                       "threads", hf_batch_threads(b),
                       "step_size", hf_batch_step_size(b),
                       "max_memory", hf_batch_max_memory(b),
                       "bytes_per_world", (Py_ssize_t)hf_batch_bytes_per_world(b));
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

// world_report_dtype(): the members of hfWorldReport.
static PyObject* report_dtype(PyObject* self, PyObject* none) {
  (void)self;
  (void)none;
  return describe_struct(sizeof(hfWorldReport), MEMBERS(report_members));
}

static PyMethodDef functions[] = {{"world_report_dtype", report_dtype, METH_NOARGS, NULL}, {0}};

// Adds the type Batch and the functions of this file to the module.
int add_batch(PyObject* module) {
  return add_type(module, &batch_spec) && PyModule_AddFunctions(module, functions) == 0 ? 0 : -1;
}
