// What programs do to this machine beside what they are asked for, read from /proc.
#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace wb::judged {

// Ends every descendant of this program that has lost its parent, or that came from the Process
// `from` and is in none of its groups. Returns how many there were: none where programs are honest.
int end_strays(pid_t from, const std::set<pid_t>& groups);

// Which cores the threads of a process may use, and how they are scheduled, by thread.
std::map<pid_t, std::string> thread_settings(pid_t id);

// A process and its descendants, and the group of each.
std::map<pid_t, pid_t> family_of(pid_t id);
// Whether it is the first process of a sandbox, with which all others end there.
bool leads_sandbox(pid_t id);
// Seconds for which cores have worked for each thread of these processes, exact for those that
// sleep; 0 is all of them, with threads that have ended.
std::map<pid_t, double> thread_seconds(const std::vector<pid_t>& processes);

// From here on this thread, when it wakes up, takes a core from a program that works, where Linux
// lets it (6.12): it asks for short slices of time.
void wake_promptly();

}  // namespace wb::judged
