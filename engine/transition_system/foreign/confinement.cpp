#include "transition_system/foreign/confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace assay::transition_system::foreign {

namespace {

/// Calls of the system that have no place in a computation.
constexpr int kForbidden[] = {
    // networks and other processes
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_sendmmsg,
    SYS_execve,
    SYS_execveat,
    SYS_fork,
    SYS_vfork,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kill,
    SYS_tkill,
    SYS_pidfd_send_signal,
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_io_uring_setup,
    // files
    SYS_unlink,
    SYS_unlinkat,
    SYS_rename,
    SYS_renameat,
    SYS_renameat2,
    SYS_link,
    SYS_linkat,
    SYS_symlink,
    SYS_symlinkat,
    SYS_mkdir,
    SYS_mkdirat,
    SYS_rmdir,
    SYS_mknod,
    SYS_mknodat,
    SYS_creat,
    SYS_truncate,
    SYS_chmod,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_chown,
    SYS_fchown,
    SYS_lchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_openat2,
    SYS_open_by_handle_at,
    // the system
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_capset,
    SYS_userfaultfd,
};
constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

constexpr sock_filter statement(std::uint32_t code, std::uint32_t k) {
  return {static_cast<std::uint16_t>(code), 0, 0, k};
}
constexpr sock_filter jump(std::uint32_t code, std::uint32_t k, std::uint8_t yes, std::uint8_t no) {
  return {static_cast<std::uint16_t>(code), yes, no, k};
}

/// Denies an open for writing, or every open.
void deny_opening(std::vector<sock_filter>& program, int call, int argument, bool reads_nothing) {
  const auto refuse = statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES);
  if (reads_nothing) {
    program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(refuse);
    return;
  }
  const auto offset =
      static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(argument));
  program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 4));
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offset));
  program.push_back(jump(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1));
  program.push_back(refuse);
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

}  // namespace

void confine(bool reads_nothing) {
#ifndef __x86_64__
  (void)reads_nothing;
  throw std::runtime_error("embedded C cannot be confined on this machine");
#else
  std::vector<sock_filter> program;
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0));
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  program.push_back(
      jump(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1));  // the calls of another kind of process
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  for (const int call : kForbidden) {
    program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  deny_opening(program, SYS_open, 1, reads_nothing);
  deny_opening(program, SYS_openat, 2, reads_nothing);
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0) {
    throw std::runtime_error("this system cannot confine embedded C (seccomp)");
  }
#endif
}

}  // namespace assay::transition_system::foreign
