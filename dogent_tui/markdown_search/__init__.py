"""The Markdown files of a workspace: reading, finding and searching them, never anything outside.

The steps of a search
---------------------

1. The agent calls `search_markdown_content` (`tools/markdown_search.py`) with a reason. The policy
   asks (`permissions/consultations.py`: an effect `use`, covered by a key with the tool's name), or
   denies immediately what the tool would refuse: no reason, a path outside.
2. The gate writes a `ToolRequest` into the `RequestBook` (`markdown_search/requests.py`): pending,
   then approved or denied. The tool runs only if it can take an approved request with exactly the
   same input, and each can be taken once. A denial without a reason goes back to the model
   (`ends_run` of the question), and the same call with another reason gets the same answer; in
   print mode it ends the run as usual.
3. `MarkdownLibrary` uses a separate process (`worker.py`), so that a pathological regular
   expression delays nobody: after 20 s, or when the run is interrupted, it is killed. For many
   files it forks as many children as there are processors, and each counts the matches in its share
   (`content_search.py`, `match_counter.py`); StringZilla finds them regardless of case.
4. The walk is a plain scan. Whether any file is ignored is determined by letting ripgrep *count*
   the entries, which takes a tenth of the time of listing them (`file_names.ignore_filter`). Only
   if the counts differ does it list them.
5. Every folder is opened component by component with `O_NOFOLLOW` (`storage/places.py`): a link
   inserted in the meantime is not followed.
"""
