"""What can go wrong, by whose fault it is.

::

    RecrawlError
    +-- InputError (also ValueError)         the caller passed something the model has no meaning for
    |   +-- DataError                        a file says something wrong; carries the path and the line
    +-- InfeasibleError (also ValueError)    the request is well formed, but no solution exists
    +-- UndeterminedError (also ValueError)  the data cannot tell; the message says why
    +-- MissingExtraError (also ImportError) an optional dependency is not installed
    +-- InUseError                           another process has the folder open
    +-- StoreFullError                       the disk is full; nothing written before is lost
    +-- StoppedEarlyError                    a crawl was told to stop before it had begun
    +-- UnavailableError                     a service cannot be reached, or has failed; the call may be repeated
    +-- NotAllowedError                      a service refuses who asks; the token is missing, revoked or too weak

Messages are lower case and say argument, rule, value and remedy:
``recall must be in [0, 1], got 1.2; if you meant a percentage, divide by 100``.
"""


class RecrawlError(Exception):
    """Every error this package raises on purpose."""


class InputError(RecrawlError, ValueError):
    """An argument breaks its rule.

    ``argument`` names it and ``row`` is the 0-based index of the first page that breaks the rule;
    both are None where they do not apply.

    >>> error = InputError("rate must be positive, got -1.0", argument="rate")
    >>> error.argument, error.row
    ('rate', None)
    """

    def __init__(self, message: str, argument: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.argument = argument
        self.row = row

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle through their args, which would lose the keywords on the way back from a worker.
        return type(self), (str(self), self.argument, self.row)


class DataError(InputError):
    """A file cannot be used as it is.

    ``path`` is the file and ``line`` the 1-based line (for Parquet the row, counted from 1), None when the
    whole file is at fault. Both stand in front of the message.

    >>> print(DataError("recall is blank", path="pages.csv", line=7))
    pages.csv:7: recall is blank
    """

    def __init__(
        self,
        message: str,
        path: str,
        line: int | None = None,
        argument: str | None = None,
        row: int | None = None,
    ) -> None:
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}", argument=argument, row=row)
        self.message = message
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.path, self.line, self.argument, self.row)


class InfeasibleError(RecrawlError, ValueError):
    """No solution exists; the message says what would be needed."""


class UndeterminedError(RecrawlError, ValueError):
    """The data are well formed, but what was asked cannot be estimated from them."""


class MissingExtraError(RecrawlError, ImportError):
    """An optional dependency is missing; the message is the command that brings it.

    >>> print(MissingExtraError("reading Parquet", "parquet"))
    reading Parquet needs the 'parquet' extra: pip install 'recrawl[parquet]'
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the '{extra}' extra: pip install 'recrawl[{extra}]'")
        self.what = what
        self.extra = extra

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.extra)


class InUseError(RecrawlError):
    """A folder of data that another process has open.

    >>> print(InUseError("data", "4711"))
    data is in use by process 4711; stop it, or use another folder
    >>> print(InUseError("warc", ""))
    warc is in use by another process; stop it, or use another folder
    """

    def __init__(self, folder: str, owner: str) -> None:
        who = f"process {owner}" if owner else "another process"
        super().__init__(f"{folder} is in use by {who}; stop it, or use another folder")
        self.folder = folder
        self.owner = owner

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.folder, self.owner)


class StoreFullError(RecrawlError):
    """There is no room for what was to be written; what was written before is safe.

    >>> print(StoreFullError("data"))
    data cannot take more: the disk is full or not writable; nothing is lost, free some space and repeat the call
    >>> print(StoreFullError("data", "a snapshot"))
    data cannot take a snapshot: the disk is full or not writable; nothing is lost, free some space and repeat the call
    """

    def __init__(self, folder: str, what: str = "more") -> None:
        remedy = "the disk is full or not writable; nothing is lost, free some space and repeat the call"
        super().__init__(f"{folder} cannot take {what}: {remedy}")
        self.folder = folder
        self.what = what

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.folder, self.what)


class StoppedEarlyError(RecrawlError):
    """A crawl was told to stop before everything was loaded and opened; nothing was fetched."""


class UnavailableError(RecrawlError):
    """A service that cannot be reached, or that has failed; the call may be repeated.

    >>> print(UnavailableError("http://127.0.0.1:8700", "connection refused"))
    http://127.0.0.1:8700 does not answer: connection refused
    """

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url} does not answer: {why}")
        self.url = url
        self.why = why

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.url, self.why)


class NotAllowedError(RecrawlError):
    """A service that refuses who asks: without a token, with one that was revoked, or with one for less.

    >>> print(NotAllowedError("http://127.0.0.1:8700", "give a token that was made here"))
    http://127.0.0.1:8700 does not allow it: give a token that was made here
    """

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"{url} does not allow it: {why}")
        self.url = url
        self.why = why

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.url, self.why)
