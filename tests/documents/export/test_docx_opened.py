"""An exported docx is opened by LibreOffice, where that is here: another reader than the pandoc
that wrote it.
"""

import shutil
import subprocess

import pymupdf
import pytest
from PIL import Image

from dogent_tui.documents.export.model import ExportRequest
from tests.documents.export.conftest import export_docx

TEXT = """\
---
title: Visits
author: [Ada Okafor, 李雷]
toc: true
---

# First chapter

Words with *emphasis*, a [link](https://example.org/there), a note[^1], and 中文的段落。

[^1]: What the note says.

- one
    - nested
- two

| Year | Visitors |
| ---- | -------: |
| 2024 | 12,345   |
| 2025 | 13,456   |

The formula $x^2$ and a picture:

![A chart](chart.png "What the chart shows"){width=50%}

```python
return f"code {number}"
```

\\newpage

# Second chapter

The end.
"""


@pytest.mark.slow
@pytest.mark.thorough
async def test_libreoffice_lays_out_all_of_it(tmp_path):
    soffice = shutil.which("soffice")
    if soffice is None:
        pytest.skip("LibreOffice is not here: soffice is not on PATH.")
    (tmp_path / "report.md").write_text(TEXT, encoding="utf-8")
    Image.new("RGB", (400, 200), "#4477aa").save(tmp_path / "chart.png")
    target = tmp_path / "report.docx"
    made = await export_docx(
        ExportRequest(
            kind="docx",
            markdown=tmp_path / "report.md",
            target=target,
            root=tmp_path,
            home=tmp_path / "home",
        )
    )
    assert (made.warnings, made.left_out) == ((), ())

    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [
        soffice,
        profile,
        "--headless",
        "--convert-to",
        "pdf",
        "--outdir",
        str(tmp_path),
        str(target),
    ]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    with pymupdf.open(tmp_path / "report.pdf") as pdf:
        pages = [page.get_text() for page in pdf]
        links = [link.get("uri") for page in pdf for link in page.get_links()]
        pictures = [pymupdf.Rect(image["bbox"]) for page in pdf for image in page.get_image_info()]
        assert pdf.metadata["title"] == "Visits"
        assert [entry[1] for entry in pdf.get_toc()][-2:] == ["First chapter", "Second chapter"]
    assert len(pages) == 2
    in_order = (
        "Visits",
        "Ada Okafor",
        "李雷",
        "Contents",
        "First chapter",
        "Second chapter",
        "Words with emphasis",
        "中文的段落。",
    )
    in_order += (
        "one",
        "nested",
        "two",
        "12,345",
        "The formula",
        "What the chart shows",
        'return f"code {number}"',
    )
    where = [pages[0].find(words) for words in in_order]
    assert -1 not in where
    assert where == sorted(where)
    assert "What the note says." in pages[0]
    assert "Second chapter\nThe end." in pages[1]
    assert "https://example.org/there" in links
    # half of the lines' width
    assert [round(picture.width) for picture in pictures] == [pytest.approx(227, abs=3)]
