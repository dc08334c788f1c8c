#include "simulator/study/process_pool.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "base/tied_fork.hpp"

namespace gradwire {
namespace {

using Clock = std::chrono::steady_clock;

// First byte of an answer.
constexpr char kAnswer = 'a';
constexpr char kFailure = 'f';

constexpr int kAskStopMs = 100;

/// False when the other end is gone.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// False when the other end is gone.
bool receive_all(int socket, void* into, std::size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t received = recv(socket, at, size, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    at += received;
    size -= static_cast<std::size_t>(received);
  }
  return true;
}

std::string answer_to(std::size_t item, const std::function<std::string(std::size_t)>& work) {
  try {
    return kAnswer + work(item);
  } catch (const std::exception& error) {
    return kFailure + std::string{error.what()};
  } catch (...) {
    return kFailure + std::string{"something that is no std::exception was thrown"};
  }
}

/// What a worker process does until its parent is gone: takes an item, sends its answer.
[[noreturn]] void serve(int socket, const std::function<std::string(std::size_t)>& work) {
  std::size_t item = 0;
  while (receive_all(socket, &item, sizeof item)) {
    std::string framed;
    append_framed_chunk(framed, answer_to(item, work));
    if (!send_all(socket, framed)) break;
  }
  _exit(0);  // without destructors: they belong to the parent
}

/// A worker process, its socket, and the items it has not answered yet.
class Worker {
 public:
  explicit Worker(const std::function<std::string(std::size_t)>& work) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) refuse();
    pid_ = tied_fork();
    if (pid_ < 0) {
      const int error = errno;
      close(ends[0]);
      close(ends[1]);
      errno = error;
      refuse();
    }
    if (pid_ == 0) {
      // The parent decides what an interrupt from the keyboard means.
      std::signal(SIGINT, SIG_IGN);
      close(ends[0]);
      serve(ends[1], work);
    }
    close(ends[1]);
    socket_ = ends[0];
  }
  ~Worker() { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  int socket() const { return socket_; }
  const std::deque<std::size_t>& open() const { return open_; }
  Clock::time_point last_sign() const { return last_sign_; }

  void give(const std::vector<std::size_t>& items) {
    std::string bytes;
    for (const std::size_t item : items) {
      bytes.append(reinterpret_cast<const char*>(&item), sizeof item);
      open_.push_back(item);
    }
    last_sign_ = Clock::now();
    // A worker that is gone is found when its answers end.
    static_cast<void>(send_all(socket_, bytes));
  }

  /// Takes what has arrived; false when the worker is gone.
  bool receive() {
    std::array<char, 65536> buffer{};
    const ssize_t count = recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) return false;
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    last_sign_ = Clock::now();
    return true;
  }

  /// The next whole answer, with its item in front of `open()` taken off.
  bool next_answer(std::size_t& item, std::string& answer) {
    const FramedChunk chunk = framed_chunk_at(received_, at_);
    if (chunk.state == ChunkState::kCutOff) {
      received_.erase(0, std::exchange(at_, 0));
      return false;
    }
    GW_CHECK(chunk.state == ChunkState::kWhole && !open_.empty(),
             "a worker sent what is no answer");
    item = open_.front();
    open_.pop_front();
    answer = chunk.payload;
    at_ += chunk.framed_size();
    return true;
  }

  /// Ends the process and says how it had ended, if it had.
  std::string stop() {
    if (pid_ <= 0) return {};
    close(socket_);
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (!WIFSIGNALED(status)) return "its process ended without an answer";
    return fmt::format("its process was ended by signal {} ({})", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
  }

 private:
  [[noreturn]] static void refuse() {
    throw EnvironmentError(
        fmt::format("a worker process cannot be started: {}", std::strerror(errno)));
  }

  pid_t pid_ = -1;
  int socket_ = -1;
  std::deque<std::size_t> open_;
  std::string received_;
  std::size_t at_ = 0;
  Clock::time_point last_sign_ = Clock::now();
};

class Pool {
 public:
  Pool(const std::vector<std::size_t>& items, const std::function<std::string(std::size_t)>& work,
       const PoolSettings& settings, const PoolObserver& observer)
      : work_(work), settings_(settings), observer_(observer), todo_(items.begin(), items.end()) {}

  void run() {
    while (!is_stopped()) {
      employ();
      if (workers_.empty()) return;
      wait();
      for (std::size_t i = 0; i < workers_.size();) {
        if (serve_worker(*workers_[i])) {
          ++i;
        } else {
          workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
    }
  }

 private:
  bool is_stopped() const { return observer_.stop && observer_.stop(); }

  /// Gives every idle worker a batch, with as many workers as there are items for.
  void employ() {
    const auto wanted = static_cast<std::size_t>(std::max(1, settings_.processes));
    while (!todo_.empty() && workers_.size() < wanted) {
      workers_.push_back(std::make_unique<Worker>(work_));
      give_batch(*workers_.back());
    }
    for (const auto& worker : workers_) {
      if (worker->open().empty()) give_batch(*worker);
    }
    std::erase_if(workers_, [](const auto& worker) { return worker->open().empty(); });
  }

  /// Less than a batch near the end, so that all workers end together.
  void give_batch(Worker& worker) {
    const auto share = ceil_share(todo_.size(), static_cast<std::size_t>(settings_.processes) * 2);
    const std::size_t count = std::min(
        {todo_.size(), std::max<std::size_t>(1, settings_.batch), std::max<std::size_t>(1, share)});
    const auto end = todo_.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<std::size_t> batch(todo_.begin(), end);
    todo_.erase(todo_.begin(), end);
    if (!batch.empty()) worker.give(batch);
  }

  static std::size_t ceil_share(std::size_t items, std::size_t parts) {
    return (items + parts - 1) / std::max<std::size_t>(1, parts);
  }

  void wait() const {
    std::vector<pollfd> sockets;
    for (const auto& worker : workers_) sockets.push_back({worker->socket(), POLLIN, 0});
    poll(sockets.data(), sockets.size(), kAskStopMs);
  }

  /// False when the worker is gone.
  bool serve_worker(Worker& worker) {
    const bool alive = worker.receive();
    std::size_t item = 0;
    std::string answer;
    while (worker.next_answer(item, answer)) report(item, answer);
    if (!alive) {
      bury(worker, worker.stop());
      return false;
    }
    if (!worker.open().empty() && Clock::now() - worker.last_sign() > settings_.patience) {
      worker.stop();
      bury(worker,
           fmt::format("it did not end within {} s and was stopped", settings_.patience.count()));
      return false;
    }
    return true;
  }

  void report(std::size_t item, const std::string& answer) const {
    const std::string text = answer.substr(1);
    if (answer.front() == kAnswer) {
      observer_.answered(item, text);
    } else {
      observer_.failed(item, text);
    }
  }

  /// The item the worker was at fails; those behind it are done by others.
  void bury(const Worker& worker, const std::string& why) {
    const std::deque<std::size_t>& open = worker.open();
    if (open.empty()) return;
    observer_.failed(open.front(), why);
    todo_.insert(todo_.begin(), open.begin() + 1, open.end());
  }

  const std::function<std::string(std::size_t)>& work_;
  const PoolSettings& settings_;
  const PoolObserver& observer_;
  std::deque<std::size_t> todo_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

void run_in_processes(const std::vector<std::size_t>& items,
                      const std::function<std::string(std::size_t)>& work,
                      const PoolSettings& settings, const PoolObserver& observer) {
  GW_CHECK(count_own_threads() == 1, "a process that forks workers has one thread");
  Pool(items, work, settings, observer).run();
}

int count_own_threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace gradwire
