import csv
import os

import pytest

from dogent_tui.documents.library import DocumentLibrary
from dogent_tui.documents.model import ReadOptions
from dogent_tui.references.lookup import find_references, resolve
from dogent_tui.sample import copy_sample
from dogent_tui.storage.paths import Workspace


def test_it_is_copied_whole_and_writable(tmp_path):
    folder = copy_sample(tmp_path / "a" / "sample")
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "meeting-notes.md",
        "interview-okafor.txt",
        "reader-feedback-zh.md",
        "visits-2025.csv",
        "staff-council.docx",
        "budget-2026.xlsx",
        "repair-offer.pdf",
    }
    assert sum(path.stat().st_size for path in folder.iterdir()) < 40_000
    assert all(os.access(path, os.W_OK) for path in folder.iterdir())
    assert [path.name for path in folder.parent.iterdir()] == ["sample"]


def test_what_a_user_did_with_it_stays(tmp_path):
    folder = copy_sample(tmp_path / "sample")
    (folder / "README.md").write_text("mine")
    (folder / "visits-2025.csv").unlink()
    assert copy_sample(folder) == folder
    assert (folder / "README.md").read_text() == "mine"
    assert not (folder / "visits-2025.csv").exists()


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "sample").mkdir()
    assert (copy_sample(tmp_path / "sample") / "README.md").exists()


def test_an_interrupted_copy_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "rename", full)
    with pytest.raises(OSError, match="disk full"):
        copy_sample(tmp_path / "sample")
    assert list(tmp_path.iterdir()) == []


def test_the_requests_of_the_readme_reference_files_that_are_there(tmp_path):
    workspace = Workspace(copy_sample(tmp_path / "sample"))
    requests = [
        line
        for line in (workspace.root / "README.md").read_text().splitlines()
        if line.strip().startswith(">")
    ]
    found = [resolve(reference, workspace) for reference in find_references("\n".join(requests))]
    assert len(found) >= 5
    assert all(reference.exists for reference in found)


def test_the_papers_agree_with_the_numbers(tmp_path):
    folder = copy_sample(tmp_path / "sample")
    with (folder / "visits-2025.csv").open() as file:
        rows = [
            {key: int(value) for key, value in row.items() if key != "month"}
            for row in csv.DictReader(file)
        ]
    before, trial = rows[:4], rows[4:]

    def total(part, key):
        return sum(row[key] for row in part)

    notes = (folder / "meeting-notes.md").read_text()
    sundays, visits = total(trial, "sundays_open"), total(trial, "sunday_visits")
    weekdays_before = total(before, "visits") / 4
    weekdays_trial = (total(trial, "visits") - visits) / 8
    for fact in (
        f"open on {sundays} Sundays",
        f"came to {visits:,} in all, which is {visits / sundays:.0f} on an average Sunday",
        (
            f"from {weekdays_before:,.0f} a month before the trial to"
            f" {total(trial, 'visits') / 8:,.0f} a month"
        ),
        (
            f"from {total(before, 'new_cards') / 4:.0f} a month to"
            f" {total(trial, 'new_cards') / 8:.0f} a month"
        ),
        f"about {(1 - weekdays_trial / weekdays_before) * 100:.0f} percent",
        f"cost {sundays * 640:,} euros",
        f"{sundays * 640 / visits:.2f} euros for each Sunday visit",
        f"It had {total(trial, 'story_hour_guests') / sundays:.0f} guests",
    ):
        assert fact in notes, fact
    assert (
        f"issued {total(trial, 'new_cards')} new cards"
        in (folder / "interview-okafor.txt").read_text()
    )
    july, november = trial[2], trial[6]  # "The weakest month was July, the strongest November."
    assert min(trial, key=lambda row: row["sunday_visits"]) is july
    assert max(trial, key=lambda row: row["sunday_visits"]) is november


async def test_the_documents_can_be_read_and_agree_with_the_papers(tmp_path):
    folder = copy_sample(tmp_path / "sample")
    async with DocumentLibrary(tmp_path / "kept", full_page_s=60) as library:
        offer = (await library.read(folder / "repair-offer.pdf")).text
        statement = (await library.read(folder / "staff-council.docx")).text
        budget = await library.read(
            folder / "budget-2026.xlsx", ReadOptions(sheet="Without summer")
        )
    notes = (folder / "meeting-notes.md").read_text()
    assert "4,180 euros" in notes
    assert "4,180 euros" in offer
    assert "<!-- page 2 -->" in offer
    assert "| Repair of the self-checkout | 4,180 |" in budget.text
    assert [sheet["name"] for sheet in budget.metadata["sheets"]] == [
        "With summer",
        "Without summer",
    ]
    assert f"{42 * 640:,}" in budget.text
    assert "Four of the fourteen" in statement
