# fails
import os

assert os.process_cpu_count() > 0
