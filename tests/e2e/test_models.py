"""/model in a terminal: another model of the same profile continues with the conversation."""

import pytest

from tests.e2e.conftest import IN_ONE_LOOP
from tests.e2e.scripted_api import MODEL

pytestmark = [pytest.mark.slow, IN_ONE_LOOP]


@pytest.mark.thorough
async def test_another_model_continues_with_the_conversation(api, dogent):
    async with dogent.open(size=(120, 30)) as terminal:
        api.say("You said tea.")
        terminal.type("I like tea\r")
        await terminal.wait_for("You said tea.")
        await terminal.wait_for("done in")
        terminal.type("/model\r")
        await terminal.wait_for("Which model from now on?", MODEL)
        terminal.type("\x1b")
        await terminal.wait_without("Which model")
        terminal.type("/model claude-opus-4-6 high\r")
        await terminal.wait_for("From now on: test-profile · claude-opus-4-6, effort high.")
        await terminal.wait_for("ready")
        api.say("Still tea.")
        terminal.type("And now?\r")
        await terminal.wait_for("Still tea.")
        asked = api.requests[-1]
        assert asked.model == "claude-opus-4-6"
        assert asked.raw["output_config"]["effort"] == "high"
        assert "I like tea" in str(asked.messages)
