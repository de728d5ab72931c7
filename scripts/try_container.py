"""Go through the steps of deploy/Containerfile without a container engine.

    python scripts/try_container.py

Builds the wheel, installs it with its extras into a new virtual environment, warms it up, and
starts the image's command for a user who may write nowhere but in a folder for temporary files;
then its health check, a request with a token of the file, one without, and SIGTERM. Started by
root it serves as `nobody`, who must be able to run this Python (one below /root will not do), else
as whoever starts it. Packages come from where pip finds them; the base image and the engine's own
options are not tried.
"""

import json
import os
import re
import runpy
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
FIT = """
import sys
from labelfield import BinaryRelevance
X, tags = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] * 10, [["rain"], ["wind"], ["rain", "wind"]] * 10
BinaryRelevance(alpha=0.1).fit(X, tags).save(sys.argv[1])
"""


def steps():
    """Return extras, command and health check of the image."""
    text = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    extras = re.search(r"'\.(\[[a-z,]+\])'", text).group(1)
    command = json.loads(re.search(r"^CMD (\[.*\])$", text, re.MULTILINE).group(1))
    health = re.search(r"^HEALTHCHECK CMD (.*)$", text, re.MULTILINE).group(1)
    return extras, command, shlex.split(health)


def install(folder, extras):
    """Install the wheel into a new environment; return the folder of its programs."""
    run([sys.executable, "-m", "venv", folder / "venv"])
    programs = folder / "venv" / "bin"
    pip = [programs / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run([*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT])
    (wheel,) = folder.glob("*.whl")
    run([*pip, "install", "-c", ROOT / "constraints.txt", f"{wheel}{extras}"])
    return programs


def run(words, **options):
    subprocess.run([str(word) for word in words], check=True, cwd="/", **options)


def main():
    extras, command, health = steps()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        programs, port = install(folder, extras), free_port()
        built = {**os.environ, "PYTHONPATH": "", "PATH": f"{programs}:{os.environ['PATH']}"}
        loops, scratch, data = (folder / part for part in ("numba", "scratch", "data"))
        for place in (scratch, data):
            place.mkdir()
        scratch.chmod(0o777)
        run(["labelfield", "warm-up"], env={**built, "NUMBA_CACHE_DIR": str(loops)})
        run([programs / "python", "-c", FIT, data / "model.lf"], env=built)
        told = subprocess.run(
            ["labelfield", "desk", "token", "tokens", "billing"],
            env=built, cwd=data, check=True, capture_output=True, text=True,
        )  # fmt: skip
        (data / "tokens").chmod(0o644)
        served = {**built, "HOME": "/nonexistent", "NUMBA_CACHE_DIR": str(scratch / "numba")}
        moved = {"/opt/numba": str(loops), "/tmp": str(scratch), "8000": str(port)}
        words = [replace(word, moved) for word in command]
        user = "nobody" if os.getuid() == 0 else None
        options = {"env": served, "cwd": data, "user": user, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, **options) as server:
            try:
                check(server, [replace(word, moved) for word in health], port, told.stdout, served)
            finally:
                server.kill()
        print(f"The steps of the image work; served as {user or 'you'}.")


def replace(word, moved):
    """Put other places and another port into a word of the image."""
    return re.sub("|".join(moved), lambda found: moved[found.group()], word)


def check(server, health, port, told, served):
    """Ask the server as a caller would, and stop it."""
    began = time.monotonic()
    while subprocess.run(health, env=served, cwd="/", capture_output=True, check=False).returncode:
        if server.poll() is not None or time.monotonic() > began + 120:
            server.kill()
            raise SystemExit(f"No answer: {server.stderr.read().decode()[-2000:]}")
        time.sleep(0.5)
    print(f"Healthy after {time.monotonic() - began:.1f} s.")
    ask = runpy.run_path(str(ROOT / "deploy" / "client.py"))["ask"]
    began = time.monotonic()
    answer = ask(f"http://127.0.0.1:{port}", told.split()[-1], "predict", {"X": [[1.0, 0.0]]})
    assert answer["predictions"][0]["labels"] == ["rain"], answer
    print(f"First answer after {time.monotonic() - began:.1f} s.")
    assert refusal(ask, f"http://127.0.0.1:{port}").startswith("401")
    server.send_signal(signal.SIGTERM)
    status = server.wait(30)
    assert status in (0, -signal.SIGTERM, 128 + signal.SIGTERM), status


def refusal(ask, address):
    """Return what a caller with a guessed token is told."""
    try:
        return str(ask(address, "guess", "predict", {"X": [[1.0, 0.0]]}))
    except ValueError as error:
        return str(error)


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


if __name__ == "__main__":
    main()
