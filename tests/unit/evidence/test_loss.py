import random

import pytest

from assay.evidence.loss import Loss


def test_fingerprint_bound_is_the_birthday_bound():
    assert Loss("fingerprint").probability(2**20) == 2.0**-25
    assert Loss("fingerprint").probability(2**40) == 1.0


def test_bitstate_risk_is_the_filled_share_to_the_number_of_hash_functions():
    loss = Loss("bitstate", hash_functions=3, bits_set=250, bits_total=1000)
    assert loss.probability_per_state() == pytest.approx(1 / 64)
    assert loss.expected_states(6300) == pytest.approx(100)


def test_a_table_without_bits_or_full_of_them_loses_everything():
    assert Loss("bitstate", 3, 0, 0).probability_per_state() == 1.0
    assert Loss("bitstate", 3, 8, 8).probability(1) == 1.0
    assert Loss("bitstate", 3, 8, 8).as_json(1)["expected_states"] is None


def test_the_expected_number_of_lost_states_bounds_a_simulation():
    # Random states into a real bit table; count how many were taken for old ones.
    generator = random.Random(7)
    lost_total, bound_total = 0, 0.0
    for _ in range(20):
        bits: set[int] = set()
        stored = lost = 0
        for _ in range(2000):
            places = {generator.randrange(20_000) for _ in range(3)}
            if places <= bits:
                lost += 1
            else:
                stored += 1
                bits |= places
        lost_total += lost
        bound_total += Loss("bitstate", 3, len(bits), 20_000).expected_states(stored)
    assert 0 < lost_total <= bound_total


def test_sentences_say_the_figures():
    assert "at most 2.7e-08" in Loss("fingerprint").sentence(10**6)
    sentence = Loss("bitstate", 2, 10, 1000).sentence(10_000)
    assert "with 1 % of the bits set" in sentence
    assert "0.0001" in sentence
