"""Permission questions: their queue, content and answers. The screen is `screens/permission.py`."""
