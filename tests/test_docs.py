"""The generated parts of the documentation are up to date."""

from experiments.docs import pages


def test_generated_pages_follow_from_the_code_and_the_committed_results() -> None:
    stale = [path.name for path, text in pages().items() if path.read_text() != text]
    assert not stale, f"run python -m experiments.docs: {stale}"
