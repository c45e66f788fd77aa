"""Requests for the form."""

from dogent_tui.agent.ui_requests import parse_request

REPORT = parse_request(
    {
        "type": "clarification",
        "title": "Before I write the report",
        "preface": "The notes leave two things open, and your answers change what stands first.",
        "questions": [
            {
                "id": "audience",
                "question": "Who reads this?",
                "options": [
                    {
                        "label": "The city council",
                        "value": "council",
                        "description": "One page, the decision first.",
                    },
                    {"label": "The library's staff", "value": "staff"},
                    {"label": "Neighbours [and visitors]", "value": "public"},
                ],
                "recommended": "council",
            },
            {
                "id": "length",
                "question": "How long should it be?",
                "options": ["One page", "Three pages"],
                "allow_freeform": True,
            },
            {
                "id": "parts",
                "question": "Which parts does it need?",
                "options": ["Costs", "Risks", "Timetable"],
                "recommended": ["Costs"],
                "multiple": True,
                "allow_freeform": True,
                "placeholder": "Another part",
            },
            {
                "id": "more",
                "question": "Anything that must not be missing?",
                "placeholder": "A name, a number, a wish",
            },
        ],
    }
)

CHINESE = parse_request(
    {
        "type": "clarification",
        "title": "开始写年度总结之前，有几个问题想确认一下",
        "preface": "资料里没有写清楚读者和篇幅。这两点决定报告的结构。",
        "questions": [
            {
                "id": "audience",
                "question": (
                    "这份报告的主要读者是谁？如果有多类读者，请选择最重要的一类，其他的可以在最后一个问题里补充说明。"
                ),
                "options": [
                    {
                        "label": "董事会和管理层 [b]重点看结论[/b]",
                        "value": "board",
                        "description": "先写结论，再写依据，不超过两页。",
                    },
                    {
                        "label": (
                            "全体员工，包括刚刚加入公司、还不熟悉业务背景和历史数据的新同事，所以需要更多的解释"
                        ),
                        "value": "staff",
                    },
                    {"label": "客户", "value": "customers"},
                ],
                "recommended": "board",
            },
            {
                "id": "tone",
                "question": "语气？",
                "options": ["正式", "亲切"],
                "allow_freeform": True,
                "placeholder": "用您自己的话说明",
            },
        ],
    }
)

MANY = parse_request(
    {
        "type": "clarification",
        "title": "A long form",
        "questions": [
            {
                "id": f"q{number}",
                "question": f"Question {number}?",
                "options": [f"answer {n}" for n in range(1, 4 + number)],
            }
            for number in range(1, 13)
        ],
    }
)
