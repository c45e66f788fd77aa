"""The workbooks of the corpus, as other projects expect them to be read."""

from tests.documents.corpus.xlsx_score import entries, score


def test_every_cell_of_the_corpus_is_read_and_every_bad_file_is_a_sentence(shared_documents):
    results = {
        entry["id"]: score(shared_documents, entry) for entry in entries(shared_documents, "dev")
    }
    assert not {name: result for name, result in results.items() if result.error or result.missing}
    assert sum(result.expected for result in results.values()) > 5000
