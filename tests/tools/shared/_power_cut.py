"""A folder on a disk whose power can be cut: `libpower_cut.so` (tests/fakes/power_cut.cc) logs the writes of a program
and its children, and a cut keeps a possible part of them.

It models what a file system may do. A file's content is safe up to its last sync, a name up to the last sync of its
folder. Of later writes, each sector of 512 bytes may be old or new in any order, and so may lengths. Changes of names
are kept in order, up to some point.
"""

import fcntl
import os
import shutil
import struct
import uuid
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

LAYER = Path(os.environ["SONDE"]).parent / "tests/libpower_cut.so"
ENTRY = struct.Struct("=IIIIQq")
WRITE, TRUNCATE, SYNC, CREATE, CREATE_FOLDER, REMOVE, RENAME = range(1, 8)
SECTOR = 512
FOLDER = object()  # in place of a file


class File:
    def __init__(self, content=b""):
        self.content = bytearray(content)
        self.pending = []  # (offset, bytes) or (size, None), since the last sync

    def after(self, is_kept):
        content = bytearray(self.content)
        for place, text in self.pending:
            change(content, place, text, is_kept)
        return bytes(content)

    def sync(self):
        for place, text in self.pending:
            put(self.content, place, text) if text is not None else resize(self.content, place)
        self.pending = []


def resize(content, size):
    del content[size:]
    content.extend(bytes(size - len(content)))


def put(content, place, text):
    if len(content) < place:
        resize(content, place)
    content[place : place + len(text)] = text


def change(content, place, text, is_kept):
    if text is None:
        if is_kept():
            resize(content, place)
        return
    at = 0
    while at < len(text):
        end = min(len(text), (place + at) // SECTOR * SECTOR + SECTOR - place)
        if is_kept():
            put(content, place + at, text[at:end])
        at = end


def rename_in(names, path, other, file):
    """One change of a name."""
    if other is not None:
        if path in names:
            names[other] = names.pop(path)
    elif file is None:
        names.pop(path, None)
    else:
        names[path] = file


class Disk:
    def __init__(self, folder, book):
        self.folder, self.book = Path(folder).resolve(), Path(book).resolve()
        self.book.mkdir()
        self.folder.mkdir()
        self.names, self.pending_names, self.files, self.booked = {}, [], {}, 0
        self.begin()

    def environment(self):
        return {"LD_PRELOAD": str(LAYER), "POWER_CUT_FOLDER": str(self.folder), "POWER_CUT_BOOK": str(self.book)}

    def begin(self):
        """The power is on, and what lies in the folder is on the disk for sure."""
        (self.book / "journal").write_bytes(b"")
        (self.book / "off").unlink(missing_ok=True)
        (self.book / "boot").write_text(f"{uuid.uuid4()}\n")
        self.names, self.pending_names, self.files, self.booked = {}, [], {}, 0
        for path in self.folder.rglob("*"):
            if path.is_dir():
                self.names[str(path)] = FOLDER
            else:
                self.names[str(path)] = self.files[path.stat().st_ino] = File(path.read_bytes())

    @contextmanager
    def alone(self):
        """Nobody changes a file meanwhile."""
        with (self.book / "journal").open("rb") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX)
            yield

    def fail_with(self, error):
        """Changes fail so from now on; None: they work."""
        with self.alone():
            told = self.book / "error"
            told.write_text(str(error)) if error else told.unlink(missing_ok=True)

    def off(self):
        """The power is gone: who changes or syncs a file is killed. The others are left to the caller."""
        with self.alone():
            (self.book / "off").touch()

    def processes(self):
        """Those that know this disk, but for what is over."""
        mark = f"POWER_CUT_BOOK={self.book}\0".encode()
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                    yield int(entry.name)
            except OSError:
                continue

    def read_book(self):
        text = (self.book / "journal").read_bytes()
        while self.booked < len(text):
            kind, path_bytes, text_bytes, _, inode, offset = ENTRY.unpack_from(text, self.booked)
            at = self.booked + ENTRY.size
            path = text[at : at + path_bytes].decode()
            at += path_bytes
            self.take(kind, path, text[at : at + text_bytes], inode, offset)
            self.booked = at + text_bytes

    def take(self, kind, path, text, inode, offset):
        if kind == WRITE:
            self.files[inode].pending.append((offset, text))
        elif kind == TRUNCATE:
            self.files[inode].pending.append((offset, None))
        elif kind == SYNC:
            self.sync(path, inode)
        elif kind == CREATE:
            self.files[inode] = File()
            self.pending_names.append((path, None, self.files[inode]))
        else:
            other = text.decode() if kind == RENAME else None
            self.pending_names.append((path, other, FOLDER if kind == CREATE_FOLDER else None))

    def sync(self, path, inode):
        if inode:
            self.files[inode].sync()
            return
        left = []
        for each in self.pending_names:
            if str(PurePosixPath(each[0]).parent) == path:
                rename_in(self.names, *each)
            else:
                left.append(each)
        self.pending_names = left

    def left(self, is_kept):
        """Paths and what a cut now leaves there: contents, and None for folders."""
        names = dict(self.names)
        for each in self.pending_names:
            if not is_kept():
                break
            rename_in(names, *each)
        found = {}
        for path in sorted(names):  # folders before what is in them
            parent = str(PurePosixPath(path).parent)
            if parent == str(self.folder) or names.get(parent) is FOLDER and parent in found:
                found[path] = None if names[path] is FOLDER else names[path].after(is_kept)
        return found

    def trouble(self):
        """Where the book, read to its end, is not what lies in the folder; nothing while nobody changes that."""
        booked = self.left(lambda: True)
        for path in self.folder.rglob("*"):
            content = None if path.is_dir() else path.read_bytes()
            if path.name.endswith("-shm"):
                continue
            if booked.pop(str(path), b"is not there") != content:
                yield f"{path} is not as the book has it"
        yield from (f"{path} is not there" for path in booked)

    def cut(self, is_kept):
        """After off(), when all processes are over: puts into the folder what the cut leaves, and turns the power on."""
        self.read_book()
        wrong = list(self.trouble())
        assert not wrong, f"the layer missed something: {wrong[:5]}"
        left = self.left(is_kept)
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        for path, content in left.items():
            Path(path).mkdir(mode=0o700) if content is None else Path(path).write_bytes(content)
        self.begin()
