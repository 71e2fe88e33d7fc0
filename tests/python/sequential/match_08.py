# a small command interpreter
def run(command, state):
    match command.split():
        case ["push", n]:
            state.append(int(n))
        case ["add" | "mul" as op]:
            a, b = state.pop(), state.pop()
            state.append(a + b if op == "add" else a * b)
        case ["dup"]:
            state.append(state[-1])
        case ["print", *what]:
            print(*what, state)
        case []:
            pass
        case [unknown, *_]:
            print("unknown", unknown)


state = []
for line in ("push 2", "dup", "mul", "push 3", "add", "print stack is", "", "jump 3"):
    run(line, state)
