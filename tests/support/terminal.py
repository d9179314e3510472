# SPDX-License-Identifier: Apache-2.0
"""A pseudo-terminal, for tests of gyre repl as a person uses it."""
import os
import pty
import re
import select


class Terminal:
    """A prompt on a pseudo-terminal."""

    def __init__(self, command, home):
        self.process, self.master = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", HOME=str(home), LC_ALL="C.UTF-8")
            os.environ.pop("XDG_STATE_HOME", None)
            os.execv(command[0], command)
        self.text = ""
        self.seen = 0
        self.found = ""

    def type(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, pattern):
        """Reads until the pattern stands behind what was waited for before."""
        if not self.has(pattern, 120):
            raise AssertionError(f"no {pattern!r} in {self.text[self.seen:]!r}")
        return self.found

    def has(self, pattern, quiet_max):
        """The same. False: nothing came for so many seconds."""
        while not (found := re.compile(pattern).search(self.text, self.seen)):
            ready, _, _ = select.select([self.master], [], [], quiet_max)
            if not ready:
                return False
            try:
                data = os.read(self.master, 4096)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"ended without {pattern!r}: {self.text[self.seen:]!r}")
            # Without the sequences that move the cursor.
            self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace"))
        self.seen = found.end()
        self.found = found[0]
        return True

    def leave(self):
        """Ends it by a command: libedit prints its prompt before it takes the terminal, which swallows a Ctrl-D
        that comes in between. Pipes test the end of the input."""
        self.type(":quit\r")
        try:
            while os.read(self.master, 4096):
                pass
        except OSError:
            pass
        return self.end()

    def end(self):
        _, status = os.waitpid(self.process, 0)
        os.close(self.master)
        return os.waitstatus_to_exitcode(status)
