import inspect
import pickle

import pytest

from recrawl import errors

EVERY = [value for value in vars(errors).values() if inspect.isclass(value)]

MADE = [
    errors.RecrawlError("no"),
    errors.InputError("no", argument="recall", row=3),
    errors.DataError("no", path="pages.csv", line=7, argument="recall", row=5),
    errors.InfeasibleError("no"),
    errors.UndeterminedError("no"),
    errors.MissingExtraError("reading Parquet", "parquet"),
    errors.InUseError("data", "4711"),
    errors.StoreFullError("data"),
    errors.StoppedEarlyError("interrupted before it began"),
    errors.UnavailableError("http://127.0.0.1:8700", "connection refused"),
    errors.NotAllowedError("http://127.0.0.1:8700", "give a token"),
]


@pytest.mark.parametrize("error", EVERY)
def test_every_error_is_a_recrawl_error(error):
    assert issubclass(error, errors.RecrawlError)


@pytest.mark.parametrize("error", EVERY)
def test_every_error_is_in_the_drawing(error):
    assert error.__name__ in errors.__doc__


def test_every_error_is_made_in_these_tests():
    assert {type(error) for error in MADE} == set(EVERY)


def test_wrong_input_is_a_value_error():
    assert issubclass(errors.InputError, ValueError)


def test_an_infeasible_request_is_a_value_error_but_not_wrong_input():
    assert issubclass(errors.InfeasibleError, ValueError)
    assert not issubclass(errors.InfeasibleError, errors.InputError)


def test_a_missing_extra_is_an_import_error():
    assert issubclass(errors.MissingExtraError, ImportError)


def test_input_error_carries_argument_and_row():
    error = errors.InputError("no", argument="recall", row=3)
    got = (str(error), error.argument, error.row)
    assert got == ("no", "recall", 3)


def test_data_error_names_file_and_line():
    got = str(errors.DataError("recall is blank", path="pages.csv", line=7))
    assert got == "pages.csv:7: recall is blank"


def test_data_error_without_a_line_names_the_file():
    got = str(errors.DataError("is empty", path="pages.csv"))
    assert got == "pages.csv: is empty"


def test_missing_extra_names_the_pip_command():
    assert "pip install 'recrawl[plot]'" in str(errors.MissingExtraError("drawing", "plot"))


@pytest.mark.parametrize("error", MADE, ids=lambda error: type(error).__name__)
def test_errors_survive_pickling(error):
    got = pickle.loads(pickle.dumps(error))
    assert (type(got), str(got), vars(got)) == (type(error), str(error), vars(error))
