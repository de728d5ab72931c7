"""Records for the tests of the desk, in a file and in PostgreSQL where it is installed."""

import getpass
import os
import shutil
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

MISSING = [name for name in ("fastapi", "sqlalchemy") if find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if MISSING else []  # the desk needs labelfield[desk]
if not MISSING:
    from desk_cases import LABELS, MODEL, new_cases
    from labelfield.desk.queue import add_cases
    from labelfield.desk.record import Record


@pytest.fixture
def record(tmp_path):
    """An empty record in a file."""
    record = Record(tmp_path / "desk.review")
    yield record
    record.close()


@pytest.fixture
def fill():
    """Return a function that adds n open cases to a record."""

    def add(record, n=5, **options):
        model = record.register_model(**MODEL, labels=LABELS)
        return add_cases(record, model, new_cases(n), **options)

    return add


def _server_folder():
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("pg_ctl")
    return folders[-1] if folders else Path(found).parent if found else None


@pytest.fixture(scope="session")
def postgres():
    """The address of a PostgreSQL server that the test started, on a socket of its own."""
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed")
    tools = _server_folder()
    if tools is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    with tempfile.TemporaryDirectory(prefix="pg", dir="/tmp") as folder:
        prefix, user = [], getpass.getuser()
        if os.getuid() == 0:  # the server refuses to run as root; Debian's package made an account
            if subprocess.run(["id", "postgres"], capture_output=True).returncode:
                pytest.skip("PostgreSQL does not run as root, and there is no account postgres")
            prefix, user = ["runuser", "-u", "postgres", "--"], "postgres"
            shutil.chown(folder, "postgres")
        data = f"{folder}/data"

        def call(*words):
            subprocess.run(
                [*prefix, *words], check=True, cwd=folder, stdout=subprocess.DEVNULL, timeout=120
            )

        call(str(tools / "initdb"), "-D", data, "-A", "trust", "--no-sync", "-U", user)
        options = f"-c listen_addresses= -c unix_socket_directories={folder}"
        call(str(tools / "pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://{user}@/postgres?host={folder}"
        finally:
            call(str(tools / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


@pytest.fixture
def database(postgres):
    """A record in an empty schema of the PostgreSQL server."""
    import psycopg

    name = f"desk{os.urandom(6).hex()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    record = Record(f"{postgres}&options=-csearch_path%3D{name}")
    yield record
    record.close()


@pytest.fixture(params=["file", "postgres"])
def any_record(request):
    """A record, once in a file and once in PostgreSQL."""
    return request.getfixturevalue("record" if request.param == "file" else "database")
