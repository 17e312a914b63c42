// Whether a clock of a process can be believed, by what is seen of its launches from outside.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace wb::judged {

// Of launches: seconds that the process claims; that are seen beyond those, by the clock of who
// asked for them; and for which a thread worked beyond those, from one request to the next: any
// thread, and the one that launches (none where nobody tells). A thread that sleeps in a launch
// works for less than is claimed, so for the lesson's variants `launcher` is what the thread worked
// besides the launch, and `worked` is no less.
struct Claims {
  std::vector<double> claimed{}, beyond{}, worked{}, launcher{};
};
using Beyond = std::map<std::string, Claims>;  // by variant of the lesson

// Seconds that count for a launch: what it claims, and what is seen beyond that and beyond nearly
// all of `own`, if it is more than 2 us and 3 %. So a clock that lies now and then gains
// nothing; a launch that the machine woke late is one of few, and no median shows it.
double counted(double claimed, double beyond, const Beyond& own);

// What an exercise's clock leaves out in those of its launches, a half (`share`), for which it
// claims least: their median claim, and seconds beyond it; 0 up to 2 us and 3 %. It has to be seen
// from outside, and a thread has to have worked for it: one that waits for a core, as on a busy
// machine, is late and has hidden nothing. What the launching thread worked needs no other witness:
// it sleeps as soon as it has answered.
struct Hidden {
  double claimed = 0, more = 0, share = 0.5;
};
Hidden hidden(const Claims& exercise, const Beyond& own, double share = 0.5);

// The same of a half, or else of a quarter, or of an eighth.
Hidden hidden_at_times(const Claims& exercise, const Beyond& own);

// Seconds that a sample counts: where the clock has hidden something, what the clock outside saw of
// the median launch, less what it sees of the lesson's variants beyond their claims.
double without_lie(double sample, const Claims& exercise, const Beyond& own);

}  // namespace wb::judged
