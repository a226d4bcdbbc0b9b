// See server.h. Who may connect: programs of this machine that know the token, and of browsers only pages
// that this server sent (Origin). A connection that says something wrong is closed; the others go on.
//
// A client gets the newest frame when its socket takes one, and none while it does not: libwebsockets asks
// for the next message only when the last one is gone.
#include "server.h"

#include "io/live/command.h"
#include "io/record/chunk.h"
#include "io/record/page.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TOKEN_LENGTH = 32 };    // Characters of the secret in the address.
enum { MAX_CLIENTS = 16 };     // The most pages that are open at once.
enum { PAGE_PIECE = 16384 };   // Bytes of the page that are sent at once.
enum { HTTP_PORT = 80 };

// A page that is open, and what it has been sent.
typedef struct client {
  struct lws* wsi; // its connection
  unsigned generation; // number of the scene or recording that it has
  unsigned long sequence; // number of the frame that it has
  unsigned told; // value of server.changes when it was last told who controls
  packet* sending; // the packet that is on its way
} client;

// A request for the page.
typedef struct request {
  size_t sent; // number of bytes sent so far
} request;

typedef struct server {
  const serverOptions* options;
  struct lws_context* context;
  liveWorld* world;
  char token[TOKEN_LENGTH + 1];
  client* clients[MAX_CLIENTS];
  int count; // number of clients
  int controller; // index of the client that controls; -1: none
  unsigned changes; // how often the controlling client has changed
  pthread_t waiter; // thread that waits for a signal that ends the server
  atomic_int stop; // 1: the server is to end
} server;

static server* server_of(struct lws* wsi) { return lws_context_user(lws_get_context(wsi)); }

// ---- who may connect -------------------------------------------------------------------------------

// Has the address of a request the secret? All characters are compared, so that the time does not tell how many are
// right.
static int knows_token(const server* s, struct lws* wsi) {
  char buffer[TOKEN_LENGTH + 8] = "";
  const char* given = lws_get_urlarg_by_name(wsi, "token=", buffer, sizeof buffer);
  if (!given || strlen(given) != TOKEN_LENGTH) return 0;

  unsigned difference = 0;
  for (int i = 0; i < TOKEN_LENGTH; ++i) difference |= (unsigned char)given[i] ^ (unsigned char)s->token[i];
  return difference == 0;
}

// Whether a header names this server. Browsers leave out the port 80, which is that of http.
static int is_own(const server* s, struct lws* wsi, enum lws_token_indexes header, const char* scheme) {
  static const char* const names[] = {"127.0.0.1", "localhost"};
  char given[256];
  char allowed[64];
  if (lws_hdr_copy(wsi, given, sizeof given, header) <= 0) return 0;

  for (int i = 0; i < 2; ++i) {
    snprintf(allowed, sizeof allowed, "%s%s:%d", scheme, names[i], s->options->port);
    if (strcmp(given, allowed) == 0) return 1;

    snprintf(allowed, sizeof allowed, "%s%s", scheme, names[i]);
    if (s->options->port == HTTP_PORT && strcmp(given, allowed) == 0) return 1;
  }
  return 0;
}

// Host guards against names that were pointed at this machine; Origin, where there is one, against other pages.
static int may_connect(const server* s, struct lws* wsi) {
  int origin = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0 ||
               is_own(s, wsi, WSI_TOKEN_ORIGIN, "http://");

  return origin && is_own(s, wsi, WSI_TOKEN_HOST, "") && knows_token(s, wsi);
}

// ---- the page --------------------------------------------------------------------------------------

static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; media-src blob:; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

// Writes a header at *end and moves *end behind it; limit: the end of the memory. Returns 0 on success.
static int add_header(struct lws* wsi, const char* name, const char* value, unsigned char** end,
                      unsigned char* limit) {
  return lws_add_http_header_by_name(wsi, (const unsigned char*)name, (const unsigned char*)value,
                                     (int)strlen(value), end, limit);
}

// Sends the headers of the page, whose pieces follow. Returns 0, or -1, which closes the connection.
static int send_page_head(struct lws* wsi, size_t page_size) {
  unsigned char buffer[LWS_PRE + 2048];
  unsigned char* head = buffer + LWS_PRE;
  unsigned char* end = head;
  unsigned char* limit = buffer + sizeof buffer - 1;

  if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", page_size, &end, limit)) return -1;
  if (add_header(wsi, "content-security-policy:", policy, &end, limit)) return -1;
  if (add_header(wsi, "cache-control:", "no-store", &end, limit)) return -1;
  if (add_header(wsi, "referrer-policy:", "no-referrer", &end, limit)) return -1;
  if (add_header(wsi, "x-content-type-options:", "nosniff", &end, limit)) return -1;
  if (lws_finalize_write_http_header(wsi, head, &end, limit)) return -1;

  lws_callback_on_writable(wsi);
  return 0;
}

// Answers a request with an HTTP status alone. Returns 0, or -1, which closes the connection.
static int answer_status(struct lws* wsi, unsigned status) {
  if (lws_return_http_status(wsi, status, NULL)) return -1;
  return lws_http_transaction_completed(wsi);
}

// Answers a request: begins to send the page to who may have it. Returns 0, or -1, which closes the connection.
static int answer_request(struct lws* wsi, request* r, const char* path) {
  if (strcmp(path, "/") != 0) return answer_status(wsi, HTTP_STATUS_NOT_FOUND);
  if (!may_connect(server_of(wsi), wsi)) return answer_status(wsi, HTTP_STATUS_FORBIDDEN);

  size_t size;
  hfi_page(&size);
  r->sent = 0;
  return send_page_head(wsi, size);
}

// Sends the next piece of the page. Returns 0, or -1, which closes the connection.
static int send_page_piece(struct lws* wsi, request* r) {
  unsigned char buffer[LWS_PRE + PAGE_PIECE];
  size_t size;
  const char* page = hfi_page(&size);
  size_t left = size - r->sent;
  size_t n = left < PAGE_PIECE ? left : PAGE_PIECE;
  int is_last = n == left;

  memcpy(buffer + LWS_PRE, page + r->sent, n);
  if (lws_write(wsi, buffer + LWS_PRE, n, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) return -1;
  r->sent += n;

  if (is_last) return lws_http_transaction_completed(wsi) ? -1 : 0;
  lws_callback_on_writable(wsi);
  return 0;
}

// The protocol of requests for the page. libwebsockets also takes it for an upgrade to HTTP/2 and for a WebSocket that
// names no protocol, or the protocol "http": these are refused, whoever asks.
static int serve_page(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
  switch (reason) {
  case LWS_CALLBACK_HTTP:
    return answer_request(wsi, user, in);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return send_page_piece(wsi, user);

  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return -1;
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
    // "websocket" goes on to the filter of the protocol that it names
    return in && strcmp(in, "websocket") == 0 ? 0 : -1;

  default:
    return lws_callback_http_dummy(wsi, reason, user, in, length);
  }
}

// ---- clients ---------------------------------------------------------------------------------------

// Has every client get the next message that is for it.
static void wake_clients(server* s) {
  for (int i = 0; i < s->count; ++i) lws_callback_on_writable(s->clients[i]->wsi);
}

// Gives control to the client of an index, -1: to none, and has all clients told.
static void give_control(server* s, int to) {
  s->controller = s->options->read_only ? -1 : to;
  ++s->changes;
  wake_clients(s);
}

// Adds a client. The first one gets control. Returns 0, or -1 if there are too many.
static int admit_client(server* s, struct lws* wsi, client* c) {
  if (s->count == MAX_CLIENTS) return -1;

  *c = (client){.wsi = wsi};
  s->clients[s->count++] = c;

  world_watched(s->world);
  give_control(s, s->controller < 0 ? s->count - 1 : s->controller);
  return 0;
}

// The index of a client; -1: it is not one of the server's.
static int index_of(const server* s, const client* c) {
  for (int i = 0; i < s->count; ++i)
    if (s->clients[i] == c) return i;
  return -1;
}

// Removes a client. If it had control, what it drags is let go, and the first of the others gets control.
static void dismiss_client(server* s, client* c) {
  int i = index_of(s, c);
  if (i < 0) return;

  packet_release(c->sending);
  hfiCommand drop = {.kind = HFI_COMMAND_DROP};
  if (i == s->controller) world_command(s->world, &drop);

  --s->count;
  for (int k = i; k < s->count; ++k) s->clients[k] = s->clients[k + 1];

  int controller = s->controller;
  if (i < controller) --controller;
  if (i == s->controller) controller = s->count > 0 ? 0 : -1;
  give_control(s, controller);
}

// Obeys a message of a client, which is one whole command. Returns 0, or -1, which ends the connection: anything else.
static int take_message(server* s, client* c, struct lws* wsi, const void* bytes, size_t size) {
  int is_whole = lws_is_first_fragment(wsi) && lws_is_final_fragment(wsi);
  if (!is_whole || !lws_frame_is_binary(wsi) || size > HFI_COMMAND_BYTES) return -1;

  hfiCommand command;
  hfError error;
  if (hfi_command_read(&command, bytes, size, &error) != HF_OK) return -1;

  if (command.kind == HFI_COMMAND_TAKE) {
    give_control(s, index_of(s, c));
    return 0;
  }
  if (index_of(s, c) != s->controller) return 0; // those who watch are not heard
  return world_command(s->world, &command) ? 0 : -1;
}

// Tells a client whether it has control, and how many clients there are. Returns 0, or -1, which ends the connection.
static int tell_control(server* s, client* c) {
  const char* has_control = index_of(s, c) == s->controller ? "true" : "false";
  const char* read_only = s->options->read_only ? "true" : "false";
  hfiBytes text = {0};
  size_t chunk = hfi_chunk_begin(&text, HFI_CHUNK_CLIENT);
  hfi_bytes_print(&text, "{\"control\":%s,\"readonly\":%s,\"clients\":%d}", has_control, read_only, s->count);
  hfi_chunk_end(&text, chunk);

  packet* p = text.failed ? NULL : packet_make(text.data, text.size);
  hfi_bytes_release(&text);
  if (!p) return -1;

  int sent = lws_write(c->wsi, packet_data(p), packet_size(p), LWS_WRITE_BINARY);
  packet_release(p);
  c->told = s->changes;
  return sent < 0 ? -1 : 0;
}

// Sends the next message for a client: the scene, then who controls, then the newest frame; nothing if it has all.
// Returns 0, or -1, which ends the connection.
static int send_next(server* s, client* c) {
  // world_hello and world_frame give NULL if c has the newest scene or frame; else they set the number that c has
  packet* p = world_hello(s->world, &c->generation);
  int is_hello = p != NULL; // the client has not got the present scene
  if (!is_hello && c->told != s->changes) {
    int status = tell_control(s, c);
    lws_callback_on_writable(c->wsi); // there may be a frame, too
    return status;
  }

  if (is_hello)
    c->sequence = 0; // it has no frame of this scene
  else
    p = world_frame(s->world, &c->sequence);
  if (!p) return 0;

  packet_release(c->sending);
  c->sending = p; // libwebsockets may still read it
  if (lws_write(c->wsi, packet_data(p), packet_size(p), LWS_WRITE_BINARY) < 0) return -1;

  // after a scene comes a frame
  if (c->sequence == 0) lws_callback_on_writable(c->wsi);
  return 0;
}

// Answers an event of the WebSocket of a page, as libwebsockets asks; user: its client.
// Returns 0, or what is not 0 to end the connection.
static int serve_client(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length) {
  server* s = server_of(wsi);

  switch (reason) {
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0 && may_connect(s, wsi) ? 0 : -1;
  case LWS_CALLBACK_ESTABLISHED:
    return admit_client(s, wsi, user);
  case LWS_CALLBACK_RECEIVE:
    return take_message(s, user, wsi, in, length);
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return send_next(s, user);
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    wake_clients(s);
    return 0;
  case LWS_CALLBACK_CLOSED:
    dismiss_client(s, user);
    return 0;
  default:
    return 0;
  }
}

// ---- the server ------------------------------------------------------------------------------------

// Wakes the server, on its own thread, when the world has published something. context: the server.
static void published(void* context) {
  server* s = context;
  if (s->context) lws_cancel_service(s->context);
}

// Makes a random secret. Returns 0 if the system gives no random numbers.
static int make_token(char* token) {
  unsigned char random[TOKEN_LENGTH / 2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return 0;

  for (int i = 0; i < TOKEN_LENGTH / 2; ++i) snprintf(token + 2 * i, 3, "%02x", random[i]);
  return 1;
}

// How many descriptors the server may use: half of those of the process, so that recordings and reports can still be
// opened.
static unsigned descriptor_limit(void) {
  enum { MOST_DESCRIPTORS = 256 };

  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur / 2 > MOST_DESCRIPTORS) return MOST_DESCRIPTORS;
  return (unsigned)(limit.rlim_cur / 2);
}

// Opens the server of libwebsockets on 127.0.0.1. NULL: the port is not free, or no memory.
static struct lws_context* open_context(server* s) {
  static const struct lws_protocols protocols[] = {
      {"http", serve_page, sizeof(request), 0, 0, NULL, 0},
      {"holdfast", serve_client, sizeof(client), 1024, 0, NULL, 0},
      {0}};

  struct lws_context_creation_info info = {.port = s->options->port,
                                           .iface = "127.0.0.1",
                                           .protocols = protocols,
                                           .user = s,
                                           .options = LWS_SERVER_OPTION_DISABLE_IPV6 |
                                                      LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
                                           .keepalive_timeout = 10,
                                           .fd_limit_per_thread = descriptor_limit(),
                                           .pt_serv_buf_size = PAGE_PIECE + 2048};

  lws_set_log_level(0, NULL);
  return lws_create_context(&info);
}

// Prints the address to open.
static void say_address(const server* s) {
  int port = s->options->port;
  printf("Open http://127.0.0.1:%d/?token=%s\n", port, s->token);
  printf("From another machine: ssh -L %d:127.0.0.1:%d HOST, then the same address. Ctrl-C ends it.\n", port, port);
  fflush(stdout);
}

// ---- the end ---------------------------------------------------------------------------------------

// SIGINT and SIGTERM. A thread of its own waits for them: a handler could run on the world's thread,
// and then nothing would wake a server whose world stands still.
static sigset_t ending_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// The thread that waits for a signal, and then has the server end. argument: the server.
static void* wait_for_end(void* argument) {
  server* s = argument;
  sigset_t set = ending_signals();
  int number;

  while (sigwait(&set, &number) != 0) {}

  atomic_store(&s->stop, 1);
  lws_cancel_service(s->context);
  return NULL;
}

// Ends everything. Files that were saved are whole at every moment.
// So a world that is still busy can be left to the system.
static void end_server(server* s, struct lws_context* context) {
  if (!world_stop(s->world)) {
    fflush(stdout);
    _exit(CLI_GOOD);
  }

  if (!atomic_load(&s->stop)) pthread_cancel(s->waiter);
  pthread_join(s->waiter, NULL);
  s->context = NULL;
  lws_context_destroy(context);
}

// Serves the page until a signal comes or the server fails. Returns the exit status.
int serve(const serverOptions* options) {
  server s = {.options = options, .controller = -1};
  size_t page;
  hfi_page(&page);
  if (page == 0) {
    say_error("this build has no page to show: it was built without npm");
    return CLI_FAILED;
  }

  if (!make_token(s.token)) {
    say_error("the system gives no random numbers");
    return CLI_FAILED;
  }

  worldOptions of_world = options->world;
  of_world.published = published;
  of_world.context = &s;
  int status = world_start(&s.world, &of_world);
  if (status != CLI_GOOD) return status;

  struct lws_context* context = open_context(&s);
  if (!context) {
    say_error("cannot listen on 127.0.0.1:%d; is another view running? Try --port", options->port);
    world_stop(s.world);
    return CLI_FAILED;
  }
  s.context = context;

  // until here the signals end the program at once
  sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (pthread_create(&s.waiter, NULL, wait_for_end, &s) != 0) {
    say_error("cannot start a thread");
    _exit(CLI_FAILED);
  }

  say_address(&s);
  while (!atomic_load(&s.stop) && lws_service(context, 0) >= 0) {}
  end_server(&s, context);

  return CLI_GOOD;
}
