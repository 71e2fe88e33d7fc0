# shortest path
import heapq

graph = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 6}, "c": {"d": 3}, "d": {}}


def dijkstra(start):
    distance = {start: 0}
    heap = [(0, start)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, cost in graph[node].items():
            if d + cost < distance.get(other, float("inf")):
                distance[other] = d + cost
                heapq.heappush(heap, (d + cost, other))
    return distance


print(dijkstra("a"), dijkstra("c"))
