// A sign of life while something takes long and says nothing.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace wb {

// From here to its end standard error says each second what is done and for how long:
// "measuring, 12 s". On a terminal that is one line that is written over; elsewhere a line each
// minute.
class Alive {
 public:
  explicit Alive(std::string what);
  ~Alive();
  Alive(const Alive&) = delete;
  Alive& operator=(const Alive&) = delete;
  void now(const std::string& what);               // what is done from here on
  void aside(const std::function<void()>& print);  // prints something without this line in its way

 private:
  void tick();
  void clear() const;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  const bool terminal_;
  std::string what_;
  double since_;
  std::thread thread_;
};

}  // namespace wb
