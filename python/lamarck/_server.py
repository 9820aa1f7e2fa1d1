"""The page and the interfaces of the server, in a process of their own."""

import json
import os
import signal
import subprocess
import tempfile

from . import _core, _program


class Server:
    """A running `lamarck serve`; `stop`, or the end of `with`, ends it."""

    def __init__(self, process, url, messages):
        self._process = process
        self._messages = messages
        self.url = url

    def messages(self):
        """What the server reported so far, such as warnings."""
        return _text(self._messages)

    def stop(self):
        """Ends the server, which saves what runs."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def __repr__(self):
        return f"Server({self.url!r})"

    def _repr_html_(self):
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


def serve(*, host="127.0.0.1", port=0, db=None, data_dir=None):
    """Starts the server on a free port, or on the given one.

    >>> import tempfile, urllib.request, lamarck
    >>> with lamarck.serve(data_dir=tempfile.mkdtemp()) as server:
    ...     urllib.request.urlopen(server.url + "/health").status
    200
    """
    words = [_program.path(), "serve", "--host", host, "--port", str(port),
             "--json"]
    for flag, value in (("--db", db), ("--data-dir", data_dir)):
        if value is not None:
            words += [flag, str(value)]
    messages = tempfile.TemporaryFile()
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=messages,
                               stdin=subprocess.DEVNULL, text=True)
    line = process.stdout.readline()
    if not line:
        process.wait()
        process.stdout.close()
        with messages:
            raise _core.Error("The server did not start: "
                              + _text(messages).removeprefix("lamarck: "))
    return Server(process, json.loads(line)["api"].removesuffix("/api/v1"),
                  messages)


def _text(file):
    # Not by seeking: the server writes at the same place of the file.
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode(errors="replace").strip()
