"""Settings: what is wrong is said, with the way out."""

import pytest

from recrawl.crawler import settings_file
from recrawl.crawler.settings import Settings
from recrawl.errors import InputError

SITE = ("https://a.example/",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rate": "fast"}, "rate must be above 0, requests a second or a text such as 5/s"),
        ({"rate": 0}, "rate must be above 0"),
        ({"gap": "-1"}, "gap must be seconds >= 0"),
        ({"sites": ("a.example",)}, "did you mean https://a.example?"),
        ({"max_in_flight": 0}, "max_in_flight must be a whole number >= 1"),
        ({"lease": 5.0}, "lease must be at least the timeout of 60 s"),
        ({"once": "yes"}, "once must be true or false"),
        ({"contact": "me"}, "contact must be a mail address or a URL, got 'me'; such as you@example.org"),
        ({"contact": "a.example/bot"}, "did you mean https://a.example/bot?"),
        ({"contact": "me@"}, "contact must be"),
        ({"public_url": "a.example"}, "public_url must be how hubs reach this server, such as https://"),
        ({"contact": "@a.example"}, "contact must be"),
        ({"contact": "me at a.example"}, "contact must be"),
        ({"contact": "https://"}, "contact must be"),
        ({"contact": "http://["}, "contact must be"),
        ({"contact": "ftp://a.example/"}, "contact must be"),
    ],
)
def test_what_is_wrong_is_said(given, said):
    with pytest.raises(InputError, match="must") as error:
        Settings(**given)
    assert said in str(error.value)


def test_a_contact_is_asked_for():
    with pytest.raises(InputError, match="contact must say whom people may ask"):
        Settings(sites=SITE).check_ready()
    Settings(sites=SITE, contact="me@a.example").check_ready()


@pytest.mark.parametrize(
    "contact",
    ["me@a.example", "mailto:me+bot@mail.a.example", "https://a.example/bot?x=1", "http://127.0.0.1/", "me@localhost"],
)
def test_a_contact_is_a_mail_address_or_a_url(contact):
    assert Settings(contact=contact).contact == contact


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"compare": "css:["}, "compare must"),
        ({"compare": "words"}, "compare must be bytes, text"),
        ({"compare_sites": {"https://a.example/news/": "cs:main"}}, "compare must be bytes, text"),
        ({"ignore": ("(",)}, "ignore must have regular expressions"),
        ({"listen": "nowhere"}, "listen must be HOST:PORT"),
        ({"listen": "127.0.0.1:0", "public_url": "foo"}, "public_url must be how hubs reach this server"),
        ({"on_change": " "}, "on_change must be a command or an address"),
    ],
)
def test_what_others_would_refuse_later_is_refused_before_anything_begins(given, said):
    with pytest.raises(InputError, match="must") as error:
        Settings(sites=SITE, contact="me@a.example", **given).check_ready()
    assert said in str(error.value)


def test_but_not_for_this_machine():
    Settings(sites=("http://127.0.0.1:8000/", "http://x.localhost/"), allow_private=True).check_ready()


def test_addresses_that_are_not_public_must_be_allowed():
    with pytest.raises(InputError, match="add --allow-private"):
        Settings(sites=("http://10.0.0.1/",), contact="me@a.example").check_ready()


@pytest.mark.parametrize("site", ["http://169.254.169.254/latest", "http://[fd00:ec2::254]/", "http://[fe80::1]/"])
def test_some_are_never_asked(site):
    for allowed in (False, True):
        with pytest.raises(InputError, match="are never asked"):
            Settings(sites=(site,), contact="me@a.example", allow_private=allowed).check_ready()


def test_the_agent_is_truthful():
    assert Settings(contact="me@a.example").agent.endswith("(+me@a.example)")
    assert Settings(contact="me@a.example").agent.startswith("recrawl/")


def test_the_template_is_a_settings_file_with_every_setting(tmp_path):
    path = tmp_path / "recrawl.toml"
    path.write_text(settings_file.template(SITE, "5/s", "me@a.example", "data"))
    given = settings_file.read(path)
    assert Settings(**given).rate == 5.0
    assert given["data"] == str(tmp_path / "data")
    left_out = {"lease", "window", "user_agent", "once", "idle_timeout", "connect_timeout"}
    assert [name for name in settings_file.NAMES if name not in path.read_text() and name not in left_out] == []


def test_unknown_names_are_refused_with_the_nearest(tmp_path):
    path = tmp_path / "recrawl.toml"
    path.write_text("max-in-fligth = 3\n")
    with pytest.raises(InputError, match="is no setting; did you mean max_in_flight"):
        settings_file.read(path)
