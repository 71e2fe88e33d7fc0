"""Who runs independent tasks: this process, child processes on this machine, or a Dask cluster."""
