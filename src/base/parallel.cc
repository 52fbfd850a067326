// One pool for the process, which grows as far as calls want it. A call to parallel_for is a job on its caller's stack;
// idle workers attach to the job with the fewest helpers and claim its tasks one by one. The caller works on its own
// job too, so every job advances even when no worker is free, and callers never wait for each other.
//
// Traps: a job dies when its caller returns, so a helper's last touch of it is the decrement of `helpers`; the pool is
// never destroyed, for its threads may outlive every static destructor; after fork() none of its threads exist in the
// child and its mutex may be locked for ever, so the child must not touch it at all (fork() waits for no task, so its
// mutex is not one that is safe to fork with).
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/awake.h"
#include "base/fork.h"
#include "base/subnormals.h"
#include "norn/error.h"

namespace norn::base {
namespace {

// How long a thread looks for work, or for its helpers to end, before it sleeps: longer than the gaps between the
// steps of a small model, far shorter than a scheduler's slice.
constexpr std::chrono::microseconds kSpin{40};
constexpr int kTurnsAwake = 25;  // of kSpin, while a StayAwake exists

// Bounds a width that asks for more threads than the machine has.
constexpr int kMostWorkers = 63;

std::atomic<bool> g_forked{false};
std::atomic<int> g_awake{0};  // workers that do not sleep
// Of all StayAwake, in one number: how many there are (of each, kOneRun), and the threads beside theirs that may work.
constexpr std::uint64_t kOneRun = std::uint64_t{1} << 32;
std::atomic<std::uint64_t> g_runs{0};
thread_local int t_limit = 0;  // of ParallelWidth; 0 is none
thread_local bool t_in_task = false;
thread_local bool t_is_worker = false;

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Spins until `ready` or until the time is up; says whether it is ready.
template <class Ready>
bool spin_for(std::chrono::microseconds limit, Ready ready) {
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 16; ++i) {
      relax();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// How many threads:

int affinity_threads() {
  for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(cpus));
    if (set == nullptr) break;
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(cpus));
    CPU_ZERO_S(bytes, set);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (ok) return count;
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

// CPUs that a quota of `quota` microseconds in each `period` pays for, rounded up; 0 if there is no quota.
int quota_threads(const std::string& quota, const std::string& period) {
  const double q = std::strtod(quota.c_str(), nullptr), p = std::strtod(period.c_str(), nullptr);
  if (!(q > 0) || !(p > 0)) return 0;  // "max" and -1 stand for no quota
  const double cpus = q / p;
  if (cpus >= 1e6) return 0;
  const int whole = static_cast<int>(cpus);
  return std::max(1, whole + (cpus > whole));
}

int least(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// The strictest quota from a group up to the root of its hierarchy, as mounted at `root`.
int quota_up(const std::string& root, std::string group, bool v2) {
  int result = 0;
  for (;;) {
    const std::string dir = root + group;
    if (v2) {
      const std::string line = first_line(dir + "/cpu.max");
      const std::size_t space = line.find(' ');
      if (space != std::string::npos)
        result = least(result, quota_threads(line.substr(0, space), line.substr(space + 1)));
    } else {
      result =
          least(result, quota_threads(first_line(dir + "/cpu.cfs_quota_us"), first_line(dir + "/cpu.cfs_period_us")));
    }
    if (group.empty()) return result;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

int cgroup_threads() {
  int result = 0;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // id:controllers:/path
    const std::size_t a = line.find(':'), b = a == std::string::npos ? a : line.find(':', a + 1);
    if (b == std::string::npos) continue;
    const std::string listed = line.substr(a + 1, b - a - 1), controllers = "," + listed + ",";
    std::string group = line.substr(b + 1);
    if (group == "/") group.clear();
    if (controllers == ",,") {
      result = least(result, quota_up("/sys/fs/cgroup", group, true));
      result = least(result, quota_up("/sys/fs/cgroup/unified", group, true));
    } else if (controllers.find(",cpu,") != std::string::npos) {
      for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"})
        result = least(result, quota_up(mount, group, false));
    }
  }
  return result;
}

// The pool:

struct Job {
  std::int64_t tasks;
  void (*task)(void*, std::int64_t);
  void* context;
  int max_helpers;
  void (*own)(void*) = nullptr;  // what the caller does before it claims tasks
  bool no_fork = ForkGuard::held();
  const Stop* stop = current_stop();
  const bool flush = flushes_subnormals();
  std::atomic<std::int64_t> next{0};            // tasks that have been claimed
  std::atomic<std::int64_t> front{0}, back{0};  // of those, the first ones and the last ones
  std::atomic<int> helpers{0};
  // Under the pool's mutex:
  bool caller_sleeps = false;
  std::exception_ptr error;

  // Tasks that the caller leaves to helpers at first.
  std::int64_t helped_tasks() const noexcept { return own ? tasks : tasks - 1; }
};

class Pool {
 public:
  explicit Pool(int most) : most_(most) {
    pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); });
  }

  void run(Job& job) {
    std::int64_t wake;  // workers that sleep
    bool all;
    {
      std::lock_guard lock(mutex_);
      add_workers(static_cast<int>(std::min<std::int64_t>(job.helped_tasks(), std::min(job.max_helpers, most_))));
      jobs_.push_back(&job);
      job_count_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
      epoch_.fetch_add(1, std::memory_order_release);
      wake = std::min<std::int64_t>(job.helped_tasks(), job.max_helpers);
      if (jobs_.size() == 1) wake -= spinning_;  // spinning workers need no wake-up
      all = wake >= sleepers_;
      if (sleepers_ == 0) wake = 0;
    }
    if (wake > 0 && all) {
      work_.notify_all();
    } else {
      for (; wake > 0; --wake) work_.notify_one();
    }
    t_in_task = true;
    attempt(job, [&] {
      if (job.own) job.own(job.context);
    });
    claim(job, false);
    t_in_task = false;
    if (g_forked.load()) {
      throw Error(ErrorCode::RuntimeError,
                  "the process was forked inside a parallel task, whose other threads do not "
                  "exist in the child",
                  {}, "fork between runs, not within one");
    }
    {
      std::lock_guard lock(mutex_);
      jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
      job_count_.store(static_cast<int>(jobs_.size()), std::memory_order_relaxed);
    }
    // With as many callers as threads, a spinning one would take the core from those it waits for.
    const bool crowded = job_count_.load(std::memory_order_relaxed) > workers_;
    const auto alone = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
    if (!(crowded ? alone() : look(alone, [] { return !Wanted().fits(g_awake.load(std::memory_order_relaxed)); }))) {
      std::unique_lock lock(mutex_);
      job.caller_sleeps = true;
      done_.wait(lock, alone);
    }
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  // What all runs together want of workers.
  struct Wanted {
    Wanted() : Wanted(g_runs.load(std::memory_order_relaxed)) {}
    explicit Wanted(std::uint64_t all) : runs(all / kOneRun), helpers(all % kOneRun) {}
    const std::uint64_t runs, helpers;
    // Whether there is a core for each of so many awake workers and each run; spinning takes cores from runs otherwise.
    bool fits(int awake) const {
      return runs > 0 && runs + static_cast<std::uint64_t>(awake) <= static_cast<std::uint64_t>(hardware_threads());
    }
  };

  // Polls before sleeping, until `ready` or `leave` is true or it has taken long.
  template <class Ready, class Leave>
  static bool look(Ready ready, Leave leave) {
    if (spin_for(kSpin, ready)) return true;
    for (int i = 0; i < kTurnsAwake && !leave(); ++i)
      if (spin_for(kSpin, ready)) return true;
    return ready();
  }

  // Whether there is a worker too many; this one counts as asleep then. One at a time, so that not all of them leave.
  static bool is_surplus() {
    const Wanted wanted;
    int awake = g_awake.load(std::memory_order_relaxed);
    while (static_cast<std::uint64_t>(awake) > wanted.helpers || !wanted.fits(awake))
      if (g_awake.compare_exchange_weak(awake, awake - 1, std::memory_order_relaxed)) return true;
    return false;
  }

  // The caller goes through the tasks from the first on, its helpers from the last back: what one step leaves in a
  // core's caches, the next step finds there if their tasks go over the same memory.
  void claim(Job& job, bool is_helper) {
    while (job.next.fetch_add(1, std::memory_order_relaxed) < job.tasks) {
      const std::int64_t i = is_helper ? job.tasks - 1 - job.back.fetch_add(1, std::memory_order_relaxed)
                                       : job.front.fetch_add(1, std::memory_order_relaxed);
      attempt(job, [&] {
        if (job.stop) job.stop->check();
        job.task(job.context, i);
      });
    }
  }

  // After an exception, which the job keeps, no more tasks are claimed.
  template <class F>
  void attempt(Job& job, F run) {
    try {
      run();
    } catch (...) {
      job.next.store(job.tasks, std::memory_order_relaxed);
      if (g_forked.load()) return;  // run() says what is wrong, without the mutex
      std::lock_guard lock(mutex_);
      if (!job.error) job.error = std::current_exception();
    }
  }

  // Up to so many. The mutex is held.
  void add_workers(int wanted) {
    if (workers_ >= wanted) return;
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; workers_ < wanted; ++workers_) {
        std::thread([this] { work(); }).detach();
        g_awake.fetch_add(1, std::memory_order_relaxed);
      }
    } catch (const std::exception&) {  // std::system_error, std::bad_alloc
      most_ = workers_;                // the system gives no more threads; those that run suffice
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  // The job that most needs a helper. The mutex is held.
  Job* choose() const {
    Job* best = nullptr;
    for (Job* job : jobs_) {
      const int helpers = job->helpers.load(std::memory_order_relaxed);
      if (helpers >= job->max_helpers || job->next.load(std::memory_order_relaxed) >= job->tasks) continue;
      if (best == nullptr || helpers < best->helpers.load(std::memory_order_relaxed)) best = job;
    }
    return best;
  }

  void work() {
    t_is_worker = t_in_task = true;
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = choose();
      if (job == nullptr) {
        const std::uint64_t seen = epoch_.load(std::memory_order_relaxed);
        bool awake = true;
        ++spinning_;
        lock.unlock();
        look([&] { return epoch_.load(std::memory_order_acquire) != seen; }, [&] { return !(awake = !is_surplus()); });
        lock.lock();
        --spinning_;
        if (epoch_.load(std::memory_order_relaxed) == seen) {
          if (awake) g_awake.fetch_sub(1, std::memory_order_relaxed);
          awake = false;
          ++sleepers_;
          work_.wait(lock, [&] { return epoch_.load(std::memory_order_relaxed) != seen; });
          --sleepers_;
        }
        if (!awake) g_awake.fetch_add(1, std::memory_order_relaxed);
        continue;
      }
      job->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      {
        ForkGuard::Shared section(job->no_fork);
        const StopScope under(job->stop);  // for calls within tasks
        const SubnormalMode as_caller(job->flush);
        claim(*job, true);
      }
      lock.lock();
      const bool wake = job->caller_sleeps && job->helpers.load(std::memory_order_relaxed) == 1;
      job->helpers.fetch_sub(1, std::memory_order_release);
      if (wake) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::atomic<std::uint64_t> epoch_{0};  // grows with every job
  std::atomic<int> job_count_{0};
  std::vector<Job*> jobs_;
  int sleepers_ = 0, spinning_ = 0;
  int most_;  // workers, of which there are as many as a job ever wanted
  std::atomic<int> workers_{0};
};

Pool& pool() {
  return *made_once([] { return std::make_unique<Pool>(std::max(kMostWorkers, hardware_threads() - 1)); });
}

}  // namespace

int hardware_threads() noexcept {
  return made_once([] {
    try {
      return std::max(1, least(affinity_threads(), cgroup_threads()));
    } catch (...) {
      return 1;
    }
  });
}

ParallelWidth::ParallelWidth(int threads) noexcept : previous_(t_limit) { t_limit = std::max(0, threads); }
ParallelWidth::~ParallelWidth() { t_limit = previous_; }

StayAwake::StayAwake() noexcept : counted_(0) {
  const int width = parallel_width();
  if (width == 1) return;
  counted_ = kOneRun + static_cast<std::uint64_t>(width - 1);
  g_runs.fetch_add(counted_, std::memory_order_relaxed);
}
StayAwake::~StayAwake() {
  if (counted_ > 0) g_runs.fetch_sub(counted_, std::memory_order_relaxed);
}

int awake_threads() noexcept { return g_awake.load(std::memory_order_relaxed); }

bool takes_last_first() noexcept { return t_is_worker; }

int parallel_width() noexcept {
  if (t_in_task || t_limit == 1 || g_forked.load(std::memory_order_relaxed)) return 1;
  return t_limit == 0 ? hardware_threads() : t_limit;
}

namespace detail {

void run_tasks(std::int64_t tasks, void (*task)(void* context, std::int64_t index), void* context) {
  Job job{.tasks = tasks, .task = task, .context = context, .max_helpers = parallel_width() - 1};
  pool().run(job);
}

void run_both(void (*here)(void* context), void (*beside)(void* context, std::int64_t), void* context) {
  Job job{.tasks = 1, .task = beside, .context = context, .max_helpers = 1, .own = here};
  pool().run(job);
}

}  // namespace detail
}  // namespace norn::base
