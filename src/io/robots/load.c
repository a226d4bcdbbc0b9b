// hf_model_load, hf_model_parse, hf_builder_load, hf_builder_parse: the root element decides which format a file is.
//
// r: the reader, c: the options of the import.
#include <holdfast/import.h>

#include "base/error.h"
#include "base/locale.h"
#include "io/mjcf/mjcf.h"
#include "robot/control/muscle_length.h"
#include "io/xml/reader.h"
#include "io/robots/sdf.h"
#include "io/robots/urdf_model.h"
#include "model/block.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

hfImportConfig hf_import_config_default(void) {
  hfImportConfig config = {0};
  return config;
}

// Reads a document of any format, which its root element tells.
static void read_document(hfiReader* r, hfiElem* root) {
  if (hfi_is(root, "mujoco"))
    hfi_mjcf_read(r, root);
  else if (hfi_is(root, "robot"))
    hfi_urdf_read(r, root);
  else if (hfi_is(root, "sdf"))
    hfi_sdf_read(r, root);
  else if (hfi_is(root, "mujocoinclude"))
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED, "this file is to be included by an MJCF model, it is none by itself");
  else
    hfi_fail(r, root, HF_ERROR_UNSUPPORTED, "neither MJCF (<mujoco>) nor URDF (<robot>) nor SDFormat (<sdf>)");
}

// Reads a document of another format into a builder of its own, for the reader of MJCF: see hfiReader.read_guest.
static hfBuilder* read_guest(hfiReader* r, hfiElem* root, const char* folder, const char* srdf) {
  hfiGuest* guest = HFI_NEW(r, hfiGuest, 1);
  if (!guest) return NULL;
  guest->builder = hf_builder_create();
  if (!guest->builder) hfi_fail(r, root, HF_ERROR_MEMORY, "out of memory");
  guest->next = r->guests;
  r->guests = guest;

  // the guest has its own builder, folder and options while it is read
  hfBuilder* outer = r->builder;
  const char* outer_folder = r->folder;
  hfImportConfig outer_config = r->config;
  r->builder = guest->builder;
  r->folder = folder;
  r->config.floating_base = 0; // The document that attaches a model says what carries it.
  r->config.fixed_base = 1;
  r->config.srdf = srdf; // The one of the options is for the document that the user named.

  if (!r->status) read_document(r, root);

  r->builder = outer;
  r->folder = outer_folder;
  r->config = outer_config;
  return r->status ? NULL : guest->builder;
}

// The source of a model: a text, or the file `name` if text is NULL.
typedef struct Source {
  const char *text, *name, *folder;
  size_t length;
} Source;

// ---- options that cannot act ---------------------------------------------------------------------

typedef enum ModelFormat { FORMAT_SAVED, FORMAT_MJCF = 1, FORMAT_URDF = 2, FORMAT_SDF = 4 } ModelFormat;

static ModelFormat format_of(const hfiElem* root) {
  if (hfi_is(root, "robot")) return FORMAT_URDF;
  return hfi_is(root, "sdf") ? FORMAT_SDF : FORMAT_MJCF;
}

// Warns of options that ask for something which files of this format do not have. Models of other formats may be
// attached to MJCF.
static void note_idle_options(hfDiagnostics* diagnostics, const hfImportConfig* c, const char* file, int line,
                              ModelFormat format, int has_guests) {
  const struct {
    const char* name;
    int given;     // 1: the user gave this option
    int formats;   // formats of files in which it acts
    int of_guests; // 1: it also acts in attached models of these formats
  } options[] = {{"merge_fixed_links (--merge-fixed)", c->merge_fixed_links, FORMAT_URDF, 1},
                 {"floating_base (--floating)", c->floating_base, FORMAT_URDF, 0},
                 {"fixed_base (--fixed)", c->fixed_base, FORMAT_SDF, 0},
                 {"urdf_actuators (--actuators)", c->urdf_actuators != HF_URDF_FROM_FILE, FORMAT_URDF | FORMAT_SDF, 1},
                 {"servo_kp (--kp)", c->servo_kp > 0, FORMAT_URDF | FORMAT_SDF, 1},
                 {"servo_kv (--kv)", c->servo_kv > 0, FORMAT_URDF | FORMAT_SDF, 1},
                 {"srdf (--srdf)", c->srdf != NULL, FORMAT_URDF, 0}};

  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    int acts = (options[i].formats & format) || (options[i].of_guests && has_guests);
    if (!options[i].given || acts) continue;

    const char* formats = "URDF and SDFormat";
    if (options[i].formats == FORMAT_URDF) formats = "URDF";
    if (options[i].formats == FORMAT_SDF) formats = "SDFormat";
    char message[HF_MESSAGE_SIZE];
    snprintf(message, sizeof message, "option %s cannot act: it is for %s%s", options[i].name, formats,
             format == FORMAT_SAVED ? ", and this is a saved model" : "");
    hfi_diagnostics_add(diagnostics, HF_WARNING, file, line, message, "");
  }
}

// Warns of folders of the search path that do not exist.
static void note_missing_folders(hfiReader* r, const hfiElem* root) {
  for (int i = 0; i < r->config.search_count; ++i)
    if (!hfi_folder_exists(r->config.search_path[i]))
      hfi_note(r, root, HF_WARNING, "search_path (--search): there is no folder \"%s\"", r->config.search_path[i]);
}

// ---- reading -------------------------------------------------------------------------------------

// Reads a source into a new builder, r->builder, which the caller frees in any case.
static void import(hfiReader* r, const Source* source) {
  r->builder = hf_builder_create();
  if (!r->builder) hfi_fail(r, NULL, HF_ERROR_MEMORY, "out of memory");
  r->folder = source->folder ? source->folder : hfi_folder_of(r, source->name);

  hfiElem* root = NULL;
  if (source->text)
    root = hfi_xml_parse(r, source->name, source->text, source->length);
  else
    root = hfi_xml_load(r, source->name, NULL);

  if (root) note_missing_folders(r, root);
  if (root) read_document(r, root);
  if (root && !r->status)
    note_idle_options(r->diagnostics, &r->config, root->file, root->line, format_of(root), r->guests != NULL);

  for (hfiGuest* i = r->guests; i; i = i->next) hf_builder_free(i->builder);
  hfi_puller_free(r->puller);
}

// Makes a model, or its builder if `model` is NULL. Numbers are read in the C locale, whatever locale the user has.
static hfStatus import_in_c_locale(const Source* source, const hfImportConfig* config, hfDiagnostics* diagnostics,
                                   hfModel** model, hfBuilder** builder, hfError* error) {
  hfStatus status = hf_check_processor(error);
  if (status != HF_OK) return status;
  hfiReader r = {.config = config ? *config : hf_import_config_default(),
                 .diagnostics = diagnostics,
                 .error = error,
                 .read_guest = read_guest};

  locale_t outer = hfi_enter_c_locale();
  import(&r, source);
  if (!r.status && model) hfi_keep(&r, NULL, (int)hf_builder_finish(r.builder, model, &r.scratch));
  if (!r.status && model && diagnostics) hf_model_diagnose(*model, source->name, diagnostics);

  if (!r.status && builder)
    *builder = r.builder;
  else
    hf_builder_free(r.builder);
  hfi_store_release(&r.store);
  hfi_leave_c_locale(outer);
  return r.status;
}

// Whether the file is a model that hf_model_write wrote.
static int is_saved_model(const char* path) {
  char begin[8] = "";
  struct stat info;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return 0; // Opening a pipe would wait for a writer.

  FILE* file = fopen(path, "rb");
  if (!file) return 0;
  int is_saved = fread(begin, sizeof begin, 1, file) == 1 && hfi_begins_model(begin, sizeof begin);
  fclose(file);
  return is_saved;
}

// Warns of every option of the import that is given: they change how a file is read into definitions, and a saved model
// has none.
static void note_saved_model(const char* name, const hfImportConfig* config, hfDiagnostics* diagnostics) {
  if (config) note_idle_options(diagnostics, config, name, 0, FORMAT_SAVED, 0);
}

static hfStatus refuse_saved_model(const char* name, hfError* error) {
  return hfi_refuse(error, HF_ERROR_UNSUPPORTED,
                    "%s: a saved model has no definitions that a builder or an MJCF file could hold: "
                    "read the file that it was made from",
                    name);
}

// Reads a file of any format, or a saved model, into a new model.
hfStatus hf_model_load(hfModel** model, const char* path, const hfImportConfig* config,
                       hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  if (is_saved_model(path)) {
    note_saved_model(path, config, diagnostics);
    hfStatus status = hf_model_read(model, path, error);
    if (status == HF_OK && diagnostics) hf_model_diagnose(*model, path, diagnostics);
    return status;
  }
  Source source = {.name = path};
  return import_in_c_locale(&source, config, diagnostics, model, NULL, error);
}

// Like hf_model_load, from a text. name: of its file, for messages; folder: from which its files resolve.
hfStatus hf_model_parse(hfModel** model, const char* text, size_t length, const char* name,
                        const char* folder, const hfImportConfig* config,
                        hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  if (hfi_begins_model(text, length)) {
    note_saved_model(name, config, diagnostics);
    hfStatus status = hfi_model_from_block(model, text, length, name, error);
    if (status == HF_OK && diagnostics) hf_model_diagnose(*model, name, diagnostics);
    return status;
  }
  Source source = {.text = text, .length = length, .name = name, .folder = folder ? folder : ""};
  return import_in_c_locale(&source, config, diagnostics, model, NULL, error);
}

// Reads a file of any format into a new builder. Refuses a saved model.
hfStatus hf_builder_load(hfBuilder** builder, const char* path, const hfImportConfig* config,
                         hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  if (is_saved_model(path)) return refuse_saved_model(path, error);
  Source source = {.name = path};
  return import_in_c_locale(&source, config, diagnostics, NULL, builder, error);
}

// Like hf_builder_load, from a text.
hfStatus hf_builder_parse(hfBuilder** builder, const char* text, size_t length, const char* name, const char* folder,
                          const hfImportConfig* config, hfDiagnostics* diagnostics, hfError* error) {
  hfi_clear_error(error);
  if (hfi_begins_model(text, length)) return refuse_saved_model(name, error);
  Source source = {.text = text, .length = length, .name = name, .folder = folder ? folder : ""};
  return import_in_c_locale(&source, config, diagnostics, NULL, builder, error);
}
