"""The same service for other programs: pages over HTTP (the AI SDK's stream) and editors (the
Agent Client Protocol).
"""
