/* The end of a comment that is none /* is a blank to SPIN. */ */
byte x;
byte large[5000];

inline leave_early(value) {
    if
    :: value > 0 --> goto done
    :: else --> skip
    fi;
    x++;
done:
    skip
}

inline first_counts(value, value) {
    large[4999] = value
}

active [2] proctype P() {
    d_step { leave_early(x) } */ ;
    d_step { leave_early(x) };
    first_counts(3, 4);
    assert(x == 1 && large[4999] == 3)
}
