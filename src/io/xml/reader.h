// What all readers of model files share: memory, the builder, and the first refusal.
//
// After a refusal every function below does nothing and returns "absent". So a reader needs to check reader->status
// only once in a loop and not after every attribute. The first refusal is kept, later ones are ignored.
#ifndef HFI_IMPORT_READER_H
#define HFI_IMPORT_READER_H

#include <holdfast/builder.h>
#include <holdfast/import.h>

#include "io/xml/store.h"
#include "io/xml/xml.h"

// A model of another format that is attached to the one that is read. Its builder lives until the reader is released.
typedef struct hfiGuest {
  hfBuilder* builder;
  struct hfiGuest* next;
} hfiGuest;

// A world in which muscles are pulled (robot/control/muscle_length.h).
struct hfiPuller;

// The folders below one in which packages are looked for (package.c).
typedef struct hfiPackageIndex hfiPackageIndex;

typedef struct hfiReader {
  hfiStore store;
  hfImportConfig config;
  hfBuilder* builder;
  hfDiagnostics* diagnostics; // may be NULL
  hfError* error;             // may be NULL
  hfStatus status;            // HF_OK until the first refusal
  hfError scratch;            // message of a called function; hfi_keep adds the place to it
  const char* folder;         // folder of the main file; "": the working directory
  hfiGuest* guests;
  // Reads a document that is no MJCF into a builder of its own, which the reader frees; relative files resolve from
  // `folder`. `srdf` is the file beside a URDF, or NULL. NULL after a refusal. It is a pointer because the reader of
  // MJCF, which calls it, must not depend on the other readers.
  hfBuilder* (*read_guest)(struct hfiReader* reader, hfiElem* root, const char* folder, const char* srdf);
  // 1: meshes and height fields are not read, and their geoms become balls: only the keyframes of the model are needed.
  int skeleton;
  struct hfiPuller* puller;  // NULL: no muscle has needed it
  hfiPackageIndex* packages; // one for each folder of the search path and of ROS_PACKAGE_PATH that was needed
  int unfolded;              // how many elements of the tree were read so far, with replicas and attached models
} hfiReader;

// Memory from the store, filled with zeros. NULL and a refusal when there is no memory.
void* hfi_take(hfiReader* reader, size_t count, size_t width);
#define HFI_NEW(reader, type, count) ((type*)hfi_take((reader), (size_t)(count), sizeof(type)))
// A formatted string in the store; "" after a refusal.
const char* hfi_format(hfiReader* reader, const char* format, ...) HF_PRINTF(2, 3);

// Refuses with "file:line: <element name="x">: message". elem may be NULL. Returns the status.
hfStatus hfi_fail(hfiReader* reader, const hfiElem* elem, hfStatus status, const char* format, ...)
    HF_PRINTF(4, 5);
// Passes on the result of a function that wrote to reader->scratch: an id >= 0, or a refusal. The place of the element
// is added to the message of a refusal.
int hfi_keep(hfiReader* reader, const hfiElem* elem, int id_or_status);
// "file:line" of an element, in the store.
const char* hfi_where(hfiReader* reader, const hfiElem* elem);

// Adds a note or warning about an accepted file. Equal messages are counted, not repeated.
void hfi_note(hfiReader* reader, const hfiElem* elem, hfSeverity severity, const char* format, ...)
    HF_PRINTF(4, 5);
// Like hfi_note, for things that occur many times in a file: all notes with one subject become one message, which ends
// with the text of the first.
void hfi_note_first(hfiReader* reader, const hfiElem* elem, hfSeverity severity, const char* subject,
                    const char* first);
// `first` may be empty.
void hfi_diagnostics_add(hfDiagnostics* diagnostics, hfSeverity severity, const char* file, int line,
                         const char* subject, const char* first);

// Reports principal moments that no material body can have, negative ones or A + B < C, and replaces all three by their
// mean. I: xx yy zz xy xz yz.
void hfi_repair_inertia(hfiReader* reader, const hfiElem* link, const char* name, double I[6]);

// ---- attributes ---------------------------------------------------------------------------------

typedef struct hfiKeyword {
  const char* word;
  int value;
} hfiKeyword; // tables end with {NULL, 0}

// The value of an attribute, or NULL. Marks the attribute as used.
const char* hfi_attr(const hfiElem* elem, const char* name);
// Like hfi_attr, but refuses if the attribute is missing or empty, and then returns "".
const char* hfi_require(hfiReader* reader, const hfiElem* elem, const char* name);
// Numbers separated by blanks. Returns how many were read (0: absent or empty, x untouched). Refuses fewer
// than `least`, more than `most`, and anything that is not a finite number.
int hfi_read_reals(hfiReader* reader, const hfiElem* elem, const char* name, int least, int most,
                   double* x);
// Reads the two ends of a range. "-inf" and "inf" become -HFI_NO_END and HFI_NO_END: the range has no end there.
#define HFI_NO_END 1e10
int hfi_read_range(hfiReader* reader, const hfiElem* elem, const char* name, double range[2]);
// Replaces a negative coefficient by 0, with a warning: a damper or friction with a negative coefficient would drive.
void hfi_drop_negative(hfiReader* reader, const hfiElem* elem, const char* name, double* x);
int hfi_read_ints(hfiReader* reader, const hfiElem* elem, const char* name, int least, int most,
                  int* x);
// Reads all numbers of an attribute into the store. NULL when the attribute is absent.
double* hfi_read_list(hfiReader* reader, const hfiElem* elem, const char* name, int* count);
// Reads a number of an attribute, or of the text of an element, that may be "inf" or "-inf": HFI_UNLIMITED or its
// negative.
int hfi_read_bound(hfiReader* reader, const hfiElem* elem, const char* name, double* x);
int hfi_text_bound(hfiReader* reader, const hfiElem* elem, double* x);
// A limit of URDF or SDFormat from this number on means that there is none [rad, m, N m, N, rad/s, m/s].
#define HFI_UNLIMITED 1e15
// Turns the ends of a range that mean no limit into -HFI_NO_END and HFI_NO_END. Returns whether the range limits
// anything.
int hfi_is_range(double range[2]);
// Like hfi_read_reals, for the text of an element.
int hfi_text_reals(hfiReader* reader, const hfiElem* elem, int least, int most, double* x);
// Like hfi_read_list, for any text, for example that of a table. A refusal calls the text `what`.
double* hfi_parse_list(hfiReader* reader, const hfiElem* elem, const char* what, const char* text,
                       int* count);
int hfi_read_bool(hfiReader* reader, const hfiElem* elem, const char* name, int* x);
int hfi_read_keyword(hfiReader* reader, const hfiElem* elem, const char* name,
                     const hfiKeyword* table, int* x);

static inline int hfi_read_real(hfiReader* r, const hfiElem* e, const char* name, double* x) {
  return hfi_read_reals(r, e, name, 1, 1, x);
}
static inline int hfi_read_int(hfiReader* r, const hfiElem* e, const char* name, int* x) {
  return hfi_read_ints(r, e, name, 1, 1, x);
}

// ---- files --------------------------------------------------------------------------------------

// "folder/file", or file itself when it is absolute or the folder is "".
const char* hfi_join(hfiReader* reader, const char* folder, const char* file);
const char* hfi_folder_of(hfiReader* reader, const char* path); // "" without a slash
const char* hfi_base_name(const char* path);                    // the part after the last slash
const char* hfi_extension(const char* path); // behind the last dot of the base name, or ""
int hfi_file_exists(const char* path);
int hfi_folder_exists(const char* path);
// Looks for a file of the model in `folder`, then in each search folder. Returns the first path that exists, or else
// the path in `folder`.
const char* hfi_resolve(hfiReader* reader, const char* folder, const char* file);
// The path of package://NAME/REST or file://PATH. A package is a folder that is called NAME or has a package.xml with
// this name, and that contains REST. It is looked for in this order: the search folders and the folders in them; those
// up to four folders below; the folders above the main file, nearest first, and the folders in them; below the folders
// of ROS_PACKAGE_PATH, and in those of AMENT_PREFIX_PATH and of Gazebo. Without such a folder: the path that REST would
// have in the first one with this name, or the URI.
const char* hfi_resolve_uri(hfiReader* reader, const char* uri);

// Reads a whole file and adds a zero byte, which *size does not count. The caller frees it. Refuses files larger than
// `limit` bytes.
char* hfi_slurp(const char* path, size_t limit, size_t* size, hfError* error);

#endif
