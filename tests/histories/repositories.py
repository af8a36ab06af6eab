"""Makes real repositories with git, each commit at a given day."""

import os
import subprocess
from pathlib import Path

BEGAN = 1_600_000_000
DAY = 86_400


class Repository:
    """A repository in a folder, where days count from its first commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, day: float = 0.0) -> str:
        moment = f"{BEGAN + round(day * DAY)} +0000"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment = clean | {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "c",
            "GIT_COMMITTER_EMAIL": "c@example.org",
            "GIT_AUTHOR_DATE": f"{BEGAN - 1000 * DAY} +0000",  # must play no part
            "GIT_COMMITTER_DATE": moment,
        }
        done = subprocess.run(["git", *arguments], cwd=self.folder, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="replace").strip()

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def commit(self, day: float, files: dict[str, str | None] | None = None) -> None:
        """Write these files, remove those that are None, and commit all there is."""
        for path, text in (files or {}).items():
            if text is None:
                (self.folder / path).unlink()
            else:
                self.write(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", day=day)


def lines(word: str, n: int = 30) -> str:
    """A text that is like no other word's."""
    return "".join(f"{word} {k} {word}\n" for k in range(n))
