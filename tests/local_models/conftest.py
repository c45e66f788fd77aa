"""The tests of local models run beside others, and a busy machine answers late."""

from tests.local_models.stand_ins import patient  # noqa: F401
