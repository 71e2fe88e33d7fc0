import io
import threading

report = io.StringIO()


def write(name, amount):
    report.write(f"name: {name}\n")
    report.write(f"amount: {amount}\n")


writers = [
    threading.Thread(target=write, args=("ann", 1), name="ann"),
    threading.Thread(target=write, args=("bob", 2), name="bob"),
]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
lines = report.getvalue().splitlines()
assert lines[0].startswith("name") and lines[1].startswith("amount"), lines
