"""Small threaded programs, each about one thing that threads can do to each other.

A line `# run f g` stands for creating one thread per function, starting them in this order and joining them.
"""

from __future__ import annotations

import textwrap


def expand(text: str) -> str:
    """The program a text with a `# run` line stands for."""
    lines = ["import threading"]
    for line in textwrap.dedent(text).strip().splitlines():
        if not line.startswith("# run "):
            lines.append(line)
            continue
        functions = line.removeprefix("# run ").split()
        lines += [f"t{i} = threading.Thread(target={name})" for i, name in enumerate(functions)]
        lines += [f"t{i}.{action}()" for action in ("start", "join") for i in range(len(functions))]
    return "\n".join(lines) + "\n"


TEXTS: dict[str, str] = {
    # Data that nobody protects
    "lost_update": """
        n = 0
        def f():
            global n
            n += 1
        # run f f
        """,
    "lost_update_of_three": """
        n = 0
        def f():
            global n
            n += 1
        # run f f f
        """,
    "lost_update_of_an_attribute": """
        class Counter:
            def __init__(self):
                self.n = 0
            def step(self):
                self.n += 1
        counter = Counter()
        def f():
            counter.step()
        # run f f
        n = counter.n
        """,
    "lost_update_of_a_class_attribute": """
        class Counter:
            n = 0
        def f():
            Counter.n += 1
        # run f f
        n = Counter.n
        """,
    "lost_update_of_a_list_item": """
        items = [0, 0]
        def f():
            items[0] += 1
        def g():
            items[0] += 10
            items[1] += 1
        # run f g
        """,
    "lost_update_of_a_dictionary_item": """
        counts = {"a": 0}
        def f():
            counts["a"] = counts["a"] + 1
        # run f f
        """,
    "lost_update_of_a_closure": """
        def make():
            n = 0
            def step():
                nonlocal n
                n += 1
            def read():
                return n
            return step, read
        step, read = make()
        # run step step
        n = read()
        """,
    "lost_update_through_a_function": """
        n = 0
        def plus_one(value):
            return value + 1
        def f():
            global n
            n = plus_one(n)
        # run f f
        """,
    "lost_update_through_a_built_in": """
        n = 1
        def f():
            global n
            n = n + abs(-1)
        def g():
            global n
            n = abs(n) + 1
        # run f g
        """,
    "lost_update_through_a_local": """
        n = 0
        def f():
            global n
            mine = n
            mine = mine + 1
            n = mine
        # run f f
        """,
    "different_operations": """
        n = 3
        def f():
            global n
            n *= 2
        def g():
            global n
            n -= 1
        # run f g
        """,
    "reader_sees_two_writes": """
        a = b = 0
        seen = None
        def f():
            global a, b
            a = 1
            b = 1
        def g():
            global seen
            seen = (b, a)
        # run f g
        """,
    "swap_by_tuples": """
        a, b = 1, 2
        def f():
            global a, b
            a, b = b, a
        # run f f
        """,
    "store_buffer_has_no_place_here": """
        x = y = r = s = 0
        def f():
            global x, r
            x = 1
            r = y
        def g():
            global y, s
            y = 1
            s = x
        # run f g
        """,
    "independent_variables": """
        a = b = 0
        def f():
            global a
            a += 1
            a += 1
        def g():
            global b
            b += 1
            b += 1
        # run f g
        """,
    "check_then_act": """
        money = 10
        taken = 0
        def f():
            global money, taken
            if money >= 8:
                money -= 8
                taken += 8
        # run f f
        """,
    "lazy_initialisation": """
        made = []
        instance = None
        def get():
            global instance
            if instance is None:
                made.append(1)
                instance = len(made)
        # run get get
        """,
    "dictionary_check_then_insert": """
        cache = {}
        made = 0
        def f():
            global made
            if "k" not in cache:
                made += 1
                cache["k"] = made
        # run f f
        """,
    "setdefault_is_one_access": """
        cache = {}
        def f():
            cache.setdefault("k", 1)
        def g():
            cache.setdefault("k", 2)
        # run f g
        """,
    "append_is_one_access": """
        items = []
        def f():
            items.append("f")
        def g():
            items.append("g")
            items.append("h")
        # run f g
        """,
    "append_of_the_length": """
        items = []
        def f():
            items.append(len(items))
        # run f f
        """,
    "extend_in_place": """
        items = [0]
        def f():
            global items
            items += [1]
        def g():
            global items
            items = items + [2]
        # run f g
        """,
    "pop_from_a_list_that_may_be_empty": """
        items = [1]
        got = []
        def f():
            if items:
                got.append(items.pop())
        # run f f
        """,
    "iteration_while_another_appends": """
        items = [1, 2]
        total = 0
        def f():
            global total
            for item in items:
                total += item
        def g():
            items.append(10)
        # run f g
        """,
    "dictionary_grows_during_iteration": """
        d = {"a": 1, "b": 2}
        keys = []
        def f():
            for key in d:
                keys.append(key)
        def g():
            d["c"] = 3
        # run f g
        """,
    "while_with_a_shared_bound": """
        n = 0
        def f():
            global n
            while n < 2:
                n += 1
        # run f f
        """,
    "for_with_a_shared_sum": """
        n = 0
        def f():
            global n
            for i in range(2):
                n = n + 1
        # run f f
        """,
    "flag_stops_a_loop": """
        stop = False
        rounds = 0
        def f():
            global rounds
            while not stop and rounds < 2:
                rounds += 1
        def g():
            global stop
            stop = True
        # run f g
        """,
    "late_binding_of_a_global": """
        def f():
            global seen
            seen = late
        t = threading.Thread(target=f)
        seen = 0
        t.start()
        late = 1
        t.join()
        """,
    "assertion_between_writes": """
        a = b = 0
        def f():
            global a, b
            a += 1
            b += 1
        def g():
            assert a == b, "torn"
        # run f g
        """,
    "division_by_what_another_makes_zero": """
        n = 1
        result = None
        def f():
            global n
            n = 0
            n = 2
        def g():
            global result
            result = 4 // n
        # run f g
        """,
    "catching_what_another_caused": """
        d = {"k": 1}
        result = None
        def f():
            del d["k"]
        def g():
            global result
            try:
                result = d["k"]
            except KeyError as problem:
                result = str(problem)
            finally:
                d["done"] = True
        # run f g
        """,
    "first_of_two_exceptions": """
        n = 0
        def f():
            global n
            n = 1
            raise ValueError("f")
        def g():
            global n
            n = 2
            raise KeyError("g")
        # run f g
        """,
    "peterson": """
        want = [False, False]
        turn = 0
        inside = 0
        def f():
            global turn, inside
            want[0] = True
            turn = 1
            while want[1] and turn == 1:
                pass
            inside += 1
            assert inside == 1
            inside -= 1
            want[0] = False
        def g():
            global turn, inside
            want[1] = True
            turn = 0
            while want[0] and turn == 0:
                pass
            inside += 1
            assert inside == 1
            inside -= 1
            want[1] = False
        # run f g
        """,
    "dekker_without_turns": """
        a = b = False
        inside = []
        def f():
            global a
            a = True
            if not b:
                inside.append("f")
        def g():
            global b
            b = True
            if not a:
                inside.append("g")
        # run f g
        """,
    # Locks
    "update_under_a_lock": """
        lock = threading.Lock()
        n = 0
        def f():
            global n
            with lock:
                n += 1
        # run f f
        """,
    "update_under_two_locks": """
        locks = [threading.Lock(), threading.Lock()]
        n = 0
        def f():
            global n
            with locks[0]:
                n += 1
        def g():
            global n
            with locks[1]:
                n += 1
        # run f g
        """,
    "check_outside_the_lock": """
        lock = threading.Lock()
        left = 1
        sold = 0
        def f():
            global left, sold
            if left > 0:
                with lock:
                    left -= 1
                    sold += 1
        # run f f
        """,
    "locks_in_opposite_order": """
        a = threading.Lock()
        b = threading.Lock()
        order = []
        def f():
            with a:
                with b:
                    order.append("f")
        def g():
            with b:
                with a:
                    order.append("g")
        # run f g
        """,
    "locks_in_the_same_order": """
        a = threading.Lock()
        b = threading.Lock()
        order = []
        def f():
            with a, b:
                order.append("f")
        def g():
            with a, b:
                order.append("g")
        # run f g
        """,
    "lock_taken_twice": """
        lock = threading.Lock()
        def f():
            with lock:
                with lock:
                    pass
        # run f
        """,
    "rlock_taken_twice": """
        lock = threading.RLock()
        n = 0
        def f():
            global n
            with lock:
                with lock:
                    n += 1
        # run f f
        """,
    "forgotten_release": """
        lock = threading.Lock()
        n = 0
        def f():
            global n
            lock.acquire()
            n += 1
            if n == 1:
                lock.release()
        # run f f f
        """,
    "release_on_the_way_of_an_exception": """
        lock = threading.Lock()
        log = []
        def f():
            try:
                with lock:
                    log.append(1)
                    raise ValueError("inside")
            except ValueError:
                log.append(2)
        # run f f
        """,
    "exception_leaves_a_lock_held": """
        lock = threading.Lock()
        items = [5]
        got = []
        def f():
            lock.acquire()
            try:
                got.append(items.pop())
            except IndexError:
                return
            lock.release()
        # run f f f
        """,
    "release_of_a_free_lock": """
        lock = threading.Lock()
        def f():
            lock.release()
        def g():
            with lock:
                pass
        # run f g
        """,
    "release_of_anothers_rlock": """
        lock = threading.RLock()
        taken = threading.Event()
        tried = threading.Event()
        def f():
            lock.acquire()
            taken.set()
            tried.wait()
        def g():
            taken.wait()
            try:
                lock.release()
            finally:
                tried.set()
        # run f g
        """,
    "try_lock": """
        lock = threading.Lock()
        got = 0
        missed = 0
        def f():
            global got, missed
            if lock.acquire(blocking=False):
                got += 1
                lock.release()
            else:
                missed += 1
        # run f f
        """,
    "lock_with_a_timeout": """
        lock = threading.Lock()
        log = []
        def f():
            if lock.acquire(timeout=0.001):
                log.append("got")
                lock.release()
            else:
                log.append("late")
        # run f f
        """,
    "locked_is_a_snapshot": """
        lock = threading.Lock()
        seen = []
        def f():
            with lock:
                seen.append(lock.locked())
        def g():
            seen.append(lock.locked())
        # run f g
        """,
    "data_behind_a_failed_try_lock": """
        lock = threading.Lock()
        x = 0
        seen = None
        def f():
            global x
            with lock:
                x = 1
            x = 2
        def g():
            global seen
            if not lock.acquire(blocking=False):
                seen = x
        # run f g
        """,
    "philosophers": """
        forks = [threading.Lock(), threading.Lock()]
        meals = 0
        def eat(i):
            global meals
            with forks[i]:
                with forks[(i + 1) % 2]:
                    meals += 1
        t0 = threading.Thread(target=eat, args=(0,))
        t1 = threading.Thread(target=eat, args=(1,))
        t0.start()
        t1.start()
        t0.join()
        t1.join()
        """,
    "double_checked": """
        lock = threading.Lock()
        made = 0
        ready = False
        def f():
            global made, ready
            if not ready:
                with lock:
                    if not ready:
                        made += 1
                        ready = True
        # run f f
        """,
    # Conditions
    "wait_behind_if": """
        condition = threading.Condition()
        items = []
        def consume():
            with condition:
                if not items:
                    condition.wait()
                items.pop()
        def produce():
            with condition:
                items.append(1)
                condition.notify_all()
        # run consume consume produce
        """,
    "wait_behind_while": """
        condition = threading.Condition()
        items = []
        got = []
        def consume():
            with condition:
                while not items:
                    condition.wait()
                got.append(items.pop())
        def produce():
            with condition:
                items.append(1)
                condition.notify()
        # run consume produce
        """,
    "notify_wakes_one": """
        condition = threading.Condition()
        ready = False
        woken = 0
        def wait():
            global woken
            with condition:
                while not ready:
                    condition.wait()
                woken += 1
        def signal():
            global ready
            with condition:
                ready = True
                condition.notify()
        # run wait wait signal
        """,
    "notify_before_wait": """
        condition = threading.Condition()
        done = []
        def wait():
            with condition:
                condition.wait()
                done.append(1)
        def signal():
            with condition:
                condition.notify()
        # run wait signal
        """,
    "wait_for_a_predicate": """
        condition = threading.Condition()
        n = 0
        seen = None
        def wait():
            global seen
            with condition:
                condition.wait_for(lambda: n == 2)
                seen = n
        def step():
            global n
            with condition:
                n += 1
                condition.notify_all()
            with condition:
                n += 1
                condition.notify_all()
        # run wait step
        """,
    "wait_with_a_timeout": """
        condition = threading.Condition()
        answers = []
        def wait():
            with condition:
                answers.append(condition.wait(timeout=0.001))
        def signal():
            with condition:
                condition.notify()
        # run wait signal
        """,
    "expired_waiter_swallows_a_notification": """
        condition = threading.Condition()
        answers = []
        def patient():
            with condition:
                condition.wait()
                answers.append("patient")
        def hasty():
            with condition:
                answers.append(condition.wait(timeout=0.001))
        def signal():
            with condition:
                condition.notify()
        # run hasty patient signal
        """,
    "wait_without_the_lock": """
        condition = threading.Condition()
        def f():
            condition.wait()
        # run f
        """,
    "notify_without_the_lock": """
        condition = threading.Condition(threading.Lock())
        def f():
            condition.notify()
        def g():
            with condition:
                pass
        # run f g
        """,
    "condition_over_a_shared_lock": """
        lock = threading.Lock()
        full = threading.Condition(lock)
        empty = threading.Condition(lock)
        slot = None
        got = []
        def put():
            global slot
            with lock:
                while slot is not None:
                    empty.wait()
                slot = 1
                full.notify()
        def get():
            global slot
            with lock:
                while slot is None:
                    full.wait()
                got.append(slot)
                slot = None
                empty.notify()
        # run put get
        """,
    "nested_rlock_is_given_up_by_wait": """
        condition = threading.Condition()
        log = []
        def wait():
            with condition:
                with condition:
                    log.append("waits")
                    condition.wait()
                    log.append("woken")
        def signal():
            with condition:
                log.append("signals")
                condition.notify()
        # run wait signal
        """,
    # Semaphores, events, barriers
    "semaphore_lets_two_in": """
        semaphore = threading.Semaphore(2)
        inside = 0
        most = 0
        lock = threading.Lock()
        def f():
            global inside, most
            with semaphore:
                with lock:
                    inside += 1
                    most = max(most, inside)
                with lock:
                    inside -= 1
        # run f f
        """,
    "semaphore_as_a_signal": """
        semaphore = threading.Semaphore(0)
        x = 0
        seen = None
        def f():
            global x
            x = 1
            semaphore.release()
        def g():
            global seen
            semaphore.acquire()
            seen = x
        # run f g
        """,
    "semaphore_tried": """
        semaphore = threading.Semaphore(1)
        answers = []
        def f():
            answers.append(semaphore.acquire(blocking=False))
        # run f f
        """,
    "semaphore_with_a_timeout": """
        semaphore = threading.Semaphore(0)
        answers = []
        def f():
            answers.append(semaphore.acquire(timeout=0.001))
        def g():
            semaphore.release()
        # run f g
        """,
    "bounded_semaphore_released_too_often": """
        semaphore = threading.BoundedSemaphore(1)
        def f():
            semaphore.acquire()
            semaphore.release()
        def g():
            semaphore.release()
        # run f g
        """,
    "event_orders_a_write": """
        event = threading.Event()
        x = 0
        seen = None
        def f():
            global x
            x = 1
            event.set()
        def g():
            global seen
            event.wait()
            seen = x
        # run f g
        """,
    "event_set_too_early": """
        event = threading.Event()
        x = 0
        seen = None
        def f():
            global x
            event.set()
            x = 1
        def g():
            global seen
            event.wait()
            seen = x
        # run f g
        """,
    "event_set_and_cleared": """
        event = threading.Event()
        log = []
        def f():
            event.set()
            event.clear()
        def g():
            event.wait()
            log.append(event.is_set())
        # run f g
        """,
    "event_with_a_timeout": """
        event = threading.Event()
        answers = []
        def f():
            answers.append(event.wait(0.001))
        def g():
            event.set()
        # run f g
        """,
    "event_polled": """
        event = threading.Event()
        x = 0
        seen = None
        def f():
            global x
            x = 1
            event.set()
        def g():
            global seen
            if event.is_set():
                seen = x
        # run f g
        """,
    "event_polled_until_set": """
        event = threading.Event()
        rounds = []
        def f():
            event.set()
        def g():
            while not event.wait(0.001):
                pass
            rounds.append("done")
        # run f g
        """,
    "events_in_a_circle": """
        a = threading.Event()
        b = threading.Event()
        def f():
            a.wait()
            b.set()
        def g():
            b.wait()
            a.set()
        # run f g
        """,
    "barrier_separates_phases": """
        barrier = threading.Barrier(2)
        a = [0, 0]
        seen = [None, None]
        def f():
            a[0] = 1
            barrier.wait()
            seen[0] = a[1]
        def g():
            a[1] = 1
            barrier.wait()
            seen[1] = a[0]
        # run f g
        """,
    "barrier_indices": """
        barrier = threading.Barrier(2)
        indices = {}
        def f():
            indices["f"] = barrier.wait()
        def g():
            indices["g"] = barrier.wait()
        # run f g
        """,
    "barrier_used_twice": """
        barrier = threading.Barrier(2)
        log = []
        def f():
            barrier.wait()
            log.append(1)
            barrier.wait()
            log.append(2)
        # run f f
        """,
    "barrier_one_short": """
        barrier = threading.Barrier(3)
        def f():
            barrier.wait()
        # run f f
        """,
    "barrier_aborted": """
        barrier = threading.Barrier(2)
        log = []
        def f():
            try:
                log.append(barrier.wait())
            except threading.BrokenBarrierError:
                log.append("broken")
        def g():
            barrier.abort()
        # run f g
        """,
    "barrier_with_a_timeout": """
        barrier = threading.Barrier(2)
        log = []
        def f():
            try:
                barrier.wait(0.001)
                log.append("through")
            except threading.BrokenBarrierError:
                log.append("broken")
        # run f f
        """,
    # Queues
    "queue_keeps_order": """
        import queue
        q = queue.Queue()
        got = []
        def f():
            q.put(1)
            q.put(2)
        def g():
            got.append(q.get())
            got.append(q.get())
        # run f g
        """,
    "queue_of_one_place": """
        import queue
        q = queue.Queue(1)
        got = []
        def f():
            q.put(1)
            q.put(2)
        def g():
            got.append(q.get())
            got.append(q.qsize())
            got.append(q.get())
        # run f g
        """,
    "queue_two_producers": """
        import queue
        q = queue.Queue()
        got = []
        def f():
            q.put("f")
        def g():
            q.put("g")
        def h():
            got.append(q.get())
            got.append(q.get())
        # run f g h
        """,
    "queue_empty": """
        import queue
        q = queue.Queue()
        got = []
        def f():
            q.put(1)
        def g():
            try:
                got.append(q.get_nowait())
            except queue.Empty:
                got.append("empty")
        # run f g
        """,
    "queue_full": """
        from queue import Queue, Full
        q = Queue(maxsize=1)
        failed = 0
        def f():
            global failed
            try:
                q.put(1, block=False)
            except Full:
                failed += 1
        # run f f
        n = q.qsize()
        """,
    "queue_with_a_timeout": """
        import queue
        q = queue.Queue()
        got = []
        def f():
            try:
                got.append(q.get(timeout=0.001))
            except queue.Empty:
                got.append("empty")
        def g():
            q.put(7)
        # run f g
        """,
    "queue_starves": """
        import queue
        q = queue.Queue()
        def f():
            q.put(1)
        def g():
            q.get()
        # run f g g
        """,
    "queue_join_waits_for_task_done": """
        import queue
        q = queue.Queue()
        done = 0
        def work():
            global done
            q.get()
            done += 1
            q.task_done()
        q.put("job")
        t = threading.Thread(target=work)
        t.start()
        q.join()
        seen = done
        t.join()
        """,
    "queue_check_then_get": """
        import queue
        q = queue.Queue()
        q.put(1)
        got = 0
        def f():
            global got
            if not q.empty():
                q.get()
                got += 1
        # run f f
        """,
    "poison_pill": """
        import queue
        q = queue.Queue()
        total = 0
        def work():
            global total
            while True:
                item = q.get()
                if item is None:
                    break
                total += item
        t = threading.Thread(target=work)
        t.start()
        q.put(1)
        q.put(2)
        q.put(None)
        t.join()
        """,
    # Threads themselves
    "main_runs_along": """
        n = 0
        def f():
            global n
            n += 1
        t = threading.Thread(target=f)
        t.start()
        n += 1
        t.join()
        """,
    "thread_that_nobody_joins": """
        n = 0
        def f():
            global n
            n = 1
        t = threading.Thread(target=f)
        t.start()
        seen = n
        """,
    "daemon_dies_with_the_program": """
        n = 0
        def f():
            global n
            n = 1
            n = 2
        t = threading.Thread(target=f, daemon=True)
        t.start()
        """,
    "daemon_that_waits_for_ever": """
        event = threading.Event()
        n = 0
        def f():
            global n
            n = 1
            event.wait()
            n = 2
        t = threading.Thread(target=f, daemon=True)
        t.start()
        """,
    "is_alive_is_a_snapshot": """
        n = 0
        def f():
            global n
            n = 1
        t = threading.Thread(target=f)
        before = t.is_alive()
        t.start()
        seen = (n, t.is_alive())
        t.join()
        after = t.is_alive()
        """,
    "join_with_a_timeout": """
        n = 0
        def f():
            global n
            n = 1
        t = threading.Thread(target=f)
        t.start()
        t.join(0.001)
        seen = n
        """,
    "started_twice": """
        def f():
            pass
        t = threading.Thread(target=f)
        t.start()
        t.start()
        """,
    "joined_before_it_starts": """
        def f():
            pass
        t = threading.Thread(target=f)
        t.join()
        """,
    "thread_starts_a_thread": """
        log = []
        def inner():
            log.append("inner")
        def outer():
            t = threading.Thread(target=inner)
            t.start()
            log.append("outer")
            t.join()
            log.append("end")
        # run outer
        """,
    "threads_of_a_class": """
        class Worker(threading.Thread):
            total = 0
            def __init__(self, amount):
                super().__init__()
                self.amount = amount
            def run(self):
                Worker.total += self.amount
        a = Worker(1)
        b = Worker(2)
        a.start()
        b.start()
        a.join()
        b.join()
        total = Worker.total
        """,
    "threads_join_each_other": """
        def f():
            b.join()
        def g():
            a.join()
        a = threading.Thread(target=f)
        b = threading.Thread(target=g)
        a.start()
        b.start()
        """,
    "exception_in_main_while_others_run": """
        n = 0
        def f():
            global n
            n = 1
        t = threading.Thread(target=f)
        t.start()
        assert n == 1, "too early"
        t.join()
        """,
    "names_of_threads": """
        log = []
        def f():
            log.append(threading.current_thread().name)
        a = threading.Thread(target=f, name="a")
        b = threading.Thread(target=f, name="b")
        a.start()
        b.start()
        a.join()
        b.join()
        main = threading.current_thread().name
        """,
    "sleep_is_no_synchronisation": """
        import time
        x = 0
        seen = None
        def f():
            global x
            x = 1
        def g():
            global seen
            time.sleep(0.001)
            seen = x
        # run f g
        """,
    "choices_of_two_threads": """
        import assay
        picked = []
        def f():
            picked.append(assay.choose([1, 2]))
        # run f f
        """,
    "choice_decides_the_order_of_locks": """
        from assay import choose
        a = threading.Lock()
        b = threading.Lock()
        def f():
            if choose(True, False):
                with a, b:
                    pass
            else:
                with b, a:
                    pass
        # run f f
        """,
    "bank_account": """
        class Account:
            def __init__(self, balance):
                self.balance = balance
                self.lock = threading.Lock()
            def take(self, amount):
                with self.lock:
                    self.balance -= amount
        def move(source, target):
            with source.lock:
                with target.lock:
                    source.balance -= 1
                    target.balance += 1
        x = Account(5)
        y = Account(5)
        t0 = threading.Thread(target=move, args=(x, y))
        t1 = threading.Thread(target=move, args=(y, x))
        t0.start()
        t1.start()
        t0.join()
        t1.join()
        balances = (x.balance, y.balance)
        """,
    "context_manager_of_the_program": """
        log = []
        class Guard:
            def __init__(self, lock):
                self.lock = lock
            def __enter__(self):
                self.lock.acquire()
                log.append("in")
                return self
            def __exit__(self, kind, problem, trace):
                log.append("out")
                self.lock.release()
                return kind is not None
        guard = Guard(threading.Lock())
        def f():
            with guard:
                raise ValueError("swallowed")
        # run f f
        """,
    "printing_threads": """
        n = 0
        def f():
            global n
            print("f", n)
            n += 1
            print("f then", n)
        def g():
            global n
            n += 10
            print(f"g {n}")
        # run f g
        """,
    "finally_and_return": """
        lock = threading.Lock()
        n = 0
        def step():
            global n
            lock.acquire()
            try:
                n += 1
                return n
            finally:
                lock.release()
        results = []
        def f():
            results.append(step())
        # run f f
        """,
    "reader_and_writer_of_a_pair": """
        pair = (0, 0)
        seen = []
        def write():
            global pair
            pair = (1, 1)
            pair = (2, 2)
        def read():
            a, b = pair
            seen.append(a == b)
        # run write read
        """,
    "handshake_of_flags": """
        ready = False
        data = None
        got = None
        def send():
            global data, ready
            data = "hello"
            ready = True
        def receive():
            global got
            if ready:
                got = data
            else:
                got = "not yet"
        # run send receive
        """,
}

PROGRAMS: dict[str, str] = {name: expand(text) for name, text in TEXTS.items()}
