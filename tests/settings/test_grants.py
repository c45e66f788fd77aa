"""What is always allowed: private to the user, by workspace, whole with several windows, and
never lost to a broken file.
"""

import json
import stat
import threading

import pytest

from dogent_tui.settings.grants import GrantStore, RememberedGrant

ONE, TWO = RememberedGrant("delete", "/w/a", "rm"), RememberedGrant("read", "/etc/hosts")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "home" / "permissions.json"


def places(store):
    return {grant.place for grant in store.load()}


def test_what_is_added_is_there_for_this_workspace_only(path, tmp_path):
    store = GrantStore(path, tmp_path / "w")
    store.add((ONE, TWO))
    store.add((ONE,))
    assert [(grant.kind, grant.place, grant.program) for grant in store.load()].count(
        ("delete", "/w/a", "rm")
    ) == 1
    assert all(grant.granted for grant in store.load())
    assert GrantStore(path, tmp_path / "other").load() == ()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_revoked_is_gone_for_every_window(path, tmp_path):
    store, other = (GrantStore(path, tmp_path / "w") for _ in range(2))
    store.add((ONE, TWO))
    store.revoke(ONE)
    assert places(other) == {"/etc/hosts"}


def test_windows_that_write_at_the_same_time_lose_nothing(path, tmp_path):
    def add(number):
        GrantStore(path, tmp_path / f"w{number % 2}").add((RememberedGrant("read", f"/{number}"),))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places(GrantStore(path, tmp_path / "w0")) == {"/0", "/2", "/4", "/6"}


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"workspaces": 3}', '{"workspaces": {"/w": [3, {}, {"kind": 1, "place": "/"}]}}'],
)
def test_a_broken_file_allows_nothing_and_takes_new_answers(path, tmp_path, text):
    path.parent.mkdir()
    path.write_text(text.replace("/w", str(tmp_path / "w")))
    store = GrantStore(path, tmp_path / "w")
    assert store.load() == ()
    store.add((ONE,))
    assert places(store) == {"/w/a"}


def test_a_file_that_others_could_read_becomes_private_and_keeps_what_is_not_known(path, tmp_path):
    path.parent.mkdir()
    path.write_text(
        json.dumps({"later": 1, "workspaces": {"/x": [{"kind": "read", "place": "/y"}]}})
    )
    path.chmod(0o644)
    GrantStore(path, tmp_path / "w").add((ONE,))
    data = json.loads(path.read_text())
    assert (data["later"], data["workspaces"]["/x"]) == (1, [{"kind": "read", "place": "/y"}])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
