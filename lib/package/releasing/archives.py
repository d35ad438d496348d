"""Archives of the same bytes wherever and whenever they are made: sorted, without owners, with one time."""
import datetime
import gzip
import io
import pathlib
import tarfile
import zipfile
from collections.abc import Mapping


def plain(entry: tarfile.TarInfo, mode: int) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = mode
    return entry


def mode_of(path: pathlib.Path) -> int:
    return 0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644


def tar(folder: pathlib.Path, epoch: int, prefix: str = "") -> bytes:
    """The bytes of a tar archive of what is in the folder, each name behind the prefix."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            entry = plain(tarfile.TarInfo(prefix + path.relative_to(folder).as_posix()), mode_of(path))
            entry.mtime = epoch
            if path.is_dir():
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            else:
                entry.size = path.stat().st_size
                with open(path, "rb") as content:
                    archive.addfile(entry, content)
    return into.getvalue()


def packed(content: bytes, epoch: int) -> bytes:
    into = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, into, epoch) as file:
        file.write(content)
    return into.getvalue()


def tar_gz(path: pathlib.Path, folder: pathlib.Path, epoch: int, prefix: str = "") -> None:
    path.write_bytes(packed(tar(folder, epoch, prefix), epoch))


def zipped(path: pathlib.Path, files: Mapping[str, bytes], epoch: int) -> None:
    """files: name -> bytes, in the order of the archive."""
    time = datetime.datetime.fromtimestamp(epoch, datetime.UTC)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (time.year, time.month, time.day, time.hour, time.minute, time.second))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
