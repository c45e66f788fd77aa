"""A browser that prints: found on this computer, started once, kept warm, and gone with us
whatever ends us.
"""

import asyncio
import importlib
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dogent_tui.documents.export.model import Made, Progress, unheard
from dogent_tui.documents.model import DocumentError
from dogent_tui.language import tr
from dogent_tui.plain import one_line
from dogent_tui.processes import stream_process
from dogent_tui.wall.own import own_wall, walled

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import Page, Playwright, Route

_NAMES = (
    # A shell without windows starts and prints in half the time of the whole browser.
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
"""What Playwright downloaded, below its folder (its documentation, "Managing browser binaries")."""

_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",  # no name leads anywhere, whatever asks
    "--disable-dev-shm-usage",  # containers give it 64 MB, which a long document fills
    "--font-render-hinting=none",  # letters as wide on paper as their font says
)
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LANGUAGE", "TZ", "USER", "LOGNAME")
_PASSED_ON_STARTS = ("LC_", "XDG_", "FONTCONFIG_")
"""What a browser needs of our environment; keys are not among it."""

_NODE = "PLAYWRIGHT_NODEJS_PATH"
_START_LIMIT_S = 30.0
_PRINT_LIMIT_S = 60.0
_CLOSE_LIMIT_S = 5.0
_INSTALL_LIMIT_S = 900.0
_MARGIN_BOXES = 131
"""Chromium's version from which a style sheet can set page numbers (CSS Paged Media 3,
page-margin boxes).
"""
_FOOTER = (
    '<div style="width: 100%; text-align: center; font: 8pt serif; color: #555"><span'
    ' class="pageNumber"></span></div>'
)


class BrowserUnavailableError(DocumentError):
    """No browser is here, or none starts."""


class _GoneError(Exception):
    """The browser ended, or the page in it, while something waited for them."""


def find_browsers() -> list[Path]:
    """Return the browsers of this computer that can print, the quickest first: installed ones,
    then Playwright's own. Blocks.
    """
    return list(dict.fromkeys(_candidates()))


def _candidates() -> Iterator[Path]:
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            yield Path(found)
    if sys.platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            for name in _APPLICATIONS:
                program = folder / f"{name}.app" / "Contents" / "MacOS" / name
                if program.is_file():
                    yield program
    for pattern in _OWN:
        yield from sorted(
            (path for path in _own_folder().glob(pattern) if os.access(path, os.X_OK)), reverse=True
        )


def _own_folder() -> Path:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    if named not in {"", "0"}:
        return Path(named)
    return (
        Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "ms-playwright"
    )


async def install_browser(on_progress: Progress = unheard) -> None:
    """Download Playwright's own headless browser (some 100 MB). Ask the user before. Raises
    DocumentError.
    """
    said: list[str] = []

    def hear(output: bytes) -> None:
        for line in output.decode("utf-8", "replace").splitlines():
            if text := one_line(line):
                said.append(text)
                on_progress(text)

    command = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
    try:
        status = await stream_process(
            command, cwd=Path.home(), on_output=hear, limit_s=_INSTALL_LIMIT_S
        )
    except (OSError, TimeoutError):
        status = -1
    if status:
        reason = said[-1] if said else tr("it took too long")
        raise DocumentError(
            tr("The browser could not be installed: {reason}.").format(reason=reason),
            tr(
                "Install Chromium or Chrome with your system's package manager (on Debian:"
                " chromium-headless-shell)."
            ),
        )


class Browser:
    """Prints HTML. One for a session; it belongs to the event loop that it was first used on."""

    def __init__(self, find: Callable[[], Sequence[Path]] = find_browsers) -> None:
        """`find` names the programs that may be used, in order. Nothing starts before something
        is to be printed.
        """
        self._find = find
        self._starting = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: PlaywrightBrowser | None = None
        self._spare: asyncio.Future[Page] | None = None
        self.path: Path | None = None

    @property
    def warm(self) -> bool:
        """Whether it runs already."""
        return self._browser is not None and self._browser.is_connected()

    async def start(self) -> None:
        """Start it, or make sure that it runs. Raises BrowserUnavailableError."""
        async with self._starting:
            if self.warm:
                return
            await self._stop()
            programs = await asyncio.to_thread(self._find)
            if not programs:
                raise BrowserUnavailableError(
                    tr("No browser on this computer can print."), _REMEDY, code="engine_missing"
                )
            try:
                async with asyncio.timeout(_START_LIMIT_S * 2):
                    await self._start(programs)
            except BaseException as error:
                await self._stop()
                if isinstance(error, TimeoutError):
                    raise BrowserUnavailableError(
                        tr("The browser did not start in time."), _REMEDY, code="engine_missing"
                    ) from None
                raise

    async def _start(self, programs: Sequence[Path]) -> None:
        await asyncio.to_thread(importlib.import_module, "playwright.async_api")  # 0.4 s
        reason = ""
        stands = (await asyncio.to_thread(own_wall)).level == "full"
        for behind in (
            (True, False) if stands else (False,)
        ):  # some browsers, such as snap's, bring walls that take no other
            if behind != stands:
                await self._stop()
            if not (failed := await self._launch(programs, behind=behind)):
                return
            reason = reason or failed
        raise BrowserUnavailableError(
            tr("No browser on this computer starts ({reason}).").format(reason=reason),
            _REMEDY,
            code="engine_missing",
        )

    async def _launch(self, programs: Sequence[Path], *, behind: bool) -> str:
        """Start the first of `programs` that starts, with its driver, `behind` the wall or not.
        Return why none does.
        """
        from playwright.async_api import Error

        with _driver(programs if behind else ()):
            playwright = self._playwright = await _start_driver()
        reason = ""
        for program in programs:
            try:
                self._browser = await playwright.chromium.launch(
                    executable_path=program,
                    args=list(_ARGUMENTS),
                    # Chromium's own sandbox needs no privilege, refuses to be one as root, and
                    # stands in no other.
                    chromium_sandbox=os.geteuid() != 0 and not behind,
                    env=_environment(behind=behind),
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

        A browser that died is started again, once. Raises BrowserUnavailableError, and
        DocumentError (`timeout`, `failed`).
        """
        from playwright.async_api import Error

        for last in (False, True):
            await self.start()
            assert self._browser is not None
            try:
                async with asyncio.timeout(_PRINT_LIMIT_S):
                    return await self._print(self._browser, html)
            except TimeoutError:
                await self.close()
                raise DocumentError(
                    tr(
                        "The browser did not finish printing within {print_limit_s:.0f} seconds."
                    ).format(print_limit_s=_PRINT_LIMIT_S),
                    tr("Check the sizes in pdf.css, or split the document."),
                    code="timeout",
                ) from None
            except (Error, _GoneError) as error:
                await self.close()
                if last:
                    raise DocumentError(
                        tr("The browser could not print the document: {one_line}.").format(
                            one_line=one_line(str(error))[:200]
                        ),
                        tr("Check pdf.css, if you have one."),
                    ) from None
        raise AssertionError

    @asynccontextmanager
    async def scripted_page(self) -> "AsyncIterator[Page]":
        """Yield an empty page in a context of its own, on which scripts run that see no network and
        no file. Raises BrowserUnavailableError.
        """
        await self.start()
        assert self._browser is not None
        context = await self._browser.new_context(
            offline=True,
            accept_downloads=False,
            service_workers="block",
            device_scale_factor=2,
            viewport={"width": 640, "height": 480},
        )
        try:
            await context.route("**/*", _refuse)
            yield await context.new_page()
        finally:
            try:
                await asyncio.wait_for(context.close(), _CLOSE_LIMIT_S)
            except Exception:  # a page that is busy for ever is ended with its browser
                await self.close()

    async def _print(self, browser: "PlaywrightBrowser", html: str) -> Made:
        """Print on a fresh page. Raises _GoneError once the browser or the page dies: who waits
        for it may not notice.
        """
        gone = asyncio.get_running_loop().create_future()

        def end(_: object) -> None:
            if not gone.done():
                gone.set_result(None)

        browser.on("disconnected", end)
        printing = asyncio.ensure_future(self._print_on(browser, html, end))
        try:
            await asyncio.wait({printing, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not printing.done():
                raise _GoneError(tr("it exited"))
            return await printing
        finally:
            browser.remove_listener("disconnected", end)
            printing.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await printing

    async def _print_on(
        self, browser: "PlaywrightBrowser", html: str, crashed: Callable[[object], None]
    ) -> Made:
        page = await self._fresh_page(browser)
        page.on("crash", crashed)
        try:
            return await _print(browser, page, html)
        finally:  # also where somebody thought better of it
            self._spare = asyncio.ensure_future(_next_page(browser, page))

    async def _fresh_page(self, browser: "PlaywrightBrowser") -> "Page":
        """Return a page that nothing was shown on: the spare one, which saves a tenth of a
        second, or a new one.
        """
        spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(Exception):
                return await asyncio.wait_for(spare, _CLOSE_LIMIT_S)
        return await _new_page(browser)

    async def close(self) -> None:
        """End it with all that it started. It may be used again."""
        async with self._starting:
            await self._stop()

    async def _stop(self) -> None:
        browser, playwright, spare = self._browser, self._playwright, self._spare
        self._spare = None
        if spare is not None:
            spare.cancel()
            with suppress(Exception, asyncio.CancelledError):
                await spare
        self._browser = self._playwright = None
        for ending in (
            browser.close() if browser else None,
            playwright.stop() if playwright else None,
        ):
            if ending is not None:
                with suppress(Exception):  # whatever is wrong with it: it is to go
                    await asyncio.wait_for(ending, _CLOSE_LIMIT_S)


_REMEDY = tr(
    "Install Chromium or Chrome with your system's package manager (on Debian:"
    " chromium-headless-shell)."
)


@contextmanager
def _driver(programs: Sequence[Path]) -> Iterator[None]:
    """Have Playwright start its driver behind the wall, where it and the browser see `programs` and
    none of the user's files.

    Without `programs` nothing is changed. Playwright takes the path of a Node.js, without
    arguments.
    """
    if not programs:
        yield
        return
    import playwright

    before = os.environ.get(_NODE)
    node = before or str(Path(playwright.__file__).parent / "driver" / "node")
    places = {place for program in programs for place in (program, program.resolve().parent)}
    with tempfile.TemporaryDirectory(prefix="dogent-") as folder:
        script = Path(folder, "node")
        script.write_text(
            f"#!/bin/sh\nexec {shlex.join(walled([node], readable=[*places], loopback=True))}"
            ' "$@"\n',
            "utf-8",
        )
        script.chmod(0o700)
        os.environ[_NODE] = str(script)
        try:
            yield
        finally:
            os.environ.pop(_NODE)
            if before is not None:
                os.environ[_NODE] = before


async def _start_driver() -> "Playwright":
    """Start Playwright's driver. Who is cancelled meanwhile waits for it to start, as else
    nobody could end it.
    """
    from playwright.async_api import async_playwright

    starting = asyncio.ensure_future(async_playwright().start())
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with suppress(Exception):  # it was killed meanwhile
            await (await starting).stop()
        raise
    except Exception as error:  # a plain one, where the driver is killed
        raise BrowserUnavailableError(
            tr("No browser on this computer starts ({reason}).").format(reason=error),
            _REMEDY,
            code="engine_missing",
        ) from error


async def _print(browser: "PlaywrightBrowser", page: "Page", html: str) -> Made:
    await page.set_content(
        html, wait_until="load", timeout=0
    )  # who calls has a limit for all of it
    footer = int(browser.version.partition(".")[0] or 0) < _MARGIN_BOXES
    pdf = await page.pdf(
        prefer_css_page_size=True,
        print_background=True,
        tagged=True,
        outline=True,
        display_header_footer=footer,
        header_template="<span></span>" if footer else None,
        footer_template=_FOOTER if footer else None,
    )
    return Made(pdf, f"Chromium {browser.version}")


async def _next_page(browser: "PlaywrightBrowser", page: "Page") -> "Page":
    """Drop `page` with all that it holds, and return a fresh one."""
    with suppress(Exception):  # it may be gone already
        await asyncio.wait_for(page.context.close(), _CLOSE_LIMIT_S)
    return await _new_page(browser)


async def _new_page(browser: "PlaywrightBrowser") -> "Page":
    """Return a page on which nothing runs, and out of which nothing is asked for."""
    context = await browser.new_context(
        java_script_enabled=False, offline=True, accept_downloads=False, service_workers="block"
    )
    await context.route("**/*", _refuse)
    return await context.new_page()


async def _refuse(route: "Route") -> None:
    if route.request.url.startswith("data:"):
        await route.continue_()
    else:
        await route.abort()


def _environment(*, behind: bool) -> dict[str, str | float | bool]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_STARTS)
    }
    return {name: value for name, value in passed.items() if not behind or name != "TMPDIR"}
