#include "transition_system/foreign/guard.hpp"

#include <csetjmp>
#include <csignal>
#include <ctime>
#include <stdexcept>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transition_system/foreign/call_stack.hpp"
#include "transition_system/model_abi.h"

namespace assay::transition_system::foreign {

namespace {

constexpr std::size_t kSignalStackBytes = std::size_t{64} << 10;
constexpr int kTicksPerSecond = 4;

/// One call at a time: images have one address.
struct Call {
  void* way_back[5];
  volatile sig_atomic_t is_running = 0;
  volatile sig_atomic_t ticks = 0;
  volatile std::uint32_t fault = 0;
  volatile std::int32_t answer = 0;
  int (*function)() = nullptr;
};
Call call;
bool (*may_write)(const void*) = nullptr;

[[noreturn]] void go_back(std::uint32_t fault) {
  call.fault = fault;
  call.is_running = 0;
  __builtin_longjmp(call.way_back, 1);
}

std::uint32_t fault_of(int signal, const siginfo_t* facts) {
  switch (signal) {
    case SIGFPE: return ASSAY_FAULT_ARITHMETIC;
    case SIGILL: return ASSAY_FAULT_ILLEGAL;
    default: return call_stack::is_below(facts->si_addr) ? ASSAY_FAULT_STACK : ASSAY_FAULT_MEMORY;
  }
}

void on_fault(int signal, siginfo_t* facts, void*) {
  if (!call.is_running) {  // not ours: let it happen
    std::signal(signal, SIG_DFL);
    return;
  }
  if (signal == SIGSEGV && call_stack::reach(facts->si_addr)) return;
  if (signal == SIGSEGV && may_write != nullptr && may_write(facts->si_addr)) return;
  go_back(fault_of(signal, facts));
}

void on_tick(int, siginfo_t*, void*) {
  if (!call.is_running) return;
  call.ticks = call.ticks + 1;
  if (call.ticks > static_cast<int>(kMostSeconds) * kTicksPerSecond) go_back(ASSAY_FAULT_ENDLESS);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// Once in each thread that calls: signals of a full stack need another one, and the clock is the thread's.
void prepare_thread() {
  thread_local bool is_prepared = false;
  if (is_prepared) return;
  static const bool once = [] {
    call_stack::map();
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) install(signal, on_fault);
    install(SIGVTALRM, on_tick);
    return true;
  }();
  (void)once;
  stack_t own{};
  own.ss_sp = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  own.ss_size = kSignalStackBytes;
  if (own.ss_sp != MAP_FAILED) sigaltstack(&own, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGVTALRM;
  event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
  timer_t timer;
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
    const timespec interval{0, 1'000'000'000 / kTicksPerSecond};
    const itimerspec times{interval, interval};
    timer_settime(timer, 0, &times, nullptr);
  }
  is_prepared = true;
}

/// The stack grows down from a fixed address, aligned as the calling convention asks.
[[gnu::noinline]] int call_there(int (*function)()) {
  int answer;
  void* top = call_stack::top();
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[top], %%rsp\n\t"
      "call *%[function]\n\t"
      "movq %%rbx, %%rsp\n\t"
      : "=a"(answer), [top] "+r"(top), [function] "+r"(function)
      :
      : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
        "xmm15");
  return answer;
}

}  // namespace

[[gnu::noinline]] Called guarded(int (*function)(), bool leaves_nothing) {
  prepare_thread();
  call_stack::prepare(leaves_nothing);
  call.fault = ASSAY_NO_FAULT;
  call.answer = 0;
  call.ticks = 0;
  call.function = function;
  if (__builtin_setjmp(call.way_back) == 0) {
    call.is_running = 1;
    call.answer = call_there(call.function);
    call.is_running = 0;
  }
  call_stack::clear();
  return {call.fault, call.answer};
}

void allow_writes(bool (*ask)(const void* address)) { may_write = ask; }

void leave(std::uint32_t fault) { go_back(fault); }

}  // namespace assay::transition_system::foreign
