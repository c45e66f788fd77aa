"""What pictures and videos show, described by a vision model: the user's own profiles, and the
providers behind them.

The life of a picture
---------------------

1. `look_at` (`vision/look.py`) reads the profile from `vision.json` every time, so that corrections
   take effect at once. Without a usable profile nothing is opened.
2. `load_media` (`vision/media.py`) opens the file once and determines its type from the content;
   neither a name nor `media_type` turns a text into a picture. A picture is decoded in a process of
   its own (`pixels.py`), with limits on time, memory and pixels, and encoded again: upright,
   opaque, four frames of an animation, and within the provider's limits. Only pixels come out,
   without the place where a photo was taken or data hidden after the end of a file. A video is sent
   as it is, if its container is well-formed (`containers.py`).
3. A client of `providers.py` sends one request (`provider_request.py`): no retry, no redirect, no
   cookie, a limited answer. Plain http to another network is refused. The answer must be one JSON
   object (`answer.py`). Nothing is stored.

Every failure is a `VisionError`. If only the user can fix it, `tools/vision.py` tells the model to
stop and say so.
"""
