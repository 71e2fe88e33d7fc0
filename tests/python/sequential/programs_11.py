# topological order with cycle detection
class Cycle(Exception):
    def __init__(self, path):
        super().__init__(" -> ".join(path))


def order(graph):
    done, result = set(), []

    def visit(node, path):
        if node in path:
            raise Cycle([*path[path.index(node) :], node])
        if node in done:
            return
        for other in graph.get(node, ()):
            visit(other, [*path, node])
        done.add(node)
        result.append(node)

    for node in graph:
        visit(node, [])
    return result


print(order({"app": ["db", "log"], "db": ["log"], "log": []}))
try:
    order({"a": ["b"], "b": ["c"], "c": ["a"]})
except Cycle as cycle:
    print(cycle)
