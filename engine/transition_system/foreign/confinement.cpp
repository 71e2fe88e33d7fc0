#include "transition_system/foreign/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace assay::transition_system::foreign {

namespace {

// --- files: landlock. Its header is younger than the systems that we are built on. ---

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr std::uint32_t kVersion = 1;      // what landlock_create_ruleset is asked for
constexpr std::uint32_t kPathBeneath = 1;  // the only kind of rule that is needed here
constexpr std::uint64_t kExecute = 1 << 0, kReadFile = 1 << 2, kReadDirectory = 1 << 3;
/// By the version of the interface: all kinds of access that it knows.
constexpr std::uint64_t kAllAccess[] = {0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF};
/// Of what is no directory.
constexpr std::uint64_t kOfFiles = kExecute | 1 << 1 | kReadFile | 1 << 14 | 1 << 15;

struct Ruleset {
  std::uint64_t of_files, of_networks, of_processes;
};
struct PathBeneath {
  std::uint64_t access;
  std::int32_t parent;
} __attribute__((packed));

class Files {
 public:
  Files() : version_(syscall(kCreateRuleset, nullptr, 0, kVersion)) {
    if (version_ < 1) return;
    const auto known = std::min<std::size_t>(static_cast<std::size_t>(version_), std::size(kAllAccess) - 1);
    all_ = kAllAccess[known];
    // No ports, no sockets without a name, no signals to others.
    const Ruleset rules{all_, version_ >= 4 ? 3u : 0u, version_ >= 6 ? 3u : 0u};
    const std::size_t bytes = version_ >= 6 ? 24 : version_ >= 4 ? 16 : 8;
    descriptor_ = static_cast<int>(syscall(kCreateRuleset, &rules, bytes, 0));
  }
  ~Files() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// What is not there cannot be used either.
  void allow(const std::vector<std::string>& paths, std::uint64_t access) const {
    for (const std::string& path : paths) {
      const int parent = open(path.c_str(), O_PATH | O_CLOEXEC);
      if (parent < 0) continue;
      PathBeneath rule{access & all_, parent};
      if (syscall(kAddRule, descriptor_, kPathBeneath, &rule, 0) != 0) {  // it may be no directory
        rule.access &= kOfFiles;
        syscall(kAddRule, descriptor_, kPathBeneath, &rule, 0);
      }
      close(parent);
    }
  }
  std::uint64_t all() const { return all_; }
  bool enforce() const { return descriptor_ >= 0 && syscall(kRestrictSelf, descriptor_, 0) == 0; }

 private:
  long version_;
  std::uint64_t all_ = 0;
  int descriptor_ = -1;
};

// --- calls of the system: seccomp ---

/// What computing needs, and reading files that are allowed. Everything else fails.
constexpr int kAllowed[] = {
    SYS_read, SYS_write, SYS_pread64, SYS_readv, SYS_writev, SYS_close, SYS_fstat, SYS_stat, SYS_lstat,
    SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_lseek, SYS_access, SYS_faccessat, SYS_faccessat2,
    SYS_readlink, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_fcntl, SYS_dup, SYS_dup2, SYS_dup3,
    SYS_pipe, SYS_pipe2, SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_wait, SYS_epoll_pwait, SYS_eventfd2, SYS_fadvise64,
    // memory and threads
    SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_mincore, SYS_membarrier,
    SYS_futex, SYS_set_robust_list, SYS_get_robust_list, SYS_rseq, SYS_set_tid_address, SYS_sched_yield,
    SYS_sched_getaffinity, SYS_getcpu, SYS_exit, SYS_exit_group, SYS_restart_syscall,
    // signals of its own, clocks
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_timer_create,
    SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete, SYS_getitimer, SYS_setitimer, SYS_clock_gettime,
    SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_time, SYS_times,
    // what it is
    SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getpgrp,
    SYS_getrusage, SYS_getrlimit, SYS_sysinfo, SYS_uname, SYS_getrandom};
/// A compiler may do what programs do, but for these.
constexpr int kForbidden[] = {SYS_socket,
                              SYS_socketpair,
                              SYS_connect,
                              SYS_ptrace,
                              SYS_process_vm_readv,
                              SYS_process_vm_writev,
                              SYS_pidfd_getfd,
                              SYS_pidfd_send_signal,
                              SYS_io_uring_setup,
                              SYS_bpf,
                              SYS_perf_event_open,
                              SYS_keyctl,
                              SYS_add_key,
                              SYS_request_key,
                              SYS_mount,
                              SYS_umount2,
                              SYS_unshare,
                              SYS_setns,
                              SYS_chroot,
                              SYS_pivot_root,
                              SYS_userfaultfd,
                              SYS_shmget,
                              SYS_msgget,
                              SYS_semget,
                              SYS_mq_open,
                              SYS_open_by_handle_at,
                              SYS_kill,
                              SYS_setuid,
                              SYS_setgid,
                              SYS_init_module,
                              SYS_finit_module,
                              SYS_kexec_load,
                              SYS_reboot};
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

/// A program of the kernel's that looks at each call of the system.
class Calls {
 public:
  Calls() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);  // those of another kind of process
    answer(SECCOMP_RET_KILL_PROCESS);
  }
  void decide(int call, std::uint32_t what) {
    unless_equal(static_cast<std::uint32_t>(call), 1);
    answer(what);
  }
  /// Allowed if an argument has, or has not, one of these bits.
  void allow_if(int call, int argument, std::uint32_t bits, bool has, std::uint32_t otherwise) {
    unless_equal(static_cast<std::uint32_t>(call), 4);
    load(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, has ? 0 : 1, has ? 1 : 0);
    answer(SECCOMP_RET_ALLOW);
    answer(otherwise);
  }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what, 0, 0); }
  bool enforce(unsigned flags) {
    const sock_fprog filter{static_cast<unsigned short>(program_.size()), program_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter) == 0;
  }
  static constexpr std::uint32_t refused(int problem) {
    return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(problem);
  }

 private:
  void add(std::uint32_t code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
    program_.push_back({static_cast<std::uint16_t>(code), yes, no, k});
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0); }
  /// Leaves out the next instructions.
  void unless_equal(std::uint32_t value, std::uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }

  std::vector<sock_filter> program_;
};

void limit(int resource, std::uint64_t most) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource>(resource), &now);
  const rlimit next{std::min<rlim_t>(now.rlim_cur, most), std::min<rlim_t>(now.rlim_max, most)};
  setrlimit(static_cast<__rlimit_resource>(resource), &next);
}

std::uint64_t memory_of_the_machine() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Addresses that this process has, whether or not anything lies there.
std::uint64_t addresses_in_use() {
  std::uint64_t pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    unsigned long first = 0;
    if (std::fscanf(file, "%lu", &first) == 1) pages = first;
    std::fclose(file);
  }
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void confine(const std::vector<std::string>& readable) {
#ifndef __x86_64__
  (void)readable;
  throw std::runtime_error("embedded C cannot be confined on this machine");
#else
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, addresses_in_use() + memory_of_the_machine());
  const Files files;
  files.allow(readable, kReadFile | kReadDirectory);
  Calls calls;
  for (const int call : kAllowed) calls.decide(call, SECCOMP_RET_ALLOW);
  calls.decide(SYS_ioctl, Calls::refused(ENOTTY));
  calls.decide(SYS_clone3, Calls::refused(ENOSYS));
  calls.allow_if(SYS_clone, 0, CLONE_THREAD, true, Calls::refused(EPERM));
  calls.allow_if(SYS_open, 1, kWriting, false, Calls::refused(EACCES));
  calls.allow_if(SYS_openat, 2, kWriting, false, Calls::refused(EACCES));
  calls.allow_if(SYS_prlimit64, 2, 0xFFFFFFFFu, false, Calls::refused(EPERM));  // asks only
  calls.answer(Calls::refused(EPERM));
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !files.enforce())
    throw std::runtime_error("this system cannot keep embedded C from files (landlock, Linux 5.13)");
  if (!calls.enforce(SECCOMP_FILTER_FLAG_TSYNC))
    throw std::runtime_error("this system cannot confine embedded C (seccomp)");
#endif
}

bool confine_compiler(const std::vector<std::string>& readable, const std::vector<std::string>& writable) {
#ifndef __x86_64__
  (void)readable, (void)writable;
  errno = ENOSYS;
  return false;
#else
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, 600);
  limit(RLIMIT_AS, std::uint64_t{8} << 30);
  limit(RLIMIT_FSIZE, std::uint64_t{1} << 30);
  const Files files;
  files.allow(readable, kReadFile | kReadDirectory | kExecute);
  files.allow(writable, files.all());
  Calls calls;
  for (const int call : kForbidden) calls.decide(call, Calls::refused(EPERM));
  calls.answer(SECCOMP_RET_ALLOW);
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && files.enforce() && calls.enforce(0);
#endif
}

}  // namespace assay::transition_system::foreign
