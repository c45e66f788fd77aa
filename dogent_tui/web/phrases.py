"""What sites say around and within their articles, in the most common languages of the web."""

import re

_LANGUAGES_ALSO = (
    r"(?:read|see|watch|listen|hear|learn|view) (?:more|also|next|this|too)",
    (
        r"more (?:on|from|about) (?:this|the|our)|more:|also (?:read|see|on)|don.t miss|in other"
        r" news|trending|most (?:read|popular)"
    ),
    (
        r"related(?: \w+)?\s*:|related"
        r" (?:articles?|posts?|stories|links|content|coverage|news|topics|reading)\W*$|recommended"
    ),
    r"you (?:may|might) (?:also|like)|(?:further|suggested) reading\s*:",
    (
        r"lesen sie (?:auch|mehr|hier)|(?:auch|ebenfalls) (?:interessant|lesenswert|auf)|mehr zum"
        r" thema|mehr (?:dazu|lesen)"
    ),
    r"siehe auch|das könnte (?:sie|dich)",
    r"lire aussi|à lire|voir aussi|sur le même (?:sujet|thème)",
    r"lea también|leer más|lee también|ver también|te puede interesar|también te puede",
    r"leggi (?:anche|tutto)|potrebbe interessarti|ti potrebbe",
    (
        r"leia (?:também|mais)|veja também|saiba mais|lees ook|zobacz także|czytaj"
        r" (?:także|też|więcej)|przeczytaj (?:także|też)"
    ),
    r"читайте (?:также|ещё|еще)|смотрите также",
    r"相关(?:阅读|文章|新闻|推荐)|延伸阅读|推荐阅读|関連記事|あわせて読みたい|관련 ?기사",
)
_LANGUAGES_PLEA = (
    (
        r"follow (?:us|me|@?\w+ on)|(?:like|join|find|follow) (?:us|\w+) on"
        r" (?:facebook|twitter|instagram|x\b|linkedin)"
    ),
    (
        r"(?:sign up|subscribe|register) (?:to|for|now|here|today)|get (?:the|our|your) (?:\w+"
        r" )?(?:newsletter|latest)"
    ),
    (
        r"(?:to )?(?:subscribe|sign up)\b.{0,60}newsletter|our newsletter|like (?:this|what"
        r" you)|share (?:it|this)"
    ),
    r"tell us what you think|leave (?:a|your) (?:comment|reply)|(?:click|tap) here to",
    (
        r"e-?mail \w+ \w+ at|have (?:a )?(?:news )?tips?|contact (?:us|the author) at|support"
        r" (?:our|us|independent)"
    ),
    r"copyright\b|this copy is for your personal",
    (
        r"(?:photo|image|picture|foto|bild|video)(?:"
        r" (?:by|credit|courtesy|source))?\s*:|\((?:photo|image)|image credit"
    ),
    r"folgen sie|folge uns|abonnieren sie|jetzt (?:abonnieren|anmelden)|zurück zu[mr]?|back to",
    r"suivez|abonnez|síguenos|siga|suscríbete|seguici|iscriviti",
    r"(?:filed|posted|published|categori[sz]ed) (?:in|under)\b",
    r"(?:tags|schlagwörter|stichwörter|etiquetas|mots-clés|categories|topics)\s*:?\s",
    (
        r"(?:first |originally )?published (?:on|at|in)\b|(?:last )?updated"
        r" (?:on|at)\b|source:|quelle:"
    ),
)
_LANGUAGES_ALONE = (
    (
        r"(?:story continues below )?advertisement|skip"
        r" advert(?:isement)?|ad|anzeige|werbung|publicidad|publicité|pubblicità"
    ),
    r"reklama|реклама|广告|廣告|(?:anzeige|werbung|advertisement|ad)\W.{0,40}affiliate.{0,20}",
    (
        r"back to (?:the )?\w+|zurück zu[mr]? \w+|retour (?:à la|au) \w+|volver a(?:l| la)"
        r" \w+|返回\w{0,6}"
    ),
    (
        r"share|share this(?: article| story|"
        r" post)?|tweet|facebook|twitter|whatsapp|e-?mail|print|comments?|\d+ comments?|loading"
    ),
    (
        r"read more|more|tags?|photos?|video|related|(?:click here|tap here) to (?:subscribe|sign"
        r" up|read more)"
    ),
    r"kommentare|teilen|drucken|merken|partager|compartir|condividi",
)

ALSO = re.compile("|".join(_LANGUAGES_ALSO), re.IGNORECASE)
"""The beginning of a pointer to other articles."""

PLEA = re.compile("|".join(_LANGUAGES_PLEA), re.IGNORECASE)
"""The beginning of a line that appeals to the reader or names the publisher. Such lines are at the
end.
"""

ALONE = re.compile("|".join(_LANGUAGES_ALONE), re.IGNORECASE)
"""The complete text of a block without content of its own."""

BOXES = re.compile(
    r"(?:^|[\s_-])(?:"
    r"\w*cookie\w*|gdpr|consent|cmp\d*|paywall|editsection|newsletter|related(?:-?(?:articles?|posts?|links?|content|stories|news|topics?|items?))?|recommend(?:ed|ations?)|"
    r"share(?:-?(?:bar|buttons?|tools?|links?))?|sharing|social(?:-?(?:bar|buttons?|links?|media|share|icons?))|"
    r"breadcrumbs?|advert(?:isement)?|adsbygoogle|taboola|outbrain|disqus|"
    r"sponsored|promo(?:-?box)?|most-?(?:read|popular|viewed)|read-?(?:more|next|also)|more-?(?:from|stories|articles)|see-?also|"
    r"author-?(?:bio|box|info|card)|about-?(?:the-?)?author|post-?(?:tags|nav|navigation|meta)|tag-?(?:list|cloud)|pagination|"
    r"sign-?up|print-?only|screen-?reader-?text|sr-?only|visually-?hidden"
    r")(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of boxes around articles, as whole words of a class or id."""

LEADS = re.compile(
    r"(?:^|[\s_-])(?:"
    r"lead|lede|leadtext|intro|introtext|introduction|teaser|excerpt|summary|standfirst|dek|deck|subtitle|sub-?head(?:line)?|"
    r"subheading|description|documentdescription|abstract|vorspann|chapo|entradilla|bajada|sottotitolo|sommario|kicker-?text|perex"
    r")(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Names of an article's introduction, as whole words of a class."""
