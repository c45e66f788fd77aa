from tests.storage.conftest import home, workspace

__all__ = ["home", "workspace"]
