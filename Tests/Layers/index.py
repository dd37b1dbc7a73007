"""Reads the index that the compiler writes beside a debug build: the definition and the uses of each symbol.

It uses libIndexStore of Swift's toolchain (llvm-project, clang/include/indexstore/indexstore.h), whose functions appear
here without their prefix `indexstore_`.
"""

import ctypes
import pathlib
import shutil
from typing import Iterator, NamedTuple

DEFINITION, REFERENCE = 1 << 1, 1 << 2  # roles
RECORD = 2  # a unit's dependency: the occurrences in one file


class Occurrence(NamedTuple):
    file: str
    line: int
    usr: str  # the symbol's identity, the same in all files
    name: str
    roles: int


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_Pointer = ctypes.c_void_p
_RESULTS = {
    "occurrence_get_line_col": None,
    "occurrence_get_roles": ctypes.c_uint64,
    "occurrence_get_symbol": _Pointer,
    "record_reader_create": _Pointer,
    "record_reader_dispose": None,
    "record_reader_occurrences_apply_f": ctypes.c_bool,
    "store_create": _Pointer,
    "store_units_apply_f": ctypes.c_bool,
    "symbol_get_name": _Text,
    "symbol_get_usr": _Text,
    "unit_dependency_get_filepath": _Text,
    "unit_dependency_get_kind": ctypes.c_int,
    "unit_dependency_get_name": _Text,
    "unit_reader_create": _Pointer,
    "unit_reader_dependencies_apply_f": ctypes.c_bool,
    "unit_reader_dispose": None,
    "unit_reader_get_main_file": _Text,
}


class Index:
    def __init__(self, store: pathlib.Path):
        toolchain = pathlib.Path(shutil.which("swift") or "/usr/bin/swift").resolve().parents[1]
        self._library = ctypes.CDLL(str(toolchain / "lib/libIndexStore.so"))
        for name, result in _RESULTS.items():
            self._function(name).restype = result
        self._store = _Pointer(self._call("store_create", str(store).encode(), None))
        if not self._store:
            raise FileNotFoundError(f"{store} is no index store")

    def occurrences(self, root: pathlib.Path) -> Iterator[Occurrence]:
        """Yields everything in the existing files below a folder."""
        prefix = f"{root}/"
        for unit in self._names("store_units_apply_f", self._store, ctypes.c_uint(0)):
            reader = _Pointer(self._call("unit_reader_create", self._store, unit.encode(), None))
            file = str(self._call("unit_reader_get_main_file", reader))
            records = self._records(reader, file) if file.startswith(prefix) and pathlib.Path(file).exists() else []
            self._call("unit_reader_dispose", reader)
            for record in records:
                yield from self._in_record(record, file[len(prefix) :])

    def _records(self, reader, file) -> list[str]:
        names = []

        def take(dependency):
            if self._call("unit_dependency_get_kind", dependency) != RECORD:
                return
            if str(self._call("unit_dependency_get_filepath", dependency)) == file:
                names.append(str(self._call("unit_dependency_get_name", dependency)))

        self._apply("unit_reader_dependencies_apply_f", reader, take)
        return names

    def _in_record(self, record, file) -> list[Occurrence]:
        found = []

        def take(occurrence):
            symbol = _Pointer(self._call("occurrence_get_symbol", occurrence))
            line, column = ctypes.c_uint(), ctypes.c_uint()
            self._call("occurrence_get_line_col", occurrence, ctypes.byref(line), ctypes.byref(column))
            usr, name = (str(self._call(f"symbol_get_{what}", symbol)) for what in ("usr", "name"))
            found.append(Occurrence(file, line.value, usr, name, self._call("occurrence_get_roles", occurrence)))

        reader = _Pointer(self._call("record_reader_create", self._store, record.encode(), None))
        self._apply("record_reader_occurrences_apply_f", reader, take)
        self._call("record_reader_dispose", reader)
        return found

    def _function(self, name):
        return getattr(self._library, f"indexstore_{name}")

    def _call(self, name, *arguments):
        return self._function(name)(*arguments)

    def _apply(self, name, reader, take):
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, _Pointer, _Pointer)(lambda _, value: (take(_Pointer(value)), True)[1])
        self._call(name, reader, None, callback)

    def _names(self, name, *arguments) -> list[str]:
        names = []
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, _Pointer, _Text)(lambda _, text: (names.append(str(text)), True)[1])
        self._call(name, *arguments, None, callback)
        return names
