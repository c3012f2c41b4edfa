"""Addresses that are never fetched from: every row of IANA's registries, and all that Python knows of such blocks."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docspec.serve.fetch import SPECIAL, is_public

IPV4 = (
    "0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29 "
    "192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 "
    "192.52.193.0/24 192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 "
    "203.0.113.0/24 240.0.0.0/4 255.255.255.255/32"
)
"""https://www.iana.org/assignments/iana-ipv4-special-registry, all rows of July 18, 2026."""

IPV6 = (
    "::1/128 ::/128 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 "
    "2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 "
    "2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10"
)
"""https://www.iana.org/assignments/iana-ipv6-special-registry, the same day."""

OTHERS = "224.0.0.0/4 ff00::/8 fec0::/10"
"""Multicast, which has registries of its own, and what was site-local (RFC 3879)."""

REGISTRIES = f"{IPV4} {IPV6} {OTHERS}".split()

UNICAST = ipaddress.ip_network("2000::/3")
"""All of IPv6 that is given out as global unicast (RFC 4291, IANA's table of the address space)."""


def known_to_python() -> list[Any]:
    found = []
    for constants in (ipaddress.IPv4Address("0.0.0.0")._constants, ipaddress.IPv6Address("::")._constants):  # type: ignore[attr-defined]
        for value in vars(constants).values():
            found += [one for one in (value if isinstance(value, list) else [value]) if hasattr(one, "prefixlen")]
    return found


@pytest.mark.parametrize("block", REGISTRIES)
def test_nothing_of_a_special_block_is_public(block: str) -> None:
    network = ipaddress.ip_network(block)
    size = network.num_addresses
    for offset in {0, size // 3, size // 2, size - 1}:
        assert not is_public(str(network[offset])), network[offset]


def test_all_blocks_of_python_are_refused() -> None:
    """Its exceptions too: what is reachable in a special block is no host with documents."""
    networks = known_to_python()
    assert len(networks) > 30
    for network in networks:
        assert not is_public(str(network[0])) and not is_public(str(network[-1])), network


def test_every_block_of_the_table_is_in_a_registry() -> None:
    """Or it is the part of IPv6 that holds addresses of IPv4 in several spellings."""
    rows = [ipaddress.ip_network(block) for block in [*REGISTRIES, "::/8"]]
    assert [block for block in SPECIAL if block not in rows] == []


@given(st.ip_addresses(v=6))
@settings(deadline=None)
def test_only_global_unicast_of_ipv6_is_public(address: ipaddress.IPv6Address) -> None:
    assert not is_public(str(address)) or address in UNICAST


@given(st.sampled_from(REGISTRIES).map(ipaddress.ip_network).flatmap(lambda block: st.ip_addresses(network=block)))
@settings(deadline=None)
def test_no_address_of_a_special_block_passes(address: Any) -> None:
    assert not is_public(str(address))
