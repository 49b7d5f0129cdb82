// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/files.h"
#include "runs/command_line.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const rl_usage rl_report_usage = {
    .name = "report",
    .positional = "DIR",
    .doc = "Draws the figures of the results in DIR - of a run, of a command over several, or of "
           "reproduce - and writes DIR/report.html, one page that needs nothing else."
           "\v"
           "Example:\n"
           "  ropelab report out/compare-atwood",
    .options = "F",
    .least = 1,
    .most = 1,
};

int rl_report(const char *folder, long jobs, const char *figures) {
  char script[RL_PATH_MAX], count[32];
  snprintf(count, sizeof count, "%ld", jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN));
  if (!rl_data_path(script, "analysis/report/report.py")) {
    return RL_EXIT_FAILED;
  }
  rl_run_begin_writing();
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_IGN); // the parent passes it on as SIGTERM
    execl(ROPELAB_PYTHON, ROPELAB_PYTHON, script, folder, "--gnuplot", ROPELAB_GNUPLOT, "--jobs",
          count, "--figures", figures ? figures : "svg,png,pdf", (char *)NULL);
    fprintf(stderr, "ropelab: cannot start %s: %s\n", ROPELAB_PYTHON, strerror(errno));
    _exit(RL_EXIT_FAILED);
  }
  int status = 0;
  bool told = false;
  // A blocking wait could miss a signal that arrives just before it.
  for (pid_t ended = 0; child > 0 && ended == 0; ended = waitpid(child, &status, WNOHANG)) {
    if (rl_run_interrupted() && !told) {
      kill(child, SIGTERM);
      told = true;
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  if (rl_run_interrupted()) {
    return RL_EXIT_INTERRUPTED;
  }
  if (child < 0 || !WIFEXITED(status)) {
    fprintf(stderr, "ropelab: the report was not finished\n");
    return RL_EXIT_FAILED;
  }
  return WEXITSTATUS(status);
}

int rl_report_and_print(const char *folder, long jobs, const char *figures) {
  const int status = rl_report(folder, jobs, figures);
  if (status == RL_EXIT_DONE) {
    printf("report: %s/report.html\n", folder);
  }
  return status;
}

void rl_print_interrupted(const char *folder, double t) {
  char name[RL_PATH_MAX], at[48] = "";
  snprintf(name, sizeof name, "%s", folder);
  char *report = rl_command_line(2, (char *[]){"report", name});
  if (!isnan(t)) {
    snprintf(at, sizeof at, " at t = %.6g s", t);
  }
  fprintf(stderr, "ropelab: interrupted%s; what is recorded is in %s, `%s` draws it\n", at, folder,
          report ? report : "");
  free(report);
}

int rl_command_report(int argc, char **argv) {
  static rl_arguments arguments;
  int status = RL_EXIT_FAILED;
  return rl_arguments_parse(&rl_report_usage, argc, argv, &arguments, &status)
             ? rl_report_and_print(arguments.positional[0], 0, arguments.figures)
             : status;
}
