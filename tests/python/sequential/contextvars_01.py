import contextvars, threading

v = contextvars.ContextVar("v", default=0)
w = contextvars.ContextVar("w")
v.set(1)
ctx = contextvars.copy_context()
v.set(2)
print(ctx.run(v.get), v.get(), ctx[v], v in ctx, w in ctx, len(ctx), ctx.get(w), ctx.get(w, 5))
print(ctx.run(lambda: (v.set(9), w.set(3), v.get())[2]), v.get(), ctx[v], w.get(4), sorted(ctx.values()))
print(
    list(contextvars.Context().items()),
    contextvars.Context() == contextvars.Context(),
    ctx == contextvars.copy_context(),
)
try:
    ctx.run(lambda: ctx.run(print))
except RuntimeError as e:
    print("RuntimeError", str(e)[:20])
try:
    ctx["v"]
except TypeError as e:
    print(e)
try:
    hash(ctx)
except TypeError as e:
    print("TypeError")
try:
    contextvars.Context()[v]
except KeyError as e:
    print("KeyError")
t = ctx.run(lambda: v.set(4))
try:
    v.reset(t)
except ValueError as e:
    print("ValueError")
ctx.run(v.reset, t)
print(ctx[v])


def f():
    print(v.get())
    v.set(7)
    print(v.get())


t = threading.Thread(target=f)
t.start()
t.join()
t = threading.Thread(target=ctx.run, args=(f,))
t.start()
t.join()
print(v.get(), ctx[v])
c2 = ctx.copy()
c2.run(v.set, 70)
print(ctx[v], c2[v])
t = v.set(5)
v.reset(t)
print(v.get())
try:
    v.reset(t)
except RuntimeError as e:
    print("used")
