"""The browser that prints: found on this computer, started once, kept warm, and ended with us in
any case.
"""

import asyncio
import importlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dogent_tui.documents.export.model import Made, Progress, unheard
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import stream_process
from dogent_tui.temporary import temporary_folder
from dogent_tui.wall.own import own_environment, own_wall, walled

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Page, Playwright, Route

_NAMES = (
    # The headless shell starts and prints in half the time of the full browser.
    "chromium-headless-shell", "chrome-headless-shell", "headless_shell", "google-chrome-stable",
    "google-chrome", "chromium",
    "chromium-browser", "microsoft-edge-stable", "microsoft-edge", "brave-browser",
)  # fmt: skip
_APPLICATIONS = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_OWN = (
    "chromium_headless_shell-*/chrome*/chrome-headless-shell",
    "chromium_headless_shell-*/chrome*/headless_shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
"""Playwright's downloads, below its folder (its documentation, "Managing browser binaries")."""

_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name can be resolved
    "--disable-dev-shm-usage",  # containers provide 64 MB, which a long document fills
    "--font-render-hinting=none",  # glyph widths on paper as defined by the font
)
_NODE = "PLAYWRIGHT_NODEJS_PATH"
_START_LIMIT_S = 30.0
_PRINT_LIMIT_S = 120.0
_CLOSE_LIMIT_S = 5.0
_INSTALL_LIMIT_S = 900.0


_REMEDY = tr(
    "Install Chromium or Chrome with your system's package manager (on Debian:"
    " chromium-headless-shell)."
)


class BrowserUnavailableError(DocumentError):
    """There is no browser, or none starts."""

    def __init__(self, message: str) -> None:
        super().__init__(message, _REMEDY, code="engine_missing")


def find_browsers() -> list[Path]:
    """Return the browsers of this computer that can print, fastest first: installed ones, then
    Playwright's own. Blocks.
    """
    found = [*map(Path, filter(None, map(shutil.which, _NAMES)))]
    is_mac, home = sys.platform == "darwin", Path.home()
    if is_mac:
        places = [
            folder / f"{name}.app/Contents/MacOS/{name}"
            for folder in (Path("/Applications"), home / "Applications")
            for name in _APPLICATIONS
        ]
        found += filter(Path.is_file, places)
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    own = home / ("Library/Caches" if is_mac else ".cache") / "ms-playwright"
    for pattern in _OWN:
        paths = sorted((Path(named) if named not in {"", "0"} else own).glob(pattern), reverse=True)
        found += (path for path in paths if os.access(path, os.X_OK))
    return list(dict.fromkeys(found))


async def install_browser(on_progress: Progress = unheard) -> None:
    """Download Playwright's own headless browser (about 100 MB). Ask the user first. Raises
    DocumentError.
    """
    said: list[str] = []

    def hear(output: bytes) -> None:
        for line in output.decode("utf-8", "replace").splitlines():
            if text := one_line(line):
                said.append(text)
                on_progress(text)

    command = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
    home, limit_s = Path.home(), _INSTALL_LIMIT_S
    try:
        status = await stream_process(command, cwd=home, on_output=hear, limit_s=limit_s)
    except (OSError, TimeoutError):
        status = -1
    if status:
        reason = said[-1] if said else tr("it took too long")
        failed = tr("The browser could not be installed: {reason}.", reason=reason)
        raise DocumentError(failed, _REMEDY)


class Browser:
    """Prints HTML. One per session; it belongs to the event loop that first used it."""

    def __init__(self, find: Callable[[], Sequence[Path]] = find_browsers) -> None:
        """`find` returns the programs to try, in order. Nothing starts before it is needed."""
        self._find = find
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: PlaywrightBrowser | None = None
        self.path: Path | None = None

    @property
    def warm(self) -> bool:
        """Whether it is running."""
        return self._browser is not None and self._browser.is_connected()

    async def start(self) -> None:
        """Start it, or make sure that it is running. Raises BrowserUnavailableError."""
        async with self._starting:
            if self.warm:
                return
            await self._stop()
            programs = await asyncio.to_thread(self._find)
            if not programs:
                raise BrowserUnavailableError(tr("No browser on this computer can print."))
            try:
                async with asyncio.timeout(_START_LIMIT_S * 2):
                    await self._start(programs)
            except TimeoutError:
                raise BrowserUnavailableError(tr("The browser did not start in time.")) from None
            finally:
                if not self.warm:
                    await self._stop()

    async def _start(self, programs: Sequence[Path]) -> None:
        await asyncio.to_thread(importlib.import_module, "playwright.async_api")  # 0.4 s
        reasons: list[str] = []
        is_full = (await asyncio.to_thread(own_wall)).level == "full"
        # some browsers, such as snap's, have sandboxes that cannot be nested
        for behind in dict.fromkeys((is_full, False)):
            await self._stop()
            if not (failed := await self._launch(programs, behind=behind)):
                return
            reasons.append(failed)
        raise BrowserUnavailableError(_none_starts(reasons[0]))

    async def _launch(self, programs: Sequence[Path], *, behind: bool) -> str:
        """Start the first of `programs` that starts, with its driver, behind the wall or not.
        Return why none does.
        """
        from playwright.async_api import Error

        with _driver(programs if behind else ()):
            self._playwright = await _start_driver()
        reason = ""
        for program in programs:
            try:
                self._browser = await self._playwright.chromium.launch(
                    executable_path=program,
                    args=list(_ARGUMENTS),
                    # Chromium's own sandbox needs no privileges, refuses to run as root, and does
                    # not work inside another one.
                    chromium_sandbox=os.geteuid() != 0 and not behind,
                    env={**own_environment()},
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=_START_LIMIT_S * 1000,
                )
            except Error as error:
                reason = reason or f"{program.name}: {one_line(error.message)[:200]}"
            else:
                self.path = program
                return ""
        return reason

    async def print(self, html: str) -> Made:
        """Return `html` as a pdf. Nothing in it runs or is loaded.

        A browser that died is restarted once. Raises BrowserUnavailableError, and DocumentError
        (`timeout`, `failed`).
        """
        from playwright.async_api import Error

        for last in (False, True):
            try:
                await self.start()
                async with (
                    asyncio.timeout(_PRINT_LIMIT_S),
                    self._page(java_script_enabled=False) as page,
                ):
                    return await _print(page, html)
            except TimeoutError:
                await self.close()
                remedy = tr("Check the sizes in pdf.css, or split the document.")
                raise DocumentError(
                    tr(
                        "The browser did not finish printing within {print_limit_s:.0f} seconds.",
                        print_limit_s=_PRINT_LIMIT_S,
                    ),
                    remedy,
                    code="timeout",
                ) from None
            except Error as error:
                await self.close()
                if last:
                    raise DocumentError(
                        tr(
                            "The browser could not print the document: {one_line}.",
                            one_line=one_line(str(error))[:200],
                        ),
                        tr("Check pdf.css, if you have one."),
                    ) from None
        raise AssertionError

    @asynccontextmanager
    async def scripted_page(self) -> "AsyncIterator[Page]":
        """Provide an empty page in a context of its own, with scripts but without network and
        files. Raises BrowserUnavailableError.
        """
        await self.start()
        async with self._page() as page:
            yield page

    @asynccontextmanager
    async def _page(self, **options: Any) -> "AsyncIterator[Page]":
        """Provide a page in a context of its own whose requests are all blocked."""
        assert self._browser is not None
        context = await self._browser.new_context(
            offline=True, accept_downloads=False, service_workers="block", **options
        )
        try:
            await context.route("**/*", _refuse)
            yield await context.new_page()
        finally:
            try:
                await asyncio.wait_for(context.close(), _CLOSE_LIMIT_S)
            except Exception:  # a page that hangs is ended with its browser
                await self.close()

    async def close(self) -> None:
        """End it and its children. It may be used again."""
        async with self._starting:
            await self._stop()

    async def _stop(self) -> None:
        browser, playwright = self._browser, self._playwright
        self._browser = self._playwright = None
        for close in (browser and browser.close, playwright and playwright.stop):
            if close:
                with suppress(Exception):  # whatever is wrong, it has to go
                    await asyncio.wait_for(close(), _CLOSE_LIMIT_S)


def _none_starts(reason: str) -> str:
    return tr("No browser on this computer starts ({reason}).", reason=reason)


@contextmanager
def _driver(programs: Sequence[Path]) -> Iterator[None]:
    """Make Playwright start its driver behind the wall, where it and the browser see `programs` and
    none of the user's files.

    Without `programs` nothing changes. Playwright accepts the path of a Node.js, without arguments.
    """
    if not programs:
        yield
        return
    import playwright

    before = os.environ.get(_NODE)
    node = before or str(Path(playwright.__file__).parent / "driver" / "node")
    places = {place for program in programs for place in (program, program.resolve().parent)}
    with temporary_folder() as folder:
        script = folder / "node"
        command = shlex.join(walled([node], readable=[*places], loopback=True))
        # By a program of its own: a child that another thread starts meanwhile would hold a file
        # written here open, and an open file cannot be executed ("Text file busy").
        subprocess.run(
            ["/bin/sh", "-c", 'umask 077; cat > "$1"; chmod 700 "$1"', "sh", script],
            input=f'#!/bin/sh\nexec {command} "$@"\n'.encode(),
            check=True,
        )
        os.environ[_NODE] = str(script)
        try:
            yield
        finally:
            os.environ.pop(_NODE)
            if before is not None:
                os.environ[_NODE] = before


async def _start_driver() -> "Playwright":
    """Start Playwright's driver. A cancelled caller waits for it to start, because otherwise no one
    could end it.
    """
    from playwright.async_api import async_playwright

    starting = asyncio.ensure_future(async_playwright().start())
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(Exception):  # it was killed in the meantime
            await (await starting).stop()
        raise
    except Exception as error:  # a generic one, if the driver is killed
        raise BrowserUnavailableError(_none_starts(str(error))) from error


async def _print(page: "Page", html: str) -> Made:
    await page.set_content(html, timeout=0)  # the caller limits the total time
    pdf = await page.pdf(
        prefer_css_page_size=True, print_background=True, tagged=True, outline=True
    )
    browser = page.context.browser
    return Made(pdf, f"Chromium {browser.version if browser else ''}")


async def _refuse(route: "Route") -> None:
    if route.request.url.startswith("data:"):
        await route.continue_()
    else:
        await route.abort()
