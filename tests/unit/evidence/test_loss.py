import random

import pytest

from assay.evidence.loss import BitstateLoss, FingerprintLoss, UnderApproximation, loss_of


def test_fingerprint_bound_is_the_birthday_bound():
    assert FingerprintLoss().probability(2**20) == 2.0**-25
    assert FingerprintLoss().probability(2**40) == 1.0


def test_bitstate_risk_is_the_filled_share_to_the_number_of_hash_functions():
    loss = BitstateLoss(hash_functions=3, bits_set=250, bits_total=1000)
    assert loss.probability_per_state() == pytest.approx(1 / 64)
    assert loss.expected_states(6300) == pytest.approx(100)


def test_a_table_without_bits_or_full_of_them_loses_everything():
    assert BitstateLoss(3, 0, 0).probability_per_state() == 1.0
    assert BitstateLoss(3, 8, 8).probability(1) == 1.0
    assert BitstateLoss(3, 8, 8).as_json(1)["expected_states"] is None


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
        bound_total += BitstateLoss(3, len(bits), 20_000).expected_states(stored)
    assert 0 < lost_total <= bound_total


def test_sentences_say_the_figures():
    assert "at most 2.7e-08" in FingerprintLoss().sentence(10**6)
    sentence = BitstateLoss(2, 10, 1000).sentence(10_000)
    assert "with 1 % of the bits set" in sentence
    assert "0.0001" in sentence


def test_what_the_engine_does_not_call_exact_is_a_loss():
    assert loss_of("exact", "exact", hash_functions=3) is None
    assert loss_of("may-lose", "fingerprint", hash_functions=3) == FingerprintLoss()
    assert loss_of("may-lose", "bitstate", hash_functions=2, bits_set=1, bits_total=8) == BitstateLoss(
        2, 1, 8
    )
    assert isinstance(loss_of("under-approximates", "abstraction", hash_functions=3), UnderApproximation)
    # An engine of tomorrow, or one that contradicts itself, proves nothing.
    assert loss_of("may-lose", "exact", hash_functions=3) is not None
    assert loss_of("exact", "papyrus", hash_functions=3) is not None


def test_an_under_approximation_says_what_was_merged():
    assert "states were compared by x + y: 19 different ones" in UnderApproximation("x + y").sentence(19)
