"""What pictures and videos show, told by a model that sees: the user's own profiles, and the
providers behind them.

The life of a picture that is looked at
---------------------------------------

1. `look_at` (`vision/look.py`) reads the profile from `vision.json`, each time again: what the
   user fixed takes effect at once. Without a profile that can be used nothing is opened.
2. `load_media` (`vision/media.py`) opens the file once and tells by its content what it is; a name
   or `media_type` makes no picture of a text. A picture is decoded in a process of its own
   (`pixels.py`), with bounds on time, memory and pixels, and encoded again: upright, opaque, of an
   animation four frames, and within the provider's limits. Only pixels come out, no place where a
   photo was taken, and nothing that hides behind the end of a file. A video travels as it is, once
   its container holds together (`containers.py`).
3. A client of `providers.py` asks once (`provider_request.py`): no retry, no redirect, no cookie, a
   bound on the answer. Plain http to another network is refused. The answer has to be one JSON
   object (`answer.py`). Nothing is kept.

Every failure is a `VisionError`. To those that only the user can correct, `tools/vision.py` adds
that the model is to stop and say so.
"""
