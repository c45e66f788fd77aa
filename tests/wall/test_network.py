"""Commands and other machines: nothing unasked, and after a yes exactly the host that was named.
Loopback stands in for them.
"""

import http.server
import subprocess
import threading

import pytest

from dogent_tui.wall.wall import Answer, Wall
from dogent_tui.web.command_proxy import Proxy, proxy_variables

pytestmark = pytest.mark.slow


@pytest.fixture
def page():
    """A web server outside the wall; returns its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"from {self.headers['Host']}".encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(tmp_path):
    root = tmp_path / "workspace"
    root.mkdir()
    wall = Wall(root, tmp_path / "session", lambda ended: Answer(ended.status), Proxy)
    wall.start()

    def run(command, hosts=None):
        environment = (
            {**proxy_variables(), "NO_PROXY": "", "no_proxy": ""} if hosts is not None else {}
        )
        job = wall.prepare(command, root, hosts=hosts, environment=environment)
        done = subprocess.run(
            ["/bin/bash", "-c", job.text], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    yield run
    wall.close()


def test_no_command_reaches_a_server_of_this_machine(run, page):
    status, said = run(f"exec 3<>/dev/tcp/127.0.0.1/{page}")
    assert status != 0
    assert "Connection refused" in said  # a loopback of its own, where nobody listens


def test_a_server_of_its_own_is_reached(run):
    served = (
        "python3 -m http.server --bind 127.0.0.1 8000 & until exec 3<>/dev/tcp/127.0.0.1/8000; do"
        " :; done; echo reached"
    )
    assert "reached" in run(served)[1]


def test_after_a_yes_the_host_that_was_named_is_reached_and_no_other(run, page):
    asking = (
        'const http = require("http"); http.get({{host: "127.0.0.1", port: 3128, path:'
        ' "http://{host}:{port}/x", headers: {{host: "{host}:{port}"}}}}, got => {{ let all ='
        ' got.statusCode + " "; got.on("data", one => all += one); got.on("end", () =>'
        " console.log(all)); }})"
    )
    assert (
        "200 from 127.0.0.1"
        in run(f"node -e '{asking.format(host='127.0.0.1', port=page)}'", hosts=("127.0.0.1",))[1]
    )
    assert (
        "403"
        in run(f"node -e '{asking.format(host='localhost', port=page)}'", hosts=("127.0.0.1",))[1]
    )
    assert "403" in run(f"node -e '{asking.format(host='127.0.0.1', port=page)}'", hosts=())[1], (
        "no public address"
    )


def test_a_tunnel_leads_to_the_host_that_was_named_and_no_other(run, page):
    request = r"CONNECT {host}:{port} HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\nHost: me\r\n\r\n"
    tunnel = f"exec 3<>/dev/tcp/127.0.0.1/3128; printf '{request}' >&3; cat <&3"
    assert "from me" in run(tunnel.format(host="127.0.0.1", port=page), hosts=("127.0.0.1",))[1]
    assert "from me" not in run(tunnel.format(host="127.0.0.2", port=page), hosts=("127.0.0.1",))[1]
