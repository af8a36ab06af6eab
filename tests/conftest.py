"""Tests speak to this machine only: whoever tries another address fails, before a packet leaves."""

import ipaddress
import socket

import pytest

_CONNECT = socket.socket.connect, socket.socket.connect_ex


def _checked(address):
    if isinstance(address, tuple) and not ipaddress.ip_address(address[0].partition("%")[0]).is_loopback:
        raise AssertionError(f"a test wanted to connect to {address[0]}, which is not this machine")


@pytest.fixture(autouse=True, scope="session")
def only_this_machine():
    """Sockets that connect to loopback addresses, and to no others."""

    def connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _checked(address)
        return _CONNECT[0](self, address)

    def connect_ex(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _checked(address)
        return _CONNECT[1](self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    patch.setattr(socket.socket, "connect_ex", connect_ex)
    yield
    patch.undo()
