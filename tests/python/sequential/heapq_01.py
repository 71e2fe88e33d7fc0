import heapq

h = []
for x in [5, 1, 8, 3, 2]:
    heapq.heappush(h, x)
print(h[0], [heapq.heappop(h) for _ in range(len(h))])
h = [9, 4, 7, 1]
heapq.heapify(h)
print(h, heapq.heappushpop(h, 0), heapq.heapreplace(h, 6), sorted(h))
print(heapq.nlargest(2, [3, 9, 5]), heapq.nsmallest(2, [3, 9, 5]), heapq.nlargest(1, ["a", "bbb"], key=len))
print(list(heapq.merge([1, 4], [2, 3], [0])))
try:
    heapq.heappop([])
except IndexError as error:
    print(error)
