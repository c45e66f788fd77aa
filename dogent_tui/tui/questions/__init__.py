"""Permission questions: which waits, what it shows and which answers it offers. The screen is
`screens/permission.py`.
"""
