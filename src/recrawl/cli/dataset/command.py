"""``recrawl dataset``: published crawl histories, clones and archives into files that `recrawl reproduce` reads."""

import argparse
from typing import Any, Final

from recrawl.cli.dataset import histories, kolobov
from recrawl.cli.help import Help
from recrawl.errors import InputError

NAMES = ("kolobov", "git", "sitemaps", "feeds")

DOCUMENTS = "*.md *.mdx *.html *.rst *.adoc *.txt"
"""`recrawl.histories.git.DOCUMENTS`, without loading what is heavy."""

_OPTIONS: Final = {"paths": ("git",), "since": ("git", "sitemaps", "feeds")}
"""Which of them each option is for."""

_EPILOG = """\
git, sitemaps and feeds write a history: NAME.pages.csv.gz (when each page
came and went) and NAME.changes.csv.gz (when it changed, and whether in a bulk
edit). kolobov writes rates. docs/histories.md says more.

git: DIR is a clone, bare or not, with its whole history. Every file that
matches --paths is a page. The commits are those of the main line (first
parents) of its branch, at the time of the committer. Renames are followed; a
rename alone is no change, nor is creation. A commit that changes more than 50
pages is marked as a bulk edit.
  git clone --bare https://github.com/rust-lang/book
  recrawl dataset git book.git
  recrawl dataset git website --paths 'content/en/**/*.md' --since 2022-01-01
  recrawl reproduce real --history book

sitemaps: DIR is a folder of sitemaps, plain or packed with gzip, each with
the date it was fetched in its name or its folder: 2024-05-01, 20240501 or
20240501T120000, UTC. A page changed when its lastmod advanced, came when it
was first listed, and went when its sitemap no longer listed it. Sitemaps of a
site must keep their names; they need not be fetched at the same time.
  recrawl dataset sitemaps archive/    (archive/2024-05-01/sitemap.xml, ...)

feeds: DIR is a folder of RSS or Atom feeds, dated in the same way. An entry
changed when it says that it was updated, or when its text is another. One
that leaves the feed is not gone.
  recrawl dataset feeds archive/       (archive/news-20240501T0600.atom, ...)

kolobov: the histories of 18.5 million URLs published with "Staying up to Date
with Online Content Changes Using Reinforcement Learning for Scheduling"
(Kolobov, Peres, Lu, Horvitz, 2019). DIR holds its files urlid_imp.txt,
urlid_offset_history.txt and urlid_chrate_compl_obs_hist.txt. Change rates are
estimated as its authors do: by maximum likelihood, smoothed by half a day,
within 0.0005 and 7 per day. The result is kept in DIR/kolobov.parquet (or
--out) and only made again when the files have changed.
  recrawl dataset kolobov ~/PoliteCrawling
  recrawl reproduce semisynthetic --dataset ~/PoliteCrawling/kolobov.parquet
"""


def add_command(commands: "argparse._SubParsersAction[Any]") -> None:
    """Register the subcommand."""
    parser = commands.add_parser(
        "dataset",
        help="turn clones, archives or published crawl histories into histories and rates of pages",
        description="Turn a git clone, an archive of sitemaps or feeds, or published crawl\nhistories into files that "
        "recrawl reproduce reads.",
        epilog=_EPILOG,
        formatter_class=Help,
    )
    name: Any = parser.add_argument("name", metavar="NAME", help=f"what DIR is: {', '.join(NAMES)}")
    name.words = lambda: NAMES
    folder: Any = parser.add_argument("folder", metavar="DIR", help="the clone, or the folder with the files")
    folder.if_missing = "write DIR before --paths, which takes all that follows it for patterns"
    parser.add_argument(
        "--paths",
        metavar="GLOB",
        nargs="+",
        action="extend",
        help="git: which files are pages, after DIR; without a slash in any folder ('*.md'), with one from the top on "
        f"('docs/**/*.md'), with ! not ('!drafts/**') (default: {DOCUMENTS})",
    )
    parser.add_argument("--since", metavar="DATE", help="a history from this date on, such as 2022-01-01 (UTC)")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="where to write: for a history a folder or the beginning of both names (default: the name of DIR, here); "
        "for kolobov a Parquet file (default: inside DIR)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Carry out the command."""
    if args.name not in NAMES:
        raise InputError(f"unknown dataset {args.name!r}; known: {', '.join(NAMES)}", argument="name")
    for option, fitting in _OPTIONS.items():
        if getattr(args, option) is not None and args.name not in fitting:
            message = f"--{option} must not be given with {args.name}; it is for {', '.join(fitting)}"
            raise InputError(message, argument=option)
    if args.name == "kolobov":
        kolobov.run(args)
    else:
        histories.run(args)
