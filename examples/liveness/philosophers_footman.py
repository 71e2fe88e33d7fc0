"""The same table with a footman, who serves in turn: nobody eats twice while another one is hungry."""

import threading

import assay

table = threading.Condition()
turn = 0


def philosopher(seat):
    global turn
    while True:
        if seat == 2:
            assay.label("hungry")
        with table:
            while turn != seat:
                table.wait()
            if seat == 2:
                assay.label("eats")
            turn = (turn + 1) % 3
            table.notify_all()


for seat, name in enumerate(("Plato", "Kant", "Hypatia")):
    threading.Thread(target=philosopher, args=(seat,), name=name).start()
