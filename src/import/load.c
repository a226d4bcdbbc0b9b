// hf_model_load, hf_model_parse: the root element decides which format a file is.
#include <holdfast/import.h>

#include "base/error.h"
#include "base/locale.h"
#include "import/mjcf.h"
#include "import/reader.h"
#include "import/urdf.h"

#include <string.h>

hfImportConfig hf_import_config_default(void) {
  hfImportConfig config = {0};
  return config;
}

static void read_root(hfiReader* r, hfiElem* root) {
  if (hfi_is(root, "mujoco"))
    hfi_mjcf_read(r, root);
  else if (hfi_is(root, "robot"))
    hfi_urdf_read(r, root);
  else if (hfi_is(root, "sdf"))
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED,
             "SDF is not read; Holdfast reads MJCF (<mujoco>) and URDF (<robot>)");
  else if (hfi_is(root, "mujocoinclude"))
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED,
             "this file is to be included by an MJCF model, it is none by itself");
  else
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED, "neither MJCF (<mujoco>) nor URDF (<robot>)");
}

// Makes a model from a text, or from the file `path` when text is NULL.
static void import(hfiReader* r, const char* text, size_t length, const char* name,
                   hfModel** model) {
  r->builder = hf_builder_create();
  if (!r->builder) hfi_fail(r, NULL, HF_ERROR_MEMORY, "out of memory");
  hfiElem* root = text ? hfi_xml_parse(r, name, text, length) : hfi_xml_load(r, name, NULL);
  if (root) read_root(r, root);
  if (!r->status) hfi_keep(r, NULL, (int)hf_builder_finish(r->builder, model, &r->scratch));
  hf_builder_free(r->builder);
}

static hfStatus import_in_c_locale(hfModel** model, const char* text, size_t length,
                                   const char* name, const char* folder,
                                   const hfImportConfig* config, hfDiagnostics* diagnostics,
                                   hfError* error) {
  hfiReader r = {.config = config ? *config : hf_import_config_default(),
                 .diagnostics = diagnostics,
                 .error = error};
  locale_t outer = hfi_enter_c_locale();
  r.folder = folder ? folder : hfi_folder_of(&r, name);
  import(&r, text, length, name, model);
  hfi_store_release(&r.store);
  hfi_leave_c_locale(outer);
  return r.status;
}

hfStatus hf_model_load(hfModel** model, const char* path, const hfImportConfig* config,
                       hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;
  return import_in_c_locale(model, NULL, 0, path, NULL, config, diagnostics, error);
}

hfStatus hf_model_parse(hfModel** model, const char* text, size_t length, const char* name,
                        const char* folder, const hfImportConfig* config,
                        hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;
  return import_in_c_locale(model, text, length, name, folder ? folder : "", config, diagnostics,
                            error);
}
