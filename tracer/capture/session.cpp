#include "tracer/capture/session.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "tracer/capture/activity_source.hpp"
#include "tracer/capture/buffer_pool.hpp"
#include "tracer/capture/capture_options.hpp"
#include "tracer/capture/capture_writer.hpp"
#include "tracer/capture/complain.hpp"
#include "tracer/capture/event_queue.hpp"
#include "tracer/capture/host_events.hpp"
#include "tracer/capture/locks.hpp"
#include "tracer/capture/mapped_memory.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kMaxFacts = 16;
constexpr const char* kNoKernelsFact = "kernels";  ///< why none are recorded

/// Never destroyed: threads of the program and of the profiler may be in it until the very end.
struct Session {
  ShortLock lifecycle;               ///< one start or stop at a time
  ShortLock source_lock;             ///< one start or stop of the source at a time
  std::atomic<bool> on{false};       ///< events are taken
  std::atomic<bool> writing{false};  ///< the writer thread lives
  std::atomic<bool> stop_asked{false};
  std::atomic<bool> source_on{false};
  std::atomic<bool> tried{false};  ///< to start from the environment
  std::atomic<bool> driver_came{false};
  bool source_tried = false;   ///< in this session: one attempt, one sentence
  bool source_was_on = false;  ///< in this process or, before fork, in its parent
  bool forked = false;
  bool handlers_set = false;
  pid_t owner = 0;
  std::uint64_t unreturned_before = 0;
  std::atomic<std::uint64_t> number{0};  ///< of the session that is on or was the last
  Wakeup wake;
  Wakeup finished;
  EventQueue events{wake};
  BufferPool pool{wake};
  CaptureOptions options;
  CaptureWriter* writer = nullptr;
  char host[256] = "";
  CaptureFact facts[kMaxFacts];
  std::size_t fact_count = 0;
};

constinit Session g_session;

/// Of the calling thread; 0: not asked yet. In the static block: an access allocates nothing.
[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t t_thread = 0;

std::uint64_t calling_thread() {
  if (t_thread == 0) t_thread = static_cast<std::uint64_t>(syscall(SYS_gettid));
  return t_thread;
}

std::uint64_t clock_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::int64_t steady_ms() {
  return static_cast<std::int64_t>(clock_ns(CLOCK_MONOTONIC) / 1'000'000U);
}

/// argv with spaces between, as far as it fits.
std::string_view read_command(char* to, std::size_t room) {
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, to, room);
  close(file);
  std::size_t used = size > 0 ? static_cast<std::size_t>(size) : 0;
  while (used > 0 && to[used - 1] == '\0') --used;
  std::replace(to, to + used, '\0', ' ');
  return {to, used};
}

// --- the writer thread

void begin_file(Session& session) {
  char command[4096];
  CaptureProcess process;
  process.process = session.owner;
  process.host = session.host;
  process.command = read_command(command, sizeof command);
  process.facts = session.facts;
  process.fact_count = session.fact_count;
  session.writer->begin(process);
}

/// Buffers that were full before the events are taken are decoded after them, so that the marks
/// made before any of their records are known.
void drain(Session& session) {
  CaptureWriter& writer = *session.writer;
  ActivitySource& source = activity_source();
  for (std::uint64_t waiting = 1; waiting > 0;) {
    waiting = session.pool.waiting();
    session.events.drain([&writer](const TimedHostEvent& event) { writer.take(event); });
    FullBuffer buffer;
    for (std::uint64_t i = 0; i < waiting && session.pool.next_full(buffer); ++i) {
      source.decode(buffer, writer);
      session.pool.give_back(buffer.bytes);
    }
    if (session.writer->done()) return;
  }
}

void end_file(Session& session) {
  CaptureWriter& writer = *session.writer;
  session.on.store(false);
  {
    const LockGuard guard(session.source_lock);
    if (session.source_on.load()) {
      activity_source().stop();
      drain(session);
      activity_source().devices(writer);
      writer.count_dropped_records(activity_source().dropped_records());
      const std::uint64_t unreturned = session.pool.outstanding();
      writer.set_unreturned_buffers(unreturned - std::min(unreturned, session.unreturned_before));
      session.source_on.store(false);
    }
  }
  drain(session);
  FullBuffer buffer;  // those behind the end of the window
  while (session.pool.next_full(buffer)) session.pool.give_back(buffer.bytes);
  writer.set_dropped_events(session.events.dropped());
  writer.finish();
}

void write_until_stopped(Session& session) {
  std::int64_t flushed = steady_ms();
  while (!session.stop_asked.load() && !session.writer->done()) {
    session.wake.wait(
        std::clamp<std::int64_t>(flushed + kFlushIntervalMs - steady_ms(), 1, kFlushIntervalMs));
    const bool due = steady_ms() >= flushed + kFlushIntervalMs;
    if (due && session.source_on.load()) activity_source().flush(false);
    drain(session);
    if (!due) continue;
    if (session.source_on.load()) {
      activity_source().devices(*session.writer);
      session.writer->count_dropped_records(activity_source().dropped_records());
    }
    session.writer->set_dropped_events(session.events.dropped());
    session.writer->flush();
    flushed = steady_ms();
  }
}

void close_writer(Session& session) {
  session.writer->~CaptureWriter();
  unmap_memory(session.writer, sizeof(CaptureWriter));
  session.writer = nullptr;
}

void* run_writer(void* argument) {
  Session& session = *static_cast<Session*>(argument);
  pthread_setname_np(pthread_self(), "gradwire");
  begin_file(session);
  write_until_stopped(session);
  end_file(session);
  close_writer(session);
  session.writing.store(false);
  session.finished.notify();
  return nullptr;
}

/// All signals stay with the program's threads; a blocked SIGXFSZ makes write(2) answer EFBIG.
bool start_writer(Session& session) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  session.writing.store(true);
  const int error = pthread_create(&thread, nullptr, &run_writer, &session);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) {
    pthread_detach(thread);
    return true;
  }
  session.writing.store(false);
  complain("this process is not recorded: the system gives no thread (error %d)", error);
  return false;
}

// --- the program's threads

void stop_at_exit() { stop_session(); }

/// Only the forking thread goes on in the child, and the parent's file is not its own.
void forget_in_child() {
  Session& session = g_session;
  t_thread = 0;
  session.forked = true;
  session.on.store(false);
  session.stop_asked.store(false);
  session.source_on.store(false);
  session.lifecycle.make_new();
  session.source_lock.make_new();
  session.wake.forget();
  session.finished.forget();
  session.events.forget();
  session.pool.forget_lock();
  if (session.writing.exchange(false) && session.writer != nullptr) {
    session.writer->output().close();
    session.writer = nullptr;  // its memory stays
  }
}

/// In the header, or as an event where that is written.
void tell_fact(Session& session, const char* name, const char* value) {
  if (session.writing.load()) {
    HostEvent event;
    event.kind = HostEventKind::kFact;
    event.text = {name, std::strlen(name)};
    event.payload = {value, std::strlen(value)};
    record_host_event(event);
  } else if (session.fact_count < kMaxFacts) {
    session.facts[session.fact_count++] = {name, value};
  }
}

void start_source(Session& session) {
  const LockGuard guard(session.source_lock);
  if (!session.on.load() || session.source_tried || !session.options.kernels) return;
  session.source_tried = true;
  const char* const sentence = activity_source().start(session.pool);
  if (sentence != nullptr) {
    complain("%s", sentence);
    tell_fact(session, kNoKernelsFact, sentence);
  } else {
    session.source_was_on = true;
    session.source_on.store(true);
    // Again, because exit handlers run in reverse order: ours before those of the profiler that has
    // just been loaded.
    std::atexit(&stop_at_exit);
  }
  const char* name = nullptr;
  const char* value = nullptr;
  for (std::size_t i = 0; activity_source().fact(i, name, value); ++i) {
    tell_fact(session, name, value);
  }
}

void set_handlers(Session& session) {
  if (session.handlers_set) return;
  session.handlers_set = true;
  pthread_atfork(nullptr, nullptr, &forget_in_child);
  std::atexit(&stop_at_exit);
}

CaptureWriter* make_writer() {
  void* const memory = map_memory(sizeof(CaptureWriter));
  return memory == nullptr ? nullptr : new (memory) CaptureWriter;
}

bool start_locked(Session& session, const char* prefix) {
  if (session.writing.load()) return session.on.load();
  session.options = read_capture_options();
  if (prefix == nullptr) prefix = session.options.prefix;
  if (prefix == nullptr) {
    complain("this process is not recorded: neither a prefix nor GRADWIRE_CAPTURE says where to");
    return false;
  }
  if (session.forked && session.source_was_on) {
    complain("this process is not recorded: its parent was, and CUDA cannot be used after fork");
    return false;
  }
  session.writer = make_writer();
  if (session.writer == nullptr || !session.events.open() ||
      !session.writer->open(session.options)) {
    complain("this process is not recorded: the system gives no memory");
    if (session.writer != nullptr) close_writer(session);
    return false;
  }
  session.owner = getpid();
  if (gethostname(session.host, sizeof session.host - 1) != 0) std::strcpy(session.host, "host");
  if (!session.writer->output().create(prefix, session.host, session.options.rank, session.owner)) {
    close_writer(session);
    return false;
  }
  session.facts[0] = {"tracer", GRADWIRE_VERSION};
  session.fact_count = 1;
  if (!session.options.kernels) tell_fact(session, kNoKernelsFact, "not asked for");
  session.unreturned_before = session.pool.outstanding();
  session.stop_asked.store(false);
  session.source_tried = false;
  session.finished.forget();
  set_handlers(session);
  session.number.fetch_add(1);
  session.on.store(true);
  if (!session.options.cuda_injection || session.driver_came.load()) start_source(session);
  if (start_writer(session)) return true;
  session.on.store(false);
  if (session.source_on.exchange(false)) activity_source().stop();
  close_writer(session);
  return false;
}

}  // namespace

bool session_is_on() { return g_session.on.load(std::memory_order_relaxed); }

std::uint64_t session_number() { return session_is_on() ? g_session.number.load() : 0; }

void record_host_event(const HostEvent& event) {
  Session& session = g_session;
  if (!session.on.load(std::memory_order_acquire)) return;
  session.events.push(event, clock_ns(CLOCK_REALTIME), calling_thread());
}

bool start_session(const char* prefix) {
  const int saved = errno;
  g_session.tried.store(true);
  const LockGuard guard(g_session.lifecycle);
  const bool on = start_locked(g_session, prefix);
  errno = saved;
  return on;
}

void start_session_once() {
  Session& session = g_session;
  if (session.tried.load(std::memory_order_relaxed) || session.tried.exchange(true)) return;
  if (session.forked) return;
  if (read_capture_options().prefix != nullptr) start_session(nullptr);
}

void driver_is_coming() {
  const int saved = errno;
  Session& session = g_session;
  session.driver_came.store(true);
  const bool may_start = !session.tried.exchange(true) || session.forked;
  if (!session_is_on() && may_start && read_capture_options().prefix != nullptr) {
    start_session(nullptr);
  }
  if (session_is_on()) start_source(session);
  errno = saved;
}

void stop_session() {
  Session& session = g_session;
  if (!session.writing.load() || session.owner != getpid()) return;
  const std::int64_t until = steady_ms() + kStopPatienceMs;
  while (!session.lifecycle.try_lock()) {
    if (steady_ms() > until) return;
    usleep(1000);
  }
  session.on.store(false);
  session.stop_asked.store(true);
  session.wake.notify();
  while (session.writing.load() && steady_ms() < until) session.finished.wait(100);
  if (session.writing.load()) {
    complain("the recording did not come to an end within %d s; what was written is readable",
             kStopPatienceMs / 1000);
  }
  session.lifecycle.unlock();
}

}  // namespace gradwire

/// For a process whose table of exit handlers was full.
[[gnu::destructor]] static void stop_at_unload() { gradwire::stop_session(); }
