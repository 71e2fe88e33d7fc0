"""Elevators and people: each person calls, enters an open cabin, asks for a floor and leaves there.

Cabins answer the buttons on the floors and their own, turn at both ends of the shaft and rest when
no button is pressed. Doors close again whether or not somebody came in time; who did not presses
again. The elevators are daemons: the building closes when everybody has arrived.
"""

import threading

import assay

ELEVATORS = 1  # in the thesis: 5
FLOORS = 2  # 10
PEOPLE = 1  # 10

changed = threading.Condition()  # guards everything below
called = [False] * FLOORS  # buttons on the floors
wanted = [[False] * FLOORS for _ in range(ELEVATORS)]  # buttons in the cabins
position = [0] * ELEVATORS
is_open = [False] * ELEVATORS
is_moving = [False] * ELEVATORS
inside = [0] * ELEVATORS
arrived = 0


def operate(elevator):
    direction = 1
    while True:
        with changed:
            while not any(called) and not any(wanted[elevator]):
                changed.wait()
            floor = position[elevator]
            stops_here = called[floor] or wanted[elevator][floor]
            if stops_here:
                called[floor] = wanted[elevator][floor] = False
                assert not is_moving[elevator], "the doors open on the way"
                is_open[elevator] = True
                changed.notify_all()
            else:
                assert not is_open[elevator], "the cabin leaves with open doors"
                is_moving[elevator] = True
                direction = -1 if floor == FLOORS - 1 else 1 if floor == 0 else direction
        with changed:
            if stops_here:
                assert is_open[elevator], "somebody else closed the doors"
                is_open[elevator] = False
            else:
                is_moving[elevator] = False
                position[elevator] += direction
                assert 0 <= position[elevator] < FLOORS, "the cabin left the shaft"


def open_cabin(floor):
    """A cabin that people on this floor can enter, if there is one."""
    for elevator in range(ELEVATORS):
        if is_open[elevator] and position[elevator] == floor:
            return elevator
    return None


def travel(start, destination):
    global arrived
    with changed:
        while (cabin := open_cabin(start)) is None:
            if not called[start]:
                called[start] = True
                changed.notify_all()
            changed.wait()
        assert is_open[cabin], "somebody enters through closed doors"
        assert position[cabin] == start, "somebody enters on another floor"
        inside[cabin] += 1
        while not (is_open[cabin] and position[cabin] == destination):
            if not wanted[cabin][destination]:
                wanted[cabin][destination] = True
                changed.notify_all()
            changed.wait()
        assert inside[cabin] > 0, "somebody leaves an empty cabin"
        inside[cabin] -= 1
        arrived += 1


def main():
    assay.invariant(lambda: all(0 <= floor < FLOORS for floor in position), name="cabins stay in the shaft")
    assay.invariant(
        lambda: not any(is_open[n] and is_moving[n] for n in range(ELEVATORS)), name="no cabin moves open"
    )
    assay.invariant(lambda: min(inside) >= 0, name="nobody leaves twice")
    assay.invariant(lambda: sum(inside) + arrived <= PEOPLE, name="nobody is at two places")
    for elevator in range(ELEVATORS):
        threading.Thread(target=operate, args=(elevator,), daemon=True).start()
    people = []
    for person in range(PEOPLE):
        start = person % FLOORS
        destination = assay.choose(*[floor for floor in range(FLOORS) if floor != start])
        people.append(threading.Thread(target=travel, args=(start, destination)))
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert arrived == PEOPLE, "somebody did not arrive"


if __name__ == "__main__":
    main()
