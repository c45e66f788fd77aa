"""Pages of our own making, as sites of several kinds build them: what the benchmark measures
where the corpus is not here.
"""

from tests.web.corpus.scoring import Page

_NAVIGATION = (
    '<nav><ul><li><a href="/">Home page</a></li><li><a href="/news">Latest news</a></li><li><a'
    ' href="/shop">Our shop</a></li></ul></nav>'
)
_COOKIES = (
    '<div class="cookie-banner"><p>We value your privacy and use cookies for a better'
    " experience.</p><button>Accept all</button></div>"
)
_FOOTER = (
    "<footer><p>Copyright 2026 The Harbour Gazette. All rights reserved.</p><a"
    ' href="/imprint">Imprint</a></footer>'
)
_RELATED = (
    '<aside class="related"><h3>You may also like</h3><ul><li><a href="/a">Ten towers worth a'
    ' detour</a></li><li><a href="/b">What gulls eat</a></li></ul></aside>'
)
_COMMENTS = (
    '<section id="comments"><h3>Two comments</h3><div class="comment"><b>gullfan77</b><p>'
    "First! Lovely piece, thanks for sharing it with us.</p></div></section>"
)
_SHARE = '<div class="share"><a href="#">Share on Facebook</a> <a href="#">Tweet this</a></div>'
_UNWANTED = (
    "Latest news",
    "use cookies",
    "All rights reserved",
    "Ten towers worth",
    "Lovely piece",
    "Share on Facebook",
)

_HARBOUR = (
    (
        "The old harbour was dredged for the first time in sixty years last autumn, and nobody knew"
        " what would come up."
    ),
    (
        "Among the finds were eleven anchors, a ship's bell from 1843 and the wheel of a tram that"
        " never ran here."
    ),
    (
        "“We expected mud,” said the harbour master, who has kept a list of every object since"
        " October."
    ),
    (
        "The bell will hang in the reading room of the library from May on, where it may be rung"
        " once a day."
    ),
)
_MANUAL = (
    (
        "The walker yields each file once, in the order of the folder, and never follows a link"
        " that leads out of the root."
    ),
    (
        "Pass a list of patterns to leave folders out. A pattern without a slash matches at every"
        " depth."
    ),
    (
        "Errors of single files are collected and returned at the end, so that one unreadable file"
        " does not stop the walk."
    ),
)
_TEA = (
    "春天的第一批茶叶总是在清明前采摘，茶农凌晨四点就上山，赶在露水干之前把嫩芽装进竹篓。",
    "采下的叶子要在当天炒制，锅温大约两百度，师傅用手翻动，靠手心判断火候。",
    "老茶客说，好茶入口先苦后甜，第三泡最能看出功夫，便宜的茶往往第二泡就淡了。",
)
_TRIP = (
    (
        "We left the car at the mill and walked up through the beeches, which were still bare at"
        " the end of April."
    ),
    (
        "After an hour the path comes out on the ridge, and one sees both lakes at once if the fog"
        " allows it."
    ),
    (
        "There is a hut with tea and soup on Sundays. Bring coins, as there is no signal for cards"
        " up there."
    ),
)


def _paragraphs(texts: tuple[str, ...]) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def _page(
    name: str, title: str, body: str, texts: tuple[str, ...], unwanted: tuple[str, ...] = _UNWANTED
) -> Page:
    html = (
        "<!doctype html><html><head><meta"
        f' charset="utf-8"><title>{title}</title></head><body>{body}</body></html>'
    )
    there = tuple(piece for piece in unwanted if piece in html)
    return Page(name, html.encode(), f"https://gazette.example/{name}", None, texts, there)


def own_pages() -> list[Page]:
    """Return them, each with what an extraction should have and should not have."""
    news = (
        f"<header>{_NAVIGATION}</header>{_COOKIES}<main><article><h1>What the mud gave back</h1>"
        f"{_SHARE}{_paragraphs(_HARBOUR)}</article>{_RELATED}{_COMMENTS}</main>{_FOOTER}"
    )
    told = "<br><br>".join(_TRIP)
    bare = (
        f'<div id="top">{_NAVIGATION}</div><div id="wrap"><div class="post-body"><h2>A'
        f' walk</h2>{told}</div><div class="sidebar">{_RELATED}</div></div>{_FOOTER}'
    )
    manual = (
        f'<div class="layout">{_NAVIGATION}<div class="content" role="main"><h1>Walking'
        f" folders</h1>{_paragraphs(_MANUAL)}<pre><code>for file in walk(root,"
        " without=[&quot;node_modules&quot;]):\n   "
        " print(file)</code></pre><table><tr><th>Option</th><th>Meaning</th></tr><tr><td>without</td><td>what"  # noqa: E501
        f" is left out</td></tr></table></div></div>{_FOOTER}"
    )
    tea = (
        f'{_COOKIES}<div class="main">'
        "<h1>明前茶</h1><div"
        f' class="article-content">{_paragraphs(_TEA)}</div>{_SHARE}</div>{_FOOTER}'
    )
    split = (
        f"<header>{_NAVIGATION}</header><section>{_paragraphs(_HARBOUR[:2])}</section>{_RELATED}<section>"
        f"{_paragraphs(_HARBOUR[2:])}</section>{_COMMENTS}{_FOOTER}"
    )
    return [
        _page("news", "What the mud gave back", news, _HARBOUR),
        _page("walk", "A walk", bare, _TRIP),
        _page(
            "manual",
            "Walking folders",
            manual,
            (*_MANUAL, 'for file in walk(root, without=["node_modules"]):', "what is left out"),
        ),
        _page("tea", "明前茶", tea, _TEA),
        _page("parts", "In two parts", split, _HARBOUR),
    ]
