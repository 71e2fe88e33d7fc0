import copy


class Tracked:
    def __init__(self, n):
        self.n = n

    def __copy__(self):
        return Tracked(self.n + 1)

    def __deepcopy__(self, memo):
        return Tracked(self.n + 100)


t = Tracked(1)
print(copy.copy(t).n, copy.deepcopy(t).n, copy.deepcopy([t, t])[0].n)
shared = [0]
pair = copy.deepcopy([shared, shared])
pair[0].append(1)
print(pair, shared, pair[0] is pair[1])
