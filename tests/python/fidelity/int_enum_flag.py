# holds
import enum


class P(enum.IntFlag):
    R = 4
    W = 2


assert P.R | P.W == 6
