"""Models that run on this machine: their servers are discovered, and the CLI talks to them through
our relay.

A local model
-------------

The CLI believes that it talks to a model it knows; a relay (`local_models/relay.py`, based on
`offline/server.py`, with its own token at each start) asks the server named by a profile with
`DOGENT_LOCAL_SERVER` for the model it names.

1. `upstream.py` turns the request into chat completions, which all of these servers support: two
   alternating roles, `system` messages folded into their neighbors, nothing specific to Anthropic,
   and a reply limit that fits into the window. If they have `/v1/messages`, they translate it to
   the same.
2. `replies.py` turns what they stream into the CLI's events. The server's own calls are held until
   they are complete, and repaired. `text_calls.py` finds calls that the model wrote into its text,
   chunk by chunk: one table of grammars defines what marks a call, what ends it, and which forms
   its payload may have. Marked text is a call, and one that cannot be parsed is refused by the gate
   (`agent/gate.py`), so that the model tries again; a fence or bare JSON is a call only if it names
   an offered tool and nothing but calls follows. Everything else is passed on at once.
   `call_json.py` parses JSON leniently and converts arguments to the types of the tool's schema.
3. `sentences.py` words errors, with a status that keeps the CLI from retrying in vain;
   `agent/failures.py` displays them.
4. `discovery.py` determines the models of a server and the size of the window: the CLI is told
   (`agent/claude.py`), and does not compact. Ollama silently truncates what does not fit, so the
   relay refuses it. A window below 32,000 tokens causes a notice.

The first start (`tui/setup/`): once the service is running and no model is chosen, a panel above
the prompt offers what was found. The choice becomes a profile and the `profile` of
`~/.dogent/dogent.json`; that it was offered is stored there as `offer_setup`. As long as nothing
has been said, a new session replaces the one on the screen.
"""
