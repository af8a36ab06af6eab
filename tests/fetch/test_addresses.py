"""Which addresses and ports are those of the public web."""

import ipaddress

import pytest

from recrawl.errors import InputError
from recrawl.fetch.addresses import allowed_port, literal, own, public

PUBLIC = (
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.215.14",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "168.63.129.15",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.1",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2606:4700:4700::1111",
    "2a00:1450:4001:800::200e",
    "3ffe::1",
    "3fff:1000::",
)

NOT_PUBLIC = (
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.0.0",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.8",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.0.170",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.88.99.2",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "224.0.1.1",
    "239.255.255.255",
    "240.0.0.0",
    "254.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::ffff:0:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "100::1",
    "100:0:0:1::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff::",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "2002:808:808::",
    "3fff::1",
    "3fff:fff:ffff::",
    "4000::1",
    "5f00::1",
    "5f00:ffff::",
    "fc00::1",
    "fd00::1",
    "fd00:ec2::254",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff00::1",
    "ff02::1",
    "ff05::1:3",
    "ff0e::1",
    "ffff::1",
)

ODD_BUT_LOCAL = (
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f000001",
    "0X7F.0x0.0.1",
    "017700000001",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "127.0.0.0x1",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "%31%32%37.0.0.1",
    "0",
    "0x0",
    "[::1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "0xa9fea9fe",
    "2852039166",
)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address):
    assert public(address)
    assert public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_not_public(address):
    assert not public(address)
    assert not public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ODD_BUT_LOCAL)
def test_odd_spellings_are_what_the_url_standard_makes_of_them(address):
    assert literal(address) is not None
    assert not public(address)


OWN = (
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "::",
    "::1",
    "fc00::1",
    "fd12:3456:789a::1",
    "2130706433",
    "[::1]",
)

NOBODYS = (
    "0.0.0.1",
    "0.255.255.255",
    "100.96.0.96",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.0.0",
    "169.254.169.254",
    "169.254.170.2",
    "169.254.255.255",
    "192.0.0.192",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::a9fe:a9fe",
    "::ffff:169.254.169.254",
    "::ffff:100.100.100.200",
    "::ffff:10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fd00:42::42",
    "fd00:a9fe:a9fe::1",
    "fd00:a9fe:a9fe::254",
    "fd00:ec2::23",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fd00::1%eth0",
    "fe80::1",
    "fe80::a9fe:a9fe",
    "fe80::1%eth0",
    "febf::1",
    "ff02::1",
    "0xa9fea9fe",
    "2852039166",
    "169.254.43518",
    "0xA9.0376.0251.0376",
    "[fd00:ec2::254]",
    "[::ffff:a9fe:a9fe]",
    "169.254.169.254.",
    "example.org",
    "",
)


@pytest.mark.parametrize("address", OWN)
def test_of_ones_own_network(address):
    assert own(address)
    assert not public(address)


@pytest.mark.parametrize("address", NOBODYS)
def test_metadata_link_local_and_reserved_addresses_are_of_no_network_of_ones_own(address):
    assert not own(address)
    assert not public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_asked_from_ones_own_network(address):
    assert own(address)


def test_odd_spellings_of_public_addresses_are_public():
    assert public("134744072")
    assert public("0x08.0x08.2056")
    assert public("[2606:4700:4700::1111]")


@pytest.mark.parametrize(
    "address", ["fe80::1%eth0", "fe80::1%25eth0", "2606:4700:4700::1111%1", "::1%lo", "[fe80::1%251]"]
)
def test_zone_ids_are_not_public(address):
    assert not public(address)


@pytest.mark.parametrize(
    "text", ["", " ", "example.org", "localhost", "8.8.8.8:80", "8.8.8.8/24", "8.8.8.8/", "x@8.8.8.8", "8.8.8.8#",
             "256.1.1.1", "[::1]:80", "1.2.3.4.5", "8.8.8.8\x00", "8.8.8.8\\x", "\udc80", "::g"]
)  # fmt: skip
def test_what_is_no_address_is_not_public(text):
    assert not public(text)


@pytest.mark.parametrize("wrong", [None, 8, b"8.8.8.8"])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(InputError, match="address must be text"):
        public(wrong)


def test_nothing_python_calls_private_is_public():
    """Around the edges of every range, both ways."""
    for edge in map(ipaddress.ip_address, PUBLIC + NOT_PUBLIC):
        for step in (-1, 0, 1):
            try:
                address = edge + step
            except ValueError:
                continue
            assert address.is_global or not public(address)


@pytest.mark.parametrize("port", [80, 443, 8080, 8443, 8000, 3000, 65535, 591, 1024])
def test_ports_of_the_web_are_allowed(port):
    assert allowed_port(port)


@pytest.mark.parametrize(
    "port", [0, -1, 65536, 1, 21, 22, 23, 25, 53, 110, 143, 465, 587, 993, 995, 2049, 5060, 6000, 6667, 10080]
)
def test_ports_of_mail_and_the_like_are_refused(port):
    assert not allowed_port(port)
