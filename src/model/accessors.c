// The accessors of models and states as functions of the library. Its other files compile them inline.
#undef HF_INLINE_ACCESSORS
#include <holdfast/model.h>
#include <holdfast/state.h>

#define X(type, name, rows, columns, overlay)                                                      \
  const type* hf_model_##name(const hfModel* m) {                                                  \
    return (const type*)((uintptr_t)m + (uintptr_t)m->offset[HF_FIELD_##name]);                    \
  }
HF_MODEL_FIELDS(X)
#undef X

#define X(type, name)                                                                              \
  const type* hf_state_##name(const hfState* s) {                                                  \
    return (const type*)((uintptr_t)s + (uintptr_t)s->off_##name);                                 \
  }                                                                                                \
  type* hf_state_mutable_##name(hfState* s) {                                                      \
    return (type*)((uintptr_t)s + (uintptr_t)s->off_##name);                                       \
  }
HF_STATE_FIELDS(X)
#undef X
