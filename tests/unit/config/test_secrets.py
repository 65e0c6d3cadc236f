"""Secrets are known by their names, and by what an address holds."""

from __future__ import annotations

import pytest

from muniment.config.secrets import STRONG_WORDS, holds_login, is_secret


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "PASSWORD",
        "ssl.keystore.password",
        "sslKeyPassword",
        "api_key",
        "apiKey",
        "token",
        "client-secret",
        "sasl.jaas.config",
        "credentials",
    ],
)
def test_a_secret_is_known_by_a_word_of_its_name(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["servers", "monkey", "tokenizer", "sasl.mechanism", "key.deserializer", "ssl.keystore.location", "retries", ""]
)
def test_what_only_sounds_like_one_is_none(name: str) -> None:
    assert not is_secret(name)


def test_where_keys_are_ordinary_only_plain_secrets_count() -> None:
    assert not is_secret("spark.sql.key", words=STRONG_WORDS)
    assert is_secret("fs.s3a.secret.key", words=STRONG_WORDS)


def test_an_address_with_a_login_is_a_secret() -> None:
    assert holds_login("https://{}@example.org/hook".format("jane:x"))
    assert not holds_login("https://example.org:8080/a@b")
    assert not holds_login(7)
