#include "peer_mujoco.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Path of the shared library inside the Python package.
static int ask_python(char* path, int size) {
  FILE* pipe = popen("\"${HF_PEERS_PYTHON-python3}\" -c 'import glob, importlib.util as u, os; s = u.find_spec(\"mujoco\"); "
                     "print(glob.glob(os.path.join(os.path.dirname(s.origin), \"libmujoco.so*\"))[0])' 2>/dev/null",
                     "r");
  if (!pipe) return -1;
  char* line = fgets(path, size, pipe);
  pclose(pipe);
  if (!line) return -1;
  path[strcspn(path, "\n")] = '\0';
  return 0;
}

// MuJoCo calls this in the place of printing a warning and adding it to MUJOCO_LOG.TXT in the present folder. It says that a scene became unstable
// once for each run of the scene, which is dozens of times where runs are timed.
static void drop_warning(const char* message) { (void)message; }

static void silence_warnings(void* library) {
  void (**hook)(const char*) = dlsym(library, "mju_user_warning"); // MuJoCo's variable, which is NULL at first
  if (hook) *hook = drop_warning;
}

int peer_mujoco_open(PeerMujoco* peer) {
  char path[1024];
  const char* named = getenv("HF_MUJOCO_LIB");
  memset(peer, 0, sizeof *peer);
  if (named) snprintf(path, sizeof path, "%s", named);
  else if (ask_python(path, sizeof path) != 0) return -1;
  // its globals hold memory to the end of the process: unloaded, it would count as leaked
  peer->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!peer->library) return -1;
  silence_warnings(peer->library);
  // POSIX lets a data pointer of dlsym hold a function; ISO C has no cast for it
#define X(result, name, arguments) *(void**)&peer->name = dlsym(peer->library, #name);
  PEER_MUJOCO_FUNCTIONS(X)
#undef X
#define X(result, name, arguments) && peer->name
  if (1 PEER_MUJOCO_FUNCTIONS(X)) return 0;
#undef X
  peer_mujoco_close(peer);
  return -1;
}

// A copy of the file with the attributes, beside it, so that files it includes are found.
static int write_variant(const char* path, const char* options, char* copy, size_t size) {
  char text[1 << 16];
  FILE* in = fopen(path, "r");
  size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in) fclose(in);
  text[n] = 0;
  char* option = strstr(text, "<option ");
  if (!option) return -1;
  snprintf(copy, size, "%s.XXXXXX.xml", path);
  int fd = mkstemps(copy, 4);
  FILE* out = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!out) return -1;
  fprintf(out, "%.*s<option %s %s", (int)(option - text), text, options, option + 8);
  return fclose(out);
}

mjModel* peer_mujoco_load(const PeerMujoco* peer, const char* path, const char* options) {
  char copy[1024], message[512];
  if (!*options) return peer->mj_loadXML(path, NULL, message, sizeof message);
  if (write_variant(path, options, copy, sizeof copy) != 0) return NULL;
  mjModel* model = peer->mj_loadXML(copy, NULL, message, sizeof message);
  unlink(copy);
  return model;
}

void peer_mujoco_close(PeerMujoco* peer) {
  if (peer->library) dlclose(peer->library);
  peer->library = NULL;
}
