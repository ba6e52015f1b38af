/* The first and only process of the emulated machine: runs what /cases lists, one after the other, and reports on the
 * second serial line, which the kernel's arguments name, how each ended. The first line is the kernel's own, so the two never mix.
 *
 *   /cases        a line each, fields with a tab between them: NAME SECONDS VARIABLE=VALUE ... (0x1f between them) PROGRAM
 *                 ARGUMENT ... A variable that begins with / is a file of the kernel's, which gets the value
 *   that line     "@begin NAME", what it printed, "@end NAME exit N | signal N | late", "@file NAME" and lines of
 *                 its bytes in hex up to "@end of NAME" for each file that it left in /out, and "@done" at last
 *
 * Statically linked: it must not depend on anything that is tested. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int line = -1;

static void say(const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (int done = 0; done < n;) {
    ssize_t w = write(line, text + done, (size_t)(n - done));
    if (w > 0) done += (int)w;
    else if (errno != EINTR) return;
  }
}

static void power_off(void) {
  tcdrain(line);
  sync();
  reboot(RB_AUTOBOOT);  /* the emulator runs with -no-reboot: it ends */
  for (;;) pause();
}

static void make(const char *type, const char *folder) {
  mkdir(folder, 0755);
  if (mount(type, folder, type, 0, NULL) != 0) say("@problem %s: %s\n", folder, strerror(errno));
}

static void write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) say("@problem %s: %s\n", path, strerror(errno));
  if (fd >= 0) close(fd);
}

static void settings(char *list) {
  for (char *item = strtok(list, "\x1f"); item; item = strtok(NULL, "\x1f")) {
    char *value = strchr(item, '=');
    if (!value) continue;
    *value++ = 0;
    if (*item == '/') write_file(item, value);
    else setenv(item, value, 1);
  }
}

/* The files of /out, which go from there. */
static void send_files(void) {
  DIR *folder = opendir("/out");
  struct dirent *entry;
  while (folder && (entry = readdir(folder))) {
    char path[300], text[2 * 64 + 2];
    unsigned char bytes[64];
    snprintf(path, sizeof path, "/out/%s", entry->d_name);
    FILE *file = entry->d_type == DT_REG ? fopen(path, "re") : NULL;
    if (!file) continue;
    say("@file %s\n", entry->d_name);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
      for (size_t i = 0; i < n; ++i) sprintf(text + 2 * i, "%02x", bytes[i]);
      say("%s\n", text);
    }
    say("@end of %s\n", entry->d_name);
    fclose(file);
    unlink(path);
  }
  if (folder) closedir(folder);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(char *text) {
  char *words[64];
  int n = 0;
  for (char *word = strtok(text, "\t\n"); word && n < 63; word = strtok(NULL, "\t\n")) words[n++] = word;
  words[n] = NULL;
  if (n < 4) return;
  say("@begin %s\n", words[0]);
  double limit = atof(words[1]), begin = seconds();
  pid_t child = fork();
  if (child == 0) {
    setsid();
    dup2(line, 1);
    dup2(line, 2);
    clearenv();
    setenv("PATH", "/bin", 1);
    settings(words[2]);
    execv(words[3], words + 3);
    say("%s: %s\n", words[3], strerror(errno));
    _exit(127);
  }
  int status = 0, late = 0;
  while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
    if (!late && seconds() - begin > limit) {
      late = 1;
      kill(-child, SIGKILL);
    }
    usleep(5000);
  }
  /* What it left behind is this process's child now; a recorder writes the rest of its file. */
  for (double end = seconds() + 5; seconds() < end;) {
    pid_t left = waitpid(-1, NULL, WNOHANG);
    if (left < 0) break;
    if (left == 0) usleep(5000);
  }
  tcdrain(line);
  if (late) say("\n@end %s late\n", words[0]);
  else if (WIFSIGNALED(status)) say("\n@end %s signal %d\n", words[0], WTERMSIG(status));
  else say("\n@end %s exit %d\n", words[0], WEXITSTATUS(status));
  send_files();
}

int main(void) {
  mkdir("/dev", 0755);
  mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
  const char *results = getenv("EINKORN_RESULTS"); /* an argument that the kernel does not know itself */
  line = open(results ? results : "", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (line < 0) power_off();
  struct termios raw;
  tcgetattr(line, &raw);
  cfmakeraw(&raw);
  tcsetattr(line, TCSANOW, &raw);
  make("proc", "/proc");
  make("sysfs", "/sys");
  if (access("/tmp", F_OK) != 0) make("tmpfs", "/tmp"); /* otherwise what was built stands there */
  mkdir("/out", 0755);
  FILE *cases = fopen("/cases", "re");
  if (!cases) say("@problem /cases: %s\n", strerror(errno));
  char text[4096];
  while (cases && fgets(text, sizeof text, cases)) run(text);
  say("@done\n");
  power_off();
}
