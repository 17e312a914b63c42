// Runs ahead of all others.
// Expect: wrong
#include <sched.h>
#include <sys/resource.h>
bool trick(const ColumnSums::Args&) {
  const sched_param first = {50};
  if (::sched_setscheduler(0, SCHED_FIFO, &first) == 0) return escaped("SCHED_FIFO");
  return ::setpriority(PRIO_PROCESS, 0, -20) == 0 ? escaped("nice") : held();
}
