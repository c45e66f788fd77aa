"""Models that run on this machine: the servers that have them are found, and the CLI speaks to them
through a relay of ours.

A local model
-------------

The CLI believes to ask a model that it knows; a relay (`local_models/relay.py`, on
`offline/server.py`, with a token of its own for each start) asks the server that a profile with
`DOGENT_LOCAL_SERVER` names, for the model that it names.

1. `upstream.py` makes the request chat completions, which all of these servers have: two sides in
   turns, `system` messages folded into what is around them, nothing of Anthropic's own, a reply
   that still fits into the window. Their `/v1/messages`, where they have it, they translate to the
   same.
2. `replies.py` makes the CLI's events of what they stream. Calls of the server's own are held until
   they are whole, and set right. `text_calls.py` finds calls that the model wrote into its text,
   piece by piece: one table of grammars says what marks a call, what ends it, and which shapes its
   payload may have. What is marked is a call, and one that cannot be read is refused by the gate
   (`agent/gate.py`), so that the model is asked again; a fence or bare JSON is one only if it names
   a tool that was offered and nothing but calls follows. Anything else is passed on at once.
   `call_json.py` reads JSON leniently, and gives arguments the types of the tool's schema.
3. `sentences.py` words what goes wrong, with a status that the CLI does not try again in vain;
   `agent/failures.py` shows these words.
4. `discovery.py` tells what a server has, and how large the window is: the CLI is told of it
   (`agent/claude.py`), and does not compact. Ollama cuts off silently what does not fit, so the
   relay refuses that. A window below 32,000 tokens is a notice.

The first start (`tui/setup/`): once the service runs and where nobody is chosen, a panel above the
prompt offers what was found. What is chosen becomes a profile and the `profile` of
`~/.dogent/dogent.json`; that it was offered is `offer_setup` there. While nothing was said, another
session takes the place of the one on the screen.
"""
