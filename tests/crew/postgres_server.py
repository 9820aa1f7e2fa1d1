"""A PostgreSQL server of its own in a temporary folder, for tests."""
import glob
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


class PostgresServer:
    """Listens on a Unix socket only. Root may not run a server, so it then runs as
    the user nobody."""

    def __enter__(self):
        programs = sorted(glob.glob('/usr/lib/postgresql/*/bin'))
        assert programs, 'Install the Debian package postgresql.'
        self.programs = pathlib.Path(programs[-1])
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='lamarck-crew-pg-'))
        self.user = []
        if os.geteuid() == 0:
            shutil.chown(self.folder, 'nobody', 'nogroup')
            self.user = ['setpriv', '--reuid=nobody', '--regid=nogroup',
                         '--clear-groups']
        subprocess.run([*self.user, self.programs / 'initdb', '-D',
                        self.folder / 'data', '-U', 'lamarck', '-A', 'trust', '-N'],
                       cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        self.url = f'postgresql:///postgres?host={self.folder}&user=lamarck'
        self.start()
        return self

    def start(self):
        self.server = subprocess.Popen(
            [*self.user, self.programs / 'postgres', '-D', self.folder / 'data',
             '-c', 'listen_addresses=', '-c', f'unix_socket_directories={self.folder}',
             '-c', 'max_connections=200', '-c', 'fsync=off'],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if self.run('SELECT 1') is not None:
                return
            time.sleep(0.1)
        raise AssertionError('The server did not start.')

    def stop(self):
        self.server.send_signal(subprocess.signal.SIGQUIT)  # At once.
        self.server.wait(60)

    def run(self, statement):
        """Returns the output of the statement, or None if it failed."""
        done = subprocess.run(['psql', '-XAtq', self.url, '-c', statement],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
