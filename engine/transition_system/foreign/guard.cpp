#include "transition_system/foreign/guard.hpp"

#include <locale.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <ctime>
#include <stdexcept>

#include "transition_system/foreign/call_stack.hpp"
#include "transition_system/model_abi.h"

// The stack grows down from a fixed address, aligned as the calling convention asks. Registers hold zeros: a function that
// is called with fewer arguments than it has finds the same in every process. That goes for the old registers of the
// processor too: MMX code that forgets its `emms` leaves a full stack to the next `long double`. (Eight times `fldz` goes once
// round; `fninit` takes fifteen times as long, and is needed where something was left.) Where our own stack is lies
// in our memory, not in that of the code.
asm(R"(
  .text
  .local assay_own_stack
  .comm assay_own_stack, 8, 8
  .globl assay_has_wide_registers
  .hidden assay_has_wide_registers
  .comm assay_has_wide_registers, 1, 1
  .globl assay_call_there
  .hidden assay_call_there
  .type assay_call_there, @function
assay_call_there:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, assay_own_stack(%rip)
  movq %rdi, %r11
  movq %rsi, %rsp
  emms
  fnstsw %ax
  testw %ax, %ax
  je 1f
  fninit
1:
  fldz
  fldz
  fldz
  fldz
  fldz
  fldz
  fldz
  fldz
  emms
  cmpb $0, assay_has_wide_registers(%rip)
  je 2f
  vzeroall
2:
  xorl %eax, %eax
  xorl %ebx, %ebx
  xorl %ecx, %ecx
  xorl %edx, %edx
  xorl %esi, %esi
  xorl %edi, %edi
  xorl %ebp, %ebp
  xorl %r8d, %r8d
  xorl %r9d, %r9d
  xorl %r10d, %r10d
  xorl %r12d, %r12d
  xorl %r13d, %r13d
  xorl %r14d, %r14d
  xorl %r15d, %r15d
  xorps %xmm0, %xmm0
  xorps %xmm1, %xmm1
  xorps %xmm2, %xmm2
  xorps %xmm3, %xmm3
  xorps %xmm4, %xmm4
  xorps %xmm5, %xmm5
  xorps %xmm6, %xmm6
  xorps %xmm7, %xmm7
  xorps %xmm8, %xmm8
  xorps %xmm9, %xmm9
  xorps %xmm10, %xmm10
  xorps %xmm11, %xmm11
  xorps %xmm12, %xmm12
  xorps %xmm13, %xmm13
  xorps %xmm14, %xmm14
  xorps %xmm15, %xmm15
  call *%r11
  movq assay_own_stack(%rip), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size assay_call_there, . - assay_call_there
)");
extern "C" int assay_call_there(int (*function)(), void* stack);
extern "C" [[gnu::visibility("hidden")]] bool assay_has_wide_registers;

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
    assay_has_wide_registers = __builtin_cpu_supports("avx") != 0;
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

/// How the processor rounds and which of its exceptions are signals, as a program finds it at its start.
constexpr std::uint32_t kRounding = 0x1F80, kOfRounding = 0xFFC0;
constexpr std::uint16_t kOldRounding = 0x037F, kOfOldRounding = 0x0F3F;

/// Embedded C starts in the locale of every C program; that of the process is the user's.
locale_t plain_locale() {
  static const locale_t made = newlocale(LC_ALL_MASK, "C", nullptr);
  return made;
}

/// Registers that are no part of a call are still a place where a value can live on from one call to the next.
struct Processor {
  std::uint32_t rounding;
  std::uint16_t old_rounding;

  static Processor now() {
    Processor found{};
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(found.rounding), "=m"(found.old_rounding));
    return found;
  }
  void take_the_place_of(const Processor& other) const {
    asm volatile("ldmxcsr %0" : : "m"(rounding));
    if (old_rounding != other.old_rounding) asm volatile("fninit\n\tfldcw %0" : : "m"(old_rounding));
  }
  bool is_plain() const {
    return (rounding & kOfRounding) == (kRounding & kOfRounding) &&
           (old_rounding & kOfOldRounding) == (kOldRounding & kOfOldRounding);
  }
};

}  // namespace

[[gnu::noinline]] Called guarded(int (*function)(), bool leaves_nothing) {
  prepare_thread();
  const locale_t locale = uselocale(plain_locale());
  const Processor processor = Processor::now();
  Processor{kRounding, kOldRounding}.take_the_place_of(processor);
  call_stack::prepare(leaves_nothing);
  call.fault = ASSAY_NO_FAULT;
  call.answer = 0;
  call.ticks = 0;
  call.function = function;
  if (__builtin_setjmp(call.way_back) == 0) {
    call.is_running = 1;
    call.answer = assay_call_there(call.function, call_stack::top());
    call.is_running = 0;
  }
  asm volatile("cld");
  call_stack::clear();
  const Processor left = Processor::now();
  processor.take_the_place_of(left);
  uselocale(locale);
  if (call.fault == ASSAY_NO_FAULT && !left.is_plain()) return {kFaultOfRounding, 0};
  return {call.fault, call.answer};
}

namespace {

void* (*asked)() = nullptr;
void* answered = nullptr;
int ask() {
  answered = asked();
  return 0;
}

}  // namespace

void* guarded_address(void* (*function)()) {
  asked = function;
  constexpr std::uintptr_t kLargestPart = std::uintptr_t{16}
                                          << 20;  // as far as &p->x is from a null pointer p
  if (guarded(ask, true).fault != ASSAY_NO_FAULT) return nullptr;
  return reinterpret_cast<std::uintptr_t>(answered) < kLargestPart ? nullptr : answered;
}

void allow_writes(bool (*ask)(const void* address)) { may_write = ask; }

void leave(std::uint32_t fault) { go_back(fault); }

}  // namespace assay::transition_system::foreign
