"""One breadth-first search on the workers of a Dask cluster (docs/cluster.md)."""
