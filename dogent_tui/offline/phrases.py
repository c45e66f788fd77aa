"""What the offline engine says, in English and in Chinese. Every closing reply says that it is no AI model."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from dogent_tui.offline.language import Language
from dogent_tui.offline.material import MATERIAL_NAMES
from dogent_tui.offline.tidying import Repair


@dataclass(frozen=True, slots=True)
class Phrases:
    """The texts of one language; names in braces are filled in with `str.format`."""

    about: str
    thanks: str
    unable: str
    by_hand: str
    look: str
    read: str
    read_again: str
    read_draft: str
    plan_find: str
    plan_read: str
    plan_write: str
    plan_export: str
    export: str
    exported: str
    not_exported: str
    cannot_export: str
    marker: str
    key_points: str
    more: str
    summary_title: str
    comparison_title: str
    outline_name: str
    wrote_outline: str
    wrote: str
    kept: str
    from_file: str
    shortened: str
    not_shorter: str
    extended: str
    nothing_new: str
    nothing_on: str
    already_in: str
    off_topic: str
    draft_gone: str
    draft_partial: str
    answer: str
    no_answer: str
    no_words: str
    lines: str
    no_files: str
    nothing_about: str
    not_found: str
    nothing_found: str
    cannot_look: str
    nothing_readable: str
    no_sentences: str
    cannot_write: str
    cannot_read: str
    unopened_title: str
    unopened: str
    unseen: str
    unreadable: str
    too_large: str
    partial: str
    left_out: str
    denied: str
    failed: str
    next_steps: str
    shows: str
    ask_said: str
    ask_title: str
    ask_preface: str
    ask_audience: str
    audiences: tuple[str, str, str]
    ask_length: str
    lengths: tuple[str, str, str]
    outline_said: str
    outline_title: str
    outline_preface: str
    outline_alone: str
    nothing_here: str
    for_audience: str
    chose: str
    reviewed: str
    read_file: str
    cannot_propose: str
    tidied: str
    repairs: Mapping[Repair, str]
    listing: str
    nothing_to_tidy: str
    revised: str
    no_model: str


ENGLISH = Phrases(
    about=(
        "I am dogent's **offline engine**: a set of rules inside the app, **no AI model**. I need no account and no network.\n\n"
        "What I can do:\n\n"
        "- **Draft**: “Write a report about X” finds and reads the files you reference with `@` (or those in this folder),"
        " picks the sentences that fit, and writes them to a Markdown file, each followed by its source. Word, PDF, Excel and"
        " other documents are read too.\n"
        "- **Export**: “… as PDF”, “export it as a Word document”, or an Output Format in `.dogent/dogent.md`.\n"
        "- **Change the draft**: “shorter”, “longer”, “add a section on X”.\n"
        "- **Revise**: “fix notes.md” proposes what rules can set right, and you review it.\n"
        "- **Answer**: a question gets the sentences of your files that fit it best.\n\n"
        "I quote; I do not rephrase, translate or reason. For that, choose a model: `/setup` in the app does it, or a profile in"
        " `~/.dogent/claude.json`."
    ),
    thanks="You are welcome. Tell me when there is more to write; I remain the offline engine, no AI model.",
    unable=(
        "That takes a language model, and I am none: I am dogent's offline engine, a set of rules. I can quote and order what"
        " your files say, but not translate, rephrase or correct it. With a model dogent can: `/setup` in the app chooses one,"
        " or a profile in `~/.dogent/claude.json`."
        "\n\nNothing was changed."
    ),
    by_hand=(
        "I do not delete, move or rename files, and I take nothing out of a text but what “shorter” takes: I am dogent's offline"
        " engine, no AI model. `/edit FILE` opens a text in your editor, and a line that begins with `!` is a shell command of"
        " your own, such as `!mv old.md new.md`. With a model dogent does it, and asks you first: `/setup` chooses one."
        "\n\nNothing was changed."
    ),
    look="I look for documents in this folder. (Offline engine, no AI model.)",
    read="I read {count}. (Offline engine, no AI model.)",
    read_again="There is more in them; I read on, within limits.",
    read_draft="I read the draft as it is now.",
    plan_find="Find the files",
    plan_read="Read the files",
    plan_write="Write the draft",
    plan_export="Export as {formats}",
    export="I export `{path}`. (Offline engine, no AI model.)",
    exported="- {format}: `{path}`{engine}",
    not_exported="- {format}: not exported. {reason}",
    cannot_export="I have no tool to export files here; the Markdown is what there is.",
    marker="> Sentences quoted by dogent's offline engine, no AI model. The file each comes from is in parentheses after it.",
    key_points="Key points",
    more="More",
    summary_title="Summary",
    comparison_title="Comparison: {names}",
    outline_name="{title} outline",
    wrote_outline="I wrote an outline, **{title}**, to `{path}`: {count} of your files. `/outline {path}` opens it.",
    wrote="I wrote **{title}** to `{path}`: {count} from {files}, each followed by the file it comes from.",
    kept="`{wanted}` exists already and I do not write over it; I chose the next free name.",
    from_file="- `{path}`: {count}",
    shortened="I shortened `{path}`: {count} stayed, {removed} went. Whatever is not a quoted sentence I left as it was.",
    not_shorter="I find nothing to take out of `{path}`: it has {count}. I left it as it is.",
    extended="I added {count} to `{path}` under the heading “{title}”.",
    nothing_new="I find nothing in the files that `{path}` does not quote already; I left it. Reference another file with `@`.",
    nothing_on="The files I read hold no sentence on “{topic}”. I left `{path}` as it is. Reference another file with `@`.",
    already_in="What the files I read say on “{topic}” stands in `{path}` already; I left it.",
    off_topic="No sentence holds the words of your request; I took those that are most central to the files.",
    draft_gone="I cannot read the draft `{path}` any more: {reason}",
    draft_partial="`{path}` is too long for me to read whole, so I did not change it.",
    answer="This is what your files say, in their own words:",
    no_answer="I found nothing in {files} that answers this.",
    no_words="No sentence holds the words of your question. This is what is most central in {files}:",
    lines="In {count}, quoted from {files}:",
    nothing_about=(
        "Nothing that I read here says anything about “{topic}” ({files}), and I quote, I do not invent: so I wrote nothing. Name"
        " with `@` what it shall be made from, and I draft from that. With a model dogent writes freely: `/setup` chooses one."
    ),
    no_files=(
        "I found nothing to read in this folder. Add documents to it (Markdown, Word, PDF, Excel, text), or reference"
        " some with `@`, and ask again."
    ),
    not_found="`@{name}` was not found.",
    nothing_found="Without it I have read and written nothing. Correct the reference, or leave it out to search this folder.",
    cannot_look="I have no tool to look for files here. Reference the files to use with `@` and ask again.",
    nothing_readable="None of the files could be read, so I wrote nothing.",
    no_sentences="I read {files}, but they hold no sentences that I could quote, so I wrote nothing.",
    cannot_write="I have no tool to write a file, so here is the draft:",
    cannot_read="I have no tool to read files here, so I cannot draft anything.",
    unopened_title="Not read:",
    unopened="- `{path}`: the offline engine cannot open {type} files",
    unseen="- `{path}`: the offline engine cannot see pictures or videos; with a profile that leads to a model, the agent can",
    unreadable="- `{path}`: {reason}",
    too_large="- `{path}`: too large to be read, even in part",
    partial="- `{path}`: too large, read in part",
    left_out="- {count} that fit the request less",
    denied="I stop here, because this was not allowed: {reason}\n\nNothing further was done.",
    failed="I could not write `{path}`: {reason}",
    ask_said="I have read the files. Before I draft I ask what your request leaves open. (Offline engine, no AI model.)",
    ask_title="Before I draft",
    ask_preface="The offline engine quotes your files. What you answer here decides how much, and is told at the end.",
    ask_audience="Who will read it?",
    audiences=("Anybody", "People who decide", "People who know the subject"),
    ask_length="How long shall it be?",
    lengths=("Short, some 7 sentences", "Medium, some 15 sentences", "Long, some 30 sentences"),
    outline_said="This is an outline from the headings of the files. (Offline engine, no AI model.)",
    outline_title="Outline of the draft",
    outline_preface="The headings are those of your files. I draft along the outline as you send it back.",
    outline_alone="The headings are those of your files. I write the outline to a file as you send it back.",
    nothing_here="> The files hold no sentence that fits here.",
    for_audience="You said who reads it ({audience}); I quote, and cannot change my words for them.",
    chose="Nobody was there to ask, so I chose: for anybody to read, {count} at the most, in the order of the files.",
    reviewed="You reviewed it, and of this {outcome}.",
    read_file="I read `{path}`. (Offline engine, no AI model.)",
    cannot_propose="I change `{path}` only where somebody reviews it, on the screen of the application.\n\nNothing was changed.",
    tidied="Set right by rules, without an AI model, and no wording changed: {repairs}.",
    repairs={
        "spaces": "spaces ({count})",
        "lines": "empty lines ({count})",
        "words": "words that stand twice ({count})",
        "quotes": "quotation marks and apostrophes ({count})",
        "headings": "heading levels that were skipped ({count})",
    },
    listing=", ",
    nothing_to_tidy="I find nothing in `{path}` for rules to set right: spaces, quotation marks, doubled words, heading levels.",
    revised="I proposed a change of `{path}`; you decided: {outcome}. I set right what rules can; better words take a model.",
    next_steps="Say “shorter”, “longer” or “add a section on …” to change it, or ask a question.",
    shows="`/open {path}` shows it beside the conversation.",
    no_model="*I am dogent's offline engine, no AI model: I quote and order what files say, and do not rephrase or check it.*",
)

CHINESE = Phrases(
    about=(
        "我是 dogent 的**离线引擎**：应用内置的一组规则，**不是 AI 模型**，不需要账号，也不需要网络。\n\n"
        "我能做的事：\n\n"
        "- **起草**：“写一份关于某主题的报告”。我会读取你用 `@` 引用的文件（或本文件夹中的文件），"
        "挑出最相关的句子，写入一个 Markdown 文件，每句后面注明出处。也读取 Word、PDF、Excel 等文档。\n"
        "- **导出**：“导出为 PDF”、“生成 Word 文档”，或在 `.dogent/dogent.md` 中写明输出格式。\n"
        "- **修改草稿**：“短一点”、“继续”、“加一节关于某主题的内容”。\n"
        "- **整理**：“校对 notes.md”会提出规则能整理的修改，由你审阅。\n"
        "- **回答问题**：引用文件中最相关的句子。\n\n"
        "我只引用原文，不改写、不翻译、不推理。需要这些时，"
        "请选择一个模型：在应用中使用 `/setup`，或在 `~/.dogent/claude.json` 中配置 profile。"
    ),
    thanks="不客气。需要继续写时请告诉我。我是离线引擎，不是 AI 模型。",
    unable=(
        "这需要语言模型，而我不是：我是 dogent 的离线引擎，只是一组规则。"
        "我可以引用和整理文件里的原文，但不能翻译、改写或校对。"
        "选择一个模型后即可：在应用中使用 `/setup`，或在 `~/.dogent/claude.json` 中配置 profile。\n\n没有改动任何文件。"
    ),
    by_hand=(
        "我不删除、移动或重命名文件，除了“短一点”之外也不从文章中删去内容：我是 dogent 的离线引擎，不是 AI 模型。"
        "`/edit 文件` 用你的编辑器打开文章；以 `!` 开头的一行是你自己的 shell 命令，例如 `!mv old.md new.md`。"
        "有了模型，dogent 会在征得你同意后代劳：用 `/setup` 选择模型。\n\n没有改动任何文件。"
    ),
    look="我在此文件夹中查找文档。（离线引擎，不是 AI 模型。）",
    read="我读取 {count}。（离线引擎，不是 AI 模型。）",
    read_again="还有内容没有读完，我继续读取一部分。",
    read_draft="我读取草稿的当前内容。",
    plan_find="查找文件",
    plan_read="读取文件",
    plan_write="写草稿",
    plan_export="导出为 {formats}",
    export="我导出 `{path}`。（离线引擎，不是 AI 模型。）",
    exported="- {format}：`{path}`{engine}",
    not_exported="- {format}：没有导出。{reason}",
    cannot_export="这里没有导出文件的工具，只有 Markdown 文件。",
    marker="> 以下句子由 dogent 离线引擎引用，并非 AI 模型所写。每句后的括号中是它的来源文件。",
    key_points="要点",
    more="更多",
    summary_title="总结",
    comparison_title="比较：{names}",
    outline_name="{title}大纲",
    wrote_outline="我把大纲《{title}》写入了 `{path}`：{count}，取自你的文件。用 `/outline {path}` 打开它。",
    wrote="我把《{title}》写入了 `{path}`：引用了 {files}中的 {count}，每句后面都注明了来源文件。",
    kept="`{wanted}` 已经存在，我不会覆盖它，因此用了下一个可用的名字。",
    from_file="- `{path}`：{count}",
    shortened="我缩短了 `{path}`：保留 {count}，去掉 {removed}。引用句子以外的内容保持原样。",
    not_shorter="`{path}` 只有 {count}，没有可以去掉的内容，保持原样。",
    extended="我在 `{path}` 的“{title}”标题下增加了 {count}。",
    nothing_new="文件里没有 `{path}` 尚未引用的内容，草稿保持原样。请用 `@` 引用其他文件。",
    nothing_on="读过的文件里没有关于“{topic}”的句子，`{path}` 保持原样。请用 `@` 引用其他文件。",
    already_in="读过的文件里关于“{topic}”的句子，`{path}` 都已引用，保持原样。",
    off_topic="没有句子包含你请求中的词语，因此我选了文件中最核心的句子。",
    draft_gone="我无法再读取草稿 `{path}`：{reason}",
    draft_partial="`{path}` 太长，我无法完整读取，因此没有改动它。",
    answer="文件中的原文是这样说的：",
    no_answer="我在 {files}中没有找到能回答这个问题的内容。",
    no_words="没有句子包含你问题中的词语。以下是 {files}中最核心的内容：",
    lines="{count}，引自 {files}：",
    nothing_about=(
        "我读到的内容（{files}）都没有提到“{topic}”，而我只引用、不编造，因此什么也没有写。"
        "用 `@` 指明依据哪些文件，我就据此起草。有了模型，dogent 可以自由写作：用 `/setup` 选择模型。"
    ),
    no_files="此文件夹中没有可读的文件。请放入 Markdown、Word、PDF、Excel 或文本文件，或用 `@` 引用文件，然后再试。",
    not_found="没有找到 `@{name}`。",
    nothing_found="因此我什么也没有读，也没有写。请改正引用，或去掉引用以便在此文件夹中查找。",
    cannot_look="这里没有查找文件的工具。请用 `@` 引用要使用的文件，然后再试。",
    nothing_readable="没有一个文件能够读取，因此什么也没有写。",
    no_sentences="我读取了 {files}，但其中没有可以引用的句子，因此什么也没有写。",
    cannot_write="这里没有写文件的工具，草稿如下：",
    cannot_read="这里没有读取文件的工具，因此无法起草。",
    unopened_title="没有读取：",
    unopened="- `{path}`：离线引擎不能打开 {type} 文件",
    unseen="- `{path}`：离线引擎看不见图片和视频；选择一个连接模型的配置后，助手就能看",
    unreadable="- `{path}`：{reason}",
    too_large="- `{path}`：文件太大，无法读取",
    partial="- `{path}`：文件太大，只读取了一部分",
    left_out="- 另有 {count} 与请求关系较小",
    denied="我在此停止，因为这个操作没有得到允许：{reason}\n\n之后没有再做任何事。",
    failed="无法写入 `{path}`：{reason}",
    ask_said="文件已读完。起草之前，我先问清请求中没有说明的事。（离线引擎，不是 AI 模型。）",
    ask_title="起草之前",
    ask_preface="离线引擎只引用文件中的原文。你的回答决定引用多少，并会在最后说明。",
    ask_audience="给谁看？",
    audiences=("任何人", "做决定的人", "熟悉内容的人"),
    ask_length="写多长？",
    lengths=("短，约 7 句", "中等，约 15 句", "长，约 30 句"),
    outline_said="这是根据文件标题得出的大纲。（离线引擎，不是 AI 模型。）",
    outline_title="草稿大纲",
    outline_preface="标题取自你的文件。我会按照你交回的大纲起草。",
    outline_alone="标题取自你的文件。我会把你交回的大纲写入文件。",
    nothing_here="> 文件里没有适合这里的句子。",
    for_audience="你说明了读者（{audience}）；我只引用原文，不能为他们改写。",
    chose="没有人可以询问，因此由我选定：面向所有读者，最多 {count}，按文件的顺序排列。",
    reviewed="你已审阅，其中：{outcome}。",
    read_file="我读取了 `{path}`。（离线引擎，不是 AI 模型。）",
    cannot_propose="只有在应用界面中有人审阅时，我才能修改 `{path}`。\n\n没有做任何修改。",
    tidied="按规则整理，没有使用 AI 模型，也没有改动措辞：{repairs}。",
    repairs={
        "spaces": "空格 {count} 处",
        "lines": "多余空行 {count} 处",
        "words": "重复的词 {count} 处",
        "quotes": "引号和撇号 {count} 处",
        "headings": "跳级的标题 {count} 处",
    },
    listing="、",
    nothing_to_tidy="在 `{path}` 中没有找到规则能整理的内容：空格、引号、重复的词、标题级别。",
    revised="我对 `{path}` 提出了修改，你的决定：{outcome}。规则只能整理这些，更好的措辞需要模型。",
    shows="`/open {path}` 在对话旁边显示它。",
    next_steps="可以说“短一点”、“继续”或“加一节关于……的内容”来修改，也可以提问。",
    no_model="*我是 dogent 的离线引擎，不是 AI 模型：我只引用和整理文件中的原文，不改写，也不核实。*",
)

PHRASES: Mapping[Language, Phrases] = {"en": ENGLISH, "zh": CHINESE}
"""The phrases by language."""

MARKERS = (ENGLISH.marker, CHINESE.marker)
"""The line by which a draft of the engine is known, in each language."""


def files(count: int, language: Language) -> str:
    """Return “3 files” in `language`."""
    return f"{count} 个文件" if language == "zh" else f"{count} file{'' if count == 1 else 's'}"


def sources_named(paths: Collection[str], language: Language) -> str:
    """Return “3 files”, or “your prompt” for what was pasted into it, or “your prompt and 3 files”."""
    pasted = [path for path in paths if path in MATERIAL_NAMES.values()]
    others = len(paths) - len(pasted)
    return ("和" if language == "zh" else " and ").join([*pasted, *([files(others, language)] if others or not pasted else [])])


def sentences(count: int, language: Language) -> str:
    """Return “3 sentences” in `language`."""
    return f"{count} 个句子" if language == "zh" else f"{count} sentence{'' if count == 1 else 's'}"


def headings(count: int, language: Language) -> str:
    """Return “3 headings” in `language`."""
    return f"{count} 个标题" if language == "zh" else f"{count} heading{'' if count == 1 else 's'}"


def together(language: Language, *sentences_said: str) -> str:
    """Join sentences to a paragraph: Chinese ones have no space between them."""
    return ("" if language == "zh" else " ").join(filter(None, sentences_said))
