"""What waits for a pause in typing."""

from textual.app import App

from dogent_tui.tui.prompt.debounce import Debounce


async def test_who_never_pauses_is_not_waited_for_for_ever():
    ran: list[int] = []
    app: App[None] = App()
    async with app.run_test() as pilot:
        draft = Debounce(app, 5.0, lambda: ran.append(1), most=0.05)
        for _ in range(200):
            draft.poke()
            await pilot.pause(0.01)
            if ran:
                break
        else:
            raise AssertionError("It waits for the pause.")
        before = len(ran)
        draft.poke()  # and it begins to wait again
        draft.flush()
        assert len(ran) == before + 1
