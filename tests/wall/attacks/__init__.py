"""Sequences of calls that do harm where nothing holds them, by what they go through."""

from tests.wall.attacks import (
    by_arrangement,
    by_detail,
    by_git,
    by_kernel,
    by_links,
    by_programs,
    by_surprise,
    by_time,
    in_one_call,
)
from tests.wall.attacks.table import Attack

ATTACKS: tuple[Attack, ...] = (
    *in_one_call.ATTACKS,
    *by_programs.ATTACKS,
    *by_links.ATTACKS,
    *by_git.ATTACKS,
    *by_time.ATTACKS,
    *by_kernel.ATTACKS,
    *by_surprise.ATTACKS,
    *by_arrangement.ATTACKS,
    *by_detail.ATTACKS,
)
