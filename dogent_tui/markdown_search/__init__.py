"""The Markdown files of a workspace: read, found and searched, and never anything outside of it.

The life of a search
--------------------

1. The agent calls `search_markdown_content` (`tools/markdown_search.py`) with a reason. The policy
   asks (`permissions/consultations.py`: an effect `use`, which a key of the tool's name covers), or
   denies at once what the tool would refuse: no reason, a path outside.
2. The gate writes a `ToolRequest` into the `RequestBook` (`markdown_search/requests.py`): pending,
   then approved or denied. The tool runs only where it can take an approved one for the very same
   input, and each can be taken once. A denial without words goes back to the model (`ends_run` of
   the question), and the same call with another reason gets the same answer; in print mode it ends
   the run as ever.
3. `ManuscriptLibrary` has a process look (`worker.py`), so that a hopeless regular expression holds
   up nobody: after 20 s, or when the run is interrupted, it is killed. Where there are many files
   it forks as many as there are processors, and each counts the matches in its share
   (`content_search.py`, `match_counter.py`); StringZilla finds them whatever their capitals.
4. The walk is a plain scan; that nothing is ignored is known when ripgrep's walk *counts* as many
   entries, which costs a tenth of having it name them (`file_names.ignore_filter`). Only where it
   does not, it names them.
5. Every folder is opened component by component with `O_NOFOLLOW` (`storage/places.py`): a link
   that is put in meanwhile is not followed.
6. A regular expression is tried only on files that hold the text that all its matches do
   (`literals.py`).
"""
