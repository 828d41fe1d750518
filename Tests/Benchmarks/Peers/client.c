/* Peer: libcurl's multi interface on one thread, with a reused easy handle for each call in flight.
 *
 *     client poll|socket URL COUNT IN-FLIGHT BODY-LENGTH [CA-FILE]
 *
 * poll waits in curl_multi_poll; socket calls curl_multi_socket_action from its own epoll loop. */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>

struct body {
  char *bytes;
  size_t length, capacity;
};

static CURLM *multi;
static int queue;
static long timeout = -1;
static long begun, ended, warm_up, total, count, wanted;
static double start_cpu, start_clock;

static void fail(const char *what) {
  fprintf(stderr, "client: %s\n", what);
  exit(1);
}

static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static size_t received(char *bytes, size_t size, size_t length, void *context) {
  struct body *body = context;
  (void)size;
  if (body->length + length > body->capacity) {
    body->capacity = 2 * (body->length + length);
    body->bytes = realloc(body->bytes, body->capacity);
    if (!body->bytes) fail("no memory");
  }
  memcpy(body->bytes + body->length, bytes, length);
  body->length += length;
  return length;
}

static int socket_changed(CURL *easy, curl_socket_t descriptor, int what, void *context, void *known) {
  (void)easy;
  (void)context;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(queue, EPOLL_CTL_DEL, descriptor, NULL);
    curl_multi_assign(multi, descriptor, NULL);
    return 0;
  }
  struct epoll_event event = {.data.fd = descriptor};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  epoll_ctl(queue, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
  curl_multi_assign(multi, descriptor, multi);
  return 0;
}

static int timer_changed(CURLM *handle, long milliseconds, void *context) {
  (void)handle;
  (void)context;
  timeout = milliseconds;
  return 0;
}

static void begin(CURL *easy) {
  if (++begun > total) return;
  struct body *body;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
  body->length = 0;
  curl_multi_add_handle(multi, easy);
}

/* Handles the calls that have ended. Each begins the next call. */
static void collect(void) {
  CURLMsg *message;
  int left;
  while ((message = curl_multi_info_read(multi, &left))) {
    CURL *easy = message->easy_handle;
    if (message->msg != CURLMSG_DONE) continue;
    if (message->data.result != CURLE_OK) fail(curl_easy_strerror(message->data.result));
    struct body *body;
    long status;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &body);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || (long)body->length != wanted) fail("another answer than expected");
    curl_multi_remove_handle(multi, easy);
    if (++ended == warm_up) {
      start_cpu = cpu();
      start_clock = seconds();
    }
    if (ended == total)
      printf("%f %f\n", (cpu() - start_cpu) / count * 1e6, count / (seconds() - start_clock));
    begin(easy);
  }
}

int main(int arguments, char **argument) {
  if (arguments < 6) fail("usage: client poll|socket URL COUNT IN-FLIGHT BODY-LENGTH [CA-FILE]");
  int by_socket = !strcmp(argument[1], "socket");
  count = atol(argument[3]);
  long in_flight = atol(argument[4]);
  wanted = atol(argument[5]);
  warm_up = 10 * in_flight;
  total = warm_up + count;
  curl_global_init(CURL_GLOBAL_ALL);
  multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, in_flight);
  if (by_socket) {
    queue = epoll_create1(0);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_changed);
  }
  struct curl_slist *fields = curl_slist_append(NULL, "Accept: application/json");
  for (long i = 0; i < in_flight; i++) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argument[2]);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "bench");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, received);
    struct body *body = calloc(1, sizeof *body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, body);
    if (arguments > 6) curl_easy_setopt(easy, CURLOPT_CAINFO, argument[6]);
    begin(easy);
  }
  int running = 1;
  struct epoll_event events[256];
  while (ended < total) {
    if (!by_socket) {
      if (curl_multi_perform(multi, &running) != CURLM_OK) fail("perform");
      collect();
      if (ended < total) curl_multi_poll(multi, NULL, 0, 1000, NULL);
      continue;
    }
    int found = epoll_wait(queue, events, 256, timeout < 0 || timeout > 1000 ? 1000 : (int)timeout);
    for (int i = 0; i < found; i++) {
      int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                 | (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi, events[i].data.fd, what, &running);
    }
    if (found == 0 || timeout == 0) {
      timeout = -1;
      curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    collect();
  }
  return 0;
}
