"""The model has a picture looked at, through the real CLI: only metadata travels with the
prompt, and strict JSON comes back.
"""

import base64
import io
import json

from PIL import Image

from dogent_tui.agent.events import Attachment, PermissionRequested, Prompt, RunFinished, ToolResult
from tests.e2e.conftest import IN_ONE_LOOP
from tests.vision.conftest import KEY, SEEN, serving

pytestmark = IN_ONE_LOOP

ANALYZE = "mcp__dogent__analyze_media"


async def test_a_picture_is_seen_by_the_vision_model_and_by_nobody_else(
    api, agent, shelf, tmp_path
):
    stream = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(stream, "PNG")
    (agent.root / "chart.png").write_bytes(stream.getvalue())
    (agent.root / "keys.png").write_text("API_KEY=secret-of-somebody", encoding="utf-8")
    file = shelf.home / ".dogent" / "vision.json"
    profile = {"provider": "glm-4.6v", "model": "glm-4.6v", "api_key": "replace-me"}

    api.call(ANALYZE, {"path": "chart.png"})
    api.say("You have to put in a key.")
    file.write_text(json.dumps({"profiles": {"glm-4.6v": profile}}), encoding="utf-8")
    await agent.run(
        "What does @chart.png show?", attachments=(Attachment("chart.png", "chart.png", "png"),)
    )
    first, second = api.requests
    assert '[{"path": "chart.png", "name": "chart.png", "type": "png"}]' in first.last_user_text()
    assert base64.b64encode(stream.getvalue()[:30]).decode() not in str(first.messages)
    assert ANALYZE in first.tools
    assert "stop, say which file and key" in str(first.system)
    (missing,) = agent.of(ToolResult)
    assert missing.is_error
    assert '"api_key" of glm-4.6v in' in missing.content
    assert "Stop here" in str(second.messages[-1])

    api.call_all(
        (ANALYZE, {"path": "chart.png", "media_type": "image"}), (ANALYZE, {"path": "keys.png"})
    )
    api.say("A red square.")
    async with serving() as provider:
        file.write_text(
            json.dumps(
                {"profiles": {"glm-4.6v": {**profile, "api_key": KEY, "base_url": provider.url}}}
            ),
            "utf-8",
        )
        provider.say(json.dumps(SEEN))
        await agent.run("And now?")
    ((address, _, asked),) = provider.requests
    assert address == "/chat/completions"
    assert "secret-of-somebody" not in str(asked)
    _, seen, refused = agent.of(ToolResult)
    assert (json.loads(seen.content), seen.is_error) == (SEEN, False)
    assert refused.is_error
    assert "text, despite its name" in refused.content
    assert json.dumps(SEEN["summary"]) in str(api.requests[3].messages[-1]).replace(
        "\\\\", "\\"
    ).replace('\\"', '"')
    assert KEY not in str(api.requests[3].messages)
    assert agent.of(PermissionRequested) == []

    (tmp_path / "outside.png").write_bytes(stream.getvalue())
    api.call(ANALYZE, {"path": str(tmp_path / "outside.png")})
    await agent.service.submit(Prompt("And what lies outside?"))
    question = await agent.heard(PermissionRequested)
    assert "outside.png" in question.sentence
    await agent.service.interrupt()
    assert (await agent.heard(RunFinished, 3)).status == "interrupted"
